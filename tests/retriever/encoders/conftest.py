"""An encoder's directory of a test's own."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def copied(encoder, tmp_path) -> Path:
    """An encoder's directory to change."""
    return Path(shutil.copytree(encoder, tmp_path / "copied"))
