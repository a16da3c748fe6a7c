"""One tower on disk: a directory in Hugging Face's layout."""

from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save

from muver.io.errors import InputError
from muver.io.files import atomic_path, write_json
from muver.retriever.encoders.bert import Bert, BertConfig
from muver.retriever.encoders.files import TOWER_FILES


def save_tower(tower: Bert, folder: Path) -> None:
    """Write one tower in Hugging Face's layout."""
    state = {name: value.detach().cpu().contiguous() for name, value in tower.state_dict().items()}
    with atomic_path(folder / "model.safetensors") as temporary:
        temporary.write_bytes(save(state, metadata={"format": "pt"}))
    write_json(folder / "config.json", tower.config.as_dict())


def load_tower(folder: Path) -> Bert:
    """Load one tower as :func:`save_tower` wrote it, in float32."""
    for file in TOWER_FILES:
        if not (folder / file).is_file():
            raise InputError(f"{folder / file}: no such file. Expected a BERT directory.")
    tower = Bert(BertConfig.from_file(folder / "config.json"))
    path = folder / "model.safetensors"
    try:
        tower.load_state_dict(load_file(path))
    except (RuntimeError, SafetensorError) as error:
        raise InputError(f"{path}: its weights cannot be loaded ({error}).") from error
    return tower
