"""Every command line of README and docs, typed where all results of the tiny workflow lie.

What would make results is planned alone (``-n``); the words in capitals stand for small files.
"""

import bz2
import json
import re
import shutil
import textwrap
from pathlib import Path

import pytest

from tests.workflow.conftest import ROOT, Project

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RECORDS = {"performance.md", "results.md"}  # commands of older commits
LINE = re.compile(r"^ {4}((?:muver|snakemake|dvc|make|python|git) (?:[^\\\n]|\\\n)*)", re.MULTILINE)
ELSEWHERE = {
    "a server, which runs until it is stopped": r"muver serve|muver audit|make audit",
    "a cluster": r"profiles/slurm",
    "data that has to be downloaded": r"muver stage download|realworlds|plan .*(zeshel|wikipedia)",
    "weights from the hub, or to it": r"sentence-transformers/|preset=released|muver push",
    "this machine's answer is no": r"doctor check",
    "minutes": r"python -m (benchmarks|pytest)|entities=100000",
    "a number of record": r"doctor record|make check",
    "Snakemake's report, in test_formats.py": r"snakemake .*--report",
    "what DVC shows, in test_dvc_views.py": r"dvc (metrics|params|plots)",
    "a cache that others share, in test_dvc.py": r"dvc (push|exp|artifacts|remote|commit)|git tag",
}
RUNS = "build/miniwikia/current/runs/test"
GIVEN = {
    "KB": "given/kb",
    "INDEX": "given/index",
    "MODEL": "bm25",
    "DIR": ".test/tiny",
    "FOLDER": "given/folder",
    "ENCODER": "build/miniwikia/current/start",
    "$runs": RUNS,
    "SOURCE": "docs/glossary.csv",
    "one_aspect=1": "one_aspect=1 entities_per_world=100",  # sooner
}
PLAIN = re.compile(r"snakemake --cores \w+ ([^-]+)")  # targets, without options
PLACEHOLDER = re.compile(rf"(?<![\w./-])({'|'.join(map(re.escape, GIVEN))})(?![\w.])")
FILES = {
    "products.csv": "sku,product\n1,A hammer\n",
    "more.csv": "id,title,description\nQ42,Tern,A town.\nQ64,Rye,A port.\nQ7,Ash,A tree.\n",
    "ids.txt": "Q7\n",
    "thesaurus.ttl": """\
        @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <http://x/1> a skos:Concept ; skos:prefLabel "Schmied"@de .
        """,
    "go.obo": "format-version: 1.2\n\n[Term]\nid: X:1\nname: forging\n",
    "kilt_knowledgesource.json": """\
        {"wikipedia_id": "1", "wikipedia_title": "Ash", "text": ["Ash", "An ash is a tree."]}
        """,
    "harbour.xml": "".join(
        ["<mediawiki><siteinfo><dbname>harbour</dbname></siteinfo>"]
        + [
            f"<page><title>Pier {n}</title><ns>0</ns><id>{n}</id><revision><text>A pier. Beside it"
            f" is [[Pier {n % 30 + 1}|the next one]].</text></revision></page>"
            for n in range(1, 31)
        ]
        + ["</mediawiki>"]
    ),
    "latest-all.json": (
        '[\n{"type": "item", "id": "Q1", "labels": {"fr": {"language": "fr", "value": "Anne"}}, '
        '"claims": {"P31": [{"mainsnak": {"snaktype": "value", "property": "P31", "datavalue": '
        '{"type": "wikibase-entityid", "value": {"id": "Q5"}}}, "rank": "normal"}]}}\n]\n'
    ),
    "mentions.jsonl": '{"left": "", "mention": "the carpenter", "right": "", "gold": "E4"}\n',
}


def commands(document: Path) -> list[str]:
    """The command lines of a document's indented blocks, without comments."""
    found = LINE.findall(document.read_text(encoding="utf-8"))
    return [re.sub(r"\s+#\s.*", "", line.replace("\\\n", "")).strip() for line in found]


def elsewhere(command: str) -> str | None:
    return next((why for why, what in ELSEWHERE.items() if re.search(what, command)), None)


