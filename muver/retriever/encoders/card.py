"""The model card that lies in every model directory."""

import json
from pathlib import Path

from muver.io.files import write_text
from muver.retriever.encoders.settings import ModelConfig

CARD = """\
---
library_name: muver
tags: [entity-retrieval, entity-linking, bi-encoder]
---

# A two-tower entity retriever

Mentions are encoded by `mention_encoder/`, views of entities by `entity_encoder/`.

```python
from muver.retriever.encoders.biencoder import BiEncoder

model = BiEncoder.from_pretrained("this/folder")
```

Settings it was made with, which `muver.retriever.encoders.biencoder.ModelConfig` explains:

```json
{settings}
```
"""


def write_model_card(path: Path, config: ModelConfig) -> None:
    """Write a README.md on what the model is, how to load it and how it was made."""
    settings = json.dumps(config.as_dict(), indent=2, ensure_ascii=False)
    write_text(path, CARD.format(settings=settings))
