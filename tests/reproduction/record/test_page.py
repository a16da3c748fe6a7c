"""The page from the folder of a run: its tables, what made them, no place of the machine."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from muver.io import processor
from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.reproduction.record import stage
from muver.reproduction.record.stage import shortened, write_results_page
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.records import (
    ComparedPart,
    ComparedRow,
    ComparisonTable,
    LengthsFigure,
    Result,
    TableSet,
)
from muver.reproduction.tracking.provenance import instruction_set
from tests.blank import blank

ROW = blank(ComparedRow, sets={"test": blank(ComparedPart)})
COMPARED = {"rows": [ROW], "sets": [blank(TableSet, set="test")]}


def write_result(results: Path, name: str, kind: type[Result], **own: str) -> None:
    """The JSON and an empty CSV of a result, on tiny and with a blank row unless told otherwise."""
    own = {"dataset": "tiny", "fingerprint": "f0", **COMPARED, **own}
    write_json(results / f"{name}.json", blank(kind, name=name, **own))
    write_text(results / f"{name}.csv", "")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    results = tmp_path / "results/tiny"
    write_result(results, "table1", ComparisonTable, caption="Table 1")
    write_result(results, "figure2", LengthsFigure, caption="Errors", rows=[])
    write_result(results, "beyond", ComparisonTable, caption="Beyond")
    write_text(tmp_path / "logs/tiny/corpus.benchmark.tsv", "s\n30\n")
    return tmp_path


def page_of(project: Path, command: str = "make results") -> str:
    write_results_page(project, command, CONFIG)
    return (project / "docs/results/tiny.md").read_text()


CONFIG = [("workspace", "tiny"), ("results", ["table1"])]


def test_the_page_has_the_tables_that_settings_list(project):
    shutil.copy(Path(__file__).parents[3] / "params.yaml", project)
    write_results_page(project, config=CONFIG)
    text = (project / "docs/results/tiny.md").read_text()
    assert "## Table 1" in text and "## Beyond" not in text
    assert {"table1", "beyond"} <= {
        name
        for row in json.loads((project / "docs/results/tiny.json").read_text())["rows"].values()
        for name in row["results"]
    }


def test_the_page_says_what_made_it(project):
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    shutil.copy(Path(__file__).parents[3] / "params.yaml", project)
    write_text(project / "notes.md", "1")
    for command in (["init", "-q"], ["add", "*.yaml", "*.md"], [*identity, "commit", "-qm", "1"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    write_text(project / "notes.md", "2")  # makes no number
    text = page_of(project)
    assert text.startswith("# Results on tiny\n\nThis page is written by `make docs-results` from")
    assert "`f0`. The run was\n\n    make results\n\n| | |\n" in text
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=project, text=True).strip()
    assert f"| Commit | `{commit}` |\n" in text
    assert "| Jobs | 1 job, 30 s |\n" in text
    for kind in ("Processor", "Cores", "Memory", "Instruction set", "Versions"):
        assert f"| {kind} | " in text
    assert str(project) not in text

    with (project / "params.yaml").open("a") as params:
        params.write("# changed")
    written = project / "docs/results/tiny.md"
    written.unlink()
    with pytest.raises(InputError, match=r"params\.yaml: not as in the last commit.*--uncommitted"):
        write_results_page(project, "x", CONFIG)
    assert not written.exists()
    write_results_page(project, "x", CONFIG, uncommitted=True)
    assert f"`{commit}`, with changes that are not committed |" in written.read_text()


def test_the_spread_of_rows_that_no_model_ranks_is_not_said(project, monkeypatch):
    shutil.copy(Path(__file__).parents[3] / "params.yaml", project)
    part = blank(ComparedPart, mentions=200, hits={1: 20})

    def write_page_of(machine, *systems):
        monkeypatch.setattr(stage, "this_machine", lambda: machine)
        rows = [replace(ROW, system=s, method=s, row_key=s, sets={"test": part}) for s in systems]
        write_result(project / "results/tiny", "table1", ComparisonTable, rows=rows)
        write_results_page(project, "x", CONFIG)
        return (project / "docs/results/tiny.md").read_text()

    write_page_of("a", "bm25")
    assert "Spread" not in write_page_of("b", "bm25", "muver")
    both = write_page_of("c", "bm25", "muver")
    assert "| Spread over machines | up to 0.00 points (muver, R@1, 2 machines) |" in both


def test_a_note_stands_at_the_first_table_that_has_it(project):
    shutil.copy(Path(__file__).parents[3] / "params.yaml", project)
    row = replace(ROW, method="BLINK", note="Ours.")
    for name in ("table1", "fusion"):
        write_result(project / "results/tiny", name, ComparisonTable, rows=[row])
    write_results_page(project, "x", [*CONFIG[:1], ("results", ["table1", "fusion"])])
    text = (project / "docs/results/tiny.md").read_text()
    assert text.count("| BLINK [a] |") == 2 and text.count("[a] Ours.") == 1


def test_the_table_alone_is_shown_and_of_several_seeds_their_mean():
    header = ["method", "R@1"]
    main, further = Section("", "", header, []), Section("Intervals", "", header, [])
    assert shortened(Page("Table 1", [main, further])).sections == [main]
    mean = Section("Over seeds", "", header, [])
    assert shortened(Page("Table 1", [main, mean])).sections == [mean]


@pytest.mark.parametrize(
    ("spoil", "argument", "said"),
    [
        (Path.exists, "dataset={}/data", "would stand on the page"),  # a place of this machine
        (shutil.rmtree, "", "no table of recall is in it"),
    ],
)
def test_what_cannot_stand_on_the_page(project, spoil, argument, said):
    shutil.copy(Path(__file__).parents[3] / "params.yaml", project)
    spoil(project / "results/tiny")
    with pytest.raises(InputError, match=said):
        page_of(project, f"make {argument.format(project)}")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("flags\t: fpu avx avx2 amx_bf16 avx512f", "AMX (bf16), AVX-512, AVX2, AVX"),
        ("Features : fp asimd", "NEON"),
        ("model name : x", "not known"),
    ],
)
def test_instructions_of_the_processor(tmp_path, monkeypatch, line, told):
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "cpuinfo")
    assert instruction_set() == "not known"
    processor.CPUINFO.write_text(f"processor : 0\n{line}\n")
    assert instruction_set() == told
