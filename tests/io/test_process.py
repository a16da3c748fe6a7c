"""Commands as programs: how they begin, and the signals that end them."""

import os
import signal
import subprocess
import sys

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
        "import os, signal, time; from muver.io.process import stop_at_signals\n"
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


PROGRAM = """
import importlib.util, sys
from muver.io.process import hide
hide("pandas")
import pyarrow
assert pyarrow.chunked_array([[1, 2]]).to_numpy().tolist() == [1, 2]
assert "pandas" not in sys.modules and importlib.util.find_spec("pandas")
import json.tool  # others are found
try:
    import pandas
except ImportError as error:
    print(error, error.name)
"""


def test_pyarrow_goes_without_a_hidden_pandas():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    assert done.stdout == "pandas is hidden from this command. pandas\n"


COUNT = """
import gc
from muver.io.process import collect_seldom
looked = 0
def count(phase, found):
    global looked
    looked += phase == "start"
gc.callbacks.append(count)
{do}
many = [[] for _ in range(20_000)]
print(looked)
"""
LAST = """
import atexit, gc
from muver.io.process import collect_seldom
many = [[] for _ in range(20_000)]
atexit.register(lambda: print(len(gc.get_objects())))  # those that would be looked through
{do}
"""


def number(code):
    """What a process prints that runs a piece of code."""
    return int(subprocess.check_output([sys.executable, "-c", code]))


def test_objects_that_stay_are_not_looked_through_again_and_again():
    assert number(COUNT.format(do="")) >= 10
    assert number(COUNT.format(do="collect_seldom()")) == 0


def test_none_are_looked_through_at_the_end():
    assert number(LAST.format(do="")) > 20_000
    assert number(LAST.format(do="collect_seldom()")) < 100
