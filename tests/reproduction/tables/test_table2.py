"""Table 2: its files on a small made-up case, and the paper's values only where they belong."""

from pathlib import Path

import pytest

from muver.io.files import short_hash
from muver.reproduction.tables.evaluations import row_key
from muver.reproduction.tables.records import Size, TableSet, read_result
from muver.reproduction.tables.stage import make_table
from muver.retriever.evaluation.records import KnowledgeBase
from tests.reproduction.tables import made_sets
from tests.reproduction.tables.conftest import write_evaluations

SETTINGS = {
    "rows": made_sets.ROWS,
    "against": "blink_wiki",
    "contrasts": [["muver_wiki", "blink_wiki"]],
}
FINGERPRINT = short_hash({name: f"{name}-f00d" for name in made_sets.SIZES}, 16)
KEYS = [row_key({"system": system, "seed": 1}, FINGERPRINT) for system in made_sets.HITS]


def table_of(folder: Path, evaluations=None, **settings):
    paths = write_evaluations(folder, evaluations or made_sets.make_all())
    make_table("table2", paths, folder / "table2.csv", {**SETTINGS, **settings})
    return read_result(folder / "table2.json")


def test_csv_to_the_byte(tmp_path: Path):
    table_of(tmp_path)
    assert (tmp_path / "table2.csv").read_bytes().decode() == (
        "method,AIDA-b R@10,AIDA-b R@100,MSNBC R@10,MSNBC R@100,WNED-WIKI R@10,WNED-WIKI R@100,"
        "row_key\n"
        f"BLINK,50.00,75.00,50.00,100.00,0.00,20.00,{KEYS[0]}\n"
        f"MuVER,75.00,100.00,0.00,100.00,100.00,100.00,{KEYS[1]}\n"
    )
    assert KEYS[0] != KEYS[1]


def line(table, system, name, k):
    return table.line(table.row(system).row_key, k, name)


def published(table, system, name, k):
    return table.judged(line(table, system, name, k)).get("paper")


def contrasts(table, kind):
    """By set and cutoff."""
    of_kind = (contrast for contrast in table.contrasts if contrast.kind == kind)
    return {(contrast.set, contrast.k): contrast for contrast in of_kind}


def test_counts_and_intervals_by_set(tmp_path: Path):
    table = table_of(tmp_path)
    assert (table.dataset, table.kb) == ("miniwikipedia", KnowledgeBase(50, "kb"))
    assert table.sets[1] == TableSet(
        set="msnbc", column="MSNBC", mentions=2, outside=3, matched_by_title=1,
        fingerprint="msnbc-f00d", identified_as=None, worlds=["msnbc"], worlds_without_mentions=[],
        published=Size(mentions=656, entities=5903530, support=617), of_paper=False,
    )  # fmt: skip
    at_10, at_100 = (line(table, "blink_wiki", "msnbc", k) for k in (10, 100))
    assert (at_10.hits, at_100.hits, at_10.mentions) == (1, 2, 2)
    assert (at_10.low, at_10.high, at_100.low) == (0, 100, 100)
    blink, muver = (row.sets["msnbc"].index for row in table.rows)
    assert blink is None and muver.agreement == 0.996


def test_paired_test_of_each_set(tmp_path: Path):
    tested = contrasts(table_of(tmp_path), "against")
    at_10 = {name: contrast for (name, k), contrast in tested.items() if k == 10}
    assert {name: (tested.first, tested.won, tested.lost) for name, tested in at_10.items()} == {
        "aida-testb": ("muver_wiki", 1, 0),
        "msnbc": ("muver_wiki", 0, 1),
        "wnedwiki": ("muver_wiki", 5, 0),
    }
    assert at_10["wnedwiki"].difference == 100
    assert at_10["wnedwiki"].p_value == pytest.approx(2 / 2**5)


def test_the_papers_values_are_hidden_on_other_data(tmp_path: Path):
    assert not table_of(tmp_path).published
    text = (tmp_path / "table2.md").read_text()
    assert "92.38" not in text and "Against the paper" not in text
    assert (
        "The paper's numbers are for a knowledge base of 5903530 entities; this one has 50" in text
    )


