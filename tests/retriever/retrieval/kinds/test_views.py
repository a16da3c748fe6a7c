"""Runs from a view store."""

from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json, write_manifest
from muver.io.parquet import table_of, write_table
from muver.retriever.corpus.schema import read_entities, read_mentions
from muver.retriever.retrieval import kinds
from muver.retriever.runs.run import read_run
from muver.retriever.vectors.part import MENTIONS as VECTORS
from muver.retriever.vectors.part import layer_path, view_rows, write_part
from muver.retriever.views.layout import View
from tests import tiny

SETTINGS = {
    "split": "test", "aggregate": "max", "merge_layers": 0, "k": 4, "match": "title",
    "memory_mb": 1, "metric": "dot", "search": None, "global_view": False,
}  # fmt: skip


@pytest.fixture
def store(corpus, tmp_path):
    """A view for each of the 12 entities of the one test world, and a merged layer.

    View n is a vector that points at n, mention n wants n and then the one before it.
    """
    views = [View([n], n % 3, n % 3 + 1) for n in range(12)]
    cedar = view_rows("cedar", range(12), views), np.eye(12, dtype=np.float32)
    write_part(layer_path(tmp_path / "store", 0), [cedar])
    mentions = 2 * np.eye(12, dtype=np.float32) + np.eye(12, k=-1, dtype=np.float32)
    write_mentions(tmp_path / "store", {"cedar": ids_of(corpus, "test", "cedar")}, mentions)
    # In the merged layer entity 11 has a view that every mention likes best.
    merged = view_rows("cedar", [11], [View([1], 0, 4)]), np.full((1, 12), 5, dtype=np.float32)
    write_part(layer_path(tmp_path / "merged", 1), [merged])
    write_further_manifest(tmp_path, "merged", layers=1)
    return tmp_path


def write_further_manifest(root, folder, **settings):
    write_manifest(root / folder / "manifest.json", "merge", settings, {})


def write_mentions(store, world_ids, vectors):
    """The vectors of mentions, whose ids are given by world."""
    names = [world for world, ids in world_ids.items() for _ in ids]
    rows = table_of(VECTORS, [names, [*chain.from_iterable(world_ids.values())]])
    write_part(store / "mentions.npy", [(rows, vectors)])


def ids_of(corpus, split, world):
    table = read_mentions(corpus[1], split)
    return table.filter(pa.compute.equal(table["world"], world))["mention_id"].to_pylist()


def retrieve(root, corpus, merged=None, further=None, **settings) -> pa.Table:
    run = root / "run.parquet"
    inputs = dict(zip(("entities", "mentions"), corpus, strict=False))
    inputs |= {"store": root / "store", **({"merged": merged} if merged else {}), **(further or {})}
    kinds.retrieve("views", {**SETTINGS, **settings}, run, root / "run.json", **inputs)
    return read_run(run)


def test_a_run_from_a_store(store, corpus):
    run = retrieve(store, corpus)
    titles = read_entities(corpus[0], ["cedar"])["title"].to_pylist()
    rows = run.to_pylist()
    assert len(rows) == 12 * 4
    assert [row["mention_id"] for row in rows[::4]] == [f"test-cedar-{n}" for n in range(12)]
    third = rows[12:16]
    assert [row["entity"] for row in third] == [3, 2, 0, 1]  # then ties, in the world's order
    assert [row["score"] for row in third] == [2, 1, 0, 0]
    assert [row["rank"] for row in third] == [1, 2, 3, 4]
    assert [row["title"] for row in third] == [titles[n] for n in (3, 2, 0, 1)]
    assert [(row["layer"], row["first"], row["last"]) for row in third[:2]] == [
        (0, 0, 1),
        (0, 2, 3),
    ]
    manifest = read_json(store / "run.json")
    assert manifest["stage"] == "retrieve" and manifest["settings"] == SETTINGS
    assert manifest["counts"] == {"entities": 12, "views": 12, "bytes": 576}


def test_merged_views_win_with_their_layer_and_span(store, corpus):
    run = retrieve(store, corpus, store / "merged", merge_layers=1).to_pylist()
    third = run[12:14]
    assert [(row["entity"], row["layer"], row["first"], row["last"]) for row in third] == [
        (11, 1, 0, 4),
        (3, 0, 0, 1),
    ]
    assert read_json(store / "run.json")["counts"] == {"entities": 12, "views": 13, "bytes": 624}


