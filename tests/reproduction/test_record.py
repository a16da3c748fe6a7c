"""The numbers of record, their page, and a run held against them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from muver.cli import main
from muver.io import processor
from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.reproduction import record, results_page
from muver.reproduction.record import (
    OfRecord,
    OnSet,
    RowOfRecord,
    has_model,
    rows_of,
    spreads,
)
from muver.reproduction.results_page import replaced, write_results_page
from muver.reproduction.settings.entries import ByViews, Fused, Named
from muver.reproduction.tables.cells import Section
from muver.reproduction.tracking.provenance import instruction_set, this_machine
from tests.blank import made_table

SETTINGS = Path(__file__).parents[2] / "params.yaml"
RECORD = Path("docs/results/tiny.json")
CONFIG = ("workspace=tiny", "results=[table1]")


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(SETTINGS, tmp_path)
    return tmp_path


def of_record(machine="a", data="f0", seeds=None, **rows):
    """Rows of 200 mentions on one machine: key, and the mentions found at 1 and at 8.

    ``seeds`` has by row the same of further seeds.
    """
    further = {
        key: {f"{key}_seed{n}": {1: hits[0], 8: hits[1]} for n, hits in enumerate(drawn, 1)}
        for key, drawn in (seeds or {}).items()
    }
    recorded = {
        key: RowOfRecord(
            key,
            key.upper(),
            ["table1"],
            {"test": OnSet(200, {machine: {1: hits[0], 8: hits[1]}}, further.get(key, {}))},
        )
        for key, hits in rows.items()
    }
    return OfRecord("tiny", data, recorded)


def on_further_machine(old, **rows):
    """The record after a second machine measured its rows too."""
    return replaced(of_record("b", **rows), old, [])


def made_run(name="table1", data="f0", **rows):
    """Write a run's table: by key the mentions found at 1 and at 8, of 200."""
    write_table(name, *(of_row(key, hits) for key, hits in rows.items()), fingerprint=data)


def of_row(key, hits, **fields):
    recall = {k: found / 2 for k, found in zip((1, 8), hits, strict=True)}
    return {"system": key, "recall": recall, **fields}


def write_table(name, *rows, **given):
    table = made_table(*rows, name=name, caption=name.capitalize(), **given)
    write_json(f"results/tiny/{name}.json", table)
    write_text(f"results/tiny/{name}.csv", "")


def said(capsys) -> tuple[int, str]:
    try:
        status = main(["doctor", "record", "--config", *CONFIG])
    except SystemExit as error:
        status = error.code
    out = capsys.readouterr()
    return status, out.out + out.err


SEEDS = {"muver": [(22, 40), (20, 45)]}  # up to 2.5 points from each other
PAGE = {"bm25": (50, 90), "muver": (20, 40)}


def test_equal_numbers(capsys):
    write_json(RECORD, on_further_machine(of_record(**PAGE), bm25=(50, 90), muver=(21, 45)))
    made_run(**PAGE)
    status, text = said(capsys)
    assert status == 0
    assert "Spread over machines: up to 2.50 points (MUVER, R@8, 2 machines)" in text
    assert "Spread over seeds: no row of a model was repeated" in text
    assert text.endswith("Rows: 2 equal.\n")


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
    write_json(RECORD, of_record(**PAGE, seeds=SEEDS))
    made_run(bm25=(50, 90), muver=hits)
    found, text = said(capsys)
    assert found == status
    (line,) = [line for line in text.splitlines() if line.startswith("muver")]
    assert line.split() == ["muver", "test", *shown.split(), "2.50", "muver", verdict]
    assert text.endswith(f"Rows: 1 equal, 1 {verdict}.\n")


def test_every_row_of_a_model_is_held_against_the_widest_spread_of_one(capsys):
    rows = {"muver": (20, 40), "som": (10, 60), "blink_128": (30, 50)}
    write_json(RECORD, of_record(**rows, seeds={**SEEDS, "blink_128": [(30, 51)]}))
    made_run(muver=(20, 40), som=(15, 60), blink_128=(36, 50))
    status, text = said(capsys)
    assert status == 1
    verdicts = {line.split()[0]: line.split()[-1] for line in text.splitlines() if line}
    assert {row: verdicts[row] for row in rows} == {
        "muver": "equal", "som": "within", "blink_128": "outside",
    }  # fmt: skip


