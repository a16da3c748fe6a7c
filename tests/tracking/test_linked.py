"""Recording Table 2: one run a row with three sets, once, and what is refused."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of
from muver.tables.stage import make_table
from muver.tracking.files import Files
from muver.tracking.linked import linked_entries
from muver.tracking.record import record
from tests.tables import linked
from tests.tracking.conftest import active

Record = Callable[..., list[dict[str, str]]]
LOG = '{"step": 1, "epoch": 1, "loss": 2.0, "learning_rate": 0.1}\n'


def write(folder: Path, evaluations: list[dict[str, Any]]) -> tuple[list[Path], list[Path]]:
    """Evaluations with their runs, and the table; the files of both."""
    runs = []
    for evaluation in evaluations:
        run = folder / "runs" / evaluation["set"] / f"{evaluation['system']}.parquet"
        run.parent.mkdir(parents=True, exist_ok=True)
        run.write_bytes(f"{evaluation['system']} on {evaluation['set']}".encode())
        evaluation["run_sha256"] = sha256_of(run)
        runs.append(run)
    paths = linked.write(folder / "evaluations", evaluations)
    settings = {"rows": linked.ROWS, "against": "blink_wiki"}
    make_table("table2", paths, folder / "table2.csv", settings)
    return paths, runs


@pytest.fixture
def record_rows(tmp_path: Path, client: MlflowClient, name: str) -> Record:
    def rows(evaluations: list[dict[str, Any]] | None = None) -> list[dict[str, str]]:
        paths, runs = write(tmp_path, evaluations or linked.make_all())
        (tmp_path / "training_log.jsonl").write_text(LOG)
        (tmp_path / "search.tsv").write_text("s\tmax_rss\n2.5\t100\n")
        record(
            tmp_path / "table2.json", paths, runs,
            [("muver_wiki", tmp_path / "training_log.jsonl")],
            tmp_path / "recorded.csv", {"experiment": name},
            [("muver_wiki:search_msnbc", tmp_path / "search.tsv")],
        )  # fmt: skip
        with open(tmp_path / "recorded.csv", newline="") as file:
            return list(csv.DictReader(file))

    return rows


def test_a_run_holds_its_row(client: MlflowClient, record_rows: Record, tmp_path: Path):
    lines = record_rows()
    assert [line["method"] for line in lines] == ["BLINK", "MuVER"]
    table = json.loads((tmp_path / "table2.json").read_text())
    assert [line["row_key"] for line in lines] == [row["row_key"] for row in table["rows"]]
    run = client.get_run(lines[1]["run_id"])
    metrics = run.data.metrics
    assert metrics["aida-testb/recall_at_010"] == 75.0
    assert metrics["wnedwiki_low/recall_at_100"] == 100.0
    assert (metrics["msnbc/mentions"], metrics["msnbc/outside_kb"]) == (2, 3)
    assert metrics["msnbc/index_agreement"] == 0.996
    assert (metrics["views_per_entity"], metrics["loss"]) == (4.5, 2.0)
    tags = run.data.tags
    assert (tags["dataset"], tags["index"], tags["mentions"]) == ("miniwikipedia", "IVF4,SQ8", "11")
    assert tags["sets"] == "aida-testb, msnbc, wnedwiki"
    assert tags["data_fingerprint"] == table["fingerprint"]
    assert not [tag for tag in tags if tag.startswith("verdict")]
    note = tags["mlflow.note.content"]
    assert "**MSNBC**, In-KB; 3 more mentions have their entity outside" in note
    assert "| **ours**, 2 mentions | **0.00** | **100.00** |" in note
    again = [
        path.as_posix() for path in sorted((tmp_path / "evaluations" / "muver_wiki").glob("*.json"))
    ]
    assert f"snakemake --cores all {' '.join(again)}  # this row alone" in note
    (data,) = run.inputs.dataset_inputs
    assert (data.dataset.name, data.dataset.digest) == ("miniwikipedia", table["fingerprint"])
    assert json.loads(data.dataset.profile) == {"num_rows": 11, "entities": 50}
    assert metrics["system/search_msnbc/seconds"] == 2.5
    kept = {one.path for one in client.list_artifacts(run.info.run_id)}
    assert {"configuration.yaml", "environment", "training"} <= kept
    kept = {path: client.list_artifacts(run.info.run_id, path) for path in ("run", "evaluation")}
    folders = [f"run/{name}" for name in linked.SIZES]
    assert [one.path for one in kept["run"]] == folders
    files = [one.path for one in client.list_artifacts(run.info.run_id, "run/msnbc")]
    assert files == ["run/msnbc/muver_wiki.parquet"]
    assert "evaluation/worlds.csv" in [one.path for one in kept["evaluation"]]
    assert client.get_run(lines[0]["run_id"]).data.tags["index"] == "exact"


def test_recording_twice_changes_nothing(client: MlflowClient, name: str, record_rows: Record):
    first = record_rows()
    before = {run.info.run_id: run.to_dictionary() for run in active(client, name)}
    assert record_rows() == first
    assert {run.info.run_id: run.to_dictionary() for run in active(client, name)} == before


def test_verdicts_and_published_values_on_the_papers_data(tmp_path: Path):
    paths, runs = write(tmp_path, linked.of_the_paper())
    table = read_json(tmp_path / "table2.json")
    blink = linked_entries(table, "results/table2.csv", Files(paths, runs, [], sets=True))[0]
    assert blink.tags["verdict_msnbc_at_100"] == "cannot tell"
    assert blink.tags["verdict_wnedwiki_at_010"] == "reproduced"
    assert blink.metrics["aida-testb_paper/recall_at_010"] == 92.38
    assert blink.metrics["aida-testb_difference/recall_at_010"] == pytest.approx(0, abs=0.02)


def test_each_run_file_has_a_tag_in_dvc(tmp_path: Path):
    paths, runs = write(tmp_path, linked.make_all())
    table = read_json(tmp_path / "table2.json")
    muver = linked_entries(table, "results/table2.csv", Files(paths, runs, [], sets=True))[1]
    assert muver.hashed == {
        f"_{path.parent.name}": path for path in runs if path.stem == "muver_wiki"
    }


def test_what_does_not_belong_is_refused(tmp_path: Path):
    paths, runs = write(tmp_path, linked.make_all())
    table = read_json(tmp_path / "table2.json")

    def entries_of(runs=runs, artifacts=()):
        return linked_entries(table, "table2.csv", Files(paths, runs, artifacts, sets=True))

    with pytest.raises(InputError, match="row MuVER: needs .* of muver_wiki on wnedwiki"):
        entries_of(runs[:-1])
    with pytest.raises(InputError, match="no row of the table is of system som"):
        entries_of(artifacts=[("som", runs[0])])
    runs[0].write_bytes(b"another")
    with pytest.raises(InputError, match="changed since .* scored it .*, so row BLINK"):
        entries_of()
    runs[0].unlink()
    with pytest.raises(InputError, match=f"{runs[0]}: no such file"):
        entries_of()


@pytest.mark.parametrize(("key", "value"), [("hits", {"10": 0, "100": 0}), ("fingerprint", "x")])
def test_an_evaluation_that_the_table_was_not_made_from_is_refused(tmp_path: Path, key, value):
    paths, runs = write(tmp_path, linked.make_all())
    paths[0].write_text(json.dumps({**read_json(paths[0]), key: value}))
    table = read_json(tmp_path / "table2.json")
    with pytest.raises(InputError, match="not what row BLINK of the table was made from"):
        linked_entries(table, "table2.csv", Files(paths, runs, [], sets=True))
