"""A new user's walk, from the clone to the end, on a miniature: what each step shows.

Screenshots go to the folder that MUVER_SCREENSHOTS names, which continuous integration keeps.
"""

import contextlib
import os
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from selenium.webdriver.common.by import By

from tests.reproduction.report.browser import Tab
from tests.reproduction.tracking.server import serving
from tests.workflow.conftest import Project, make_main_job, shared

ROWS = ["bm25", "muver"]
GLOSSARY = """\
id,title,description
E1,Arvid Holt,He learnt the hammer in Tern. He made the iron gate of Keld.
E2,Bo Lind,Bo Lind is a carpenter. He built the bridge of Tern.
"""


class Walk(Project):
    """A clone, and what its first two commands printed."""

    def make(self, target: str) -> str:
        """A target of the Makefile; the environment is there already."""
        ready = [word for one in ("cpu", "gpu") for word in ("-o", f".venv/.ready-{one}")]
        return self.run("make", *ready, target)


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """A clone in which `make table1` and `make results` ran.

    Models, runs and scores are those of the main job: the table's jobs alone start by themselves.
    """
    upstream = shared(tmp_path_factory, "main_job", make_main_job)
    upstream.change(results=["table1"], tables={"table1": ROWS})
    upstream.commit("two rows")
    folder = tmp_path_factory.mktemp("walk") / "muver"
    upstream.run("git", "clone", "-q", str(upstream.folder), str(folder))
    for made in ("build", ".snakemake"):
        shutil.copytree(upstream.folder / made, folder / made, symlinks=True)
    (folder / ".venv").symlink_to(sys.prefix)
    walk = Walk(folder)
    walk.warm = False
    walk.notes["table1"] = walk.make("table1")
    del walk.warm
    walk.notes["results"] = walk.make("results")
    return walk


@pytest.fixture(scope="module")
def keep(tab: Tab, tmp_path_factory: pytest.TempPathFactory):
    """Keep a screenshot under a name."""
    folder = Path(os.environ.get("MUVER_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return lambda name: tab.browser.save_screenshot(str(folder / f"{name}.png"))


def test_two_commands_end_with_the_table_and_leave_what_the_readme_says(walk: Walk):
    first, second = walk.notes.values()
    assert first.index("[1 of ") < first.index("Table 1: recall@k in percent")
    table = first.partition("Table 1: ")[2].partition("Complete log")[0]
    assert re.search(r"^BM25 +\d", table, re.MULTILINE)
    assert re.search(r"^MuVER +\d", table, re.MULTILINE)
    assert max(map(len, table.splitlines())) <= 100
    assert "train" not in walk.finished(first) | walk.finished(second)
    for name in (
        "results/table1.csv", "results/report.html", "metrics/miniwikia/table1", "mlflow.db",
        "build/miniwikia/current/models/muver", "build/miniwikia/current/runs/test/muver.parquet",
    ):  # fmt: skip
        assert (walk.folder / name).exists(), name
    assert walk.planned() == {}
    assert "up to date" in walk.run("dvc", "status")


def test_the_page_shows_the_table_and_single_predictions(walk: Walk, tab: Tab, keep):
    page = walk.folder / "results/report.html"
    tab.open(page)
    assert tab.browser.title == "muver: results on miniwikia"
    assert tab.shown("#table1 table")
    assert len(tab.mentions()) == 20
    keep("page")
    tab.one("#predictions").click()
    tab.media(scheme="dark")
    keep("page-dark")
    tab.media()
    tab.width(390)
    keep("page-phone")
    assert tab.complaints() == []


def in_group(number: int) -> Iterator[psutil.Process]:
    """The processes of a group that have not ended."""
    for one in psutil.process_iter():
        with contextlib.suppress(ProcessLookupError):
            if os.getpgid(one.pid) == number:
                yield one


def test_mlflow_lists_the_rows_of_the_table_to_this_machine_alone(walk: Walk, tab: Tab, keep):
    """In the table's order; and it ends as a whole."""
    with serving("muver.cli", ["audit"], walk.folder) as (address, pid):
        connections = psutil.Process(pid).net_connections()
        listening = {one.laddr for one in connections if one.status == psutil.CONN_LISTEN}
        assert listening == {("127.0.0.1", int(address.rpartition(":")[2]))}
        tab.width(1280)
        listed = walk.run("muver", "audit", "--list")
        (runs,) = re.findall(r"table1 .*(/#/experiments/\S+)", listed)
        tab.browser.get(f"{address}{runs}")
        for method in ("BM25", "MuVER"):
            tab.until(lambda method=method: tab.browser.find_elements(By.LINK_TEXT, method))
        links = [tab.browser.find_element(By.LINK_TEXT, method) for method in ("BM25", "MuVER")]
        assert links[0].location["y"] < links[1].location["y"]
        keep("mlflow-rows")
        tab.browser.find_element(By.LINK_TEXT, "MuVER").click()
        tab.until(lambda: "About this run" in tab.browser.page_source)
        assert "all/recall_at_16" in tab.browser.page_source
        keep("mlflow-row")
        group = list(in_group(pid))
        os.kill(pid, signal.SIGTERM)
        assert not psutil.wait_procs(group, timeout=30)[1]


def test_a_knowledge_base_of_ones_own_is_asked(walk: Walk):
    (walk.folder / "glossary.csv").write_text(GLOSSARY, encoding="utf-8")
    walk.run("muver", "kb", "import", "glossary.csv", "--out", "kb")
    model = "build/miniwikia/current/models/muver"
    walk.run("muver", "index", "create", "kb", "--model", model, "--out", "index")
    said = walk.run(
        "muver", "query", "index", "In spring [[the smith]] forged the gate.", "-k", "2"
    )
    assert "[the smith]" in said
    assert re.search(r"^1 .*(Arvid Holt|Bo Lind).*\.$", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("snakemake -n results/tabel1.csv", "Did you mean 'table1'?"),
        ("snakemake -n --config 'merge={top_q: 0.4}'", "Did you mean 'top_k'?"),
        ("snakemake -n --config dataset=nowhere", "dataset nowhere: no such folder"),
        ("snakemake -n --config encoder=./nope", "neither a directory here nor a name of the hub"),
        ("muver show tabel1", "Did you mean 'table1'?"),
        ("muver kb import nowhere.csv --out kb", "nowhere.csv: "),
        ("muver evalute", "evaluate'?"),
    ],
)
def test_a_mistake_is_told_in_words(walk: Walk, command: str, said: str):
    out = walk.run(*shlex.split(command), ok=False)
    assert said in out
    assert "Traceback (most recent call last)" not in out
