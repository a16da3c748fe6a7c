"""What happens to the others, and to the tables, where a table cannot be recorded."""

import logging
from argparse import Namespace
from pathlib import Path

import pytest

from muver.commands.record import jobs
from muver.io.errors import InputError
from muver.tracking.attempts import attempt


def call(folder: Path, name: str) -> Namespace:
    return Namespace(table=folder / f"{name}.json", grid=None, out=folder / f"{name}.csv")


def fail(wrong: Namespace) -> None:
    if wrong.out.stem == "bad":
        raise InputError("nobody there")
    if wrong.out.stem == "bug":
        raise RuntimeError("a mistake of ours")
    wrong.out.touch()


def test_the_others_are_recorded_and_the_failure_is_told_at_the_end(tmp_path: Path):
    calls = [call(tmp_path, name) for name in ("bad", "good")]
    with pytest.raises(InputError, match="bad: nobody there"):
        attempt(calls, False, fail)
    assert (tmp_path / "good.csv").is_file()
    assert not (tmp_path / "bad.failed").exists()
    with pytest.raises(RuntimeError):
        attempt([call(tmp_path, "bug")], False, fail)


@pytest.mark.parametrize(("name", "said"), [("bad", "nobody"), ("bug", "a mistake of ours")])
def test_going_on_leaves_word_until_a_recording_works(tmp_path, monkeypatch, caplog, name, said):
    monkeypatch.setattr(logging.getLogger("muver"), "propagate", True)
    attempt([call(tmp_path, name)], True, fail)
    marker = tmp_path / f"{name}.failed"
    assert said in marker.read_text()
    assert f"{name} IS NOT IN MLFLOW: {said}" in caplog.text
    attempt([call(tmp_path, name)], True, lambda one: one.out.touch())
    assert not marker.exists()


def test_several_jobs_are_read_from_one_argument():
    first, second = jobs('[["--table", "a.json", "--out", "a.csv"], ["--grid", "b", "--out", "c"]]')
    assert (first.table, first.out) == (Path("a.json"), Path("a.csv"))
    assert (second.grid, second.table) == (Path("b"), None)
