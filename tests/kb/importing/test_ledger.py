"""Names on disk: redirects followed, ids and titles that occur twice."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from muver.kb.importing import ledger as module
from muver.kb.importing.ledger import Ledger


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BUFFERED", 2)
    with closing(Ledger(tmp_path / "ledger.sqlite", [Path("a.csv"), Path("b.csv")])) as made:
        yield made


def test_redirects_are_followed_as_far_as_they_lead(ledger):
    for number, title in enumerate("XYZ"):
        ledger.add_entity("w", f"{number}", title, 0, f"line {number}")
    ledger.add_entity("other", "0", "X", 0, "line 9")
    chain = ["A", "B", "C", "D", "X"]
    for title, target in zip(chain, chain[1:], strict=False):
        ledger.add_redirect("w", title, target)
    for title, target in [("P", "Q"), ("Q", "P"), ("R", "nowhere"), ("S", "S")]:
        ledger.add_redirect("w", title, target)
    ledger.finish()
    assert list(ledger.redirects_to("w", "X")) == ["A", "B", "C", "D"]
    assert list(ledger.redirects_to("other", "X")) == []
    assert ledger.find("w", "A") == ledger.find("w", "X") == ("0", "X")
    assert ledger.find("w", "P") is None and ledger.find("w", "nothing") is None
    assert ledger.find("other", "A") is None
    assert ledger.lost_redirects() == 4
    assert ledger.has_redirects()


def test_what_occurs_twice(ledger):
    rows = [("w", "1", "T", 0, "line 2"), ("w", "2", "T", 0, "line 3"), ("w", "3", "", 0, "line 4"),
            ("w", "4", "", 0, "line 5"), ("v", "1", "T", 1, "line 2")]  # fmt: skip
    for row in rows:
        ledger.add_entity(*row)
    ledger.finish()
    assert ledger.first_twice() is None and not ledger.has_redirects()
    assert ledger.equal_titles(5) == (1, ["'T', 2 times (line 2, line 3)"])


def test_the_first_id_that_occurs_twice(ledger):
    for file, identity in ((0, "1"), (0, "2"), (1, "2"), (1, "1")):
        ledger.add_entity("w", identity, "T", file, f"line {identity}")
    ledger.finish()
    assert ledger.first_twice() == ("1", "a.csv, line 1", "b.csv, line 1")


def test_the_folder_that_sqlite_sorts_in_is_ours_only_meanwhile(tmp_path, monkeypatch):
    for before in ("/elsewhere", None):
        if before is None:
            monkeypatch.delenv("SQLITE_TMPDIR", raising=False)
        else:
            monkeypatch.setenv("SQLITE_TMPDIR", before)
        with closing(Ledger(tmp_path / f"{before is None}.sqlite", [])):
            assert os.environ["SQLITE_TMPDIR"] == str(tmp_path)
        assert os.environ.get("SQLITE_TMPDIR") == before
