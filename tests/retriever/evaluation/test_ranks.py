"""Ranks files."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.retriever.evaluation.ranks import (
    RANKS,
    candidates,
    check_same_mentions,
    clusters,
    hits_at,
    ranks_table,
    read_ranks,
    write_ranks,
)
from tests.retriever.evaluation.conftest import make_ranks


def test_round_trip(tmp_path: Path):
    table = ranks_table(["a", "b"], ["v", "w"], ["d", None], [0, 64], [3, 0], 64)
    for name in ("x", "y"):
        write_ranks(tmp_path / name, table)
    found = read_ranks(tmp_path / "x")
    assert found.schema == RANKS
    assert found.to_pydict() == table.to_pydict()
    assert candidates(found) == 64
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


def test_mentions_of_a_document_are_drawn_together():
    worlds, documents = ["v", "v", "v", "w", "v", "v"], ["a", "b", "a", "a", None, None]
    table = make_ranks([1] * 6, worlds, documents=documents)
    assert clusters(table, "documents").tolist() == [0, 1, 0, 3, 4, 5]  # a of w is another
    assert clusters(table, "mentions").tolist() == [0, 1, 2, 3, 4, 5]


def test_a_file_that_does_not_say_how_many_candidates_there_were(tmp_path: Path):
    pq.write_table(make_ranks([1]).replace_schema_metadata(None), tmp_path / "x.parquet")
    with pytest.raises(InputError, match="metadata lack the number of candidates"):
        read_ranks(tmp_path / "x.parquet")


@pytest.mark.parametrize("rank", [-1, 9])
def test_ranks_beyond_the_candidates_are_refused(tmp_path: Path, rank: int):
    write_ranks(tmp_path / "x", make_ranks([8, rank], k=8))
    with pytest.raises(InputError, match=f"row 1: rank {rank}, expected 0 to 8"):
        read_ranks(tmp_path / "x")


def test_not_retrieved_is_never_a_hit():
    table = make_ranks([0, 1, 2, 3], k=3)
    assert hits_at(table, 1).tolist() == [False, True, False, False]
    assert hits_at(table, 3).tolist() == [False, True, True, True]


@pytest.mark.parametrize("cutoff", [0, 4])
def test_cutoffs_that_ranks_cannot_tell_are_refused(cutoff: int):
    with pytest.raises(InputError, match=f"recall@{cutoff} cannot .*3 candidates"):
        hits_at(make_ranks([1], k=3), cutoff)


def test_only_ranks_of_the_same_mentions_are_paired():
    table = make_ranks([1, 2], ["v", "w"], [5, 6])
    check_same_mentions(table, make_ranks([0, 0], ["v", "w"], [5, 6]))
    for one, other, words in (
        (table, table[:1], "2 mentions .* of 1"),
        (table, table.take([1, 0]), "row 0 .*'m0'.*'m1'"),
        (table, make_ranks([1, 2], ["v", "v"], [5, 6]), "row 1 .*'w'.*'v'"),
        (table, make_ranks([1, 2], ["v", "w"], [5, 7]), "row 1 .*sentences 6.*7"),
        (table[:0], table[:0], "nothing to compare"),
    ):
        with pytest.raises(InputError, match=words):
            check_same_mentions(one, other)
