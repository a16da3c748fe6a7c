"""The files of a table, byte for byte."""

import json
from pathlib import Path

import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.io.files import write_json
from muver.reproduction.tables import stage
from muver.reproduction.tables.evaluations import row_key
from muver.retriever.corpus.statistics import Counts
from tests.blank import blank
from tests.reproduction.tables.conftest import ZESHEL

ROWS = [{"method": "BM25", "system": "bm25"}, {"method": "A & B | C", "system": "muver"}]
SETTINGS = {"rows": ROWS}
CONTRASTED = {"against": "bm25", "contrasts": [["muver", "bm25"]]}
KEYS = [row_key({"system": system, "seed": 1}, "f00d") for system in ("bm25", "muver")]
MERGED = {"system": "muver", "merge": {"pairs": "close", "among": "neighbours"}}


def make_table(name, evaluations, out, settings, counts=None) -> str:
    """Make a table; its Markdown."""
    stage.make_table(name, evaluations, out, settings, counts)
    return out.with_suffix(".md").read_text()


@pytest.fixture
def evaluations(evaluation, write) -> list[Path]:
    return write(evaluation("bm25", (1, 2), (1, 3)), evaluation("muver", (4, 8), (0, 3)))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "results" / "table.csv"


def test_csv(evaluations, out):
    make_table("table1", evaluations, out, SETTINGS)
    assert out.read_bytes().decode() == (
        f"method,R@1,R@64,row_key\nBM25,18.18,45.45,{KEYS[0]}\nA & B | C,36.36,100.00,{KEYS[1]}\n"
    )
    make_table("table6", evaluations, out, SETTINGS)
    assert out.read_bytes().decode() == (
        "method,Domain,R@1,R@64,row_key\n"
        f"BM25,lego,12.50,25.00,{KEYS[0]}\n"
        f"A & B | C,lego,50.00,100.00,{KEYS[1]}\n"
        f"BM25,yugioh,33.33,100.00,{KEYS[0]}\n"
        f"A & B | C,yugioh,0.00,100.00,{KEYS[1]}\n"
        f"BM25,macro mean,22.92,62.50,{KEYS[0]}\n"
        f"A & B | C,macro mean,25.00,100.00,{KEYS[1]}\n"
    )


def test_markdown(evaluations, out):
    text = make_table("table1", evaluations, out, SETTINGS)
    assert text.startswith(
        "# Table 1: recall@k in percent, tiny\n\n"
        "11 mentions of 2 worlds (lego, yugioh), candidates ranked within the mention's world, "
        "every mention counting the same. The paper's numbers are for zeshel (test); this table "
        "is made on tiny, so they do not stand beside ours.\n\n"
        "| method     |       R@1 |       R@64 | row_key      |\n"
        "|:-----------|----------:|-----------:|:-------------|\n"
        f"| BM25       |     18.18 |      45.45 | {KEYS[0]} |\n"
        f"| A & B \\| C | **36.36** | **100.00** | {KEYS[1]} |\n"
        "\n## Mean of worlds\n"
    )
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## Mean of worlds", "## How sure the numbers are"]


