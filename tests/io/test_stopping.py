"""Commands as programs, and the signals that end them."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

MUVER = [sys.executable, "-m", "muver.cli"]
STATUSES = {signal.SIGTERM: 143, signal.SIGHUP: 129}


def made(path):
    os.mkfifo(path)
    return path


def started(*words, **more):
    pipe = subprocess.PIPE
    return subprocess.Popen([*MUVER, *map(str, words)], stderr=pipe, text=True, **more)


@pytest.mark.parametrize("number", STATUSES)
def test_an_index_that_is_being_made_leaves_nothing(tmp_path, number):
    source = made(tmp_path / "kb.jsonl")
    work = started("index", "create", source, "--model", "bm25", "--out", tmp_path / "index")
    with source.open("wb", buffering=0) as pipe, work:  # it has begun to read
        pipe.write(b'{"id": "1", "title": "Smith"}\n')
        while len(os.listdir(tmp_path)) < 2:
            assert work.poll() is None
        work.send_signal(number)
        with suppress(BrokenPipeError):  # it may come right before a read, which then waits
            pipe.write(b"\n")
        said = work.stderr.read()
    assert work.returncode == STATUSES[number]
    assert said.endswith(f"muver index create: ended by {number.name}\n")
    assert "Traceback" not in said and os.listdir(tmp_path) == ["kb.jsonl"]


def test_a_signal_that_is_ignored_stays_so(tmp_path):
    """As nohup has SIGHUP."""
    source = made(tmp_path / "kb.jsonl")
    ignore = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
    work = started("kb", "import", source, "--out", tmp_path / "kb", **ignore)
    with source.open("w") as pipe:
        work.send_signal(signal.SIGHUP)
        print('{"id": "1", "title": "Smith"}', file=pipe)
    work.communicate()
    assert work.returncode == 0 and (tmp_path / "kb").is_dir()


def test_a_copy_of_the_process_dies_as_always():
    script = (
        "import os, signal, time; from muver.io.stopping import stop_at_signals\n"
        "stop_at_signals()\n"
        "begun, tell = os.pipe()\n"
        "copy = os.fork()\n"
        "if not copy: os.write(tell, b'x')\n"
        "while not copy: time.sleep(0.01)\n"
        "os.read(begun, 1); os.kill(copy, signal.SIGTERM)\n"
        "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) != -signal.SIGTERM)"
    )
    done = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_signal_after_the_work_kills_as_always():
    """While the interpreter ends, which takes some time after a model was loaded."""
    script = (
        "import os, signal, sys; sys.argv = ['muver', '--version']; from muver.cli import main\n"
        "assert main() == 0; os.kill(os.getpid(), signal.SIGTERM)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, "")