def test_without_seeds_no_row_of_a_model_is_outside(capsys):
    write_json(RECORD, of_record(**PAGE))
    made_run(bm25=(50, 90), muver=(10, 40))
    status, text = said(capsys)
    assert status == 0 and text.endswith("Rows: 1 equal, 1 moved.\n")


def test_a_row_without_a_model_has_to_be_equal_however_far_seeds_lie_apart(capsys):
    write_json(RECORD, of_record(**PAGE, seeds=SEEDS))
    made_run(bm25=(51, 90), muver=(20, 40))
    status, text = said(capsys)
    assert status == 1 and text.endswith("Rows: 1 outside, 1 equal.\n")


def test_rows_that_the_record_has_not(capsys):
    write_json(RECORD, of_record(**PAGE))
    made_run(data="f1", changed=(1, 2))
    status, text = said(capsys)
    assert status == 0 and "fingerprint f1 and not f0" in text
    assert text.endswith("Rows: 1 not of record.\n")
    RECORD.unlink()
    status, text = said(capsys)
    assert status == 0 and "of record (docs/results/tiny.json, no such file)" in text


def test_nothing_to_compare(capsys):
    status, text = said(capsys)
    assert status == 2 and "results/tiny: no table of recall is in it" in text


def test_rows_of_tables_are_counted_once_by_key():
    """Seeds stay whichever table comes first."""
    row = of_row("muver", (20, 40), row_key="k1")
    plain, seeded = made_table(row), made_table({**row, "seeds": {"muver_seed1": {1: 12.5}}})
    views = made_table(of_row("layer", (7, 9), row_key="k2"), layout="views")
    for tables in ((plain, seeded, views), (seeded, plain, views)):
        found = rows_of(tables, "here")
        assert (found.dataset, found.fingerprint, [*found.rows]) == ("tiny", "f0", ["k1", "k2"])
        assert found.rows["k1"].results == ["table1", "table1"]
        assert found.rows["k1"].sets["test"] == OnSet(
            200, {"here": {1: 20, 8: 40}}, {"muver_seed1": {1: 25}}
        )
        assert found.rows["k2"].sets["test"].machines == {"here": {1: 7, 8: 9}}
    assert rows_of([replace(plain, layout="domains")], "here") is None


def test_a_page_made_again_keeps_other_machines_and_drops_rows_that_no_table_has():
    old = on_further_machine(of_record(muver=(20, 40), gone=(1, 2)), muver=(21, 45))
    elsewhere = replace(old.rows["gone"], results=["fidelity"])
    old = replace(old, rows={**old.rows, "kept": elsewhere})
    new = replaced(old, of_record("c", muver=(22, 41), fresh=(5, 6)), ["table1"])
    assert {*new.rows} == {"muver", "fresh", "kept"}
    assert [*new.rows["muver"].sets["test"].machines] == ["c", "a", "b"]  # the page's first
    again = replaced(new, of_record("b", muver=(30, 50)), ["table1"])
    machines = again.rows["muver"].sets["test"].machines
    assert [*machines] == ["b", "c", "a"] and machines["b"] == {1: 30, 8: 50}
    other = of_record(data="f1", other=(1, 2))
    assert replaced(old, other, ["table1"]) == other  # other data begin a record anew


def test_the_spread_is_the_widest_range_of_a_row():
    one = of_record(muver=(20, 40), som=(10, 60))
    assert spreads(one.rows.values()) == {}
    seeded = of_record(muver=(20, 40), seeds={"muver": [(28, 42)]})
    two = on_further_machine(seeded, muver=(21, 45))
    assert {over: said for over, (_, said) in spreads(two.rows.values()).items()} == {
        "machines": "up to 2.50 points (MUVER, R@8, 2 machines)",
        "seeds": "up to 4.00 points (MUVER, R@1, 2 seeds)",
    }


def test_a_row_made_of_a_model_s_row_has_a_model():
    systems = {
        "bm25": Named(method="BM25", retriever="bm25"),
        "twice": Fused(fuse=("bm25", "bm25_200")),
        "muver": ByViews(model="muver"),
        "both": Fused(fuse=("bm25", "muver")),
        "bm25_200": Named(method="BM25", retriever="bm25"),
        "reranked": Named(retriever="rerank", model="cross", from_="bm25"),
    }
    named = [name for name in systems if has_model(name, systems)]
    assert named == ["muver", "both", "reranked"]
    assert has_model("renamed since", systems)  # it is not held to be equal everywhere


