"""Matrices as .npy files: written whole or not at all, and memory-mapped when read."""

import errno
from pathlib import Path

import numpy as np

from muver.io.checksums import check
from muver.io.errors import read_errors
from muver.io.files import atomic_path


def save_matrix(path: str | Path, matrix: np.ndarray) -> None:
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        try:
            np.save(file, matrix)
        except OSError as error:
            if error.errno is None:  # numpy only says how many items it could write
                raise OSError(errno.ENOSPC, str(error)) from error
            raise


def load_matrix(path: str | Path, remedy: str) -> np.ndarray:
    """Memory-map a .npy file; errors end with ``remedy``, a sentence on what makes the file."""
    check([Path(path)])
    with read_errors(path, remedy, "damaged"):
        return np.load(path, mmap_mode="r")
