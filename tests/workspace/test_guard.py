"""Files without a record are refused; others, missing ones and half-made ones are not."""

from base64 import urlsafe_b64encode

import pytest

from muver.io.errors import InputError
from muver.workspace.guard import check_records, has_record


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a finished, a begun and a strange file, and Snakemake's records of them."""
    monkeypatch.chdir(tmp_path)
    for name, kind in (
        ("finished.csv", "metadata"),
        ("begun.csv", "incomplete"),
        ("strange.csv", None),
    ):
        (tmp_path / name).write_text("1")
        if kind:
            place = tmp_path / ".snakemake" / kind
            place.mkdir(parents=True, exist_ok=True)
            (place / urlsafe_b64encode(name.encode()).decode()).write_text("{}")
    return tmp_path


def test_who_has_a_record(folder):
    assert has_record("finished.csv")
    assert has_record("begun.csv")
    assert not has_record("strange.csv")


def test_finished_begun_and_missing_files_pass(folder):
    check_records(["finished.csv", "begun.csv", "missing.csv"])


def test_a_strange_file_is_named_with_what_to_do(folder):
    with pytest.raises(InputError, match=r"strange\.csv: here, but not made .*make pull"):
        check_records(["finished.csv", "strange.csv"])


def test_more_of_them_are_counted(folder):
    (folder / "other.csv").write_text("1")
    with pytest.raises(InputError, match="strange.csv and 1 more"):
        check_records(["strange.csv", "other.csv"])