def by_document() -> dict[Path, list[str]]:
    """The commands that are run here, each where it is written first."""
    first = {
        command: document
        for document in reversed(DOCUMENTS)
        for command in commands(document)
        if document.name not in RECORDS and not elsewhere(command)
    }
    own = {one: [c for c in commands(one) if first.get(c) == one] for one in DOCUMENTS}
    return {one: together(list(dict.fromkeys(found))) for one, found in own.items() if found}


def together(written: list[str]) -> list[str]:
    """The commands, with one for all targets that are asked of Snakemake without options."""
    targets = [found[1] for one in written if (found := PLAIN.fullmatch(one))]
    others = [one for one in written if not PLAIN.fullmatch(one)]
    return [*others, f"snakemake --cores all {' '.join(targets)}"] if targets else others


@pytest.fixture(scope="module")
def project(main_job: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """All results, and what the documents' commands are given."""
    project = main_job.copy(tmp_path_factory.mktemp("documented") / "muver")
    folder = project.folder
    (folder / "docs").mkdir(exist_ok=True)
    shutil.copy(ROOT / "docs/glossary.csv", folder / "docs")
    for name, text in FILES.items():
        (folder / name).write_text(textwrap.dedent(text), encoding="utf-8")
    for name in ("harbour.xml", "latest-all.json"):
        data = (folder / name).read_bytes()
        short = {"harbour.xml": "enwiki-latest-pages-articles.xml"}.get(name, name)
        (folder / f"{short}.bz2").write_bytes(bz2.compress(data))
    line = (folder / "mentions.jsonl").read_text()
    wrong = line.replace("the carpenter", "Keld")
    glossary = (folder / "docs/glossary.csv").read_text(encoding="utf-8")
    terms = glossary.replace("title,description", "term,definition", 1)
    (folder / "dictionary.csv").write_text(terms, encoding="utf-8")
    for name in ("validation.jsonl", "labels.jsonl", "test.jsonl"):
        (folder / name).write_text(10 * line + 10 * wrong)
    project.run("muver", "stage", "asked")  # as `make setup` does
    project.run("muver", "kb", "import", "docs/glossary.csv", "--out", "given/kb")
    project.run("muver", "index", "create", "given/kb", "--model", "bm25", "--out", "given/index")
    return project


@pytest.mark.parametrize(
    "written", [pytest.param(found, id=one.name) for one, found in by_document().items()]
)
def test_documented_commands_work(written: list[str], project: Project):
    for command in written:
        command = PLACEHOLDER.sub(lambda word: GIVEN[word[0]], command).replace(" ...", "")
        command = re.sub("^(snakemake|make) ", r"\1 -n ", command)
        command = re.sub("^dvc repro", "dvc repro --dry", command)
        if command.startswith(("muver kb import", "muver index create")):
            shutil.rmtree(project.folder / re.search(r"--out (\S+)", command)[1], True)
        project.run("bash", "-c", command)


def test_the_python_of_the_readme_runs(project: Project, monkeypatch, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENTS[0].read_text("utf-8"), re.DOTALL)
    code = code.replace("sentence-transformers/all-MiniLM-L6-v2", GIVEN["ENCODER"])
    monkeypatch.chdir(project.folder)
    exec(code, {})
    assert "Arvid Holt" in capsys.readouterr().out


def test_the_tour_can_be_taken(project: Project, monkeypatch, capsys):
    """The cells of docs/tour.ipynb, one after the other."""
    project.snakemake("build/miniwikia/indexes/muver")
    cells = json.loads((ROOT / "docs/tour.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    monkeypatch.chdir(project.folder)
    exec("\n".join(code), {})
    said = capsys.readouterr().out
    assert all(f"{row} " in said for row in ("BM25", "MuVER"))
    assert "mention: " in said and "The Forge" in said


def test_what_is_left_out_is_written_somewhere():
    written = [command for document in DOCUMENTS for command in commands(document)]
    assert {why for command in written if (why := elsewhere(command))} == set(ELSEWHERE)
