import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from muver.io.errors import InputError
from muver.reproduction.workspace.current import prune
from muver.reproduction.workspace.running import check_writable, unlock

UNLOCK = "from muver.reproduction.workspace.running import unlock; print(unlock())"


@pytest.fixture
def locked(tmp_path):
    """A folder as a killed Snakemake leaves it."""
    locks = tmp_path / ".snakemake" / "locks"
    locks.mkdir(parents=True)
    (locks / "0.input.lock").write_text("build/a\n")
    (locks / "0.output.lock").write_text("results/table1.csv\n")
    return tmp_path


@pytest.fixture
def start(tmp_path_factory):
    """Start processes, wait until they show the command line given, and end them afterwards."""
    processes = []

    def start(command, folder):
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL)
        processes.append(process)
        deadline = time.monotonic() + 10
        while psutil.Process(process.pid).cmdline() != command and time.monotonic() < deadline:
            time.sleep(0.01)
        return process.pid

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def script(tmp_path_factory):
    """Write a Python script of the given name that sleeps; return how to run it."""

    def script(name, *arguments):
        path = tmp_path_factory.mktemp("bin") / name
        path.write_text("import time; time.sleep(60)\n")
        return [sys.executable, str(path), *arguments]

    return script


def held(folder):
    return any((folder / ".snakemake").rglob("*.lock"))


def test_a_folder_that_cannot_be_written_is_refused(tmp_path, monkeypatch):
    check_writable(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # also root's
    with pytest.raises(InputError, match=f"^{tmp_path}: cannot be written, .*`muver show`"):
        check_writable(tmp_path)


def test_a_stale_lock_is_removed_and_nothing_else(locked):
    record = locked / ".snakemake" / "metadata" / "record"
    record.parent.mkdir()
    record.write_text("{}")
    assert unlock(locked) is True
    assert not held(locked)
    assert record.exists()
    assert unlock(locked) is False
    assert unlock(locked / "elsewhere") is False


@pytest.mark.parametrize(
    ("name", "arguments"), [("snakemake", ["--cores", "all"]), ("muver", ["stage", "train"])]
)
def test_a_process_at_work_in_the_folder_keeps_the_lock(locked, start, script, name, arguments):
    pid = start(script(name, *arguments), locked)
    with pytest.raises(InputError, match=f"{name} is at work there as process {pid}.*kill {pid}"):
        unlock(locked)
    assert held(locked)


def test_other_folders_and_other_programs_do_not_count(locked, start, script, tmp_path_factory):
    start(script("snakemake"), tmp_path_factory.mktemp("elsewhere"))
    start(script("editor.py", "muver"), locked)
    start(script("muver", "serve"), locked)
    start(["sleep", "60"], locked)
    assert unlock(locked) is True


def test_a_link_to_the_folder_is_the_folder(locked, start, script, tmp_path_factory):
    start(script("snakemake"), locked)
    link = tmp_path_factory.mktemp("links") / "link"
    link.symlink_to(locked)
    with pytest.raises(InputError, match="in use"):
        unlock(link)


def test_nothing_is_removed_beside_a_run(locked, start, script, monkeypatch):
    """One that Snakemake's lock tells of, and one that works without it."""
    monkeypatch.chdir(locked)
    with pytest.raises(InputError, match="another machine is at work there, or .* `muver unlock`"):
        prune(remove=True)
    unlock(locked)
    pid = start(script("snakemake"), locked)
    with pytest.raises(InputError, match=f"snakemake is at work there as process {pid}"):
        prune(remove=True)


def test_a_killed_process_no_longer_counts(locked, start, script):
    pid = start(script("snakemake"), locked)
    psutil.Process(pid).kill()  # not waited for: a zombie of ours
    deadline = time.monotonic() + 10
    while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.01)
    assert unlock(locked) is True


def test_ancestors_do_not_count(locked, tmp_path_factory):
    parent = tmp_path_factory.mktemp("bin") / "snakemake"
    parent.write_text(
        "import subprocess, sys\n"
        f"sys.exit(subprocess.run([sys.executable, '-c', {UNLOCK!r}]).returncode)\n"
    )
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, str(parent)],
        cwd=locked,
        env=os.environ | {"PYTHONPATH": root},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "True\n", done.stderr
    assert not held(locked)
