"""The documents: what they link to and call exists, and pictures stay small."""

import csv
import json
import re
import shlex
import shutil
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest

from muver.cli import main
from muver.commands import COMMANDS
from muver.reproduction.settings.file import read_params
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.settings.rows import training_settings
from muver.reproduction.workspace.steps import BY_RULE
from muver.retriever.corpus.sources import find_source
from tests.markdown import anchors

ROOT = Path(__file__).parents[1]
BESIDE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "results" / "README.md"]
DOCUMENTS = [*BESIDE, *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")
CALL = re.compile(r"^ {4}muver (\S+)(?: ([\w-]+))?", re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path):
    for link in LINK.finditer(document.read_text(encoding="utf-8")):
        file, _, anchor = (link[1] or link[2]).partition("#")
        if file.startswith(("http:", "https:")):
            continue
        target = document.parent / file if file else document
        assert target.exists(), f"{document.name}: {link[0]}"
        assert not anchor or anchor in anchors(target), f"{document.name}: {link[0]}"


# What the pages say against us. A sentence leaves this list together with what it says.
LIMITS = [
    ("README.md", "half of the contexts keep to one part of the description"),
    ("README.md", "Nothing was run on ZESHEL or Wikipedia"),
    ("docs/reproduce.md", "We have not run it on the real data"),
    ("docs/reproduce.md", "That it was the cause has not been shown"),
    ("docs/reproduce.md", "one attention for all lengths (since then) have not been tried"),
    ("docs/reproduce.md", "Clusters with GPUs were not tried"),
    ("docs/data.md", "10.7% of a world here, and 0.4% there"),
    ("docs/data.md", "where print has it 1.1 behind"),
    ("docs/data.md", "MuVER was 11.25 points behind BLINK"),
    ("docs/fidelity.md", "after a table of test mentions had shown that MuVER gains"),
    ("docs/fidelity.md", "was first seen in a table of test mentions"),
    ("docs/fidelity.md", "This choice was not blind"),
    ("docs/fidelity.md", "There is no record of the trials"),
    ("docs/ideas.md", "A figure of test mentions led to the idea"),
    ("docs/ideas.md", "was seen on test mentions before anything chose it"),
    ("docs/ideas.md", "None of these rows has run on ZESHEL"),
]


@pytest.mark.parametrize(("page", "words"), LIMITS)
def test_limits_that_were_stated_still_are(page: str, words: str):
    assert words in " ".join((ROOT / page).read_text(encoding="utf-8").split())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_are_there(document: Path):
    for first, second in CALL.findall(document.read_text(encoding="utf-8")):
        typed = {first, f"{first} {second}"}
        assert typed & {*COMMANDS, "COMMAND", "--help"}, f"muver {first} {second}"


def test_pictures_are_small():
    pictures = list((ROOT / "docs/images").iterdir())
    assert pictures
    assert {
        path.name: path.stat().st_size for path in pictures if path.stat().st_size > 80_000
    } == {}


def test_the_drawing_of_the_rules_has_their_names():
    drawing = (ROOT / "docs/images/dag.svg").read_text("utf-8")
    rules = "".join(path.read_text("utf-8") for path in (ROOT / "workflow").rglob("*.smk"))
    rules = {*re.findall(r"\w+", rules), *BY_RULE, "table1"}
    drawn = re.findall(r'class="name"[^>]*>(\w+)<', drawing)
    assert len(drawn) == 12
    assert {*drawn} <= rules


def test_table_1_of_the_readme_is_that_of_record():
    record = json.loads((ROOT / "docs/results/miniwikia.json").read_text(encoding="utf-8"))["rows"]
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("Table 1: ")[2]
    header, *rows = table.partition("```")[0].split("\n\n")[1].splitlines()
    cutoffs = re.findall(r"R@(\d+)", header)
    assert len(rows) == 7 and len(cutoffs) == 8
    for row in rows:
        *_, key = cells = row.split()
        part = record[key]["sets"]["test"]
        hits = next(iter(part["machines"].values()))
        assert row.startswith(record[key]["method"])
        assert cells[-9:-1] == [f"{100 * hits[k] / part['mentions']:.2f}" for k in cutoffs], key


def test_public_wikis_of_the_readme_are_means_of_the_seeds_of_record():
    path = ROOT / "docs/results/realworlds_searched.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    found = {row["system"]: row["sets"]["test"] for row in record["rows"].values()}
    shown = (ROOT / "README.md").read_text(encoding="utf-8").partition("| Public wikis")[2]
    trained = ("blink_128", "som", "muver_plain", "muver")
    systems = (*trained, "untrained", "blink_signals", "muver_signals")
    for line, system in zip(shown.splitlines()[2:9], systems, strict=True):
        of = found[system]
        runs = [next(iter(of["machines"].values())), *of["seeds"].values()]
        assert len(runs) == (1 if system == "untrained" else 3), system
        means = (100 * fmean(run[k] for run in runs) / of["mentions"] for k in ("1", "16", "64"))
        recall = [f"{mean:.2f}" for mean in means]
        assert [cell.strip() for cell in line.split("|")[2:5]] == recall, system


def test_the_answer_of_the_readme_is_that_of_its_commands(tmp_path: Path, monkeypatch, capsys):
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Your own")[2]
    commands, _, answer = readme.partition("```text\n")
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs/glossary.csv", tmp_path / "docs")
    monkeypatch.chdir(tmp_path)
    for command in re.findall(r"^    muver (.+)$", commands, re.MULTILINE):
        capsys.readouterr()
        assert main(shlex.split(command, comments=True)) == 0
    assert capsys.readouterr().out.strip() == answer.partition("```")[0].strip()


def test_counts_of_the_data_page_are_those_that_a_download_is_checked_by():
    page = (ROOT / "docs/data.md").read_text(encoding="utf-8")
    for name in ("zeshel", "realworlds"):
        sizes = find_source(name).published
        entities, mentions = (sum(of.values()) for of in (sizes.entities, sizes.mentions))
        assert f"{entities:,} entities, {mentions:,} mentions" in page, name
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|.*\| ([\d,]+) \| ([\d,]+) \|$", page, re.MULTILINE)
    mentions = Counter()
    for world, split, entities, of_world in rows:
        known = sizes.worlds[world]
        assert (split, entities) == (known.split, f"{known.entities:,}"), world
        mentions[split] += int(of_world.replace(",", ""))
    assert len(rows) == len(sizes.worlds) and mentions == sizes.mentions


def test_public_wikis_are_trained_with_what_equal_search_chose():
    with (ROOT / "docs/results/realworlds_search.csv").open(encoding="utf-8") as file:
        trials = list(csv.DictReader(file))
    settings = resolve(read_params(ROOT / "params.yaml"), {"preset": "realworlds"})
    start = settings.training.as_dict()
    page = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
    for model in settings.grid.models:
        (chosen,) = (row for row in trials if row["method"] == model and row["chosen"] == "true")
        training = {**start, **training_settings(settings, model)["training"]}
        assert training["learning_rate"] == float(chosen["learning_rate"])
        assert training["initial_scale"] == float(chosen["initial_scale"])
        assert f"**{chosen['R@16']}**" in page


def test_an_idea_of_the_table_is_an_experiment_or_in_the_notebook():
    page = (ROOT / "docs/ideas.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\| `(\w+)` \|$", page, re.MULTILINE))
    assert named and named <= {path.stem for path in (ROOT / "experiments").glob("*.yaml")}


def test_copied_keys_are_rows_that_the_default_makes():
    found = re.findall(r"row_key = '(\w+)'", (ROOT / "docs/reading.md").read_text(encoding="utf-8"))
    assert found and all(key in (ROOT / "README.md").read_text(encoding="utf-8") for key in found)
