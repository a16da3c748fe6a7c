"""`muver doctor record`: equal rows, rows within and outside the spread, and unknown ones."""

import json
from pathlib import Path

import pytest

from muver.cli import main
from muver.io.files import write_json, write_text
from muver.reproduction.record.numbers import read_numbers
from muver.reproduction.tables.records import ComparedPart, ComparedRow, ComparisonTable
from tests.blank import blank
from tests.reproduction.record.test_numbers import added, record

PROJECT = Path(__file__).parents[3]
RECORD = Path("docs/results/miniwikia.json")


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_text("params.yaml", (PROJECT / "params.yaml").read_text(encoding="utf-8"))


def run(data="f0", system=None, **rows):
    """Write a run's table: by key the mentions found at 1 and at 8, of 200."""
    made = [
        blank(
            ComparedRow,
            system=system or key,
            row_key=key,
            sets={"test": blank(ComparedPart, mentions=200, hits={1: hits[0], 8: hits[1]})},
        )
        for key, hits in rows.items()
    ]
    head = {"name": "table1", "dataset": "miniwikia", "fingerprint": data}
    write_json("results/miniwikia/table1.json", blank(ComparisonTable, **head, rows=made))
    write_text("results/miniwikia/table1.csv", "")


def said(capsys, *arguments) -> tuple[int, str]:
    try:
        status = main(["doctor", "record", *arguments])
    except SystemExit as error:
        status = error.code
    out = capsys.readouterr()
    return status, out.out + out.err


def of_record(*machines, seeds=None):
    """Write numbers of record: by machine, rows; ``seeds`` are of the first."""
    (name, rows), *others = machines
    first = record(name, seeds=seeds, **rows)
    others = [record(name, **rows) for name, rows in others]
    for one in others:
        first = added(first, one)
    write_json(RECORD, first)


TWO = (("a", {"bm25": (50, 90), "muver": (20, 40)}), ("b", {"bm25": (50, 90), "muver": (21, 45)}))


def test_equal_numbers(capsys):
    of_record(*TWO)
    run(bm25=(50, 90), muver=(20, 40))
    status, text = said(capsys)
    assert status == 0
    assert "Spread over machines: up to 2.50 points (MUVER, R@8, 2 machines)" in text
    assert "Spread over seeds: no row of a model was repeated" in text
    assert text.endswith("Rows: 2 equal.\n")


SEEDS = {"muver": [(22, 40), (20, 45)]}  # up to 2.5 points from each other


@pytest.mark.parametrize(
    ("hits", "shown", "verdict", "status"),
    [
        ((20, 45), "=  +5", "within", 0),  # 2.5 points, as far as the seeds
        ((15, 40), "-5  =", "within", 0),
        ((20, 46), "=  +6", "outside", 1),
        ((14, 45), "-6  +5", "outside", 1),
        ((60, 90), "+40 +50", "outside", 1),
    ],
)
def test_a_second_processor_is_held_against_the_spread_of_seeds(
    capsys, hits, shown, verdict, status
):
    """The record has one machine, as ours has; another one's numbers of the same keys differ."""
    of_record(TWO[0], seeds=SEEDS)
    run(bm25=(50, 90), muver=hits)
    found, text = said(capsys)
    assert found == status
    (line,) = [line for line in text.splitlines() if line.startswith("muver")]
    assert line.split() == ["muver", "test", *shown.split(), "2.50", "muver", verdict]
    assert text.endswith(f"Rows: 1 equal, 1 {verdict}.\n")


def test_every_row_of_a_model_is_held_against_the_widest_spread_of_one(capsys):
    rows = {"muver": (20, 40), "som": (10, 60), "blink_128": (30, 50)}
    of_record(("a", rows), seeds={**SEEDS, "blink_128": [(30, 51)]})
    run(muver=(20, 40), som=(15, 60), blink_128=(36, 50))
    status, text = said(capsys)
    assert status == 1
    verdicts = {line.split()[0]: line.split()[-1] for line in text.splitlines() if line}
    assert {row: verdicts[row] for row in rows} == {
        "muver": "equal", "som": "within", "blink_128": "outside",
    }  # fmt: skip


@pytest.mark.parametrize("machines", [TWO[:1], TWO])
def test_without_seeds_no_row_of_a_model_is_outside(capsys, machines):
    of_record(*machines)
    run(bm25=(50, 90), muver=(10, 40))
    status, text = said(capsys)
    assert status == 0 and text.endswith("Rows: 1 equal, 1 moved.\n")


def test_a_row_without_a_model_has_to_be_equal(capsys):
    """However far seeds lie apart, and with one machine of record or several equal ones."""
    for machines in (TWO[:1], TWO):
        of_record(*machines, seeds=SEEDS)
        run(bm25=(51, 90), muver=(20, 40))
        status, text = said(capsys)
        assert status == 1 and text.endswith("Rows: 1 outside, 1 equal.\n")


def test_equal_rows_of_bm25_are_no_spread(capsys):
    of_record(TWO[0], ("b", {"bm25": (50, 90)}))
    run(bm25=(50, 90), muver=(20, 40))
    assert "Spread over machines: no row of a model was repeated" in said(capsys)[1]


def test_rows_of_other_settings_are_told(capsys):
    of_record(*TWO)
    run(muver=(20, 40), other=(1, 1))
    status, text = said(capsys, "--out", "report.json")
    assert status == 0
    assert text.endswith("Rows: 1 equal, 1 not of record.\n")
    report = json.loads(Path("report.json").read_text())
    verdicts = {row["row_key"]: row["verdict"] for row in report["rows"]}
    assert verdicts == {"muver": "equal", "other": "not of record"}


def test_other_data_are_told(capsys):
    of_record(*TWO)
    run(data="f1", changed=(1, 2))
    status, text = said(capsys)
    assert status == 0
    assert "fingerprint f1 and not f0" in text


def test_a_dataset_without_a_record_is_told(capsys):
    run(muver=(1, 2))
    status, text = said(capsys)
    assert status == 0
    assert "of record (docs/results/miniwikia.json, no such file)" in text
    assert text.endswith("Rows: 1 not of record.\n")
    status, text = said(capsys, "--add")
    assert status == 2 and "Write it first: make docs-results" in text


def test_nothing_to_compare(capsys):
    status, text = said(capsys)
    assert status == 2 and "results/miniwikia: no table of recall is in it" in text


def test_a_further_machine_widens_the_spread(capsys):
    of_record(*TWO, seeds=SEEDS)
    run(bm25=(50, 90), muver=(20, 50))
    assert said(capsys, "--add")[0] == 1  # outside of what was known before
    assert len(read_numbers(RECORD).rows["muver"].sets["test"].machines) == 3
    status, text = said(capsys)
    assert status == 0 and "up to 5.00 points (MUVER, R@8, 3 machines)" in text