def test_a_record_of_another_version_is_refused():
    write_json(RECORD, {"dataset": "tiny", "fingerprint": "f0"})
    made_run(muver=(20, 40))
    with pytest.raises(InputError, match=r"tiny\.json: not numbers of record .*`rows`"):
        page_of()


def page_of(command: str = "make results", results: tuple[str, ...] = ("table1",), **more) -> str:
    config = [("workspace", "tiny"), ("results", [*results])]
    write_results_page(Path(), command, config, **more)
    return Path("docs/results/tiny.md").read_text()


def test_the_page_has_the_tables_that_settings_list():
    for name in ("table1", "beyond"):
        made_run(name=name, muver=(20, 40))
    text = page_of()
    assert "## Table1" in text and "## Beyond" not in text
    assert json.loads(RECORD.read_text())["rows"]["muver"]["results"] == ["table1", "beyond"]


def test_the_page_says_what_made_it(project):
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    made_run(muver=(20, 40))
    write_text("notes.md", "1")
    for command in (["init", "-q"], ["add", "*.yaml", "*.md"], [*identity, "commit", "-qm", "1"]):
        subprocess.run(["git", *command], check=True)
    write_text("notes.md", "2")  # makes no number
    text = page_of()
    assert text.startswith("# Results on tiny\n\nWritten by `make docs-results` from a run's")
    assert "`f0`. The run was\n\n    make results\n\n" in text
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], text=True).strip()
    assert f"| `{commit}` | 20" in text and f" | {this_machine()} |" in text
    assert str(project) not in text

    with Path("params.yaml").open("a") as params:
        params.write("# changed")
    with pytest.raises(InputError, match=r"params\.yaml: not as in the last commit.*--uncommitted"):
        page_of()
    assert f"`{commit}`, with changes that are not committed |" in page_of(uncommitted=True)


def test_the_spread_of_rows_that_no_model_ranks_is_not_said(monkeypatch):
    def page_on(machine, **rows):
        for module in (record, results_page):
            monkeypatch.setattr(module, "this_machine", lambda: machine)
        made_run(**rows)
        return page_of()

    page_on("a", bm25=(1, 2))
    assert "Spread" not in page_on("b", bm25=(1, 2), muver=(20, 40))
    both = page_on("c", bm25=(1, 2), muver=(20, 41))
    assert "Spread over machines: up to 0.50 points (muver, R@8, 2 machines)." in both


def test_a_note_stands_at_the_first_table_that_has_it():
    for name in ("table1", "fusion"):
        write_table(name, of_row("blink", (20, 40), method="BLINK", note="Ours."))
    text = page_of(results=("table1", "fusion"))
    assert text.count("| BLINK [a] |") == 2 and text.count("[a] Ours.") == 1
    assert text.count("every mention counting the same.") == 1  # so does a sentence


def test_weights_that_validation_chose_are_in_the_record_alone():
    chose = (
        "Validation chose weights 0.75 of words, 1 of names among 43 that were tried, by hits at 16"
    )
    write_table("table1", of_row("sum", (20, 40), note=f"Ours. {chose}. It flatters."))
    assert "[a] Ours. It flatters.\n" in page_of()
    assert json.loads(RECORD.read_text())["rows"]["sum"]["note"] == f"Ours. {chose}. It flatters."


def test_a_figure_s_numbers_stand_without_the_bounds_of_its_bands():
    header = ["sentences", "BLINK error", "BLINK low", "BLINK high", "difference", "row_key"]
    told = results_page._narrower(Section("", "", [*header, "difference low"], [[*"abcdefg"]]))
    assert told.header == ["sentences", "BLINK error", "difference"]
    assert told.rows == [["a", "b", "e"]]


def test_the_table_alone_is_shown_and_of_several_seeds_their_mean():
    again = {"muver_seed1": {1: 12.0, 8: 21.0}}
    write_table("table1", of_row("muver", (20, 40)))
    write_table("seeds", of_row("muver", (20, 40), seeds=again))
    table, mean = page_of(results=("table1", "seeds")).split("\n## ")[1:]
    assert "| muver    | **10.00** | **20.00** | muver     |" in table and "Mean of" not in table
    assert "| 11.00 ± 1.41 | 20.50 ± 0.71 |" in mean and "10.00" not in mean


def test_a_place_of_this_machine_cannot_stand_on_the_page(project):
    made_run(muver=(20, 40))
    with pytest.raises(InputError, match="would stand on the page"):
        page_of(f"make dataset={project}/data")


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
