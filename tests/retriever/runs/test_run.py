"""Run files."""

from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.retriever.runs.run import (
    RUN,
    block_starts,
    mentions_of_rows,
    ranked_mentions,
    read_run,
)
from tests.runs import write_run

ONE = {
    "mention_id": ["a", "a", "b"],
    "world": ["w", "w", "w"],
    "rank": [1, 2, 1],
    "entity": [5, 3, 3],
    "title": ["Five", "Three", "Three"],
    "score": [2.5, 1.0, 0.0],
    "layer": [0, 1, 0],
    "first": [0, 2, 0],
    "last": [0, 3, 0],
}


def test_round_trip(tmp_path: Path):
    write_run(tmp_path / "x.parquet", [*zip(*ONE.values(), strict=True)])
    table = read_run(tmp_path / "x.parquet", ["a", "b", "c"])
    assert table.schema == RUN
    assert table.to_pydict() == ONE
    assert block_starts(table).tolist() == [0, 2]


def test_a_run_of_other_mentions_is_refused(tmp_path: Path):
    write_run(tmp_path / "x.parquet", [*zip(*ONE.values(), strict=True)])
    with pytest.raises(InputError, match=r"x\.parquet.*'b'"):
        read_run(tmp_path / "x.parquet", ["a"])


def test_mentions_of_rows(tmp_path: Path):
    """Three mentions, the second not ranked."""
    write_run(tmp_path / "x.parquet", [*zip(*ONE.values(), strict=True)])
    run = read_run(tmp_path / "x.parquet")
    assert ranked_mentions(run) == ["a", "b"]
    mention_of = mentions_of_rows(run, ["b", "c", "a"])
    assert mention_of.tolist() == [2, 2, 0]


def test_a_run_without_rows_has_no_mentions(tmp_path: Path):
    write_run(tmp_path / "x.parquet", [])
    run = read_run(tmp_path / "x.parquet")
    assert ranked_mentions(run) == [] and mentions_of_rows(run, ["a"]).tolist() == []