def test_pooled_views_are_fewer_and_have_the_origin_of_one_of_them(store, corpus):
    """Entity 11's two views, of which one is merged, become one."""
    run = retrieve(store, corpus, store / "merged", merge_layers=1, pool=1).to_pylist()
    assert read_json(store / "run.json")["counts"] == {"entities": 12, "views": 12, "bytes": 576}
    own = next(row for row in run if row["entity"] == 11)
    assert (own["layer"], own["first"], own["last"]) in ((1, 0, 4), (0, 2, 3))


def test_l2_takes_the_nearest_view(store, corpus):
    """Mention n lies at 2 n + (n - 1): nearest view n, at distance sqrt 2, then n - 1, at 2."""
    run = retrieve(store, corpus, metric="l2", k=2).to_pylist()
    assert [row["entity"] for row in run[6:8]] == [3, 2]
    np.testing.assert_allclose([row["score"] for row in run[6:8]], [-(2**0.5), -2], rtol=1e-6)


def write_globals(root, entity):
    """Global views of which only this entity's is any, and it is what mention 3 likes best."""
    vectors = np.zeros((12, 12), dtype=np.float32)
    vectors[entity, 3] = 9
    rows = view_rows("cedar", range(12), [View([n], 0, 3) for n in range(12)])
    write_part(layer_path(root / "globals", 0), [(rows, vectors)])
    write_further_manifest(root, "globals", max_tokens=128)
    return {"global_views": root / "globals"}


def test_a_global_view(store, corpus):
    further = write_globals(store, 5)
    run = retrieve(store, corpus, further=further, global_view=True).to_pylist()
    assert [(row["entity"], row["score"], row["layer"]) for row in run[12:14]] == [
        (5, 18, -2),
        (3, 2, 0),
    ]
    assert (run[12]["first"], run[12]["last"]) == (0, 3)
    assert read_json(store / "run.json")["counts"] == {"entities": 12, "views": 24, "bytes": 1152}
    run = retrieve(store, corpus, store / "merged", further, global_view=True, merge_layers=1)
    assert [(row["entity"], row["layer"]) for row in run.to_pylist()[12:15]] == [
        (5, -2),
        (11, 1),
        (3, 0),
    ]


def test_a_global_view_that_is_added_to_the_others(store, corpus):
    """Mention 3 wants 3 twice and 2 once; half of the 9 by 3 is added to the views of entity 5."""
    further = write_globals(store, 5)
    run = retrieve(store, corpus, further=further, global_view=0.5).to_pylist()
    found = [(row["entity"], row["score"], row["layer"]) for row in run[12:15]]
    assert found == [(5, 9, 0), (3, 2, 0), (2, 1, 0)]
    assert read_json(store / "run.json")["counts"] == {"entities": 12, "views": 12, "bytes": 576}
    further = write_globals(store, 11)
    merged = store / "merged"
    run = retrieve(store, corpus, merged, further, global_view=1, merge_layers=1).to_pylist()
    # Entity 11's merged view, which any mention likes 15 times, and 18 more.
    assert [(row["entity"], row["score"], row["layer"]) for row in run[12:14]] == [
        (11, 33, 1),
        (3, 2, 0),
    ]


@pytest.mark.parametrize("aggregate", ["max", "softmax_sum"])
def test_mentions_keep_the_corpus_order_where_worlds_alternate(tmp_path, aggregate):
    corpus = tiny.write_corpus(tmp_path)
    table = read_mentions(corpus[1])
    order = [0, 12, 1, 13, 2, 14]  # alder and birch in turn
    pq.write_table(table.take(order), corpus[1])
    views, vectors = [View([n], 0, 0) for n in range(12)], np.eye(12, dtype=np.float32)
    worlds = [(view_rows(world, range(12), views), vectors) for world in ("alder", "birch")]
    write_part(layer_path(tmp_path / "store", 0), worlds)
    by_world = np.eye(12, dtype=np.float32)[[0, 1, 2, 0, 1, 2]]
    ids = {world: ids_of(corpus, "train", world) for world in ("alder", "birch")}
    write_mentions(tmp_path / "store", ids, by_world)
    run = retrieve(tmp_path, corpus, split="train", aggregate=aggregate).to_pylist()
    first = [row for row in run if row["rank"] == 1]
    wanted = table.take(order).to_pylist()
    assert [row["mention_id"] for row in first] == [row["mention_id"] for row in wanted]
    assert [row["entity"] for row in first] == [row["gold"] for row in wanted]


