"""Mining: which candidates of a run become hard negatives, by hand."""

import json

import pytest

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of
from muver.io.typed import read
from muver.retriever.corpus.schema import read_negatives
from muver.retriever.retrieval.negatives import mine
from muver.retriever.retrieval.retrieval_settings import Mining
from tests.commands import call
from tests.knowledge_base import PAGES, make_kb, write_linked, write_linked_run

GOLDS = [0, 3, None, 5]
RUN = {
    # Gold 0; 1 has its title.
    "aida-0": [(2, 9.0), (0, 8.0), (1, 7.5), (3, 7.0), (4, 6.0), (5, 5.0)],
    "aida-1": [(3, 4.0), (2, 3.0)],
    "aida-2": [(0, 1.0), (2, 0.5)],  # gold outside the base
    "aida-3": [(4, 2.0), (2, 1.0)],  # gold not found
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory):
    return make_kb(tmp_path_factory.mktemp("base"))


def mining(**settings):
    return read(Mining, {"per_mention": 3, **settings})


def mined(folder, kb, run=RUN, golds=GOLDS, **settings):
    """Counts, and (negatives, ranks, scores) by mention, as the command writes them."""
    mentions = write_linked(folder / "mentions.parquet", "aida", golds)
    files = {
        "run": write_linked_run(folder, kb, mentions, run)[0],
        "mentions": mentions,
        "kb": kb,
        "out": folder / "negatives.parquet",
        "manifest": folder / "negatives.json",
    }
    options = [f"--{name}={path}" for name, path in files.items()]
    asked = {"per_mention": 3, **settings}
    call("negatives", *options, "--settings", json.dumps(asked))
    rows = read_negatives(files["out"]).to_pylist()
    found = {row.pop("mention_id"): tuple(row.values()) for row in rows}
    return read_json(files["manifest"])["counts"], found


def test_the_best_candidates_that_are_not_the_gold(tmp_path, kb):
    counts, found = mined(tmp_path, kb)
    assert found == {
        "aida-0": ([2, 3, 4], [1, 4, 5], [9.0, 7.0, 6.0]),
        "aida-1": ([2], [2], [3.0]),
        "aida-3": ([4, 2], [1, 2], [2.0, 1.0]),
    }
    assert list(found) == ["aida-0", "aida-1", "aida-3"]
    assert counts == {
        "mentions": 4, "gold_outside": 1, "mined": 3, "negatives": 6, "fewer": 2, "same_title": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "settings, entities, others",
    [
        ({"ranks": [2, 9]}, [3, 4, 5], {"aida-1": [2], "aida-3": [2]}),
        ({"ranks": [3, 4], "per_mention": 1}, [3], {"aida-1": [], "aida-3": []}),
        ({"ranks": [1, 4]}, [2, 3], {"aida-1": [2], "aida-3": [4, 2]}),
    ],
)
def test_settings(tmp_path, kb, settings, entities, others):
    counts, found = mined(tmp_path, kb, **settings)
    assert {mention: row[0] for mention, row in found.items()} == {"aida-0": entities, **others}
    asked = settings.get("per_mention", 3)
    assert counts["fewer"] == sum(len(row[0]) < asked for row in found.values())
    assert counts["negatives"] == sum(len(row[0]) for row in found.values())


def test_provenance(tmp_path, kb):
    counts, _ = mined(tmp_path, kb, per_mention=2)
    manifest = read_json(tmp_path / "negatives.json")
    fingerprint = read_json(kb / "manifest.json")["fingerprint"]
    assert manifest["stage"] == "negatives" and manifest["counts"] == counts
    assert manifest["settings"]["per_mention"] == 2
    assert manifest["inputs"] == {
        "run": sha256_of(tmp_path / "run.parquet"),
        "mentions": sha256_of(tmp_path / "mentions.parquet"),
        "kb": fingerprint,
    }


def test_a_share_is_drawn_from_all_entities(tmp_path, kb):
    """As many as are left if there are fewer; the others are the run's, with their ranks."""
    counts, found = mined(tmp_path, kb, per_mention=4, random=0.5, seed=3)
    for (negatives, ranks, scores), gold in zip(found.values(), (0, 3, 5), strict=True):
        drawn = [one for one, rank in zip(negatives, ranks, strict=True) if rank == 0]
        assert len(drawn) == 2 and scores[-2:] == [None, None]
        assert len(set(negatives)) == len(negatives) and gold not in negatives
    assert found["aida-0"][0][:2] == [2, 3]
    assert mined(tmp_path, kb, per_mention=4, random=0.5, seed=3) == (counts, found)
    assert mined(tmp_path, kb, per_mention=4, random=0.5, seed=4)[1] != found
    assert mined(tmp_path, kb, random=0.5)[1]["aida-0"][1] == [1, 0, 0]  # 1.5 of 3 are 2
    _, everything = mined(tmp_path, kb, per_mention=9, random=1)
    assert sorted(everything["aida-0"][0]) == list(range(1, len(PAGES)))


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"per_mention": 0}, "per_mention is 0"),
        ({"ranks": [9, 2]}, "ranks is .9, 2."),
        ({"golds": [None] * 4}, "no mention has its gold"),
    ],
)
def test_what_cannot_be_mined(tmp_path, kb, settings, message):
    with pytest.raises(InputError, match=message):
        mined(tmp_path, kb, **settings)
    assert not (tmp_path / "negatives.parquet").exists()


def test_either_a_base_or_worlds(tmp_path, kb):
    with pytest.raises(InputError, match="--kb or --entities"):
        mine(tmp_path / "run", tmp_path / "mentions", tmp_path / "n", tmp_path / "n.json", mining())
