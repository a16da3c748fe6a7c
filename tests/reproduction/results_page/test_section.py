"""A section from the folder of a run: its tables, what made them, no place of the machine."""

import shutil
import subprocess
from pathlib import Path

import pytest

from muver.io import processor
from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.reproduction.report.machine import instruction_set
from muver.reproduction.results_page import section
from muver.reproduction.results_page.section import make_section, write_section
from muver.reproduction.results_page.tables import read_tables, recall_by_length, result_text, texts
from muver.reproduction.tables.records import (
    ComparedPart,
    ComparedRow,
    ComparisonTable,
    DomainsTable,
    LengthsFigure,
    Result,
    Row,
)
from muver.retriever.evaluation.lengths import Bin
from tests.blank import blank

MARKDOWN = "# Table 1: recall, tiny\n\nNote.\n\n| R@1 |\n"


def write_result(results: Path, name: str, kind: type[Result], **own: str) -> None:
    """The JSON and an empty CSV of a result without rows, on tiny unless told otherwise."""
    own = {"dataset": "tiny", "fingerprint": "f0", **own}
    write_json(results / f"{name}.json", blank(kind, name=name, **own))
    write_text(results / f"{name}.csv", "")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    results = tmp_path / "results/tiny"
    write_result(results, "table1", ComparisonTable)
    write_text(results / "table1.md", MARKDOWN)
    write_result(results, "figure2", LengthsFigure, caption="Errors")
    write_result(results, "beyond", ComparisonTable)
    write_text(results / "beyond.md", "# Beyond\n\n| 2 |\n")
    write_json(results / "metrics.json", {"R@1": 3})
    log = "2026-01-01 10:00:00,000 first\n2026-01-01 10:00:30,000 last\n"
    write_text(tmp_path / "logs/tiny/corpus.log", log)
    return tmp_path


def test_tables_come_first_and_other_files_are_passed_over(project):
    assert list(read_tables(project / "results/tiny")) == ["table1", "figure2", "beyond"]


def test_a_section_of_some_tables(project):
    write_result(project / "results/tiny", "other", ComparisonTable, dataset="other")
    _, text = make_section(project, "tiny", ["make"], ["beyond"])
    assert "### Beyond" in text and "### Table 1" not in text
    with pytest.raises(InputError, match=r"fidelity\.json: no such file"):
        make_section(project, "tiny", ["make"], ["fidelity"])


def test_a_figure_is_shown_by_its_numbers(project):
    bins = [
        Bin(1, 5, 4, [1, 3], difference=50.0, difference_interval=[-1.5, 75.0]),
        Bin(6, 10, 0, [0, 0]),
    ]
    rows = [blank(Row, method=name, row_key=f"k{name}") for name in ("BLINK", "MuVER")]
    figure = blank(
        LengthsFigure, name="figure2", caption="Errors", rows=rows, bins=bins, difference_is="Ours"
    )
    assert result_text(project / "results/tiny", figure) == (
        "### Figure 2: Errors\n\n"
        "In brackets the 95% interval of the difference. Rows: `kBLINK`, `kMuVER`.\n\n"
        "| sentences | mentions | BLINK | MuVER |                     Ours |\n"
        "| --------- | -------: | ----: | ----: | -----------------------: |\n"
        "| 1-5       |        4 | 25.00 | 75.00 | +50.00 (-1.50 to +75.00) |"
    )


def test_a_table_without_markdown_is_refused(project):
    with pytest.raises(InputError, match=r"seeds\.md: no such file\. Make the table again"):
        result_text(project / "results/tiny", blank(ComparisonTable, name="seeds"))


def errors(name, method, first, last):
    """A figure of BLINK, which misses 1 of 4 and 2 of 3, and of another method."""
    systems = {"blink": "BLINK", name: method}
    rows = [blank(Row, system=system, method=one) for system, one in systems.items()]
    bins = [Bin(1, 5, 4, [1, first]), Bin(6, 10, 0, [0, 0]), Bin(11, 15, 3, [2, last])]
    return blank(LengthsFigure, name=name, dataset="tiny", cutoff=64, rows=rows, bins=bins)


