"""One store for all tests (making one takes a second), and the files of a small table."""

import csv
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient

from muver.io.files import write_json
from muver.io.typed import read
from muver.reproduction.tables.stage import make_table
from muver.reproduction.tracking.entries import Recording
from muver.reproduction.tracking.record import record as record_stage
from muver.reproduction.tracking.store import open_store
from muver.retriever.evaluation.recall import scored
from tests.blank import blank_evaluation
from tests.reproduction.tables.conftest import make_ranks

RUN = b"run"  # content of a run file


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store in which nothing is recorded: to be copied."""
    folder = tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{folder / 'mlflow.db'}")
        with open_store() as (_, artifacts):
            assert artifacts == folder / "mlartifacts"
    return folder / "mlflow.db"


@pytest.fixture(scope="session")
def client(empty_store: Path, tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_TRACKING_URI", copy_of(empty_store, tmp_path_factory.mktemp("store")))
        with open_store() as (client, _):
            pass
        yield client


def copy_of(store: Path, folder: Path) -> str:
    """Copy a store's file into a folder; the copy's address."""
    folder.mkdir(exist_ok=True)
    return f"sqlite:///{shutil.copy(store, folder / 'mlflow.db')}"


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """The test's experiment."""
    return f"{request.module.__name__} {request.node.name}"


def read_list(path: Path) -> list[dict[str, str]]:
    """The lines of a list of runs."""
    return [*csv.DictReader(path.read_text().splitlines())]


def active(client: MlflowClient, name: str) -> list[Any]:
    return client.search_runs([client.get_experiment_by_name(name).experiment_id])


def evaluation(system: str, hits: int, seed: int = 1, fingerprint: str = "f00d") -> dict[str, Any]:
    """Hits at 1 of four mentions of one world; at 64 all are found."""
    return blank_evaluation(
        scored(make_ranks({"lego": (hits, 4)}, {"lego": 4}), [1, 64], "documents"),
        system=system,
        identified_as="zeshel",
        fingerprint=fingerprint,
        settings={"system": system, "seed": seed, "retrieve": {"k": 64}},
        cutoffs=[1, 64],
        views_per_entity=2.5 if system != "bm25" else None,
        run_sha256=sha256(RUN).hexdigest(),
    )


def record(out: Path, **given: Any) -> list[dict[str, str]]:
    """Record with these settings, paths among them; the lines of the list of runs."""
    settings = {**given.pop("settings", {}), **given, "out": out}
    record_stage(read(Recording, json.loads(json.dumps(settings, default=str))))
    return read_list(out)


@dataclass
class TableFiles:
    """Files of a table in a folder, as the workflow lays them out."""

    folder: Path
    evaluations: Sequence[tuple[Path, Path]] = ()  # each with its run

    def write(self, evaluations: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> None:
        """The evaluations, a run of each system, and Table 1 of the ``rows``."""
        paths = [self.folder / f"{evaluation['system']}.json" for evaluation in evaluations]
        self.evaluations = [(path, path.with_suffix(".parquet")) for path in paths]
        for (path, run), evaluation in zip(self.evaluations, evaluations, strict=True):
            write_json(path, evaluation)
            run.write_bytes(RUN)
        make_table("table1", paths, self.folder / "table1.csv", {"rows": rows})


@pytest.fixture
def files(tmp_path: Path) -> TableFiles:
    return TableFiles(tmp_path)
