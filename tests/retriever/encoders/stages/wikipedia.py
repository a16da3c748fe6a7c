"""A small knowledge base of several parts in KILT's shape, and its mentions."""

import json
from pathlib import Path

from miniwikia import generate_kilt
from miniwikia.settings import GenerateKilt
from muver.io.typed import read
from muver.retriever.corpus.corpus_settings import Link
from muver.retriever.corpus.linking.build import link_set
from muver.retriever.corpus.parts import read_dump
from tests.knowledge_base import reading

LINK = Link(context_tokens=128, match="id")
GENERATE = {
    "seed": 3,
    "entities": 60,
    "entities_per_world": 30,
    "mentions": {"aida-train": 12, "aida-testa": 4, "aida-testb": 4, "msnbc": 9, "wnedwiki": 4},
}
BARE = "Bare page"


def make_base(root: Path, part_bytes: int, name: str = "kb") -> Path:
    """``root/<name>``, of a dump that is made once; its last page has no paragraphs."""
    raw = root / "raw"
    dump = raw / "kilt_knowledgesource.json"
    if not dump.is_file():
        generate_kilt(read(GenerateKilt, GENERATE), raw)
        page = {"wikipedia_id": "99999999", "wikipedia_title": BARE, "text": [f"{BARE}\n"]}
        with open(dump, "a") as file:
            file.write(json.dumps(page) + "\n")
    read_dump(dump, root / name, reading(part_bytes=part_bytes))
    return root / name


def link(root: Path, kb: Path, name: str) -> Path:
    """``root/<set>.parquet``."""
    table = root / f"{name}.parquet"
    link_set(name, root / "raw" / f"{name}.jsonl", kb, table, table.with_suffix(".json"), LINK)
    return table
