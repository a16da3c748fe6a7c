"""Runs of real stages on the smallest data: encoded, merged, retrieved in two ways, evaluated."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from muver.doctor.compare import compare
from muver.doctor.origin import Origin
from muver.encoders.stages.encode import encode_split
from muver.encoders.stages.merge import merge_store
from muver.encoders.stages.settings import Encode, Merge
from muver.evaluation.settings import Scoring
from muver.evaluation.stage import evaluate
from muver.io.files import read_json, write_json
from muver.retrieval.kinds import retrieve
from tests import tiny
from tests.doctor.made import KEY

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
    for path, made in zip((entities, mentions, sentences), corpus, strict=True):
        path.symlink_to(made)
    write_json(data / "counts.json", COUNTS)
    model, store = root / f"models/muver-{KEY}", root / f"stores/test/muver-{KEY}"
    towers = tiny.make_model(encoder)
    towers.save_pretrained(model)
    encode_split(model, entities, mentions, sentences, store, tiny.settings(Encode, split="test"))
    merged = root / f"merged/test/muver-distant-{KEY}"
    own = {"layers": 1, "top_k": 0.4, "pairs": "distant", "among": "neighbours", "max_tokens": 64}
    merging = tiny.settings(Merge, **own)
    merge_store(model, store, merged, merging)
    made_of = {f"stores/test/muver-{KEY}": [f"models/muver-{KEY}", f"corpus/{KEY}"]}
    for name, settings in ROWS.items():
        run = root / f"runs/test/{name}-{KEY}.parquet"
        asked = {
            "split": "test", "k": 8, "match": "title", "memory_mb": 256, "metric": "dot",
            "merge_layers": 0, "search": None, "global_view": False, "spans": False, **settings,
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


def scores_of(root: Path, name: str) -> Path:
    return root / f"evaluations/test/{name}-{KEY}.json"


def test_the_chain_is_followed(root):
    [merged] = runs(root, "merged")
    folders = {kind: path.relative_to(root) for kind, path in Origin.of(merged).folders.items()}
    assert folders == {
        "stores": Path(f"stores/test/muver-{KEY}"),
        "models": Path(f"models/muver-{KEY}"),
        "merged": Path(f"merged/test/muver-distant-{KEY}"),
    }


def test_recall_is_that_of_the_evaluations(root):
    report = compare(*runs(root, "plain", "best"))
    for which, name in (("first", "plain"), ("second", "best")):
        evaluation = read_json(scores_of(root, name))
        for k, recall in report["recall"][which].items():
            if str(k) in evaluation["micro"]:
                assert recall == pytest.approx(evaluation["micro"][str(k)])
    assert report["damaged"] == []
    assert [cause["cause"] for cause in report["causes"] if cause["explains"]] == [
        "how views make an entity's score"
    ]


def test_merging(root):
    report = compare(*runs(root, "best", "merged"))
    explained = [cause for cause in report["causes"] if cause["explains"]]
    assert explained[0]["cause"] == "merged views"
    names = {fact["name"] for fact in explained[0]["facts"]}
    assert {"retrieve.merge_layers", "retrieve.search"} <= names
    assert not any(fact.startswith("weights") for fact in names)


def test_views_merged_before_choices_could_be_replaced_were_merged_as_released(root, tmp_path):
    project = shutil.copytree(root.parents[1], tmp_path / "project")
    old = project / root.relative_to(root.parents[1])
    path = old / f"merged/test/muver-distant-{KEY}/manifest.json"
    manifest = read_json(path)
    assert manifest["settings"].pop("wasted") == "kept"
    write_json(path, manifest)
    report = compare(*runs(root, "merged"), *runs(old, "merged"))
    facts = {fact["name"] for cause in report["causes"] for fact in cause["facts"]}
    assert "merge.wasted" not in facts


def test_a_run_and_its_trec_file(root):
    report = compare(*runs(root, "plain"), scores_of(root, "plain").with_suffix(".run"))
    assert not report["found"]
    assert report["lists"] == {"same": 12, "ties": 0, "changed": 0}


def test_a_trec_file_changed_by_hand(root, tmp_path):
    """Nothing records a TREC file's hash, but its gold ranks are not the evaluation's."""
    path = scores_of(root, "best").with_suffix(".run")
    before = path.read_text()
    lines = [line.split() for line in before.splitlines()]
    scores = iter(np.linspace(0, 1, len(lines)))
    changed = [[*line[:4], f"{next(scores)}", line[5]] for line in lines]  # the worst comes first
    path.write_text("".join(" ".join(line) + "\n" for line in changed))
    report = compare(*runs(root, "best"), path)
    path.write_text(before)
    assert [damage["kind"] for damage in report["damaged"]] == ["edited"]
    assert "are not those of the run" in report["damaged"][0]["says"]
    assert "contradicts the scores in 12 mentions" in report["runs"][1]["notes"][0]


def test_vectors_that_were_encoded_again(root):
    """Another store under the same name: the run's manifest and the merged views say otherwise."""
    matrix = root / f"stores/test/muver-{KEY}/layer0.npy"
    before = matrix.read_bytes()
    np.save(matrix, np.load(matrix) + 1)
    report = compare(*runs(root, "plain", "merged"))
    matrix.write_bytes(before)
    says = [damage["says"] for damage in report["damaged"]]
    assert len(says) == 2 and all("two stores are mixed" in one for one in says)
    assert str(root / f"merged/test/muver-distant-{KEY}") in says[1]
