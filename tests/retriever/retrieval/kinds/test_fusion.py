"""Runs fused by hand, what holds for all of them, and choices on validation."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.retrieval import kinds
from muver.retriever.retrieval.choice import choose
from muver.retriever.retrieval.kinds.fusion import fused
from muver.retriever.runs.run import read_run
from tests.retriever.evaluation.conftest import save_run, write_corpus

# Candidates of each mention, best first; m1 is of the world reef, m4 of vale.
DENSE = {"m1": [3, 2, 0], "m4": [0, 1, 2]}
LEXICAL = {"m1": [0, 1], "m4": [2, 1]}
SETTINGS = {"split": "test", "k": 3, "match": "title", "constant": 60}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A corpus of two worlds and two runs."""
    save_run(tmp_path / "dense.parquet", DENSE, layer=2)
    save_run(tmp_path / "lexical.parquet", LEXICAL)
    return write_corpus(tmp_path)


def run_fusion(folder: Path, settings: dict) -> list[dict]:
    inputs = {name: folder / f"{name}.parquet" for name in ("entities", "mentions")}
    inputs["runs"] = [folder / "dense.parquet", folder / "lexical.parquet"]
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
    # m1, by title: Ann 1/4 + 1/2, Bob 1/3 + 1/3, Cid 1/2.
    assert brief(rows, "m1") == [(0, 3 / 4), (2, 2 / 3), (3, 1 / 2)]
    # m4: Fay 1/4 + 1/2, Eve 1/3 + 1/3, Dot 1/2.
    assert brief(rows, "m4") == [(2, 3 / 4), (1, 2 / 3), (0, 1 / 2)]
    assert [row["rank"] for row in rows] == [1, 2, 3, 1, 2, 3]
    assert [row["title"] for row in rows[:3]] == ["Ann", "Bob", "Cid"]
    assert [row["world"] for row in rows] == ["reef"] * 3 + ["vale"] * 3
    found = read_json(folder / "run.json")["settings"]
    assert found == {**SETTINGS, "constant": 1}


def test_a_run_has_the_best_k_of_each_mention(folder):
    rows = run_fusion(folder, {**SETTINGS, "constant": 1, "k": 2})
    assert [row["title"] for row in rows] == ["Ann", "Bob", "Fay", "Eve"]


def test_entities_of_one_title_are_two_candidates_by_id(folder):
    rows = run_fusion(folder, {**SETTINGS, "constant": 1, "match": "id", "k": 4})
    # The two Bobs are found by one run each: 1/3. Dense has entity 2, lexical entity 1.
    assert brief(rows, "m1") == [(0, 3 / 4), (3, 1 / 2), (2, 1 / 3), (1, 1 / 3)]
    spans = [(row["layer"], row["first"], row["last"]) for row in rows[:4]]
    assert spans == [(2, 2, 2), (2, 2, 2), (2, 2, 2), (-1, -1, -1)]


def test_a_run_of_other_mentions_is_refused(folder):
    save_run(folder / "lexical.parquet", {**LEXICAL, "m9": [0]})
    with pytest.raises(InputError, match=r"lexical\.parquet.*'m9'"):
        run_fusion(folder, SETTINGS)


# Properties: 5 mentions and 6 candidates, with ties, each run ranking some of them.

GRADES = arrays(np.int64, (2, 5, 6), elements=st.integers(-1, 3))  # -1: not ranked


def rows_of(grades: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Run, mention, candidate and rank of each row, run after run."""
    return [
        (run, mention, candidate, rank)
        for run, of_run in enumerate(grades)
        for mention, values in enumerate(of_run)
        for rank, candidate in enumerate(np.argsort(-values, kind="stable").tolist(), start=1)
        if values[candidate] >= 0
    ]


@given(GRADES, st.sampled_from([1, 60]))
def test_ranking_is_the_sorted_order(grades, constant):
    rows = rows_of(grades)
    run, mention, candidate, ranks = np.array(rows, int).reshape(-1, 4).T
    best, fused_ranks, scores = fused(mention, candidate, ranks, run == 0, constant)
    ranked = {(r, m, c): rank for r, m, c, rank in rows}

    def score(pair: tuple[int, int]) -> float:
        return sum(
            sorted(1 / (constant + ranked[r, *pair]) for r in (0, 1) if (r, *pair) in ranked)
        )

    def order(pair: tuple[int, int]) -> tuple:
        return pair[0], -score(pair), ranked.get((0, *pair), np.inf), pair[1]

    wanted = sorted({(m, c) for _, m, c, _ in rows}, key=order)
    assert [rows[n][1:3] for n in best] == wanted
    assert [rows[n][0] for n in best] == [int((0, *pair) not in ranked) for pair in wanted]
    assert scores.tolist() == [score(pair) for pair in wanted]
    starts = [fused_ranks[[m for m, _ in wanted].index(m)] for m, _ in wanted]
    assert set(starts) <= {1} and (np.diff(fused_ranks)[np.diff(mention[best]) == 0] == 1).all()


def test_hits_at_the_cutoff_decide_then_hits_at_1_then_the_order():
    def chosen(*ranks):
        found = choose("temperature", [4, 2, 1][: len(ranks)], map(np.array, ranks), cutoff=3)
        return found["temperature"]

    assert chosen([3, 4, 0], [1, 1, 4], [2, 2, 2]) == 1
    assert chosen([3, 3, 0], [1, 2, 0], [2, 2, 9]) == 2
    assert chosen([2, 0], [3, 0], [2, 4]) == 4


def test_what_was_tried_is_told():
    found = choose("temperature", [0.5, 1], (np.array([2, 0]), np.array([1, 3])), cutoff=2)
    assert found == {
        "temperature": 1, "cutoff": 2, "mentions": 2,
        "tried": [
            {"temperature": 0.5, "hits": 1, "hits_at_1": 0},
            {"temperature": 1, "hits": 1, "hits_at_1": 1},
        ],
    }  # fmt: skip
