"""Runs fused by hand, and what holds for all of them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.parquet import table_writer
from muver.retriever.corpus.schema import ENTITIES, MENTIONS
from muver.retriever.retrieval import kinds
from muver.retriever.retrieval.pool import (
    Pool,
    choose_weight,
    gold_ranks,
    normalise,
    ranks_by,
    reciprocal_rank,
    weighted,
)
from muver.retriever.runs.run import read_run, write_run

# reef has two entities called Bob.
TITLES = {"reef": ["Ann", "Bob", "Bob", "Cid"], "vale": ["Dot", "Eve", "Fay"]}
WORLD_OF = {
    "t1": "reef", "t2": "vale", "v1": "vale", "v2": "reef", "l1": "vale", "l2": "reef",
}  # fmt: skip
GOLD = {"t1": 0, "t2": 1, "v1": 2, "v2": 3}
# Entity and score of each candidate, best first.
DENSE = {"t1": [(3, 4.0), (2, 2.0), (0, 0.0)], "t2": [(0, 1.0), (1, 1.0), (2, 1.0)]}
LEXICAL = {"t1": [(0, 9.0), (1, 3.0)], "t2": [(2, 5.0), (1, 1.0)]}
# Dense finds v2 alone, lexical v1 alone; only weights between find both.
DENSE_VAL = {"v1": [(0, 3.0), (2, 2.0), (1, 1.0)], "v2": [(3, 9.0), (0, 1.0), (1, 0.0)]}
LEXICAL_VAL = {"v1": [(2, 8.0), (1, 2.0), (0, 0.0)], "v2": [(1, 6.0), (3, 5.0), (0, 0.0)]}
SETTINGS = {
    "split": "test", "k": 3, "match": "title", "kind": "reciprocal_rank", "constant": 60,
    "cutoff": 1,
}  # fmt: skip
WEIGHTED = {**SETTINGS, "kind": "weighted", "weights": [0.0, 0.5, 0.75, 1.0]}


def save_run(path: Path, ranked: dict, layer: int = -1, worlds: dict = WORLD_OF) -> Path:
    rows = [
        (mention, world, rank, entity, TITLES[world][entity], score, layer, layer, layer)
        for mention, candidates in ranked.items()
        for world in [worlds[mention]]
        for rank, (entity, score) in enumerate(candidates, start=1)
    ]
    write_run(path, *map(list, zip(*rows, strict=True)))
    return path


def save_mentions(path: Path, gold: dict[str, int]) -> None:
    rows = [
        {
            **dict.fromkeys(MENTIONS.names, ""), "mention_id": mention, "world": WORLD_OF[mention],
            "split": {"t": "test", "v": "val", "l": "train"}[mention[0]], "gold": entity,
        }
        for mention, entity in gold.items()
    ]  # fmt: skip
    with table_writer(path, MENTIONS) as writer:
        writer.write_table(pa.Table.from_pylist(rows, MENTIONS))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A corpus of two worlds and four runs."""
    entities = [
        {"world": world, "entity": n, "document_id": f"{world}{n}", "title": title, "text": "x"}
        for world, titles in TITLES.items()
        for n, title in enumerate(titles)
    ]
    with table_writer(tmp_path / "entities.parquet", ENTITIES) as writer:
        writer.write_table(pa.Table.from_pylist(entities, ENTITIES))
    save_mentions(tmp_path / "mentions.parquet", GOLD)
    save_run(tmp_path / "dense.parquet", DENSE, layer=2)
    save_run(tmp_path / "lexical.parquet", LEXICAL)
    save_run(tmp_path / "dense_known.parquet", DENSE_VAL, layer=2)
    save_run(tmp_path / "lexical_known.parquet", LEXICAL_VAL)
    return tmp_path


def run_fusion(folder: Path, settings: dict, known: str | None = None) -> list[dict]:
    inputs = {name: folder / f"{name}.parquet" for name in ("entities", "mentions")}
    inputs["runs"] = [folder / "dense.parquet", folder / "lexical.parquet"]
    if known:
        inputs[known] = [folder / f"{one}_known.parquet" for one in ("dense", "lexical")]
    kinds.retrieve("fusion", settings, folder / "run.parquet", folder / "run.json", **inputs)
    return read_run(folder / "run.parquet").to_pylist()


def brief(rows: list[dict], mention: str) -> list[tuple[int, float]]:
    return [
        (row["entity"], pytest.approx(row["score"], abs=1e-6))
        for row in rows
        if row["mention_id"] == mention
    ]


