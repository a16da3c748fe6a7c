"""Importing a file into a knowledge base, and what it says."""

import json

import pytest

from muver.io.typed import read
from muver.kb.importing.build import import_kb
from muver.kb.importing.importing_settings import Import
from muver.kb.importing.schema import read_entities
from tests.retriever.corpus.conftest import dataset  # noqa: F401


@pytest.fixture
def imported(tmp_path):
    """Import files; gives the rows and the counts."""

    def imported(*sources, settings=None, **options):
        counts = import_kb(
            list(sources), out=tmp_path / "kb", settings=read(Import, settings or {}), **options
        )
        return read_entities(tmp_path / "kb").to_pylist(), counts

    return imported


@pytest.fixture
def written(tmp_path):
    """Write a file of text, bytes or rows as JSON lines; gives its path."""

    def written(name, content):
        path = tmp_path / name
        if isinstance(content, list):
            content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written
