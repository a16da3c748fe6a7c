"""What lies in an encoder's and a model's directory: names of files, configuration, card.

This imports nothing heavy.
"""

import json
import shutil
from pathlib import Path

from muver.io.files import read_json, write_text
from muver.io.typed import read
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
CROSS_TOWER = "cross_encoder"
OF_TOWERS = tuple(f"{tower}/{file}" for tower in TOWERS for file in TOWER_FILES)
BESIDE_TOWERS = (CONFIG_FILE, TOKENIZER_FILE, "README.md")
MODEL_FILES = (*BESIDE_TOWERS, *OF_TOWERS)
CROSS_FILES = (*BESIDE_TOWERS, *(f"{CROSS_TOWER}/{file}" for file in TOWER_FILES))


def is_model(folder: Path) -> bool:
    """Whether a folder is a model's directory; otherwise it is an encoder's."""
    return (folder / CONFIG_FILE).is_file()


def copy_model(folder: Path, out: Path) -> None:
    """Copy a model's files, as far as they are there, into a folder that is given its name later:
    one may be without a card.
    """
    for name in MODEL_FILES:
        if (folder / name).is_file():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / name, out / name)


def read_model_config(folder: Path) -> ModelConfig:
    """How the model in a directory was made."""
    path = folder / CONFIG_FILE
    return read(ModelConfig, read_json(path, "Name a model's folder, which has it."), str(path))


def write_model_card(folder: Path, config: ModelConfig) -> None:
    """Write a README.md on what the model is, how to load it and how it was made."""
    card = Path(__file__).with_name(f"{'cross' if config.score == 'cross' else 'model'}_card.md")
    settings = json.dumps(config.as_dict(), indent=2, ensure_ascii=False)
    write_text(folder / "README.md", card.read_text(encoding="utf-8").format(settings=settings))
