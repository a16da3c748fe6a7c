"""Each habit served: CSV that pandas reads as numbers, LaTeX, captions, logs, drawn curves."""

import io
import json
import re

import pandas
import pytest

from tests.workflow.conftest import ROOT

TABLES = ("table1", "seeds", "table3", "table4", "table5", "table6", "beyond", "linking", "grid")
TEXT = {"method", "Domain", "Dataset", "Split", "KB", "Model", "sentences", "search"}


@pytest.mark.parametrize("name", [*TABLES, "figure2"])
def test_pandas_reads_numbers_wherever_there_are_any(main_job, name):
    table = pandas.read_csv(io.BytesIO(main_job.read(f"results/{name}.csv")))
    numbers = [c for c in table.columns if c not in TEXT and not c.startswith("row_key")]
    assert numbers
    for column in numbers:
        kind = "b" if column == "chosen" else "if"
        assert table[column].dtype.kind in kind, (column, table[column].tolist())


@pytest.mark.parametrize("name", TABLES)
def test_a_table_in_latex_has_the_numbers_of_the_csv(main_job, name):
    text = main_job.read(f"results/{name}.tex").decode()
    lines = [line for line in text.splitlines() if re.search(r" & .* \\\\( %.*)?$", line)]
    header, *rows = main_job.read(f"results/{name}.csv").decode().splitlines()
    assert text.startswith("% Needs \\usepackage{booktabs}")
    assert len(lines) == 1 + len(rows)
    assert rf"\label{{tab:{name}}}" in text
    keyed = "row_key" in header
    for line, row in zip(lines[1:], rows, strict=True):
        first = line.split(" & ")[0].replace(r"\textbf{", "").rstrip("}")
        assert first and (not keyed or line.rpartition("% ")[2].split()[0] in row)


def test_snakemakes_report_has_every_table_and_figure_with_its_labels(main_job):
    main_job.snakemake("--report", "report.html")
    snakemake_report = main_job.read("report.html").decode()
    for name in ("table1.html", "table3.html", "table6.html", "beyond.html", "figure2.svg"):
        assert name in snakemake_report
    found = re.findall(r'"labels": (\{"result": "\w+", "form": "\w+"\})', snakemake_report)
    assert {tuple(json.loads(one).values()) for one in found} == {
        *((name, "table") for name in TABLES),
        ("table3", "figure"),
        ("figure2", "figure"),
    }


def test_every_job_that_makes_something_has_a_log_and_a_benchmark():
    for path in (ROOT / "workflow/rules").rglob("*.smk"):
        parts = re.split(r"^ *rule (\w+):", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for name, rule in zip(parts[1::2], parts[2::2], strict=True):
            if "shell:" in rule:
                assert "log:" in rule, name
            if "shell:" in rule and "output:" in rule and name != "latest":  # it sets links
                assert "benchmark:" in rule, name


def test_dvc_draws_every_curve(main_job):
    plots = main_job.shown_by_dvc("plots", "show")
    assert not plots.get("errors")
    assert set(plots["data"]) == {
        "Table 1, recall at k",
        "Table 3, recall by number of views",
        "Figure 2, errors by length of description",
        "results/miniwikia/figures/table3.svg",
        "results/miniwikia/figures/figure2.svg",
    }
    (sweep,) = plots["data"]["Table 3, recall by number of views"]
    rows = {point["row"] for point in sweep["content"]["data"]["values"]}
    close = "MuVER, close pairs, wasted choices replaced"
    assert {"BLINK (512 tokens)", "MuVER, distant pairs", close} <= rows