def test_reciprocal_rank(folder):
    rows = run_fusion(folder, {**SETTINGS, "constant": 1})
    # t1, by title: Ann 1/4 + 1/2, Bob 1/3 + 1/3, Cid 1/2.
    assert brief(rows, "t1") == [(0, 3 / 4), (2, 2 / 3), (3, 1 / 2)]
    # t2: Fay 1/4 + 1/2, Eve 1/3 + 1/3, Dot 1/2.
    assert brief(rows, "t2") == [(2, 3 / 4), (1, 2 / 3), (0, 1 / 2)]
    assert [row["rank"] for row in rows] == [1, 2, 3, 1, 2, 3]
    assert [row["title"] for row in rows[:3]] == ["Ann", "Bob", "Cid"]
    assert [row["world"] for row in rows] == ["reef"] * 3 + ["vale"] * 3
    found = read_json(folder / "run.json")["settings"]
    assert found == {**SETTINGS, "constant": 1, "weights": [n / 10 for n in range(11)]}


def test_a_run_has_the_best_k_of_each_mention(folder):
    rows = run_fusion(folder, {**SETTINGS, "constant": 1, "k": 2})
    assert [row["title"] for row in rows] == ["Ann", "Bob", "Fay", "Eve"]


def test_entities_of_one_title_are_two_candidates_by_id(folder):
    rows = run_fusion(folder, {**SETTINGS, "constant": 1, "match": "id", "k": 4})
    # The two Bobs are found by one run each: 1/3. Dense has entity 2, lexical entity 1.
    assert brief(rows, "t1") == [(0, 3 / 4), (3, 1 / 2), (2, 1 / 3), (1, 1 / 3)]
    spans = [(row["layer"], row["first"], row["last"]) for row in rows[:4]]
    assert spans == [(2, 2, 2), (2, 2, 2), (2, 2, 2), (-1, -1, -1)]


def test_weighted_takes_the_weight_with_most_hits_on_validation(folder):
    rows = run_fusion(folder, WEIGHTED, known="validation_runs")
    # v1, Fay against Dot: dense 0.5 against 1, lexical 1 against 0: right below w = 2/3. v2, Cid
    # against Bob: dense 1 against 0, lexical 5/6 against 1: right above w = 1/7.
    manifest = read_json(folder / "run.json")
    assert manifest["chosen"] == {
        "weight": 0.5,
        "cutoff": 1,
        "mentions": 2,
        "tried": [
            {"weight": 0.0, "hits": 1, "hits_at_1": 1},
            {"weight": 0.5, "hits": 2, "hits_at_1": 2},
            {"weight": 0.75, "hits": 1, "hits_at_1": 1},
            {"weight": 1.0, "hits": 1, "hits_at_1": 1},
        ],
    }
    assert manifest["stage"] == "retrieve" and manifest["counts"] is None
    assert manifest["settings"]["weights"] == WEIGHTED["weights"]
    # t1: Cid (1 + 0) / 2, Ann (0 + 1) / 2, equal, Cid stands better in the first run; Bob 1/4.
    assert brief(rows, "t1") == [(3, 0.5), (0, 0.5), (2, 0.25)]
    # t2: dense scores are all equal, so 1 each; lexical Fay 1, Eve 0, Dot is missing.
    assert brief(rows, "t2") == [(2, 1.0), (0, 0.5), (1, 0.5)]


def test_equal_hits_go_to_more_hits_at_1_then_to_the_earlier_weight(folder):
    def chosen(weights: list[float], cutoff: int) -> float:
        settings = {**WEIGHTED, "cutoff": cutoff, "weights": weights}
        run_fusion(folder, settings, known="validation_runs")
        return read_json(folder / "run.json")["chosen"]["weight"]

    assert chosen([1.0, 0.5, 0.0, 0.25], cutoff=3) == 0.5
    assert chosen([1.0, 0.0], cutoff=3) == 1.0
    assert chosen([0.0, 1.0], cutoff=3) == 0.0


def test_the_gold_of_the_split_itself_changes_nothing(folder):
    run_fusion(folder, WEIGHTED, known="validation_runs")
    before = [(folder / name).read_bytes() for name in ("run.parquet", "run.json")]
    save_mentions(folder / "mentions.parquet", {**GOLD, "t1": 3, "t2": 0})
    run_fusion(folder, WEIGHTED, known="validation_runs")
    assert [(folder / name).read_bytes() for name in ("run.parquet", "run.json")] == before
    save_mentions(folder / "mentions.parquet", {**GOLD, "v1": 0, "v2": 3})
    run_fusion(folder, WEIGHTED, known="validation_runs")
    assert read_json(folder / "run.json")["chosen"]["weight"] == 0.75


def test_a_run_of_other_mentions_is_refused(folder):
    save_run(folder / "lexical.parquet", {**LEXICAL, "v1": [(0, 1.0)]})
    with pytest.raises(InputError, match=r"lexical\.parquet.*'v1'"):
        run_fusion(folder, SETTINGS)


