"""Counts and their comparison with published ones."""

import pytest

from muver.corpus.sources import Published, PublishedWorld
from muver.corpus.statistics import count, fingerprint
from muver.errors import InputError

PUBLISHED = Published(
    worlds={"a": PublishedWorld("train", 5), "b": PublishedWorld("test", 2)},
    entities={"train": 5, "val": 0, "test": 2},
    mentions={"train": 3, "val": 0, "test": 1},
)


def worlds(entities=5, mentions=3):
    return {
        "a": {"split": "train", "entities": entities, "mentions": mentions, "without_text": 0},
        "b": {"split": "test", "entities": 2, "mentions": 1, "without_text": 1},
    }


def test_equal_counts_pass():
    counts = count("x", "f", worlds(), PUBLISHED)
    assert counts["entities"] == {"train": 5, "val": 0, "test": 2}
    assert counts["published"]["worlds"]["a"] == {"split": "train", "entities": 5}


def test_every_difference_is_named():
    changed = worlds(entities=4, mentions=9)
    changed["c"] = {"split": "none", "entities": 1, "mentions": 0, "without_text": 0}
    with pytest.raises(InputError) as caught:
        count("x", "f", changed, PUBLISHED)
    for words in (
        "a entities 4 (published 5)",
        "train mentions 9 (published 3)",
        "train entities 4 (published 5)",
        "world c is not a published one",
    ):
        assert words in str(caught.value)


def test_fingerprint_depends_on_names_and_contents_not_on_order(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("1")
    two.write_text("2")
    whole = fingerprint(tmp_path, [one, two])
    assert whole == fingerprint(tmp_path, [two, one])
    one.write_text("2")
    two.write_text("1")
    assert fingerprint(tmp_path, [one, two]) != whole
    assert len(whole) == 16
