"""Counts and their comparison with published ones."""

import pytest

from muver.io.errors import InputError
from muver.retriever.corpus.sources import Sizes, WorldCounts, find_source
from muver.retriever.corpus.statistics import check_published, count, fingerprint, identify

PUBLISHED = find_source("zeshel").published


def worlds(entities: int = 0, mentions: int = 0) -> dict[str, WorldCounts]:
    """As published; with so many more entities and mentions in lego. The first has all mentions."""
    worlds = {
        name: {"split": counts.split, "entities": counts.entities, "mentions": 0, "without_text": 0}
        for name, counts in PUBLISHED.worlds.items()
    }
    for split, number in PUBLISHED.mentions.items():
        next(counts for counts in worlds.values() if counts["split"] == split)["mentions"] = number
    worlds["lego"]["entities"] += entities
    worlds["lego"]["mentions"] += mentions
    return {name: WorldCounts(**counts) for name, counts in worlds.items()}


def test_equal_counts_pass_whatever_the_dataset_is_called():
    counts = count("x", "f", worlds(), "zeshel")
    assert counts.entities == {"train": 332632, "val": 89549, "test": 70140}
    assert counts.identified_as == "zeshel"
    assert count("x", "f", worlds()).identified_as == "zeshel"  # without being asked
    assert count("zeshel", "f", worlds(entities=1)).identified_as is None
    assert count("zeshel", "f", worlds(mentions=1)).identified_as is None


def test_a_knowledge_base_is_identified_by_its_entities():
    assert identify(Sizes(entities={"wikipedia": 5903530})) == "kilt"
    assert identify(Sizes(entities={"wikipedia": 5903529})) is None


def test_a_base_is_not_asked_for_mentions():
    assert find_source("miniwikipedia").published.mentions
    check_published("dump", Sizes(entities={"wikipedia": 3000}), "miniwikipedia")
    with pytest.raises(InputError, match=r"wikipedia entities 2999 \(published 3000\)"):
        check_published("dump", Sizes(entities={"wikipedia": 2999}), "miniwikipedia")


def test_every_difference_is_named():
    changed = worlds(entities=-1, mentions=6)
    changed["c"] = WorldCounts("none", 1, 0)
    with pytest.raises(InputError) as caught:
        count("x", "f", changed, "zeshel")
    for words in (
        "lego entities 10075 (published 10076)",
        "test mentions 10006 (published 10000)",
        "test entities 70139 (published 70140)",
        "c entities 1 (published None)",
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
