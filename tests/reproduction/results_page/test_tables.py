"""What of a run's results stays on the page of record."""

from msgspec.structs import replace

from muver.io.files import write_json, write_text
from muver.reproduction.results_page import tables
from muver.reproduction.results_page.tables import read_tables, said_once, texts
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.records import (
    ComparisonTable,
    LengthsFigure,
    Row,
)
from muver.retriever.evaluation.lengths import Bin
from tests.blank import blank

TINY = {"dataset": "tiny", "fingerprint": "f0"}
HEADER = ["method", "R@1"]
MAIN = Section("", "9 mentions.", HEADER, [["BM25", "1"], ["BLINK", "2"], ["MuVER", "3"]])
TESTS = Section("Paired tests against BLINK", "", HEADER, [["BM25", "-1"], ["MuVER", "+1"]])
INTERVALS = Section("How sure the numbers are", "Bounds.", HEADER, [["BM25", "0 to 2"]])


def test_the_table_alone_is_shown_and_of_several_seeds_their_mean(monkeypatch):
    found = [MAIN, INTERVALS, TESTS]
    monkeypatch.setattr(tables, "page_of", lambda result: Page("Table 1", found))
    assert tables.shortened(blank(ComparisonTable)).sections == [MAIN]
    found.append(Section("Over seeds", "Mean of 2.", HEADER, [["BM25", "1 ± 0"]]))
    assert tables.shortened(blank(ComparisonTable)).sections == found[-1:]


def test_notes_and_footnotes_stand_at_the_first_table():
    rows = [["A", "1"], ["B", "2"]]
    old = Section("", "9 mentions. Of tiny.", HEADER, rows, set(), {0: "a"}, {"a": "Old."})
    new = Section(
        "", "More. 9 mentions.", HEADER, rows, set(), {0: "a", 1: "b"}, {"a": "Old.", "b": "New."}
    )
    first, second = (page.sections[0] for page in said_once([Page("", [old]), Page("", [new])]))
    assert first == old
    assert (second.note, second.marks, second.footnotes) == ("More.", {1: "b"}, {"b": "New."})


def errors(name, method, first, last):
    """A figure of BLINK, which misses 10 of 40 and 20 of 30, and of another method."""
    systems = {"blink": "BLINK", name: method}
    rows = [blank(Row, system=system, method=one, row_key="k") for system, one in systems.items()]
    bins = [
        Bin(1, 5, 40, [10, first], difference=50.0, difference_interval=[-1.5, 75.0]),
        Bin(6, 10, 3, [1, 0], difference=0.0, difference_interval=[0.0, 0.0]),
        Bin(11, 15, 30, [20, last], difference=0.0, difference_interval=[0.0, 0.0]),
    ]
    return blank(
        LengthsFigure, name=name, caption="Errors", cutoff=64, rows=rows, bins=bins, **TINY
    )


def test_a_figure_is_shown_by_its_numbers():
    (shown,) = texts({"figure2": replace(errors("figure2", "MuVER", 30, 0), difference_is="Ours")})
    assert shown == (
        "## Figure 2: Errors\n\n"
        "In brackets the 95% interval of the difference. "
        "Bins of fewer than 25 mentions are left out. Rows: `k`, `k`.\n\n"
        "| sentences   |   mentions |   BLINK |   MuVER |                     Ours |\n"
        "|:------------|-----------:|--------:|--------:|-------------------------:|\n"
        "| 1-5         |         40 |   25.00 |   75.00 | +50.00 (-1.50 to +75.00) |\n"
        "| 11-15       |         30 |   66.67 |    0.00 |   +0.00 (+0.00 to +0.00) |"
    )


def test_tables_come_first_and_other_files_are_passed_over(tmp_path):
    for name in ("beyond", "figure2", "table1"):
        write_json(tmp_path / f"{name}.json", blank(ComparisonTable, name=name, **TINY))
        write_text(tmp_path / f"{name}.csv", "")
    write_json(tmp_path / "metrics.json", {"R@1": 3})
    assert list(read_tables(tmp_path)) == ["table1", "figure2", "beyond"]