def test_all_sections(evaluation, write, out):
    evaluations = write(
        evaluation("bm25", (1, 2), (1, 3), **ZESHEL),
        evaluation("muver", (4, 8), (0, 3), **ZESHEL),
        evaluation("muver_2", (3, 8), (0, 3), **ZESHEL),
    )
    rows = [ROWS[0], {"method": "MuVER", "system": "muver", "repeats": ["muver_2"]}]
    text = make_table("table1", evaluations, out, {**CONTRASTED, "rows": rows})
    sections = dict(part.split("\n", 1) for part in text.split("\n## ")[1:])
    assert list(sections) == [
        "Against the paper",
        "Against the released README",
        "Contrasts",
        "Mean of worlds",
        "How sure the numbers are",
        "Paired tests against BM25",
        "Over seeds",
    ]
    # 1.96 sqrt((45.45 * 54.55 + 69.13 * 30.87) / 11) = 40.14
    assert "69.13 (-23.68 ± 40.14, cannot tell)" in sections["Against the paper"]
    tally = "In all: 0 reproduced, 0 near, 1 not reproduced, 2 cannot tell."  # seeds of 100 and 100
    assert tally in sections["Against the paper"]
    assert "BLINK (as published)" in sections["Against the paper"]
    assert "Partalidou" not in text  # a row that was not asked for
    assert "45.41 (-9.05 ± " in sections["Against the released README"]
    assert "paper +21.71: holds |" in sections["Contrasts"]
    assert "In all: 1 holds, 0 does not hold, 0 cannot tell." in sections["Contrasts"]
    assert "+18.18 (" in sections["Paired tests against BM25"]
    assert "), p = 0.625 |" in sections["Paired tests against BM25"]
    assert "31.82 ± 6.43" in sections["Over seeds"]


def test_html_is_escaped_and_complete(evaluations, out):
    make_table("table1", evaluations, out, {**SETTINGS, "against": "bm25"})
    text = out.with_suffix(".html").read_text()
    assert (
        '<th scope="row" class="text">A &amp; B | C</th><td><b class="best">36.36</b></td>' in text
    )
    assert "<h2>Paired tests against BM25</h2>" in text
    assert text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n")
    assert "http" not in text  # nothing is fetched


def test_json_and_a_repeat(evaluations, out):
    settings = {**SETTINGS, "against": "bm25"}
    make_table("table1", evaluations, out, settings)
    files = sorted(out.parent.iterdir())
    assert [path.suffix for path in files] == [".csv", ".html", ".json", ".md", ".tex"]
    before = [path.read_bytes() for path in files]
    assert json.loads(before[2])["lines"][8]["recall"] == 400 / 11
    make_table("table1", evaluations, out, settings)
    assert [path.read_bytes() for path in files] == before


def test_the_command(evaluation, write, out):
    evaluations = write(
        evaluation("bm25", (1, 2), (1, 3), views_per_entity=2.0),
        evaluation("muver", (4, 8), (0, 3), views_per_entity=3.0, settings=MERGED),
    )
    rows = [ROWS[0], {**ROWS[1], "merge_layers": 1, "search": "close"}]
    call = ["stage", "table", "--name", "table3", "--out", str(out)]
    call += ["--settings", json.dumps({"rows": rows, "cutoff": 1})]
    assert main([*call, "--evaluations", *map(str, evaluations)]) == 0
    assert out.read_text().splitlines()[1:] == [
        f"BM25,,2.00,18.18,18.18,,{KEYS[0]},",
        f"A & B | C,as released,,,36.36,3.00,,{row_key(MERGED, 'f00d')}",
    ]


def test_table_4_from_counts(tmp_path, out):
    splits = dict.fromkeys(("train", "val", "test"), 5)
    counts = blank(Counts, dataset="tiny", mentions=splits, entities=splits)
    write_json(tmp_path / "counts.json", counts)
    make_table("table4", [], out, {}, tmp_path / "counts.json")
    assert out.read_text().splitlines()[:2] == [
        "Dataset,Split,Mention Num,KB,Entity Num",
        "tiny,train,5,tiny,5",
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"evaluations": [Path("none.json")]}, "no such file"),
        ({"settings": {"row": []}}, "unknown key row.*rows"),
        ({"settings": {}}, "rows is missing"),
        ({"name": "table4", "settings": {}}, "--counts: table4 needs the corpus's counts"),
        ({"name": "table5", "settings": {"rows": []}}, "unknown key rows"),
    ],
)
def test_mistakes(evaluations, out, given, message):
    call = {"name": "table1", "evaluations": evaluations, "settings": SETTINGS, "out": out, **given}
    with pytest.raises(InputError, match=message):
        make_table(**{**call, "out": out.with_name(Path(call["out"]).name)})
    assert not out.exists()
