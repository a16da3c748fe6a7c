"""A finished base: numbers, lookups by id and title, parts that are damaged."""

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.retriever.corpus import knowledge_base
from muver.retriever.corpus.knowledge_base import KnowledgeBase, normal_title, open_part, title_hash
from muver.retriever.corpus.parts import read_dump
from tests.knowledge_base import line, made_parts, reading

PAGES = [line(10 * n + 5, f"Page {n}", f"First of {n}.\n", f"Second of {n}, ü.\n")
         for n in range(40)]  # fmt: skip
SHUFFLED = [PAGES[(7 * n) % 40] for n in range(40)]  # ids are not in order


@pytest.fixture
def base(tmp_path):
    (tmp_path / "dump").write_bytes(b"".join([
        *SHUFFLED, line(3, "ünder_the  Sea"), line(4, "iPod"), line(9, "IPod", "Another.")
    ]))  # fmt: skip
    read_dump(tmp_path / "dump", tmp_path / "kb", reading(part_bytes=600))
    return KnowledgeBase(tmp_path / "kb")


def test_numbers_follow_the_dump(base):
    expected = [10 * ((7 * n) % 40) + 5 for n in range(40)] + [3, 4, 9]
    assert base.ids.tolist() == expected and base.ids.dtype == np.int64 and len(base) == 43
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
    monkeypatch.setattr(knowledge_base, "title_hash", lambda title: title_hash("Page 7"))
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


def test_parts_that_are_missing_or_damaged(base, tmp_path):
    last = made_parts(base.folder)[-1]
    with pytest.raises(InputError, match=f"--part 99: .*0 to {last}"):
        open_part(base.folder, 99)
    with pytest.raises(InputError, match="nothing/manifest.json"):
        open_part(tmp_path / "nothing", 0)
    path = open_part(base.folder, 0).path
    path.write_bytes(path.read_bytes()[:-30])
    for _ in range(2):
        with pytest.raises(InputError, match="part-00000.parquet"):
            open_part(base.folder, 0)
        with pytest.raises(InputError, match="part-00000.parquet"):
            base.titles([0])
        path.unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("ids.npy", lambda base: base.ids),
        ("by_id.npy", lambda base: base.by_id([5])),
        ("by_title.npy", lambda base: base.by_title(["A"])),
    ],
)
def test_an_array_that_is_damaged(base, name, ask):
    (base.folder / name).write_bytes(b"x")
    with pytest.raises(InputError, match=name):
        ask(KnowledgeBase(base.folder))
