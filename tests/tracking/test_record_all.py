"""What happens to other tables, and to a table itself, where one cannot be recorded."""

import logging
from argparse import ArgumentTypeError, Namespace
from pathlib import Path

import pytest

from muver.commands.record import benchmark, jobs
from muver.io.errors import InputError
from muver.tracking import record


@pytest.fixture(autouse=True)
def record_one(monkeypatch):
    def fail(call: Namespace) -> None:
        if call.out.stem == "bad":
            raise InputError("nobody there")
        if call.out.stem == "bug":
            raise RuntimeError("a mistake of ours")
        call.out.touch()

    monkeypatch.setattr(record, "record", fail)
    monkeypatch.setattr(logging.getLogger("muver"), "propagate", True)


def call(folder: Path, name: str) -> Namespace:
    return Namespace(table=folder / f"{name}.json", grid=None, out=folder / f"{name}.csv")


def test_the_others_are_recorded_and_the_failure_is_raised_at_the_end(tmp_path: Path):
    calls = [call(tmp_path, name) for name in ("bad", "good")]
    with pytest.raises(InputError, match="bad: nobody there"):
        record.record_all(calls, False)
    assert (tmp_path / "good.csv").is_file()
    assert not (tmp_path / "bad.failed").exists()
    with pytest.raises(RuntimeError):
        record.record_all([call(tmp_path, "bug")], False)


@pytest.mark.parametrize(("name", "why"), [("bad", "nobody"), ("bug", "a mistake of ours")])
def test_keep_going_leaves_a_file_until_a_recording_works(
    tmp_path: Path, monkeypatch, caplog, name: str, why: str
):
    record.record_all([call(tmp_path, name)], True)
    marker = tmp_path / f"{name}.failed"
    assert why in marker.read_text()
    assert f"{name} IS NOT IN MLFLOW: {why}" in caplog.text
    monkeypatch.setattr(record, "record", lambda call: None)
    record.record_all([call(tmp_path, name)], True)
    assert not marker.exists()


def test_several_jobs_are_read_from_one_argument():
    first, second = jobs('[["--table", "a.json", "--out", "a.csv"], ["--grid", "b", "--out", "c"]]')
    assert (first.table, first.out) == (Path("a.json"), Path("a.csv"))
    assert (second.grid, second.table) == (Path("b"), None)


@pytest.mark.parametrize("name", ["train.tsv", "muver=train.tsv", ":train=x", "muver:=x"])
def test_a_benchmark_needs_a_system_and_a_stage(name: str):
    with pytest.raises(ArgumentTypeError, match="expected SYSTEM:STAGE=FILE"):
        benchmark(name)
