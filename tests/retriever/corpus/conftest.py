"""A small dataset in ZESHEL's format that a test can spoil, and an HTTP server that it can tune."""

import io
import json
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from muver.retriever.corpus.sources import find_source


def document(number: int, title: str, text: str) -> dict:
    return {"document_id": f"D{number}", "title": title, "text": text}


def mention(number: int, world: str, start: int, end: int, text: str) -> dict:
    return {
        "mention_id": f"M-{world}-{number}",
        "context_document_id": "D0",
        "label_document_id": "D1",
        "text": text,
        "start_index": start,
        "end_index": end,
        "corpus": world,
        "category": "LOW_OVERLAP",
    }


@dataclass
class Dataset:
    """Three worlds, one a split; change ``documents`` and ``mentions``, then ``write``."""

    root: Path
    documents: dict[str, list[dict]] = field(default_factory=dict)
    mentions: dict[str, list[dict]] = field(default_factory=dict)
    last: str = ""  # a further line of the first world

    def __post_init__(self):
        for world, split in (("alpha", "train"), ("beta", "val"), ("gamma", "test")):
            self.documents[world] = [
                document(0, "Ann", "Ann met the Old King at noon ."),
                document(1, "The Old King", "The Old King ruled . He slept ."),
                document(2, "Untold", ""),
            ]
            self.mentions[split] = [mention(0, world, 3, 4, "Old King")]

    def write(self) -> Path:
        for folder, files in (("documents", self.documents), ("mentions", self.mentions)):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
            for name, lines in files.items():
                text = "".join(json.dumps(line) + "\n" for line in lines)
                (self.root / folder / f"{name}.json").write_text(text, encoding="utf-8")
        if self.last:
            with open(self.root / "documents/alpha.json", "a", errors="surrogateescape") as file:
                file.write(self.last + "\n")
        return self.root


@pytest.fixture
def dataset(tmp_path) -> Dataset:
    return Dataset(tmp_path / "raw")


@pytest.fixture
def zeshel(dataset: Dataset) -> bytes:
    """An archive with ZESHEL's sixteen worlds, three documents each."""
    documents, mentions = dataset.documents["alpha"], dataset.mentions["train"][0]
    worlds = find_source("zeshel").published.worlds
    dataset.documents = dict.fromkeys(worlds, documents)
    dataset.mentions = {"train": [], "val": [], "test": [], "heldout_train_seen": []}
    for world, published in worlds.items():
        its_mention = {**mentions, "mention_id": f"M-{world}", "corpus": world}
        dataset.mentions[published.split].append(its_mention)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:bz2") as tar:
        tar.add(dataset.write(), "zeshel")
    return buffer.getvalue()
