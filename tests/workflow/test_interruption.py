"""A killed run: nothing half-written, the lock goes, and the next call ends with the same rows."""

from fnmatch import fnmatch

from tests.workflow.conftest import CHECKPOINT


def test_a_kill_leaves_a_lock_and_nothing_that_looks_finished(main_job):
    left = main_job.notes["left"]
    assert any(fnmatch(name, CHECKPOINT) for name in left)
    assert not any(fnmatch(name, "build/miniwikia/models/muver-*/muver.json") for name in left)
    assert any(name.startswith(".snakemake/locks/") for name in left)


def test_the_same_command_goes_on_to_the_same_rows(main_job, by_dvc):
    assert "removed" in main_job.notes["said"]
    assert "resumed at step" in main_job.notes["said"]
    header, *rows = by_dvc.read("results/table1.csv").splitlines()
    assert len(rows) == 3
    assert {header, *rows} <= set(main_job.read("results/table1.csv").splitlines())
    assert not list(main_job.folder.glob(CHECKPOINT))
    assert not list(main_job.folder.rglob(".*.tmp"))
