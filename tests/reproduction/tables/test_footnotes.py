"""Footnotes: at every row that is not what its name says, wherever people read; not in the CSV."""

import json

import pytest

from muver.io.errors import InputError
from muver.reproduction.tables.cells import footnotes
from muver.reproduction.tables.records import Row
from muver.reproduction.tables.stage import make_table
from tests.blank import blank

BEST, OURS = "The best of four.", "Trained by us, 100% <as> MuVER."
ROWS = [
    {"method": "BM25", "system": "bm25"},
    {"method": "BLINK", "system": "blink", "note": OURS},
    {"method": "Partalidou et al.", "system": "partalidou", "note": BEST},
    {"method": "BLINK (512)", "system": "blink_512", "note": OURS},
]
RECORDS = [blank(Row, **row) for row in ROWS]


def test_equal_notes_share_a_letter():
    lines = [[row["method"], "1.00"] for row in ROWS]
    letters = {1: "a", 2: "b", 3: "a"}, {"a": OURS, "b": BEST}
    assert footnotes(lines, RECORDS) == letters
    assert footnotes(lines, RECORDS[:1]) == footnotes(lines[:1], RECORDS) == ({}, {})


def test_there_may_be_more_notes_than_letters():
    records = [blank(Row, method=str(n), note=f"note {n}") for n in range(28)]
    marks, _ = footnotes([[str(n)] for n in range(28)], records)
    assert [marks[n] for n in (0, 25, 26, 27)] == ["a", "z", "aa", "ab"]


@pytest.fixture
def made(evaluation, write, tmp_path):
    """A table made of :data:`ROWS`; gives its file without suffix."""

    def make(name, rows=ROWS, **settings):
        found = write(*(evaluation(row["system"], (n, 8), (1, 3)) for n, row in enumerate(ROWS)))
        make_table(name, found, tmp_path / "table.csv", {"rows": rows, **settings})
        return tmp_path / "table"

    return make


@pytest.mark.parametrize("name", ["table1", "table6", "table3"])
def test_in_every_format(made, name):
    path = made(name, **({"cutoff": 64} if name == "table3" else {}))
    table = json.loads(path.with_suffix(".json").read_text())
    notes = {row["method"]: row["note"] for row in table["rows"]}
    assert notes == {row["method"]: row.get("note") for row in ROWS}
    lines = path.with_suffix(".csv").read_text().splitlines()
    assert {line.split(",")[0] for line in lines[1:]} == {row["method"] for row in ROWS}
    text = path.with_suffix(".md").read_text()
    main, *_ = text.partition("\n## ")
    assert main.endswith(f"\n\n[a] {OURS}\n\n[b] {BEST}\n")
    assert "| BLINK (512) [a] " in main and "| Partalidou et al. [b] " in main
    assert "| BM25 " in main and "BM25 [" not in main
    page = path.with_suffix(".html").read_text()
    assert "BLINK (512)<sup>a</sup></th>" in page
    assert "<p><sup>a</sup> Trained by us, 100% &lt;as&gt; MuVER.</p>" in page
    tex = path.with_suffix(".tex").read_text()
    assert "BLINK (512)\\textsuperscript{a} &" in tex
    after = tex.partition("\\end{tabular}")[2]
    assert (
        "\\textsuperscript{a} Trained by us, 100\\% \\textless{}as\\textgreater{} MuVER." in after
    )
    assert after.index("{a}") < after.index("{b}") < after.index("\\end{table}")


def test_a_table_without_notes_is_as_it_was(made):
    bare = [{key: row[key] for key in ("method", "system")} for row in ROWS]
    assert "\\textsuperscript" not in made("table1", bare).with_suffix(".tex").read_text()


def test_what_validation_chose_ends_the_note(evaluation, write, tmp_path):
    chosen = {"setting": "temperature", "value": 2.0, "among": [1.0, 2.0], "cutoff": 16}
    rows = ROWS[:2]
    found = [evaluation(row["system"], (1, 8), (1, 3), chosen=chosen) for row in rows]
    out = tmp_path / "table.csv"
    make_table("table1", write(*found), out, {"rows": rows})
    said = "Validation chose temperature 2 among 1, 2, by hits at 16, the greatest that was tried."
    made = json.loads(out.with_suffix(".json").read_text())["rows"]
    assert [row["note"] for row in made] == [said, f"{OURS} {said}"]
    make_table("table1", write(*({**one, "set": "val"} for one in found)), out, {"rows": rows})
    made = json.loads(out.with_suffix(".json").read_text())["rows"]
    assert made[0]["note"] == f"{said} These mentions made the choice, which flatters the row."


def test_a_note_is_a_sentence(made):
    with pytest.raises(InputError, match=r"rows\.0\.note is"):
        made("table1", [{**ROWS[0], "note": ["a"]}])
