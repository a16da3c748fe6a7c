"""The model card that lies in every model directory."""

import json
from pathlib import Path
from typing import Any

from muver.io.files import write_text

CARD = """\
---
library_name: muver
tags: [entity-retrieval, entity-linking, bi-encoder]
---

# A two-tower entity retriever

Mentions are encoded by `mention_encoder/`, views of entities by `entity_encoder/`. {vectors}
The score of an entity is the {score} of the {metric} with its views.

```python
from muver.retriever.encoders.biencoder import BiEncoder

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
METRICS = {"dot": "dot products", "l2": "negative Euclidean distances"}
TOKEN_VECTORS = "All token vectors are compared."
VECTORS = {
    "cls": "A vector is the last layer's state of `[CLS]`.",
    "last": "A vector is the last layer's state of the last piece.",
    "special": "A vector is the mean of the last layer's states of the special pieces.",
    "span": "A vector is the mean of the last layer's states of the mention's (or title's) pieces.",
    "all": "A vector is the mean of the last layer's states of all pieces.",
    "weighted": "A vector is the mean of the last layer's states, weighted by position.",
}
SCALED = " All are of one length: the product of two is their cosine times {:.4g}."


def write_model_card(path: Path, config: dict[str, Any], terms: int = 1) -> None:
    """Write a README.md on what the model is, how to load it and how it was made."""
    settings = json.dumps(config, indent=2, ensure_ascii=False)
    vectors = TOKEN_VECTORS if config["score"] == "sum_max" else VECTORS[config["pooling"]]
    if "scale" in config:
        vectors += SCALED.format(config["scale"] / terms**0.5)
    text = CARD.format(
        vectors=vectors,
        score=SCORES[config["score"]],
        metric=METRICS[config["metric"]],
        settings=settings,
    )
    write_text(path, text)
