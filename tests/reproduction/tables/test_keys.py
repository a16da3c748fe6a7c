"""Row keys."""

from muver.reproduction.tables.evaluations import row_key

SETTINGS = {"system": "muver", "seed": 10000, "retrieve": {"k": 64, "match": "title"}}


def test_key_stays_what_it_was():
    # Published tables and MLflow stores hold these keys: they must not change by accident.
    assert row_key(SETTINGS, "f00d") == "ebef7b5f9fed"


def test_key_forgets_order_and_sees_everything_else():
    key = row_key(SETTINGS, "f00d")
    assert row_key(dict(reversed(SETTINGS.items())), "f00d") == key
    assert row_key(SETTINGS, "beef") != key
    assert row_key({**SETTINGS, "seed": 1}, "f00d") != key
    assert row_key({**SETTINGS, "retrieve": {"k": 63, "match": "title"}}, "f00d") != key
