"""Lines that stay at the bottom of a terminal: a pseudo-terminal, and a process that uses one."""

import os
import pty
import subprocess
import sys

PROGRAM = """
import os, subprocess, sys, time
from muver.io.progress import FOLLOWED
from muver.reproduction.terminal.live import Live, say
live = Live(lambda: ["train muver", "1 of 2 jobs"])
assert Live.possible()
live.start()
assert FOLLOWED in os.environ
subprocess.run([sys.executable, "-c", "import sys; print('of a child', file=sys.stderr)"])
say("of the run")
live.stop()
live.stop()
print("afterwards", file=sys.stderr)
assert FOLLOWED not in os.environ
"""


def test_lines_of_children_scroll_by_and_the_terminal_is_given_back():
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], stderr=theirs, env=environment)
    os.close(theirs)
    said = b""
    while part := _read(ours):
        said += part
    os.close(ours)
    assert done.returncode == 0, said
    text = said.decode()
    places = [text.find(one) for one in ("of a child\r\n", "of the run\r\n", "afterwards\r\n")]
    assert places == sorted(places) and -1 not in places
    assert "train muver\r\n1 of 2 jobs" in text
    assert "\x1b" not in text[places[-1] :]


def test_lines_of_several_threads_stay_whole():
    program = (
        "import threading\nfrom muver.reproduction.terminal.live import say\n"
        "def work():\n    for n in range(3000):\n        say('a line')\n"
        "for _ in range(3):\n    threading.Thread(target=work).start()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.splitlines() == ["a line"] * 9000


def _read(terminal: int) -> bytes:
    """What is left to read; nothing once nobody writes to it."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_a_file_is_no_terminal():
    call = "from muver.reproduction.terminal.live import Live; print(Live.possible())"
    done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True)
    assert done.stdout == "False\n"
