"""A small dump in KILT's shape that a test can spoil."""

import json
from pathlib import Path
from typing import Any

import pytest

from muver.retriever.corpus.settings import ReadDump


def line(identity: Any, title: str, *paragraphs: str) -> bytes:
    page = {
        "_id": str(identity),
        "wikipedia_id": str(identity),
        "wikipedia_title": title,
        "text": [f"{title}\n", *paragraphs],
        "anchors": [{"text": "x", "href": "Y"}],
    }
    return json.dumps(page, ensure_ascii=False).encode() + b"\n"


READING = {
    "paragraphs": 5,
    "part_bytes": 1 << 27,
    "bad_lines": 100,
    "bad_share": 0.001,
    "duplicates": "refuse",
}


def reading(**changes: Any) -> ReadDump:
    """Settings of `muver stage kb`: those of params.yaml, changed."""
    return ReadDump(**{**READING, **changes})


PAGES = [line(10 * n + 5, f"Page {n}", f"First of {n}.\n", f"Second of {n}, ü.\n")
         for n in range(40)]  # fmt: skip


@pytest.fixture
def dump(tmp_path) -> Path:
    path = tmp_path / "raw" / "dump.json"
    path.parent.mkdir()
    path.write_bytes(b"".join(PAGES))
    return path


@pytest.fixture
def small_parts() -> ReadDump:
    """Parts of about four pages, no bad line allowed."""
    return reading(part_bytes=600, bad_lines=0)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
