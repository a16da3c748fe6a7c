"""Which worlds of the corpus are to train on."""

from pathlib import Path

import pytest

from muver.io.files import write_json


@pytest.fixture(scope="session")
def counts(tmp_path_factory) -> Path:
    """Alder and birch are to train on, cedar is the world of val and test."""
    splits = {"alder": "train", "birch": "train", "cedar": "val"}
    path = tmp_path_factory.mktemp("counts") / "counts.json"
    write_json(path, {"worlds": {name: {"split": split} for name, split in splits.items()}})
    return path
