"""The declared downloads."""

from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.io.files import sha256_of
from muver.reproduction.settings.file import home, read_params
from muver.retriever.corpus.sources import all_sources, find_source


def test_zeshel_totals_are_the_sums_of_its_worlds():
    published = find_source("zeshel").published
    assert len(published.worlds) == 16
    for split, total in published.entities.items():
        worlds = [world for world in published.worlds.values() if world.split == split]
        assert sum(world.entities for world in worlds) == total
    assert published.mentions == {"train": 49275, "val": 10000, "test": 10000}


def test_every_source_comes_along_or_can_be_fetched_by_hand_and_has_a_licence():
    for source in all_sources().values():
        assert source.licence
        if source.kind == "shipped":
            assert source.address is source.page is None
            assert sha256_of(source.shipped) == source.sha256
            assert source.shipped.stat().st_size == source.size
            continue
        assert source.kind in ("archive", "file", "worlds", "instructions")
        if source.kind == "instructions":
            assert source.address is None and source.instructions
        else:
            assert source.address.startswith("https://")
        assert source.page.startswith("https://")


def test_the_wikipedia_half_has_the_papers_counts():
    assert find_source("kilt").published.entities == {"wikipedia": 5903530}
    mentions = find_source("blink_benchmarks").published.mentions
    assert [mentions[f"aida-{part}"] for part in ("train", "testa", "testb")] == [18448, 4791, 4485]
    assert (mentions["msnbc"], mentions["wnedwiki"]) == (656, 6821)


def test_unknown_name():
    with pytest.raises(InputError, match="Did you mean 'zeshel'"):
        find_source("zeshell")


def test_aida_is_expected_in_the_archive_of_benchmarks():
    """By the settings, the archive's declaration and the instructions alike."""
    params = read_params(home() / "params.yaml")
    sets = params["linking"]["sets"]
    aida, archive = find_source("aida"), find_source("blink_benchmarks")
    for part in ("aida-train", "aida-testa", "aida-testb"):
        assert Path(sets[part]["file"]).name == aida.file
        assert part in archive.published.mentions
    assert archive.name in aida.instructions and aida.name in archive.licence
