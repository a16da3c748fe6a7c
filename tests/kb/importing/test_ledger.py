"""Names on disk: redirects followed, ids and titles that occur twice."""

import os
from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.kb.importing.ledger import opened_ledger
from muver.kb.importing.schema import Entity, Redirect


@pytest.fixture
def ledger(tmp_path):
    with opened_ledger(tmp_path, [Path("a.csv"), Path("b.csv")]) as made:
        yield made


def test_redirects_are_followed_as_far_as_they_lead(ledger):
    for number, title in enumerate("XYZ"):
        ledger.add(Entity(f"{number}", title, "", f"line {number}", "w"), 0)
    ledger.add(Entity("0", "X", "", "line 9", "other"), 0)
    chain = ["A", "B", "C", "D", "X"]
    for title, target in zip(chain, chain[1:], strict=False):
        ledger.add(Redirect("w", title, target), 0)
    for title, target in [("P", "Q"), ("Q", "P"), ("R", "nowhere"), ("S", "S")]:
        ledger.add(Redirect("w", title, target), 0)
    ledger.finish()
    assert ledger.redirects_to("w", "X") == ["A", "B", "C", "D"]
    assert ledger.redirects_to("other", "X") == []
    assert ledger.find("w", "A") == ledger.find("w", "X") == ("0", "X")
    assert ledger.find("w", "P") is None and ledger.find("w", "nothing") is None
    assert ledger.find("other", "A") is None
    assert [title for _, title in ledger.lost_redirects()] == list("PQRS")
    assert [one.id for one in ledger.entities()] == ["0", "1", "2", "0"]


def test_of_equal_titles_the_first_is_found(ledger):
    for world, identity in (("w", "1"), ("w", "2"), ("v", "1")):
        ledger.add(Entity(identity, "T", "", "line 2", world), 0)
    ledger.finish()
    ledger.check_ids()  # none is twice in one world
    assert ledger.find("w", "T") == ("1", "T") and ledger.find("v", "") is None


def test_the_first_id_that_occurs_twice(ledger):
    for file, identity in ((0, "1"), (0, "2"), (1, "2"), (1, "1")):
        ledger.add(Entity(identity, "T", "", f"line {identity}", "w"), file)
    ledger.finish()
    with pytest.raises(InputError, match="b.csv, line 1: id '1' .* a.csv, line 1"):
        ledger.check_ids()


def test_the_folder_that_sqlite_sorts_in_is_ours_only_meanwhile(tmp_path, monkeypatch):
    monkeypatch.setenv("SQLITE_TMPDIR", "/elsewhere")
    with opened_ledger(tmp_path, []):
        assert os.environ["SQLITE_TMPDIR"] == str(tmp_path)
    assert os.environ["SQLITE_TMPDIR"] == "/elsewhere"
