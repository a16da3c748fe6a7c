"""What lies in an encoder's and a model's directory: names of files, and the model's card.

This imports nothing heavy.
"""

import json
from pathlib import Path

from muver.io.files import write_text
from muver.retriever.encoders.encoders_settings import ModelConfig

TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "muver.json"
MANIFEST_FILE = "manifest.json"
TOWERS = ("mention_encoder", "entity_encoder")
TOWER_FILES = ("config.json", "model.safetensors")
WEIGHT_FILES = ("model.safetensors", "pytorch_model.bin", "model.safetensors.index.json")
VOCABULARY_FILES = (TOKENIZER_FILE, "vocab.txt", "vocab.json")
# Files of sentence-transformers: the modules after the transformer, and the prompts.
MODULES_FILE = "modules.json"
PROMPTS_FILE = "config_sentence_transformers.json"
POOLING_FILES = (
    MODULES_FILE,
    "1_Pooling/config.json",
    PROMPTS_FILE,
    *(
        f"{number}_Dense/{file}"
        for number in (2, 3)
        for file in ("config.json", "model.safetensors", "pytorch_model.bin")
    ),
)
ENCODER_FILES = (
    "config.json",
    *WEIGHT_FILES,
    *VOCABULARY_FILES,
    "merges.txt",
    "tokenizer_config.json",
)
START_FILES = (*TOWER_FILES, TOKENIZER_FILE, MANIFEST_FILE)
MODEL_FILES = (
    CONFIG_FILE,
    TOKENIZER_FILE,
    "README.md",
    *(f"{tower}/{file}" for tower in TOWERS for file in TOWER_FILES),
)
CROSS_TOWER = "cross_encoder"
CROSS_FILES = (
    CONFIG_FILE,
    TOKENIZER_FILE,
    "README.md",
    *(f"{CROSS_TOWER}/{file}" for file in TOWER_FILES),
)
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
CROSS_CARD = """\
---
library_name: muver
tags: [entity-linking, cross-encoder]
---

# A cross-encoder that reranks entities

`cross_encoder/` reads a mention's context and an entity's description together, and scores the
pair. `muver query INDEX --rerank this/folder` ranks an index's candidates again.

Settings it was made with, which `muver.retriever.encoders.encoders_settings.ModelConfig` explains:

```json
{settings}
```
"""


def is_model(folder: Path) -> bool:
    """Whether a folder is a model's directory; otherwise it is an encoder's."""
    return (folder / CONFIG_FILE).is_file()


def write_model_card(path: Path, config: ModelConfig, card: str = CARD) -> None:
    """Write a README.md on what the model is, how to load it and how it was made."""
    settings = json.dumps(config.as_dict(), indent=2, ensure_ascii=False)
    write_text(path, card.format(settings=settings))
