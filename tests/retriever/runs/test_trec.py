"""TREC files: ours, scored by a tool that is not ours."""

from pathlib import Path
from urllib.parse import unquote

import ir_measures
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import Success

from muver.io.errors import InputError
from muver.io.parquet import table_of
from muver.retriever.corpus.schema import read_mentions
from muver.retriever.runs.gold import gold_ranks
from muver.retriever.runs.run import RUN, decreasing, field, read_run, write_trec
from tests.retriever.evaluation.conftest import RANKED, TITLES, save_run

CUTOFFS = [1, 2, 4, 8]


def test_files_by_hand(corpus: Path):
    run = read_run(save_run(corpus / "run.parquet", {**RANKED, "m3": [2, 0, 3]}))
    mentions = read_mentions(corpus / "mentions.parquet", "test")
    write_trec(corpus / "a system", "a system", run, mentions, TITLES, "title")
    lines = (corpus / "a system.run").read_text().splitlines()
    assert lines[:3] == [
        "m1 Q0 reef/0 1 -1.0 a%20system",
        "m1 Q0 reef/1 2 -2.0 a%20system",
        "m1 Q0 reef/3 3 -3.0 a%20system",
    ]
    assert lines[6] == "m3 Q0 reef/1 1 -1.0 a%20system"  # entity 2 has the title of entity 1
    assert (corpus / "a system.qrels").read_text() == (
        "m1 0 reef/0 1\nm2 0 reef/1 1\nm3 0 reef/3 1\nm4 0 vale/1 1\n"
    )
    write_trec(corpus / "s", "s", run, mentions, TITLES, "id")
    assert "m3 Q0 reef/2 1 -1.0 s\n" in (corpus / "s.run").read_text()
    assert "m2 0 reef/2 1\n" in (corpus / "s.qrels").read_text()


@pytest.mark.parametrize("match", ["title", "id"])
def test_success_is_our_recall_ties_included(tmp_path: Path, match: str):
    run, mentions, titles = many_ties(match)
    write_trec(tmp_path / "s", "s", run, mentions, titles, match)
    ranks = gold_ranks(run, mentions, titles, match)
    found = ir_measures.calc_aggregate(
        [Success @ k for k in CUTOFFS],
        list(ir_measures.read_trec_qrels(str(tmp_path / "s.qrels"))),
        list(ir_measures.read_trec_run(str(tmp_path / "s.run"))),
    )
    hits = {k: int(((ranks > 0) & (ranks <= k)).sum()) for k in CUTOFFS}
    assert 0 < hits[1] < hits[8] < len(ranks)
    for k in CUTOFFS:
        assert round(found[Success @ k] * len(ranks), 6) == hits[k]


def many_ties(match: str) -> tuple[pa.Table, pa.Table, dict[str, list[str]]]:
    """300 mentions of two worlds with white space in names, ten candidates of three scores."""
    generator = np.random.default_rng(3)
    titles = {"star wars": [f"t{n // 2}" for n in range(60)], "100%": [f"t{n}" for n in range(30)]}
    run, mentions = [], []
    for n in range(300):
        world = ("star wars", "100%")[n % 2]
        kinds = range(0, 60, 2) if world == "star wars" and match == "title" else range(30)
        entities = generator.permutation(np.array(kinds))[:10]
        scores = np.sort(generator.integers(0, 3, 10) / 3)[::-1]
        mentions.append(
            {"mention_id": f"m {n}", "world": world, "gold": int(generator.choice(kinds))}
        )
        run += [
            (f"m {n}", world, rank, entity, titles[world][entity], score, 0, 0, 0)
            for rank, (entity, score) in enumerate(zip(entities, scores, strict=True), start=1)
        ]
    return table_of(RUN, zip(*run, strict=True)), pa.Table.from_pylist(mentions), titles


@given(
    st.lists(
        st.lists(
            st.one_of(st.sampled_from([0.0, -0.0, 1.0, 1e-30]), st.floats(-1e6, 1e6, width=32)),
            min_size=1,
            max_size=12,
        ),
        max_size=4,
    )
)
def test_scores_fall_strictly_and_survive_printing(blocks):
    scores = np.array([score for block in blocks for score in block], dtype=np.float32)
    ranks = np.array([n for block in blocks for n in range(1, len(block) + 1)], dtype=np.int32)
    found = decreasing(scores, ranks)
    later = np.flatnonzero(ranks > 1)
    assert (found[later] < found[later - 1]).all()
    assert (found <= scores).all()
    printed = [repr(score) for score in found.tolist()]
    assert np.array_equal(np.array(printed, dtype=np.float32), found)


def test_scores_that_fall_stay_as_they_are():
    scores = np.array([2.5, 1.0, 0.5, 9.0, -1.0], dtype=np.float32)
    assert np.array_equal(decreasing(scores, np.array([1, 2, 3, 1, 2])), scores)
    tied = decreasing(np.float32([1.0, 1.0, 1.0]), np.array([1, 2, 3]))
    assert tied.tolist() == [1.0, 1 - 2**-24, 1 - 2**-23]


@given(st.text(max_size=20), st.text(max_size=20))
def test_fields_have_no_white_space_and_give_the_name_back(one, other):
    assert field(f"x{one}").split() == [field(f"x{one}")]
    assert unquote(field(one)) == one
    assert (field(one) == field(other)) == (one == other)


def test_scores_that_are_no_numbers_are_refused(corpus: Path):
    run = read_run(save_run(corpus / "run.parquet", RANKED))
    mentions = read_mentions(corpus / "mentions.parquet", "test")
    column = RUN.get_field_index("score")
    broken = run["score"].to_pylist()
    broken[4] = float("nan")
    run = run.set_column(column, RUN.field(column), pa.array(broken, pa.float32()))
    with pytest.raises(InputError, match="run of s: has scores"):
        write_trec(corpus / "s", "s", run, mentions, TITLES, "title")
    assert not (corpus / "s.run").exists()
