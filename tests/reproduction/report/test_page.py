"""The parts of the page: results as HTML, settings, embedding, assets."""

import base64
import gzip
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from muver.look import ASSETS as SHARED
from muver.reproduction.report.results import RunFiles, read_results
from muver.reproduction.report.stage import ASSETS, SCRIPTS, compressed, tables, without_places
from muver.reproduction.tables.layouts import places
from muver.reproduction.tables.paper import VERDICTS
from muver.reproduction.tables.records import (
    AnyResult,
    Contrast,
    LengthsFigure,
    Published,
    Row,
    Table,
)
from muver.reproduction.tables.stage import make_table
from muver.retriever.evaluation.records import Bin
from tests.blank import blank


def test_settings_without_places():
    settings = {"model": {"seed": 1, "start": "/home/x"}, "k": [1, 2], "file": "~/x", "d": "C:\\x"}
    assert without_places(settings) == {"model.seed": "1", "k": "[1, 2]", "d": "C:\\x"}


def test_data_come_back_and_cannot_end_their_element():
    value = {"title": "</script><!--", "n": [1, 2.5, None]}
    assert json.loads(gzip.decompress(base64.b64decode(compressed(value)))) == value
    assert compressed(value) == compressed(value)
    assert "<" not in compressed(value)


def test_assets_are_used_and_can_stand_in_a_page():
    used = {*SCRIPTS, "page.css", "page.html", "explorer.html"}
    used |= {"results.html", "rows.html", "run.html"}
    files = [*ASSETS.iterdir(), *SHARED.iterdir()]
    assert {path.name for path in files} == used
    for path in files:
        name, source = path.name, path.read_text(encoding="utf-8")
        assert "innerHTML" not in source and "eval(" not in source
        assert "</script" not in source or name == "page.html"


NOWHERE = RunFiles(Path("nowhere"), Path("nowhere"))


def table(result: AnyResult, files: RunFiles = NOWHERE) -> str:
    """A result as HTML, its white space joined."""
    return " ".join(tables([result], files).split())


@pytest.fixture
def first(finished):
    return read_results(["table1"], finished, [])[0]


def changed(result: Table, **row) -> Table:
    """With other fields of the first row."""
    first, *others = result.rows
    return replace(result, rows=[replace(first, **row), *others])


def published(k: int, recall: float, difference: float, width: float, verdict: str) -> Published:
    """What was published of BM25's row."""
    return Published(recall, difference, width, verdict, "bm25", "test", "", k, "paper")


def test_numbers_and_intervals(first):
    found = table(first)
    assert '<b class="best">66.67</b>' in found  # BM25 has 3 of 6 at 1, MuVER 4
    assert '<td>50.00<span class="sub">' in found
    assert "Paired tests against BM25" in found and "p = 1.000" in found
    assert "MLflow" not in found.replace("for MLflow", "")


def test_the_papers_numbers_with_verdicts(first):
    paper = [
        published(1, 50.0, -16.67, 2.5, "not reproduced"), published(3, 66.0, 0.67, 0.5, "near")
    ]  # fmt: skip
    found = table(replace(first, published=paper))
    assert "paper 50.00, -16.67 ± 2.50" in found and "paper 66.00, +0.67 ± 0.50" in found
    assert found.count("paper ") == 2  # no number, no verdict
    assert '<span class="verdict near">≈ near</span>' in found
    assert '<span class="verdict missed">✗ not reproduced</span>' in found
    assert "within 1.5 points. Both directions count." in found


@pytest.mark.parametrize(("word", "sign"), [*zip(VERDICTS, "✓≈✗?", strict=True)])
def test_a_verdict_is_a_sign_and_a_word(first, word, sign):
    found = table(replace(first, published=[published(1, 50.0, 0.0, 1.0, word)]))
    assert f">{sign} {word}</span>" in found


def test_contrasts_with_the_papers_claim(first):
    contrasts = [
        blank(
            Contrast, method="MuVER minus BM25", k=k, difference=value, low=value - 1,
            high=value + 1, p_value=0.0005, paper=paper, verdict=verdict,
        )
        for k, value, paper, verdict in (
            (1, -16.67, 3.0, "does not hold"), (2, 0.0, None, None), (3, 50.0, 2.0, "holds"),
        )
    ]  # fmt: skip
    found = table(replace(first, contrasts=contrasts))
    assert "<h4>Contrasts" in found and "MuVER minus BM25" in found
    assert ">-16.67<" in found and "-17.67 to -15.67" in found
    assert "p &lt; 0.001<br>paper +3.00: does not hold" in found and "paper +2.00: holds" in found
    assert found.count("paper +") == 2
    assert "Contrasts" not in table(first)


def test_texts_are_escaped(first, project):
    address = f'row_key,address\n{first.rows[0].row_key},"/""x"\n'
    project.recorded("table1").write_text(address)
    found = table(changed(first, method="<script>"), project)
    assert "<script>" not in found and "&lt;script&gt;" in found
    assert 'href="http://127.0.0.1:5000/&#34;x"' in found


def test_seeds_and_precision(first):
    made = changed(first, seeds={"bm25": first.rows[0].row_key, "again": "again"},
                   precision={"training": "bf16"})  # fmt: skip
    lines = [one for one in first.lines if one.row == "bm25"]
    further = [replace(one, key="again", recall=one.recall - 3) for one in lines]
    found = table(replace(made, lines=[*made.lines, *further]))
    assert "48.50 ± 2.12" in found and "training bf16" in found


def test_notes_stand_below_the_grid(first):
    assert "Partly <ours>" not in table(first)
    found = table(changed(first, note="Partly <ours>."))
    assert "BM25<sup>a</sup>" in found and "<sup>a</sup> Partly &lt;ours&gt;.</p>" in found


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("table6", {}, [">Domain</th>", ">R@3</th>", '<b class="best">66.67</b>', "mean"]),
        ("table3", {"cutoff": 1}, [">Distant Pairs</th>", "Mean of worlds", "66.7 to 66.7"]),
    ],
)
def test_a_table_of_domains_and_one_of_views(project, name, settings, expected):
    files = [project.evaluation(system, "test") for system in ("bm25", "muver")]
    rows = [{"method": "BM25", "system": "bm25"}, {"method": "MuVER", "system": "muver"}]
    make_table(
        name,
        files,
        project.table(name, ".csv"),
        {"rows": rows, **settings},
        project.corpus("counts.json"),
        mentions=project.corpus("mentions.parquet"),
    )
    (result,) = read_results([name], project, [])
    found = table(result)
    for part in expected:
        assert part in found
    lines = len(places(result))  # two in each of two worlds, and two means
    assert found.count("copy search</button>") == lines == (6 if name == "table6" else 2)


def test_tables_without_recall_and_figures(finished):
    (result,) = read_results(["table4"], finished, [])
    found = table(result)
    assert "Mention Num" in found and '<td class="text">test</td>' in found
    rows, bins = [blank(Row), blank(Row)], [Bin(1, 5, 0, [0, 0])]
    figure = blank(LengthsFigure, name="table4", row_key="abc+def", rows=rows, bins=bins)
    found = table(figure, finished)
    assert "#row-abc" in found and "#row-def" in found
    assert 'alt="Table 4" src="data:image/svg+xml;base64,' in found
    figure.bins.append(Bin(6, 10, 0, [0, 0]))
    assert table(figure).count("copy search</button>") == 2  # once, below