def test_figures_by_length_stand_side_by_side(project):
    best, total = errors("max", "Best", 2, 1), errors("sum", "Sum", 4, 0)
    shown = recall_by_length([best, total])
    assert shown == (
        "### Recall@64 in percent by number of sentences, tiny\n\n"
        "| sentences | mentions | BLINK |  Best |    Sum |\n"
        "| --------- | -------: | ----: | ----: | -----: |\n"
        "| 1-5       |        4 | 75.00 | 50.00 |   0.00 |\n"
        "| 11-15     |        3 | 33.33 | 66.67 | 100.00 |"
    )
    tables = {"table1": blank(ComparisonTable, name="table1"), "max": best, "sum": total}
    assert texts(project / "results/tiny", tables)[1:] == [shown]
    total.bins[0] = Bin(1, 5, 5, [1, 4])
    with pytest.raises(InputError, match="max and sum: of other cutoffs or bins"):
        recall_by_length([best, total])


def test_a_section_says_what_made_it(project):
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    shutil.copy(Path(__file__).parents[3] / "params.yaml", project)
    write_text(project / "notes.md", "1")
    for command in (["init", "-q"], ["add", "*.yaml", "*.md"], [*identity, "commit", "-qm", "1"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    write_text(project / "notes.md", "2")  # makes no number
    dataset, text = make_section(project, "tiny", ["make setup", "make results"])
    assert dataset == "tiny"
    assert text.startswith(
        "## tiny\n\nData with the fingerprint `f0`. Made by\n\n"
        "    make setup\n    make results\n\n| | |\n"
    )
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=project, text=True).strip()
    assert f"| Commit | `{commit}` |\n" in text
    assert "| All jobs together | 30 s (1 jobs, some side by side) |\n" in text
    for kind in ("Processor", "Cores", "Memory", "Instruction set", "Versions"):
        assert f"| {kind} | " in text
    assert str(project) not in text

    with (project / "params.yaml").open("a") as params:
        params.write("# changed")
    config, page = [("workspace", "tiny")], project / "page.md"
    with pytest.raises(InputError, match=r"params\.yaml: not as in the last commit.*--uncommitted"):
        write_section(project, ["x"], page, config=config)
    assert not page.exists()
    write_section(project, ["x"], page, config=config, uncommitted=True)
    assert f"`{commit}`, with changes that are not committed |" in page.read_text()


def test_the_spread_of_rows_that_no_model_ranks_is_not_said(project, monkeypatch):
    shutil.copy(Path(__file__).parents[3] / "params.yaml", project)
    part = blank(ComparedPart, mentions=200, hits={1: 20})
    page, config = project / "page.md", [("workspace", "tiny")]

    def write_page_of(machine, *systems):
        monkeypatch.setattr(section, "this_machine", lambda: machine)
        rows = [blank(ComparedRow, system=s, method=s, row_key=s, sets={"": part}) for s in systems]
        write_result(project / "results/tiny", "table1", ComparisonTable, rows=rows)
        write_section(project, ["x"], page, ["table1"], config)
        return page.read_text()

    write_page_of("a", "bm25")
    assert "Spread" not in write_page_of("b", "bm25", "muver")
    both = write_page_of("c", "bm25", "muver")
    assert "| Spread over machines | up to 0.00 points (muver, R@1, 2 machines) |" in both


def add_another_dataset(results: Path) -> None:
    write_result(results, "table6", DomainsTable, dataset="other")


@pytest.mark.parametrize(
    ("spoil", "argument", "said"),
    [
        (Path.exists, "dataset={}/data", "would stand on the page"),  # a place of this machine
        (add_another_dataset, "", r"two runs \(dataset: .*table6 has 'other'"),
        (shutil.rmtree, "", "no result is in it"),
    ],
)
def test_what_cannot_stand_on_the_page(project, spoil, argument, said):
    spoil(project / "results/tiny")
    with pytest.raises(InputError, match=said):
        make_section(project, "tiny", [f"make {argument.format(project)}"])


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
