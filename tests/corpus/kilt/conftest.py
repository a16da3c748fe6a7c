"""A small dump in KILT's shape that a test can spoil."""

import json
from pathlib import Path
from typing import Any

import pytest

from muver.corpus.kilt.settings import check_settings


def line(identity: Any, title: str, *paragraphs: str) -> bytes:
    page = {
        "_id": str(identity),
        "wikipedia_id": str(identity),
        "wikipedia_title": title,
        "text": [f"{title}\n", *paragraphs],
        "anchors": [{"text": "x", "href": "Y"}],
    }
    return json.dumps(page, ensure_ascii=False).encode() + b"\n"


PAGES = [line(10 * n + 5, f"Page {n}", f"First of {n}.\n", f"Second of {n}, ü.\n")
         for n in range(40)]  # fmt: skip


@pytest.fixture
def dump(tmp_path) -> Path:
    path = tmp_path / "raw" / "dump.json"
    path.parent.mkdir()
    path.write_bytes(b"".join(PAGES))
    return path


@pytest.fixture
def small_parts() -> dict[str, Any]:
    """Parts of about four pages, no bad line allowed."""
    return check_settings({"part_bytes": 600, "bad_lines": 0})


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
