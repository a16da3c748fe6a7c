"""The main job from end to end: raw data to the table and its MLflow runs."""

import json
import re
import shlex
import sqlite3
from fnmatch import fnmatch

import pytest

from tests.workflow.conftest import BUILT, CHECKPOINT, RECORDED

METHODS = [
    "BM25", "BLINK (128 tokens)", "BLINK (512 tokens)", "Partalidou et al.", "SOM",
    "MuVER (w/o heuristic search)", "MuVER",
]  # fmt: skip


@pytest.fixture(scope="module")
def rows(main_job):
    return main_job.lines("results/table1.csv")


def test_every_row_and_column(rows):
    assert [row["method"] for row in rows] == METHODS
    assert list(rows[0]) == ["method", "R@1", "R@2", "R@4", "R@8", "R@16", "row_key"]
    for row in rows:
        recalls = [float(row[f"R@{k}"]) for k in (1, 2, 4, 8, 16)]
        assert recalls == sorted(recalls)
        assert recalls[0] >= 0 and recalls[-1] <= 100
        assert recalls[-1] > 0
    assert len({row["row_key"] for row in rows}) == len(rows)


def test_a_kill_leaves_a_lock_and_nothing_that_looks_finished(main_job):
    left = main_job.notes["left"]
    assert any(fnmatch(name, CHECKPOINT) for name in left)
    assert not any(fnmatch(name, "build/miniwikia/models/muver-*/muver.json") for name in left)
    assert any(name.startswith(".snakemake/locks/") for name in left)


def test_the_same_command_goes_on(main_job):
    """To the same bytes: tests/retriever/training/test_loop.py."""
    assert "removed" in main_job.notes["said"]
    assert "resumed at step" in main_job.notes["said"]
    assert not list(main_job.folder.glob(CHECKPOINT))
    assert not list(main_job.folder.rglob(".*.tmp"))


def test_it_says_what_is_done_and_ends_with_the_table(main_job):
    said = main_job.notes["said"]
    assert re.search(r"^\[\d+ of \d+ jobs, .* left\] evaluate test/muver: \d+ s$", said, re.M)
    assert said.index("] table1: ") < said.index("Contrasts at 16:")
    assert "Finished jobid" not in said and "Conda" not in said


def test_the_two_muver_rows_share_a_model_and_differ_in_views(main_job, rows):
    models = {path.name for path in (main_job.folder / BUILT / "models").iterdir()}
    assert not {"muver_plain"} & models and "muver" in models
    runs = [main_job.read(f"{BUILT}/runs/test/{name}.parquet") for name in ("muver_plain", "muver")]
    assert runs[0] != runs[1]


def test_a_repeat_seed_draws_again_what_a_second_laboratory_would(main_job):
    for kind in ("start", "pretrained"):
        folders = [f"{BUILT}/{kind}{end}" for end in ("", "_seed10001")]
        weights, words = (
            {main_job.read(f"{folder}/{file}") for folder in folders}
            for file in ("model.safetensors", "tokenizer.json")
        )
        assert (len(weights), len(words)) == (2, 1)
    scored = [
        main_job.json(f"{BUILT}/evaluations/test/muver{end}.json") for end in ("", "_seed10001")
    ]
    for evaluation, seed in zip(scored, (10000, 10001), strict=True):
        row, encoder = evaluation["settings"], evaluation["settings"]["encoder"]
        assert (row["seed"], encoder["seed"], encoder["pretrain"]["seed"]) == (seed,) * 3
    assert scored[0]["fingerprint"] == scored[1]["fingerprint"]  # of the same mentions


def recorded(project, experiment: str) -> list[str]:
    """Row keys of an experiment's runs."""
    with sqlite3.connect(project.folder / "mlflow.db") as store:
        found = store.execute(
            "select tags.value from tags join runs using (run_uuid) join experiments using "
            "(experiment_id) where key = 'row_key' and experiments.name = ? and "
            "runs.lifecycle_stage = 'active'",
            [experiment],
        ).fetchall()
    return sorted(key for (key,) in found)


