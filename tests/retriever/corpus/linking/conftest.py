"""A base of a few entities, and mentions over it."""

import json
from pathlib import Path

import pytest

from muver.retriever.corpus.parts import read_dump
from tests.knowledge_base import line, reading


@pytest.fixture(scope="session")
def kb(tmp_path_factory) -> Path:
    """Entities 0 to 3: ids 30, 10, 20 and 40."""
    folder = tmp_path_factory.mktemp("base")
    dump = folder / "dump.json"
    pages = [
        line(30, "New York City"),
        line(10, "Paris"),
        line(20, "Paris, Texas"),
        line(40, "Rome"),
    ]
    dump.write_bytes(b"".join(pages))
    read_dump(dump, folder / "kb", reading())
    return folder / "kb"


def mention(text: str, **gold) -> dict:
    return {"context_left": f"left of {text}", "mention": text, "context_right": "right .", **gold}


def write(path: Path, mentions: list[dict]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in mentions), encoding="utf-8")
    return path
