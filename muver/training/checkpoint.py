"""Checkpoints of a training run, so that a killed run goes on to the same result."""

from pathlib import Path
from typing import Any

import torch

from muver.io.files import atomic_path
from muver.io.progress import logger


class Checkpoints:
    """The last and the best state of one run, under the key of its settings and data.

    They lie outside the model's directory: the workflow clears outputs before a job, and these
    have to outlive it.
    """

    def __init__(self, folder: Path, key: str):
        self.folder, self.key = folder, key

    def save(self, name: str, state: dict[str, Any]) -> None:
        """Write ``<name>.pt``, complete or not at all."""
        with atomic_path(self.folder / f"{name}.pt") as temporary, open(temporary, "wb") as file:
            try:
                torch.save({"key": self.key, **state}, file)
            except RuntimeError as error:  # torch says this where the disk is full
                if isinstance(error.__context__, OSError):
                    raise error.__context__ from error
                raise

    def load(self, name: str) -> dict[str, Any] | None:
        """Read ``<name>.pt``; None if there is none or it belongs to other settings or data."""
        path = self.folder / f"{name}.pt"
        if not path.is_file():
            return None
        state = torch.load(path, map_location="cpu", weights_only=True)
        if state.pop("key") != self.key:
            logger.info("%s belongs to other settings or data: not resumed", path)
            return None
        return state

    def clear(self) -> None:
        """Remove the checkpoints of a finished run, and halves that a killed one left."""
        for pattern in ("*.pt", ".*.pt.*.tmp"):
            for path in self.folder.glob(pattern):
                path.unlink()
