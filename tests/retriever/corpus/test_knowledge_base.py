"""A dump read into a base in parts, and the finished base: numbers, lookups, damaged parts."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of
from muver.retriever.corpus import knowledge_base
from muver.retriever.corpus.knowledge_base import (
    SCHEMA,
    KnowledgeBase,
    normal_title,
    open_part,
    title_hash,
)
from muver.retriever.corpus.parts import read_dump
from tests.knowledge_base import contents, line, made_parts, reading

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


BAD = b'{"wikipedia_id": "x7", "wikipedia_title": "X", "text": []}\n'


@pytest.fixture
def kb(tmp_path):
    """Read lines in parts of about four pages; gives the counts."""

    def kb(lines, workers=1, name="kb", **settings):
        (tmp_path / "dump.json").write_bytes(b"".join(lines))
        given = reading(**{"part_bytes": 600, "bad_lines": 0, **settings})
        return read_dump(tmp_path / "dump.json", tmp_path / name, given, workers)

    return kb


def test_all_pages_in_order(kb, tmp_path):
    kb([*PAGES, line(999, "Bare")])
    base = KnowledgeBase(tmp_path / "kb")
    assert base.ids.tolist() == [*(10 * n + 5 for n in range(40)), 999]
    parts = [open_part(tmp_path / "kb", number) for number in made_parts(tmp_path / "kb")]
    assert len(parts) > 5 and sum(part.entities for part in parts) == 41
    # 40 pages of two paragraphs, and one without any.
    assert sum(part.segments for part in parts) == 81
    table = pq.read_table(parts[0].path)
    assert table.schema.equals(SCHEMA)
    assert table.slice(1, 1).to_pylist() == [
        {"id": "15", "title": "Page 1", "paragraphs": ["First of 1.", "Second of 1, ü."]}
    ]
    firsts = np.cumsum([0, *(part.entities for part in parts[:-1])])
    for part, first, told in zip(parts, firsts, base.manifest["parts"], strict=True):
        assert told == {"file": part.path.name, "first": first, "entities": part.entities,
                        "fingerprint": sha256_of(part.path)}  # fmt: skip


def test_several_processes_give_the_same_bytes(kb, tmp_path):
    kb(PAGES)
    kb(PAGES, workers=2, name="two")
    assert contents(tmp_path / "kb") == contents(tmp_path / "two")


def test_an_older_base_is_replaced(kb, tmp_path):
    kb(PAGES)
    kb(PAGES[:5])
    assert KnowledgeBase(tmp_path / "kb").ids.tolist() == [5, 15, 25, 35, 45]
    assert len(list((tmp_path / "kb").glob("*.parquet"))) == len(made_parts(tmp_path / "kb"))
    with pytest.raises(InputError, match="dump.json: .*2 of the first"):
        kb([*PAGES[:20], BAD, BAD], bad_lines=1)
    assert made_parts(tmp_path / "kb") == []


def test_bad_lines_are_counted_and_the_first_ones_shown(kb, tmp_path):
    counts = kb([*PAGES[:3], b"{\n", *PAGES[3:], BAD, PAGES[0][:20]], bad_lines=3)
    assert counts["entities"] == 40
    (bad,) = read_json(tmp_path / "kb/manifest.json")["bad"].values()
    assert bad["count"] == 3
    assert bad["first"][0].startswith("line 4: not valid JSON")
    assert "wikipedia_id 'x7'" in bad["first"][1]


def test_the_limit_is_a_share_of_many_lines(kb):
    with pytest.raises(InputError):
        kb([*PAGES, BAD], bad_share=0.02)
    assert kb([*PAGES, BAD], bad_share=0.025)["bad"]


def test_a_last_line_without_its_end_counts_if_it_is_whole(kb):
    assert kb([*PAGES[:-1], PAGES[-1].rstrip()])["entities"] == 40


def test_ids_that_occur_twice(kb, tmp_path):
    lines = [*PAGES, line(15, "Again"), line(25, "Again too")]
    with pytest.raises(InputError, match="dump.json: 2 .* 15"):
        kb(lines)
    counts = kb(lines, duplicates="first")
    assert counts["duplicates"] == 2
    base = KnowledgeBase(tmp_path / "kb")
    assert len(base) == 42 and base.by_id([15, 25]).tolist() == [1, 2]


def test_what_is_refused(kb, tmp_path):
    with pytest.raises(InputError, match="40 .*5903530"):
        kb(PAGES, expected="kilt")
    with pytest.raises(InputError, match="dump.json: holds no page"):
        kb([])
    with pytest.raises(InputError, match="none.json: no such file"):
        read_dump(tmp_path / "none.json", tmp_path / "kb", reading())
