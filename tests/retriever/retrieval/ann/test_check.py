"""Agreement with exact search: what is measured, chosen, put down and required."""

import json

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.typed import read
from muver.retriever.retrieval.ann.check import Check, agreement, check
from muver.retriever.retrieval.ann.index import Build, build
from muver.retriever.retrieval.exact import Ranking
from muver.retriever.runs import manifest as manifests
from muver.retriever.runs.manifest import reached
from tests.retriever.vectors.made import write_mentions


def ranking(entities):
    entities = np.array(entities)
    return Ranking(entities, np.zeros(entities.shape, np.float32), entities)


def test_agreement_by_hand():
    exact = ranking([[1, 2, 3], [4, 5, -1], [6, 7, 8], [9, 1, 2]])
    found = ranking([[1, 3, 2], [5, 9, 4], [7, 8, -1], [3, 4, 5]])
    measured = agreement(found, exact)
    # 3 of 3, 2 of 2, 2 of 3, 0 of 3; the best entity at rank 1, at 3, missing, missing.
    assert measured["recall"] == pytest.approx((1 + 1 + 2 / 3 + 0) / 4)
    assert measured["best"] == {"found": 0.5, "first": 0.25}
    assert reached(measured) == 0.5
    assert reached({"recall": 0.4, "best": {"found": 0.9}}) == 0.4


@pytest.fixture(scope="module")
def index(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("checked")
    build(made.shards.folder, folder, Build(factory="ivf_sq", lists=16, seed=0, threads=1))
    return folder


def manifest_of(folder):
    return json.loads((folder / "manifest.json").read_text())


GIVEN = {
    "k": 10, "agreement": 0.995, "rescore": True, "most_views": 16384, "memory_mb": 1024,
    "seed": 0, "threads": 1, "mentions": 40, "efforts": [1, 4, 16],
}  # fmt: skip


@pytest.fixture(scope="module")
def measured(made, tmp_path_factory):
    """Measures an index and gives what the report says of it."""
    folder = tmp_path_factory.mktemp("report")
    write_mentions(folder / "mentions.npy", made.mentions)

    def measure(index, of=folder / "mentions.npy", **settings):
        given, report = read(Check, {**GIVEN, **settings}), folder / "report.json"
        check(made.folder, [index], of, given, report)
        return read_json(report)[str(index)]

    return measure


def test_the_smallest_effort_that_suffices(index, measured):
    strict = measured(index, agreement=1.0)
    assert (strict["knob"], strict["effort"], strict["recall"]) == ("nprobe", 16, 1.0)
    assert [one["effort"] for one in strict["tried"]] == [1, 4, 16]
    recalls = [one["recall"] for one in strict["tried"]]
    assert recalls == sorted(recalls) and recalls[0] < recalls[1] < 1
    easy = measured(index, agreement=reached(strict["tried"][1]))
    assert (easy["effort"], easy["recall"]) == (4, recalls[1])
    assert manifest_of(index)["agreement"] == easy
    assert (easy["k"], easy["mentions"], easy["rescore"]) == (10, 40, True)


def test_no_more_effort_than_lists(index, measured, monkeypatch):
    monkeypatch.setattr("muver.retriever.retrieval.ann.check.reached", lambda _: 0)  # never enough
    result = measured(index, agreement=1.0, efforts=[1, 20, 40], rescore=False)
    assert [one["effort"] for one in result["tried"]] == [1, 20]


def require(place, manifest, k, minimum=0.995):
    manifests.require(place, manifest["factory"], manifest["agreement"], k, minimum)


def test_require(index, measured):
    result = measured(index, efforts=[1])
    recall, best = result["recall"], result["best"]["found"]
    require(index, manifest_of(index), 10, min(recall, best))
    message = f"IVF16,SQfp16 .*{recall:.4f}.*{best:.4f}.*nprobe 1,.*0.995"
    with pytest.raises(InputError, match=message):
        require(index, manifest_of(index), 10)
    with pytest.raises(InputError, match="with k 11"):
        require(index, manifest_of(index), 11, 0)


def test_require_of_an_index_that_was_not_checked(made, measured, tmp_path):
    build(made.shards.folder, tmp_path, Build(factory="Flat", seed=0, threads=1))
    with pytest.raises(InputError, match="ann-check"):
        require(tmp_path, manifest_of(tmp_path), 10)
    result = measured(tmp_path)
    assert (result["knob"], result["effort"], result["recall"]) == (None, None, 1.0)
    require(tmp_path, manifest_of(tmp_path), 10)


def test_what_cannot_be_measured(index, made, measured, tmp_path):
    write_mentions(tmp_path / "none.npy", made.mentions[:0])
    with pytest.raises(InputError, match="no mentions"):
        measured(index, tmp_path / "none.npy")
    for efforts in ([], [4, 1], [0], 3, [1.5]):
        with pytest.raises(InputError, match="efforts"):
            measured(index, efforts=efforts)


def test_the_sample_is_the_seed_s(index, measured):
    first = measured(index, mentions=20)
    assert measured(index, mentions=20) == first
    assert measured(index, mentions=20, seed=1) != first