def test_the_papers_values_and_contrasts_on_its_data(few_resamples, tmp_path: Path):
    evaluations = made_sets.of_the_paper()
    blink = next(one for one in evaluations if one["set"] == "aida-testb")
    kept = {key: blink[key] for key in ("kb", "dataset", "identified_as")}
    blink.update(made_sets.make("blink_wiki", "aida-testb", 4446, (4000, 4296), **kept))
    table, text = table_of(tmp_path, evaluations), (tmp_path / "table2.md").read_text()
    assert table.paper.note is None
    at10, at100 = (published(table, "blink_wiki", "aida-testb", k) for k in (10, 100))
    assert (at10.recall, at100.recall) == (92.38, 96.63)
    assert at10.difference == pytest.approx(100 * 4000 / 4446 - 92.38)
    assert (at10.verdict, at100.verdict) == ("not reproduced", "reproduced")
    # Of 617 mentions: 1.96 sqrt(2 * 95.02 * 4.98 / 617) = 2.43 points, more than 1.5.
    width = published(table, "muver_wiki", "msnbc", 10).half_width
    assert width == pytest.approx(2.43, abs=0.01)
    of_muver = [number for number in table.published if number.row == "muver_wiki"]
    verdicts = {(number.set, number.verdict) for number in of_muver if number.set != "aida-testb"}
    assert verdicts == {("msnbc", "cannot tell"), ("wnedwiki", "reproduced")}
    assert "94.05 (+0.00 ± 0.82, reproduced)" in text
    found = contrasts(table, "contrast")
    assert [name for name, k in found if k == 10] == ["aida-testb", "msnbc", "wnedwiki"]
    aida = found["aida-testb", 10]
    assert aida.paper == pytest.approx(94.53 - 92.38)
    assert (aida.won, aida.lost, aida.verdict) == (203, 0, "holds")  # 4,203 and 4,000
    wned = found["wnedwiki", 100]
    assert wned.paper == pytest.approx(97.34 - 97.76)  # the paper's MuVER is behind
    assert wned.verdict == "holds"
    assert "| MuVER minus BLINK | WNED-WIKI |" in text


def test_mentions_inside_the_knowledge_base_decide(few_resamples, tmp_path: Path):
    """Not those in all: of 656 mentions two inside would be judged by BLINK's 617."""
    evaluations = [one for one in made_sets.of_the_paper() if one["set"] != "msnbc"]
    evaluations += [made_sets.one_of_the_paper(system, "msnbc", 610) for system in made_sets.HITS]
    table = table_of(tmp_path, evaluations, sets=list(made_sets.SIZES))
    hidden = {of_set.set for of_set in table.sets if not of_set.of_paper}
    assert hidden == {"msnbc"}  # 7 of 617 are 1.1 %
    assert {number.set for number in table.published} == {"aida-testb", "wnedwiki"}
    assert "MSNBC (610, BLINK's numbers are over 617) do not stand" in table.paper.note
    text = (tmp_path / "table2.md").read_text()
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert ["MSNBC", "613", "610", "3", "1", "656", "617"] in lines


def test_the_page(tmp_path: Path):
    evaluations = made_sets.make_all()
    for evaluation in evaluations:
        if evaluation["system"] == "muver_wiki":
            evaluation["settings"] |= {"precision": "bf16", "dtype": "fp16"}
    table_of(tmp_path, evaluations)
    text = (tmp_path / "table2.md").read_text()
    assert text.startswith("# Table 2: In-KB recall@k in percent against Wikipedia, miniwikipedia")
    assert "AIDA-b 4 mentions (outside: 3)" in text
    assert "Not in fp32: MuVER (encoding bf16, storage fp16)." in text
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == [
        "## Mentions", "## Contrasts", "## How sure the numbers are",
        "## Paired tests against BLINK", "## How candidates were found",
    ]  # fmt: skip
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert ["AIDA-b", "7", "4", "3", "1", "4485", "4446"] in lines
    index = ["IVF4,SQ8, nprobe 16", "0.9980", "0.9960", "100", "50"]
    assert ["MuVER", "MSNBC", "4.50", *index] in lines
    assert ["BLINK", "MSNBC", "1.00", "exact", "", "", "", ""] in lines
    for suffix in ("html", "tex"):
        assert "WNED-WIKI R@100" in (tmp_path / f"table2.{suffix}").read_text()


def test_the_caller_may_name_a_set_that_the_paper_has_not(tmp_path: Path):
    evaluations = made_sets.make_all()
    for evaluation in evaluations:
        if evaluation["set"] == "msnbc":
            evaluation["set"] = "aida-testa"
    sets = ["aida-testa", "wnedwiki", "aida-testb"]
    table = table_of(tmp_path, evaluations, sets=sets)
    assert [of_set.column for of_set in table.sets] == ["aida-testa", "WNED-WIKI", "AIDA-b"]
