import errno
import fcntl
import os
import subprocess
import sys
import time
from unittest.mock import Mock

import pytest

from muver.io.errors import InputError
from muver.io.locks import locked


@pytest.mark.parametrize("folder", [True, False])
def test_a_second_owner_does_not_get_it(tmp_path, folder):
    path = tmp_path if folder else tmp_path / "lock"
    with locked(path, wait=False), pytest.raises(BlockingIOError), locked(path, wait=False):
        pass
    with locked(path, wait=True):
        pass


def test_neither_a_copy_of_the_process_nor_a_program_keeps_it(tmp_path):
    """Both live on while the lock is given back and taken again."""
    script = "import sys; print(flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with locked(tmp_path, wait=False):
        copy = os.fork()
        if not copy:
            time.sleep(600)
        program = subprocess.Popen([sys.executable, "-c", script], close_fds=False, **pipes)
        program.stdout.read(1)
    try:
        with locked(tmp_path, wait=False), pytest.raises(BlockingIOError), locked(tmp_path, False):
            pass
    finally:
        os.kill(copy, 9)
        os.waitpid(copy, 0)
        program.communicate()


def test_a_copy_of_a_killed_process_does_not_keep_it(tmp_path):
    script = (
        "import os, sys, pathlib; from muver.io.locks import locked\n"
        "with locked(pathlib.Path(sys.argv[1]), wait=False):\n"
        "    if not os.fork(): print(flush=True); sys.stdin.read(); os._exit(0)\n"
        "    os.wait()"
    )
    call, pipes = [sys.executable, "-c", script, tmp_path], subprocess.PIPE
    with subprocess.Popen(call, stdin=pipes, stdout=pipes) as killed:
        killed.stdout.read(1)
        killed.kill()
        killed.wait()
        with locked(tmp_path, wait=False):
            pass


@pytest.mark.parametrize("wait", [True, False])
def test_a_file_system_without_locks(tmp_path, monkeypatch, wait):
    no_locks = OSError(errno.ENOLCK, "No locks available")
    monkeypatch.setattr(fcntl, "flock", Mock(side_effect=no_locks))
    said = pytest.raises(InputError, match="lock: .*No locks available")
    with said, locked(tmp_path / "lock", wait):
        pass
