"""A dump read into a base in parts: the same with any number of processes, refused above limits."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of
from muver.retriever.corpus.knowledge_base import SCHEMA, KnowledgeBase, open_part
from muver.retriever.corpus.parts import read_dump
from tests.knowledge_base import contents, line, made_parts, reading

PAGES = [line(10 * n + 5, f"Page {n}", f"First of {n}.\n", f"Second of {n}, ü.\n")
         for n in range(40)]  # fmt: skip
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
