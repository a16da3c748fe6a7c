"""Checkpoints, so that a killed training run can go on to the same result."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import torch

from muver.io.errors import InputError
from muver.io.files import atomic_path, sha256_of
from muver.io.progress import logger

DIGEST = 32  # bytes of the SHA-256 that follows torch's archive


class Checkpoints:
    """The last and the best state of one run, under the key of its settings and data.

    They lie outside the model's directory: the workflow clears outputs before a job, and
    checkpoints have to survive that.
    """

    def __init__(self, folder: Path, key: str):
        self.folder, self.key = folder, key

    def save(self, name: str, state: dict[str, Any]) -> None:
        """Write ``<name>.pt``."""
        with atomic_path(self.folder / f"{name}.pt") as temporary, open(temporary, "wb") as file:
            try:
                torch.save({"key": self.key, **state}, file)
            except RuntimeError as error:  # torch raises this if the disk is full
                if isinstance(error.__context__, OSError):
                    raise error.__context__ from error
                raise
            file.flush()
            file.write(bytes.fromhex(sha256_of(temporary)))

    def load(self, name: str) -> dict[str, Any] | None:
        """Read ``<name>.pt``; None if it is missing or belongs to other settings or data."""
        path = self.folder / f"{name}.pt"
        if not path.is_file():
            return None
        written = np.memmap(path, mode="r") if path.stat().st_size else np.empty(0)
        if hashlib.sha256(written[:-DIGEST]).digest() != written[-DIGEST:].tobytes():
            raise InputError(f"{path}: damaged. Delete {self.folder} to train from the beginning.")
        state = torch.load(path, map_location="cpu", weights_only=True)
        if state.pop("key") != self.key:
            logger.info("%s belongs to other settings or data: not resumed", path)
            return None
        return state

    def clear(self) -> None:
        """Remove the checkpoints of a finished run, and partial files of a killed one."""
        for pattern in ("*.pt", ".*.pt.*.tmp"):
            for path in self.folder.glob(pattern):
                path.unlink()
