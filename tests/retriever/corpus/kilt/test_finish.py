"""A finished base: numbers, lookups by id and title, ids that occur twice."""

import numpy as np
import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.corpus.kilt import lookup
from muver.retriever.corpus.kilt.finish import build, finish
from muver.retriever.corpus.kilt.lookup import KnowledgeBase
from muver.retriever.corpus.kilt.make import make_missing
from muver.retriever.corpus.kilt.titles import normal_title, title_hash
from tests.retriever.corpus.kilt.conftest import PAGES, contents, line, reading

SHUFFLED = [PAGES[(7 * n) % 40] for n in range(40)]  # ids are not in order


@pytest.fixture
def base(dump, tmp_path, small_parts):
    dump.write_bytes(b"".join([*SHUFFLED, line(3, "ünder_the  Sea"), line(4, "iPod"),
                               line(9, "IPod", "Another.")]))  # fmt: skip
    make_missing(dump, tmp_path / "kb", small_parts)
    finish(dump, tmp_path / "kb", small_parts)
    return KnowledgeBase(tmp_path / "kb")


def test_numbers_follow_the_dump(base):
    expected = [10 * ((7 * n) % 40) + 5 for n in range(40)] + [3, 4, 9]
    assert base.ids.tolist() == expected and base.ids.dtype == np.int64 and len(base) == 43
    parts = base.manifest["parts"]
    assert [part["first"] for part in parts] == np.cumsum(
        [0, *(part["entities"] for part in parts[:-1])]
    ).tolist()
    assert base.manifest["without_paragraphs"] == 2
    assert isinstance(base.ids, np.memmap)


def test_by_id(base):
    assert base.by_id(base.ids).tolist() == list(range(43))
    assert base.by_id([-1, 0, 5, 6, 10**17]).tolist() == [-1, -1, 0, -1, -1]
    assert base.by_id([]).tolist() == []


def test_by_title(base):
    titles = ["Page 7", "page_7", "Page 40", "", "Ünder the Sea", "iPod", "IPod", "ipod"]
    assert base.by_title(titles).tolist() == [1, 1, -1, -1, 40, 41, 42, -1]
    assert base.by_title([]).tolist() == []


def test_a_hash_alone_does_not_make_a_title(base, monkeypatch):
    """Another title with the hash of a stored one is none."""
    monkeypatch.setattr(lookup, "title_hash", lambda title: title_hash("Page 7"))
    assert base.by_title(["Page 7", "Pagode"]).tolist() == [1, -1]


def test_titles_are_compared_as_wikipedia_shows_them():
    assert normal_title("  new_York  City ") == "New York City"
    assert normal_title("e\u0301clair") == "\u00c9clair"
    assert normal_title("") == normal_title("_") == ""
    assert title_hash("new_York") == title_hash("New York") != title_hash("New york")
    # BLAKE2b with 8 bytes of digest, little-endian: fixed, as it stands in files.
    assert title_hash("A") == int.from_bytes(bytes.fromhex("1a89a399ca7c5046"), "little")


def test_rows_come_in_the_order_asked_for(base):
    table = base.rows([41, 0, 1, 0])
    assert table["title"].to_pylist() == ["iPod", "Page 0", "Page 7", "Page 0"]
    assert table["paragraphs"].to_pylist()[1] == ["First of 0.", "Second of 0, ü."]
    assert base.titles([]) == []
    with pytest.raises(InputError, match="0 to 42"):
        base.rows([43])


def test_ids_that_occur_twice(dump, tmp_path, small_parts):
    kb = tmp_path / "kb"
    dump.write_bytes(b"".join([*PAGES, line(15, "Again"), line(25, "Again too")]))
    make_missing(dump, kb, small_parts)
    before = contents(kb)
    with pytest.raises(InputError, match="2 lines .*15 as entities 1 and 40"):
        finish(dump, kb, small_parts)
    assert contents(kb) == before
    finish(dump, kb, replace(small_parts, duplicates="first"))
    base = KnowledgeBase(kb)
    assert base.manifest["duplicates"] == {"count": 2, "first_ids": [15, 25]}
    assert len(base) == 42 and base.by_id([15, 25]).tolist() == [1, 2]


def test_parts_must_be_complete_and_of_this_dump(dump, tmp_path, small_parts):
    kb = tmp_path / "kb"
    make_missing(dump, kb, small_parts)
    (kb / "part-00002.json").unlink()
    with pytest.raises(InputError, match="part-00002"):
        finish(dump, kb, small_parts)
    with pytest.raises(InputError, match="other settings"):
        finish(dump, kb, replace(small_parts, paragraphs=3))
    assert not (kb / "manifest.json").exists()


def test_a_part_made_again_opens_the_base(base, dump, small_parts):
    (base.folder / "part-00000.json").unlink()
    make_missing(dump, base.folder, small_parts)
    with pytest.raises(InputError, match="manifest.json"):
        KnowledgeBase(base.folder)


def test_bad_lines_of_all_parts_together(dump, tmp_path):
    kb = tmp_path / "kb"
    dump.write_bytes(b"".join([b"{\n", *PAGES, b"{\n"]))
    settings = reading(part_bytes=600, bad_lines=1)
    make_missing(dump, kb, settings)
    with pytest.raises(InputError, match="2 of the first 42 lines .*byte 0"):
        finish(dump, kb, settings)
    assert finish(dump, kb, replace(settings, bad_lines=2))["bad"]["count"] == 2


def test_a_dump_that_was_cut_off_is_said_in_the_manifest(dump, tmp_path, small_parts):
    kb = tmp_path / "kb"
    dump.write_bytes(dump.read_bytes()[:-20])
    make_missing(dump, kb, small_parts)
    finish(dump, kb, small_parts)
    manifest = read_json(kb / "manifest.json")
    assert manifest["entities"] == 39
    assert manifest["unfinished"] == {
        "offset": sum(map(len, PAGES[:-1])), "bytes": len(PAGES[-1]) - 20
    }  # fmt: skip
    assert manifest["source"] == {"file": "dump.json", "bytes": dump.stat().st_size}


def test_the_published_number_of_entities(dump, tmp_path, small_parts):
    make_missing(dump, tmp_path / "kb", small_parts)
    with pytest.raises(InputError, match="40 .*5903530"):
        finish(dump, tmp_path / "kb", replace(small_parts, expected="kilt"))


def test_arrays_of_another_base(base):
    np.save(base.folder / "ids.npy", np.arange(3))
    with pytest.raises(InputError, match="ids.npy"):
        KnowledgeBase(base.folder)
    (base.folder / "ids.npy").write_bytes(b"x")
    with pytest.raises(InputError, match="ids.npy"):
        KnowledgeBase(base.folder)


@pytest.mark.parametrize(("step", "part"), [("part", None), ("all", 0), ("finish", 0)])
def test_a_part_alone_has_a_number(step, part, dump, tmp_path):
    with pytest.raises(InputError, match="^--part"):
        build(step, dump, tmp_path / "kb", part, 1, reading())
