"""How a tower is loaded: as our own BERT, else as the library's encoder."""

from pathlib import Path
from typing import Any

import torch

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.encoders.bert import Bert
from muver.retriever.encoders.files import TOWER_FILES
from muver.retriever.encoders.sizes import is_packed
from muver.retriever.encoders.towers import Tower


def load_tower(folder: Path) -> Tower:
    """Load what :meth:`Tower.save` wrote, in float32."""
    for file in TOWER_FILES:
        if not (folder / file).is_file():
            raise InputError(f"{folder / file}: no such file. Expected an encoder's directory.")
    return _kind(folder).load(folder)


def empty_tower(folder: Path) -> Tower:
    """A tower of the sizes in ``config.json``, without weights or memory for them."""
    with torch.device("meta"):
        return _kind(folder).empty(folder)


def _kind(folder: Path) -> Any:
    if is_packed(read_json(folder / "config.json")):
        return Bert
    from muver.retriever.encoders.library import Library  # takes seconds to import

    return Library
