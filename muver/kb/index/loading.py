"""How an index loads a model."""

from pathlib import Path
from typing import TypeVar

M = TypeVar("M")


def load_model(folder: Path, kind: type[M]) -> M:
    """A model where it computes fastest."""
    import torch

    model = kind.from_pretrained(folder).eval()
    return model.to("cuda" if torch.cuda.is_available() else "cpu")
