"""A folder without data, and a small dataset in ZESHEL's format."""

import pytest

from tests.retriever.corpus.conftest import dataset  # noqa: F401


@pytest.fixture(autouse=True)
def nothing_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
