"""What happens to other tables, and to a table itself, where one cannot be recorded."""

import logging
from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.io.typed import read
from muver.reproduction.tracking import record
from muver.reproduction.tracking.entries import Recording, Recordings


@pytest.fixture(autouse=True)
def record_one(monkeypatch):
    def fail(settings: Recording) -> None:
        out = Path(settings.out)
        if out.stem == "bad":
            raise InputError("nobody there")
        if out.stem == "bug":
            raise RuntimeError("a mistake of ours")
        out.touch()

    monkeypatch.setattr(record, "record", fail)
    monkeypatch.setattr(logging.getLogger("muver"), "propagate", True)


def tables(folder: Path, *names: str) -> Recordings:
    own = [{"table": f"{folder}/{name}.json", "out": f"{folder}/{name}.csv"} for name in names]
    return read(Recordings, {"tables": own})


def test_the_others_are_recorded_and_the_failure_is_raised_at_the_end(tmp_path: Path):
    with pytest.raises(InputError, match="bad: nobody there"):
        record.record_all(tables(tmp_path, "bad", "good"), False)
    assert (tmp_path / "good.csv").is_file()
    assert not (tmp_path / "bad.failed").exists()
    with pytest.raises(RuntimeError):
        record.record_all(tables(tmp_path, "bug"), False)


@pytest.mark.parametrize(("name", "why"), [("bad", "nobody"), ("bug", "a mistake of ours")])
def test_keep_going_leaves_a_file_until_a_recording_works(
    tmp_path: Path, monkeypatch, caplog, name: str, why: str
):
    record.record_all(tables(tmp_path, name), True)
    marker = tmp_path / f"{name}.failed"
    assert why in marker.read_text()
    assert f"{name} IS NOT IN MLFLOW: {why}" in caplog.text
    monkeypatch.setattr(record, "record", lambda call: None)
    record.record_all(tables(tmp_path, name), True)
    assert not marker.exists()


def test_every_table_is_told_what_the_call_s_settings_were(tmp_path: Path, monkeypatch):
    told = []
    monkeypatch.setattr(record, "record", told.append)
    record.record_all(tables(tmp_path, "a", "b"), config=[("preset", "zeshel"), ("seed", 3)])
    assert [one.config for one in told] == [{"preset": "zeshel", "seed": 3}] * 2


def test_settings_that_do_not_fit():
    with pytest.raises(InputError, match="tables.0.*out is missing"):
        read(Recordings, {"tables": [{"table": "a.json"}]})
