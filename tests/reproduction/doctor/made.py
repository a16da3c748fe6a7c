"""A workspace of one world, written by hand: runs, evaluations, a model, a store."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from muver.io.files import sha256_of, write_json
from muver.io.parquet import table_writer, write_table
from muver.reproduction.workspace.catalog import read_catalog
from muver.retriever.corpus.schema import ENTITIES, MENTIONS
from muver.retriever.evaluation.recall import ranks_table
from muver.retriever.runs.run import write_run

TITLES = ["Ann", "Bob", "Bob", "Cid", "Dot", "Eve"]
GOLD = {"m1": 0, "m2": 2, "m3": 3, "m4": 4}
KEY = "0badcafe"
WORLD = "reef"
Ranked = dict[str, list[tuple[int, float]]]  # mention: entities with their scores, best first

RETRIEVE = {
    "split": "test", "k": 3, "match": "title", "memory_mb": 256, "aggregate": "softmax_sum",
    "softmax_candidates": 200, "metric": "dot", "merge_layers": 0, "search": None,
    "global_view": False,
}  # fmt: skip
MODEL = {
    "views": {"kind": "sentences", "max_tokens": 40, "training_views": 10},
    "context": {"max_tokens": 128},
    "score": "max",
    "pooling": "cls",
    "metric": "dot",
    "training": {"epochs": 3, "padding_views": False, "optimiser": "adamw"},
    "seed": 10000,
}


def save_run(path: Path, ranked: Ranked, names: list[str] = TITLES) -> Path:
    """A run file of ours."""
    rows = [
        (mention, rank, entity, score)
        for mention, candidates in ranked.items()
        for rank, (entity, score) in enumerate(candidates, start=1)
    ]
    ids, ranks, entities, scores = (list(column) for column in zip(*rows, strict=True))
    titles = [names[entity] for entity in entities]
    none = [-1] * len(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_run(path, ids, [WORLD] * len(rows), ranks, entities, titles, scores, none, none, none)
    return path


def save_corpus(folder: Path) -> None:
    """Entities, mentions and counts."""
    folder.mkdir(parents=True)
    entities = [(WORLD, n, f"D{n}", title, "text", None) for n, title in enumerate(TITLES)]
    mentions = [(m, "test", WORLD, None, "", m, "", gold, "") for m, gold in GOLD.items()]
    for name, schema, rows in (("entities", ENTITIES, entities), ("mentions", MENTIONS, mentions)):
        table = pa.Table.from_pylist(
            [dict(zip(schema.names, row, strict=True)) for row in rows], schema
        )
        with table_writer(folder / f"{name}.parquet", schema) as writer:
            writer.write_table(table)
    write_json(
        folder / "counts.json", {"dataset": "made", "fingerprint": "f00d", "identified_as": None}
    )


class Project:
    """A project's folder with one workspace, ``build/made``."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.root = folder / "build" / "made"
        save_corpus(self.root / "corpus" / KEY)

    def at(self, kind: str, name: str, suffix: str = "") -> Path:
        """The folder or file of an artifact."""
        return self.root / kind / f"{name}-{KEY}{suffix}"

    def model(
        self, name: str, weights: bytes = b"w", threads: int = 1, **training: Any
    ) -> dict[str, Any]:
        """A model directory and its store; returns the settings that its row has."""
        folder, store = self.at("models", name), self.at("stores/test", name)
        settings = {**MODEL, "training": {**MODEL["training"], **training}}
        write_json(folder / "muver.json", settings)
        store.mkdir(parents=True, exist_ok=True)
        np.save(store / "layer0.npy", np.frombuffer(weights, dtype=np.uint8))
        compute = {"precision": "fp32", "device": "auto", "threads": threads}
        write_json(store / "manifest.json", {"settings": {"split": "test", **compute}})
        return settings

    def run(
        self, system: str, ranked: Ranked, model: str = "one", settings: Any = None, **retrieve: Any
    ) -> Path:
        """A run, its manifest and its evaluation; needs the model."""
        path = save_run(self.at("runs/test", f"{system}", ".parquet"), ranked)
        retrieval = {**RETRIEVE, **retrieve}
        store = self.at("stores/test", model) / "layer0.npy"
        manifest = {
            "stage": "retrieve",
            "muver": "0.1.0",
            "settings": retrieval,
            "inputs": {"store": sha256_of(store)},
        }
        write_json(path.with_suffix(".json"), manifest)
        row = {"system": system, "seed": 10000, "retrieve": retrieval, "model": settings or MODEL}
        evaluation = {
            "system": system,
            "dataset": "made",
            "fingerprint": "f00d",
            "settings": row,
            "run_sha256": sha256_of(path),
        }
        write_json(self.at("evaluations/test", system, ".json"), evaluation)
        called = TITLES if retrieval["match"] == "title" else range(len(TITLES))
        lists = {
            mention: [called[entity] for entity, _ in candidates]
            for mention, candidates in ranked.items()
        }
        found = [
            lists[mention].index(called[gold]) + 1 if called[gold] in lists[mention] else 0
            for mention, gold in GOLD.items()
        ]
        many = len(GOLD)
        table = ranks_table(
            [*GOLD], [WORLD] * many, [None] * many, found, [1] * many, retrieval["k"]
        )
        write_table(self.at("evaluations/test", system, ".parquet"), table)
        write_json(self.root / "catalog.json", {
            **read_catalog(self.root),
            f"evaluations/test/{system}-{KEY}": [f"runs/test/{system}-{KEY}"],
            f"runs/test/{system}-{KEY}": [f"stores/test/{model}-{KEY}", f"corpus/{KEY}"],
            f"stores/test/{model}-{KEY}": [f"models/{model}-{KEY}", f"corpus/{KEY}"],
        })  # fmt: skip
        return path
