"""A BERT of two layers, made once, and a corpus of three worlds."""

import os
from pathlib import Path

import pytest

from tests import tiny

os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def encoder(tmp_path_factory) -> Path:
    return tiny.make_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="session")
def corpus(tmp_path_factory) -> tuple[Path, Path, Path]:
    return tiny.write_corpus(tmp_path_factory.mktemp("corpus"))