@pytest.fixture
def halves(tmp_path):
    """Validation (alder) and test (cedar): every mention's gold has one view that is near it and
    one that is not; the next entity has two that are fairly near."""
    corpus = tiny.write_corpus(tmp_path)
    table = read_mentions(corpus[1])
    splits = ["val" if world == "alder" else "test" for world in table["world"].to_pylist()]
    kept = [n for n, world in enumerate(table["world"].to_pylist()) if world != "birch"]
    table = table.set_column(table.schema.get_field_index("split"), "split", pa.array(splits))
    pq.write_table(table.take(kept), corpus[1])
    owners = np.repeat(np.arange(12), 2)
    vectors = np.zeros((24, 12), dtype=np.float32)
    vectors[2 * np.arange(12), np.arange(12)] = 3
    for side in (0, 1):
        vectors[2 * ((np.arange(12) + 1) % 12) + side, np.arange(12)] += 2
    mentions = np.eye(12, dtype=np.float32)
    for name, world in (("val", "alder"), ("test", "cedar")):
        rows = view_rows(world, owners, [View([n], 0, 0) for n in range(24)])
        write_part(layer_path(tmp_path / name / "store", 0), [(rows, vectors)])
        own = table.filter(pa.compute.equal(table["world"], world))["gold"].to_numpy()
        ids = {world: ids_of(corpus, name, world)}
        write_mentions(tmp_path / name / "store", ids, mentions[own])
    return tmp_path, corpus


def test_the_temperature_that_finds_most_on_validation_ranks_the_test_split(halves):
    root, corpus = halves
    sharp, flat = 0.1, 10.0
    made = {"aggregate": "log_mean_exp", "k": 2}
    runs = []
    for value in (flat, sharp):
        own = retrieve(root / "val", corpus, split="val", temperature=value, **made)
        runs.append(root / f"{value}.parquet")
        write_table(runs[-1], own)
    several = {**made, "temperature": [flat, sharp], "validation_cutoff": 1}
    run = retrieve(root / "test", corpus, further={"validation_runs": runs}, **several)
    chosen = read_json(root / "test" / "run.json")["chosen"]
    assert [one["hits"] for one in chosen["tried"]] == [0, 12] and chosen["temperature"] == sharp
    alone = retrieve(root / "test", corpus, temperature=sharp, **made)
    assert run.equals(alone)
    assert read_json(root / "test" / "run.json")["chosen"] is None


@pytest.mark.parametrize(
    "settings, runs, words",
    [
        ({"temperature": [1, 2]}, 2, "validation_cutoff goes with several"),
        ({"softmax_candidates": 9}, 0, "log_mean_exp takes no softmax_candidates"),
    ],
)
def test_an_aggregate_s_settings_that_do_not_fit(store, corpus, settings, runs, words):
    further = {"validation_runs": [store / f"{n}.parquet" for n in range(runs)]} if runs else {}
    with pytest.raises(InputError, match=words):
        retrieve(store, corpus, further=further, aggregate="log_mean_exp", **settings)


@pytest.mark.parametrize(
    "spoil, merged, settings, words",
    [
        (
            lambda root: (root / "merged/layer1.npy").unlink(),
            True,
            {"merge_layers": 1},
            "layer1.npy",
        ),
        (None, True, {"merge_layers": 2}, "layer2.parquet: no such file"),
        (None, False, {"merge_layers": 1}, "--merged is needed"),
        (None, False, {"global_view": True}, "--global-views is needed"),
        (lambda root: (root / "store/mentions.npy").unlink(), False, {}, "mentions.npy: no such"),
        (None, False, {"split": "train"}, "is not of the split"),
        (None, False, {"metric": "cosine"}, "metric is 'cosine'"),
        (None, False, {"merge_layers": "4"}, "merge_layers is '4'"),
    ],
)
def test_what_does_not_fit(store, corpus, spoil, merged, settings, words):
    if spoil:
        spoil(store)
    with pytest.raises(InputError, match=words):
        retrieve(store, corpus, store / "merged" if merged else None, **settings)
    assert not (store / "run.parquet").exists()
