"""A small knowledge base, mentions linked to it, and runs over it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.io.files import read_json, sha256_of, write_manifest
from muver.io.parquet import table_of, write_table
from muver.retriever.corpus.corpus_settings import ReadDump
from muver.retriever.corpus.knowledge_base import MANIFEST
from muver.retriever.corpus.parts import read_dump
from muver.retriever.corpus.schema import LINKED_MENTIONS, WIKIPEDIA
from tests.runs import write_run

# Entities 0 to 7; 1 has the title of 0 in another spelling, 5 has no paragraphs.
PAGES = (
    ("Paris", ["Paris is a town .", "It has a river and a tower."]),
    ("paris", ["A son of the king."]),
    ("Rome", ["The old castle.", "A bell , rung twice .", ".", "The horse in the valley."]),
    ("Oslo", ["A harbour in winter."]),
    ("Bern", ["The river of the valley.", "A captain's market."]),
    ("Lima", []),
    ("Cairo", ["A lantern.", "A mirror.", "A drum.", "A sword.", "A scholar."]),
    ("Quito", ["The garden of the archer."]),
)


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
    """Settings of `muver kb`: those of params.yaml, changed."""
    return ReadDump(**{**READING, **changes})


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def make_kb(folder: Path) -> Path:
    """A finished base in several parts, ids 100, 101, ..."""
    dump = folder / "dump.json"
    lines = [line(100 + n, title, *some) for n, (title, some) in enumerate(PAGES)]
    dump.write_bytes(b"".join(lines))
    read_dump(dump, folder / "kb", reading(part_bytes=500))
    return folder / "kb"


def write_linked(path: Path, name: str, golds: Sequence[int | None]) -> Path:
    """Mentions NAME-0, NAME-1, ... with these golds."""
    rows = [
        (f"{name}-{n}", name, WIKIPEDIA, None, "the king saw", "tower", f"in winter {n}", gold, "",
         "none" if gold is None else "id")
        for n, gold in enumerate(golds)
    ]  # fmt: skip
    write_table(path, table_of(LINKED_MENTIONS, zip(*rows, strict=True)))
    return path


def write_linked_run(
    folder: Path, kb: Path, mentions: Path, ranked: dict[str, list[tuple[int, float]]]
) -> tuple[Path, Path]:
    """A run of (entity, score) by mention and its manifest, as `muver ann-search` leaves them."""
    rows = [
        (mention, WIKIPEDIA, rank, entity, PAGES[entity][0], score, 0, 0, 0)
        for mention, found in ranked.items()
        for rank, (entity, score) in enumerate(found, start=1)
    ]
    run, manifest = write_run(folder / "run.parquet", rows), folder / "run.json"
    inputs = {"model": "m", "vectors": "v", "mentions": "q"}
    inputs["kb"] = read_json(kb / "manifest.json")["fingerprint"]
    inputs["table"] = sha256_of(mentions)
    index = {"index": "Flat", "built": {"factory": "Flat"}, "agreement": {"k": 100}}
    write_manifest(manifest, "ann-search", {"k": 100}, inputs, counts={"entities": 8}, **index)
    return run, manifest


def made_parts(folder: Path) -> list[int]:
    """Numbers of the parts of a knowledge base; none if it isn't complete."""
    manifest = Path(folder, MANIFEST)
    return list(range(len(read_json(manifest)["parts"]))) if manifest.is_file() else []
