"""The files of a table, byte for byte."""

import json
from pathlib import Path

import pytest

from muver.errors import InputError
from muver.tables import row_key
from muver.tables.stage import make_table

SETTINGS = {
    "rows": [{"method": "BM25", "system": "bm25"}, {"method": "A & B | C", "system": "muver"}]
}
KEYS = [row_key({"system": system, "seed": 1}, "f00d") for system in ("bm25", "muver")]


@pytest.fixture
def evaluations(tmp_path: Path, evaluation) -> list[Path]:
    made = [evaluation("bm25", (1, 2), (1, 3)), evaluation("muver", (4, 8), (0, 3))]
    paths = [tmp_path / f"{part['system']}.json" for part in made]
    for path, part in zip(paths, made, strict=True):
        path.write_text(json.dumps(part))
    return paths


def test_csv(tmp_path: Path, evaluations: list[Path]):
    make_table(1, evaluations, tmp_path / "table1.csv", SETTINGS)
    assert (tmp_path / "table1.csv").read_bytes().decode() == (
        f"method,R@1,R@64,row_key\nBM25,18.18,45.45,{KEYS[0]}\nA & B | C,36.36,100.00,{KEYS[1]}\n"
    )
    make_table(6, evaluations, tmp_path / "table6.csv", SETTINGS)
    assert (tmp_path / "table6.csv").read_bytes().decode() == (
        "method,Domain,R@1,R@64,row_key\n"
        f"BM25,lego,12.50,25.00,{KEYS[0]}\n"
        f"A & B | C,lego,50.00,100.00,{KEYS[1]}\n"
        f"BM25,yugioh,33.33,100.00,{KEYS[0]}\n"
        f"A & B | C,yugioh,0.00,100.00,{KEYS[1]}\n"
    )


def test_markdown(tmp_path: Path, evaluations: list[Path]):
    text = make_table(1, evaluations, tmp_path / "table1.csv", SETTINGS)
    assert text == (tmp_path / "table1.md").read_text()
    assert text.startswith(
        "# Table 1: recall@k in percent, tiny\n\n"
        "11 mentions of 2 worlds (lego, yugioh), candidates ranked within the mention's world, "
        "every mention counting the same. The paper's numbers are for zeshel; this table is made "
        "on tiny, so they do not stand beside ours.\n\n"
        "| method     |       R@1 |       R@64 | row_key      |\n"
        "| ---------- | --------: | ---------: | ------------ |\n"
        f"| BM25       |     18.18 |      45.45 | {KEYS[0]} |\n"
        f"| A & B \\| C | **36.36** | **100.00** | {KEYS[1]} |\n"
        "\n## Mean of worlds\n"
    )
    assert "Against the paper" not in text


def test_the_best_of_a_domain_is_bold(tmp_path: Path, evaluations: list[Path]):
    lines = make_table(6, evaluations, tmp_path / "table6.csv", SETTINGS).splitlines()
    grid = [line.split(" | ") for line in lines if KEYS[0] in line or KEYS[1] in line]
    assert [[cell.strip() for cell in line[-3:-1]] for line in grid] == [
        ["12.50", "25.00"],
        ["**50.00**", "**100.00**"],
        ["**33.33**", "**100.00**"],
        ["0.00", "**100.00**"],
    ]


def test_paper_section(tmp_path: Path, evaluations: list[Path]):
    for path in evaluations:
        path.write_text(path.read_text().replace('"tiny"', '"zeshel"'))
    text = make_table(1, evaluations, tmp_path / "table1.csv", SETTINGS)
    section = text.split("## ")[1]
    assert section.startswith("Against the paper\n")
    assert "69.13 (-23.68, off)" in section
    assert "Partalidou et al." in section
    assert "A & B" not in section


def test_html_is_escaped_and_complete(tmp_path: Path, evaluations: list[Path]):
    make_table(1, evaluations, tmp_path / "table1.csv", SETTINGS)
    text = (tmp_path / "table1.html").read_text()
    assert '<td class="text">A &amp; B | C</td><td><strong>36.36</strong></td>' in text
    assert text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n")
    assert "http" not in text  # nothing is fetched


def test_json_and_a_repeat(tmp_path: Path, evaluations: list[Path]):
    make_table(1, evaluations, tmp_path / "table1.csv", SETTINGS)
    files = sorted(tmp_path.glob("table1.*"))
    assert [path.suffix for path in files] == [".csv", ".html", ".json", ".md"]
    before = [path.read_bytes() for path in files]
    assert json.loads(before[2])["rows"][1]["micro"]["1"] == 400 / 11
    make_table(1, evaluations, tmp_path / "table1.csv", SETTINGS)
    assert [path.read_bytes() for path in files] == before


def test_mistakes(tmp_path: Path, evaluations: list[Path]):
    with pytest.raises(InputError, match="must end in .csv"):
        make_table(1, evaluations, tmp_path / "table1.md", SETTINGS)
    with pytest.raises(InputError, match="no such file"):
        make_table(1, [tmp_path / "none.json"], tmp_path / "table1.csv", SETTINGS)
    with pytest.raises(InputError, match="unknown key 'row'. Did you mean 'rows'"):
        make_table(1, evaluations, tmp_path / "table1.csv", {"row": []})
    assert not (tmp_path / "table1.csv").exists()