def command_of(project, row_key: str) -> list[str]:
    """The words of the command that a row's description in MLflow gives."""
    with sqlite3.connect(project.folder / "mlflow.db") as store:
        query = "SELECT value FROM tags WHERE key = 'mlflow.note.content' AND value LIKE ?"
        ((note,),) = store.execute(query, (f"Row `{row_key}` %",))
    return shlex.split(note.split("```")[1].replace("\\\n", ""))


def test_a_row_in_mlflow_for_every_row_of_the_table(main_job, rows):
    assert recorded(main_job, "table1") == sorted(row["row_key"] for row in rows)
    listed = main_job.lines(RECORDED)
    assert [line["row_key"] for line in listed] == [row["row_key"] for row in rows]


def test_the_rows_by_world_stand_beside(main_job, rows):
    lines = main_job.lines("results/table6.csv")
    methods = ["BLINK (128 tokens)", "MuVER"]
    assert [(line["method"], line["Domain"]) for line in lines] == [
        (method, world) for world in ("fir", "gum", "macro mean") for method in methods
    ]
    keys = {row["row_key"] for row in rows if row["method"] in methods}
    assert {line["row_key"] for line in lines} == keys


def test_a_second_call_has_nothing_to_do(main_job):
    """Of a result that is gone `results/` still had the link."""
    link = main_job.folder / "results" / "gone.csv"
    link.symlink_to("miniwikia/gone.csv")
    said = main_job.snakemake()
    assert "Nothing to be done" in said and not link.is_symlink()
    assert said.index("Table 1: recall@k in percent") < said.index("Contrasts at 16:")


def test_a_lost_store_is_filled_again_and_the_table_stays(main_job, rows):
    table = main_job.read("results/table1.csv")
    (main_job.folder / "mlflow.db").rename(main_job.folder / "mlflow.away")
    main_job.snakemake("record", "--config", "results=[table1]")
    assert recorded(main_job, "table1") == sorted(row["row_key"] for row in rows)
    assert main_job.read("results/table1.csv") == table
    asked = command_of(main_job, rows[-1]["row_key"])
    assert asked[-3:] == ["--config", "preset=miniwikia", 'results=["table1"]']


def test_results_say_what_they_were_made_of(main_job, rows):
    table = main_job.json("results/table1.json")
    text = json.dumps(table)
    assert all(row["row_key"] in text for row in rows)
    assert str(main_job.folder) not in text


def test_a_wrong_setting_stops_before_anything_runs(main_job):
    """Other mistakes are in tests/walk."""
    table = main_job.read("results/table1.csv")
    said = main_job.snakemake("results/table1.csv", "--config", "encoder=ROBERTA", ok=False)
    assert "encoder 'ROBERTA': neither a directory here nor in the hub's cache" in said
    assert "Traceback" not in said
    assert main_job.read("results/table1.csv") == table


def test_a_second_run_is_told_who_is_at_work(main_job):
    lock = main_job.folder / ".snakemake/locks/0.output.lock"
    lock.parent.mkdir(exist_ok=True)
    lock.write_text(str((main_job.folder / "results/table1.csv").relative_to(main_job.folder)))
    try:
        said = main_job.snakemake("--forceall", "results/table1.csv", ok=False)
    finally:
        lock.unlink()
    assert "un the same command again" in said and "--unlock" not in said


def test_a_training_has_a_process_for_each_gpu_it_is_given(main_job):
    given = ["--set-resources", "train:gpu=4", "--resources", "gpu=8"]
    config = ["--config", "workspace=gpus", "compute={device: cuda, processes: 2}"]
    table = "results/table1.csv"
    said = main_job.snakemake(table, "-n", "-p", "--quiet", "host", *given, *config)
    starts = set(re.findall(r"Shell command: (.*) stage train --log", said))
    assert starts == {"torchrun --standalone --nproc-per-node 4 -m -- muver.cli"}


def test_torchrun_leaves_the_options_to_the_stage():
    """Some of them begin as torchrun's own do: --log, --start, --rdzv."""
    from torch.distributed.run import get_args_parser

    stage = ["stage", "train", "--log", "FILE", "--start", "DIR", "--label", "muver"]
    call = ["--standalone", "--nproc-per-node", "3", "-m", "--", "muver.cli", *stage]
    asked = get_args_parser().parse_args(call)
    assert (asked.training_script, asked.training_script_args) == ("muver.cli", stage)
