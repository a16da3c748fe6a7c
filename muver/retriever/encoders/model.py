"""A model's directory: towers, the vocabulary, and how texts are laid out and compared."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import torch
from msgspec.structs import replace
from torch import nn

from muver.io.errors import InputError
from muver.io.files import copy, read_json, write_json
from muver.retriever.encoders.bert import Bert
from muver.retriever.encoders.encoders_settings import ModelConfig
from muver.retriever.encoders.files import (
    CONFIG_FILE,
    TOKENIZER_FILE,
    TOWER_FILES,
    read_model_config,
    write_model_card,
)
from muver.retriever.encoders.sizes import is_packed
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.encoders.towers import Tower


class Model(nn.Module):
    """Towers with their vocabulary and layouts; a scale is trained (as its logarithm).

    ``towers`` are their names: attributes here, and folders of the directory.
    """

    towers: ClassVar[Sequence[str]]

    def __init__(self, towers: Sequence[Tower], pieces: Pieces, config: ModelConfig):
        super().__init__()
        for name, tower in zip(self.towers, towers, strict=True):
            setattr(self, name, tower)
        self.pieces, self.config = pieces, config
        scale = config.scale
        self.log_scale = nn.Parameter(torch.tensor(math.log(scale))) if scale else None

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self.parameters()).device

    @classmethod
    def from_pretrained(cls, folder: str | Path) -> Self:
        """Load a directory that :meth:`save_pretrained` wrote."""
        folder = Path(folder)
        config = read_model_config(folder)
        return cls([load_tower(folder / name) for name in cls.towers], Pieces(folder), config)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the directory: Hugging Face towers, tokenizer, configuration, card."""
        folder = Path(folder)
        for name in self.towers:
            getattr(self, name).save(folder / name)
        copy(self.pieces.path, folder / TOKENIZER_FILE)
        config = self.config
        if self.log_scale is not None:
            config = replace(config, scale=math.exp(self.log_scale.item()))
        write_model_card(folder, config)
        write_json(folder / CONFIG_FILE, config.as_dict())


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
    """The class of towers that computes the encoder in a directory."""
    if is_packed(read_json(folder / "config.json")):
        return Bert
    from muver.retriever.encoders.library import Library  # takes seconds to import

    return Library
