"""The model card that lies in every model directory."""

import json
from pathlib import Path
from typing import Any

from muver.files import write_text

CARD = """\
---
library_name: muver
tags: [entity-retrieval, entity-linking, bi-encoder]
---

# A two-tower entity retriever

Mentions are encoded by `mention_encoder/`, views of entities by `entity_encoder/`; the score of
an entity is the {score} of the dot products with its views.

```python
from muver.encoders.biencoder import BiEncoder

model = BiEncoder.from_pretrained("this/folder")
```

Settings it was made with:

```json
{settings}
```
"""

SCORES = {
    "max": "greatest",
    "sum_max": "sum over the mention's tokens of the greatest",
}


def write_model_card(path: Path, config: dict[str, Any]) -> None:
    """Write a README.md that says what the model is, how to load it and how it was made."""
    settings = json.dumps(config, indent=2, ensure_ascii=False)
    write_text(path, CARD.format(score=SCORES[config["score"]], settings=settings))
