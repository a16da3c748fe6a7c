"""Runs of real stages on the smallest data: encoded, merged, retrieved in two ways, evaluated."""

from pathlib import Path

import pytest

from muver.io.files import read_json, write_json
from muver.reproduction.doctor.compare import compare
from muver.retriever.encoders.stages.encode import Encode, encode_split
from muver.retriever.encoders.stages.further import Merge, merge_store
from muver.retriever.evaluation.settings import Scoring
from muver.retriever.evaluation.stage import evaluate
from muver.retriever.retrieval.kinds import retrieve
from tests import tiny
from tests.reproduction.doctor.made import KEY

COUNTS = {
    "dataset": "tiny",
    "fingerprint": "f00d",
    "identified_as": None,
    "worlds": {"cedar": {"split": "test", "entities": 12, "mentions": 12}},
    "mentions": {"test": 12},
    "entities": {"test": 12},
}
ROWS = {
    "plain": {"aggregate": "softmax_sum", "softmax_candidates": 200},
    "best": {"aggregate": "max"},
    "merged": {"aggregate": "max", "merge_layers": 1, "search": "distant"},
}


@pytest.fixture(scope="module")
def root(tmp_path_factory, corpus, encoder) -> Path:
    """``build/tiny`` of a project, with three rows over one model."""
    project = tmp_path_factory.mktemp("project")
    root = project / "build" / "tiny"
    data = root / "corpus" / KEY
    data.mkdir(parents=True)
    entities, mentions, sentences = (
        data / f"{name}.parquet" for name in ("entities", "mentions", "sentences")
    )
    for path, table in zip((entities, mentions, sentences), corpus, strict=True):
        path.symlink_to(table)
    write_json(data / "counts.json", COUNTS)
    model, store = root / f"models/muver-{KEY}", root / f"stores/test/muver-{KEY}"
    towers = tiny.make_model(encoder)
    towers.save_pretrained(model)
    encode_split(model, entities, mentions, sentences, store, tiny.settings(Encode, split="test"))
    merged = root / f"merged/test/muver-distant-{KEY}"
    search = {
        "layers": 1,
        "top_k": 0.4,
        "pairs": "distant",
        "among": "neighbours",
        "max_tokens": 64,
    }
    merging = tiny.settings(Merge, **search)
    merge_store(model, store, merged, merging)
    made_of = {f"stores/test/muver-{KEY}": [f"models/muver-{KEY}", f"corpus/{KEY}"]}
    for name, settings in ROWS.items():
        run = root / f"runs/test/{name}-{KEY}.parquet"
        asked = {
            "split": "test", "k": 8, "match": "title", "memory_mb": 256, "metric": "dot",
            "merge_layers": 0, "search": None, "global_view": False, **settings,
        }  # fmt: skip
        inputs = {"store": store, "entities": entities, "mentions": mentions}
        if "merge_layers" in settings:
            inputs["merged"] = merged
        retrieve("views", asked, run, run.with_suffix(".json"), **inputs)
        config = towers.config
        row = {
            "system": name,
            "seed": 1,
            "retrieve": asked,
            "model": {"views": config.views, "context": config.context, "score": config.score},
        }
        counts = data / "counts.json"
        evaluate(
            name,
            "tiny",
            "test",
            run,
            run.with_suffix(".json"),
            mentions,
            scores_of(root, name),
            Scoring(cutoffs=[1, 4, 8], resample="documents", row=row),
            entities,
            sentences,
            counts,
            trec=True,
        )
        made_of |= {
            f"evaluations/test/{name}-{KEY}": [f"runs/test/{name}-{KEY}"],
            f"runs/test/{name}-{KEY}": [
                *([f"merged/test/muver-distant-{KEY}"] if "merge_layers" in settings else []),
                f"stores/test/muver-{KEY}",
            ],
        }
    write_json(root / "catalog.json", made_of)
    return root


def runs(root: Path, *names: str) -> list[Path]:
    return [root / f"runs/test/{name}-{KEY}.parquet" for name in names]


def named(differences) -> set[str]:
    return {one["name"] for one in differences}


def scores_of(root: Path, name: str) -> Path:
    return root / f"evaluations/test/{name}-{KEY}.json"


def test_recall_is_that_of_the_evaluations(root):
    report = compare(*runs(root, "plain", "best"))
    for which, name in (("first", "plain"), ("second", "best")):
        evaluation = read_json(scores_of(root, name))
        for k, recall in report["recall"][which].items():
            if str(k) in evaluation["micro"]:
                assert recall == pytest.approx(evaluation["micro"][str(k)])
    assert named(report["settings"]) == {"retrieve.aggregate", "retrieve.softmax_candidates"}
    assert report["data"] == []


def test_merging(root):
    report = compare(*runs(root, "best", "merged"))
    assert named(report["settings"]) == {"retrieve.merge_layers", "retrieve.search"}
    assert named(report["data"]) == {"counts.bytes", "counts.views"}  # of one store
