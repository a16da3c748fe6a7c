"""Matrices on disk."""

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.io.matrices import load_matrix, save_matrix

MATRIX = np.arange(6, dtype=np.float32).reshape(3, 2)


def test_round_trip(tmp_path):
    save_matrix(tmp_path / "folder" / "m.npy", MATRIX)
    found = load_matrix(tmp_path / "folder" / "m.npy", "")
    assert isinstance(found, np.memmap) and found.dtype == np.float32
    assert found.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_a_missing_or_damaged_file_is_told_with_what_makes_it(tmp_path):
    with pytest.raises(InputError, match=r"m.npy: no such file. Encode it\."):
        load_matrix(tmp_path / "m.npy", "Encode it.")
    save_matrix(tmp_path / "m.npy", MATRIX)
    whole = (tmp_path / "m.npy").read_bytes()
    for part in (whole[:-1], whole[:4], b"", b"not an array"):
        (tmp_path / "m.npy").write_bytes(part)
        with pytest.raises(InputError, match=r"m.npy: damaged \(.*\). Encode it\."):
            load_matrix(tmp_path / "m.npy", "Encode it.")