def test_few_candidates_will_do_in_one_run(folder):
    save_run(folder / "lexical.parquet", {"t1": [(3, 1.0)], "t2": [(0, 1.0)]})
    assert len(run_fusion(folder, SETTINGS)) == 6


def test_fewer_candidates_in_the_world_than_k(folder):
    rows = run_fusion(folder, {**SETTINGS, "k": 64})
    assert [row["mention_id"] for row in rows] == ["t1"] * 3 + ["t2"] * 3


@pytest.mark.parametrize(
    ("settings", "known", "message"),
    [
        ({**SETTINGS, "kind": "weigthed"}, None, "Did you mean 'weighted'"),
        ({**SETTINGS, "constant": 0}, None, "constant is 0"),
        (WEIGHTED, None, "--validation-runs 0"),
        ({**WEIGHTED, "weights": []}, "validation_runs", "weights is \\[\\]"),
        ({**WEIGHTED, "weights": [1.5]}, "validation_runs", "weights.*1.5"),
    ],
)
def test_settings_that_do_not_fit(folder, settings, known, message):
    with pytest.raises(InputError, match=message):
        run_fusion(folder, settings, known)


def test_normalise():
    scores = np.array([4, 3, 2, 7, -1, -1], dtype=np.float32)
    assert normalise(scores, np.array([0, 3, 4])).tolist() == [1, 0.5, 0, 1, 1, 1]


# Properties: pools of 5 mentions and 6 candidates, with ties, each run ranking some of them.

GRADES = arrays(np.int64, (2, 5, 6), elements=st.integers(-1, 3))  # -1: not ranked


def make_pool(grades: np.ndarray) -> Pool:
    mention, candidate = (part.ravel() for part in np.indices(grades.shape[1:]))
    flat = grades.reshape(2, -1)
    ranks = np.full(flat.shape, np.inf)
    for run, own in enumerate(grades):
        for row, values in enumerate(own):
            found = np.argsort(-values, kind="stable")[: int((values >= 0).sum())]
            ranks[run, row * grades.shape[2] + found] = np.arange(1, len(found) + 1)
    kept = np.isfinite(ranks).any(axis=0)
    nothing = np.full(int(kept.sum()), -1)
    return Pool(
        mention[kept], candidate[kept], ranks[:, kept], np.maximum(flat[:, kept], 0) / 3,
        candidate[kept], nothing, nothing, nothing,
    )  # fmt: skip


@given(GRADES, st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_ranking_is_the_sorted_order(grades, weight):
    pool = make_pool(grades)
    scores = weighted(pool.scores, weight)
    ranks = ranks_by(pool, scores)
    for mention in range(5):
        own = np.flatnonzero(pool.mention == mention)
        wanted = sorted(own, key=lambda n: (-scores[n], pool.ranks[0, n], pool.candidate[n]))
        assert ranks[wanted].tolist() == list(range(1, len(wanted) + 1))


@given(GRADES, arrays(np.int64, 5, elements=st.integers(0, 5)))
def test_gold_ranks_are_those_of_the_ranking(grades, gold):
    pool = make_pool(grades)
    scores = reciprocal_rank(pool.ranks, 2)
    wanted = np.zeros(5, dtype=int)
    rows = pool.candidate == gold[pool.mention]
    wanted[pool.mention[rows]] = ranks_by(pool, scores)[rows]
    assert gold_ranks(pool, scores, gold).tolist() == wanted.tolist()


@given(GRADES, arrays(np.int64, 5, elements=st.integers(0, 5)), st.integers(1, 6))
def test_the_chosen_weight_has_the_most_hits(grades, gold, cutoff):
    chosen = choose_weight(make_pool(grades), gold, [0.0, 0.5, 1.0], cutoff)
    taken = next(one for one in chosen["tried"] if one["weight"] == chosen["weight"])
    assert taken["hits"] == max(one["hits"] for one in chosen["tried"])
    assert all(one["hits_at_1"] <= one["hits"] <= 5 for one in chosen["tried"])


@given(GRADES)
def test_reciprocal_rank_knows_no_order_of_runs(grades):
    ranks = make_pool(grades).ranks
    scores = reciprocal_rank(ranks, 60)
    assert (scores == reciprocal_rank(ranks[::-1], 60)).all()
    assert (scores > 0).all() and (scores <= 2 / 61).all()


@given(GRADES, st.sampled_from([0.0, 1.0]))
def test_a_weight_of_one_run_alone_keeps_its_scores(grades, weight):
    pool = make_pool(grades)
    assert (weighted(pool.scores, weight) == pool.scores[0 if weight else 1]).all()
