"""The card of an index that travels."""

from collections.abc import Mapping
from typing import Any

CARD = """\
---
library_name: muver
tags: [muver, entity-linking, entity-retrieval]
---

# {name}

An index of {entities} entities, to be searched for what a mention in a text refers to. Made with
{model}; worlds: {worlds}.

```python
import muver

index = muver.Index.from_pretrained("{name}")
index.search("In spring [[the smith]] forged the gate.")
```

It has the titles, descriptions and aliases of all entities: their licence holds for it too.
"""


def card_of(info: Mapping[str, Any], name: str) -> str:
    """The card of an index, of which :meth:`muver.Index.info` says so much."""
    model = f"the model `{info['model']}`" if info["model"] else "words and names alone"
    worlds = ", ".join(info["worlds"])
    return CARD.format(name=name, entities=info["entities"], model=model, worlds=worlds)
