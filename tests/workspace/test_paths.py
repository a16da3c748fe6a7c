"""Where files lie, and those that have to be there before anything is made."""

import pytest

from muver.io.errors import InputError
from muver.workspace import Workspace


def workspace(checkpoint):
    return Workspace({"models": {"muver_released": {"checkpoint": str(checkpoint)}}})


def test_published_weights_are_found(tmp_path):
    weights = tmp_path / "best_zeshel.bin"
    weights.write_bytes(b"weights")
    assert workspace(weights).checkpoint_file("muver_released") == str(weights)


def test_published_weights_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match=r"models.muver_released.checkpoint is .*: no such file"):
        workspace(tmp_path / "best_zeshel.bin").checkpoint_file("muver_released")
    with pytest.raises(InputError, match="no such file"):
        workspace(tmp_path).checkpoint_file("muver_released")
