"""Where the recorded rows can be looked at."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from mlflow import MlflowClient
from mlflow.entities import Experiment, ExperimentTag
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from muver.cli import main
from muver.reproduction.tracking import audit, describe
from muver.reproduction.tracking.entry import Entry, Work
from muver.reproduction.tracking.runs import Recorder
from muver.reproduction.tracking.store import VIEW, describe_experiment, open_experiment, open_store
from tests.reproduction.report.browser import Tab
from tests.reproduction.tracking.conftest import copy_of
from tests.reproduction.tracking.server import serving


def test_addresses_stand_in_the_order_of_the_tables_with_the_view_that_was_recorded():
    beyond, table1 = (
        Experiment(number, name, "", "active", [ExperimentTag(tag, "")])
        for number, name, tag in [("2", "beyond", "other"), ("1", "table1", VIEW)]
    )
    assert audit.addresses("http://x", [beyond, table1], remote=True) == [
        "table1  http://x/#/experiments/1/runs?workflowType=machine_learning"
        "&viewStateShareKey=recall",
        "beyond  http://x/#/experiments/2/runs?workflowType=machine_learning",
    ]


def test_nothing_recorded(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(["audit"]) == 2
    assert "mlflow.db: no such file, so nothing is recorded here" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def served(client: MlflowClient, monkeypatch) -> list[int]:
    """The ports at which the tests' store would have been served."""
    ports: list[int] = []
    monkeypatch.setenv("MLFLOW_TRACKING_URI", client.tracking_uri)
    monkeypatch.setattr(audit, "_serve", lambda uri, port, experiments: ports.append(port))
    return ports


def test_a_port_that_is_taken(served, tmp_path: Path, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["audit", "--port", port]) == 2
    assert f"--port {port}: cannot be used" in capsys.readouterr().err
    assert served == []


def test_a_list_alone_starts_nothing(served, tmp_path: Path, client: MlflowClient, capsys):
    if client.get_experiment_by_name("audited") is None:
        client.create_experiment("audited")
    assert main(["audit", "--list"]) == 0
    assert "audited" in capsys.readouterr().err
    assert served == []


def test_a_copied_store_says_where_its_files_are(
    empty_store: Path, tmp_path: Path, monkeypatch, capsys
):
    """MLflow keeps absolute paths."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", copy_of(empty_store, tmp_path))
    with open_store() as (client, artifacts):
        open_experiment(client, "table1", artifacts)
    assert main(["audit", "--list"]) == 0
    assert "looked for" not in capsys.readouterr().err
    old = tmp_path / "old" / "mlartifacts"
    open_experiment(client, "table2", old)
    assert main(["audit", "--list"]) == 0
    assert f"{old}" in capsys.readouterr().err


def row(name: str, recall: float, end: float) -> Entry:
    """A row whose work ended then."""
    metrics = {"all/recall_at_64": recall, "uncertainty_low/recall_at_64": recall - 1}
    return Entry(
        key=name, name=name, tags={}, metrics=metrics, parameters={}, note="", source="",
        columns=[describe.column("all/recall_at_64")], timings={"work/train_seconds": 5.0},
        own_work=Work(5, end),
    )  # fmt: skip


ROWS = [row("BM25", 68.25, 2e9), row("MuVER", 81.5, 1e9)]


@pytest.fixture(scope="module")
def pages(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """`muver audit` on a store with a table of two rows: the address and the process's id."""
    folder = tmp_path_factory.mktemp("audited")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_TRACKING_URI", copy_of(empty_store, folder))
        with open_store() as (client, artifacts):
            number = open_experiment(client, "table1", artifacts)
            recorder = Recorder(client, number)
            for position, entry in enumerate(ROWS, start=1):
                recorder.put(entry, f"{position:02d}")
            describe_experiment(client, number, ROWS, folder / "table1.json")
    with serving("muver.cli", ["audit"], folder) as served:
        yield served


def test_the_list_of_experiments_leads_to_the_runs_of_a_table(pages, tab: Tab):
    def links(text: str) -> list[WebElement]:
        return tab.browser.find_elements(By.LINK_TEXT, text)

    tab.visit(f"{pages[0]}/#/experiments")
    (table,) = tab.until(lambda: links("table1"))
    assert not links("Default")
    table.click()
    tab.until(lambda: links("MuVER"))
    assert "/runs" in tab.browser.current_url
    cells = tab.all("[col-id*='recall_at_64'][role='gridcell']")
    shown = sorted(cells, key=lambda cell: cell.location["y"])
    assert [cell.text for cell in shown] == ["68.25", "81.5"]  # in the table's order


def test_it_is_served_to_this_machine_alone_and_ends_as_a_whole(pages):
    address, pid = pages
    connections = psutil.Process(pid).net_connections()
    listening = {one.laddr for one in connections if one.status == psutil.CONN_LISTEN}
    assert listening == {("127.0.0.1", int(address.rpartition(":")[2]))}
    os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + 30
    while group := [one.pid for one in psutil.process_iter() if _group(one.pid) == pid]:
        assert time.monotonic() < until, f"still there: {group}"
        time.sleep(0.1)


def _group(pid: int) -> int | None:
    """The group of a process; None where it has ended."""
    try:
        ended = psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
        return None if ended else os.getpgid(pid)
    except (psutil.NoSuchProcess, ProcessLookupError):
        return None
