"""The command: what it refuses, and how connections and the service end."""

import asyncio
import socket
from types import SimpleNamespace

import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.kb.serve import guard
from muver.kb.serve.guard import room, sweep
from muver.kb.serve.run import read_token


def refused(capsys, *arguments):
    assert main(["serve", *map(str, arguments)]) == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return said.partition("error: ")[2]


def test_a_port_that_is_taken(capsys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(capsys, tmp_path, "--port", port)
    assert said.startswith(f"--host 127.0.0.1 --port {port}: in use. Take another")


def test_no_such_index(capsys, tmp_path):
    assert refused(capsys, tmp_path / "none", "--port", 0).startswith(f"{tmp_path}/none: ")
    assert refused(capsys, tmp_path / "none.json", "--port", 0).startswith(
        f"{tmp_path}/none.json: "
    )


def test_no_such_token(capsys, tmp_path):
    said = refused(capsys, tmp_path, "--token-file", tmp_path / "token")
    assert said.startswith(f"{tmp_path}/token: no such file.")


TOKEN = "0123456789abcdef"


def test_a_token_is_read_without_white_space(tmp_path):
    path = tmp_path / "token"
    path.write_text(f"{TOKEN}\n")
    path.chmod(0o600)
    assert read_token(path) == TOKEN


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_token_that_others_can_read_is_refused(tmp_path, mode):
    path = tmp_path / "token"
    path.write_text(TOKEN)
    path.chmod(mode)
    with pytest.raises(InputError, match=f"chmod 600 {path}$"):
        read_token(path)


@pytest.mark.parametrize(
    "text", ["", "short\n", f"{TOKEN}\n{TOKEN}", f"{TOKEN} x", f"\u00e9{TOKEN}"]
)
def test_a_bad_token_file_is_refused(tmp_path, text):
    path = tmp_path / "token"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(InputError, match=str(path)) as refused:
        read_token(path)
    assert TOKEN not in str(refused.value)


def test_limits_have_a_type(capsys, tmp_path):
    assert "unknown key mentoins" in refused(capsys, tmp_path, "--settings", '{"mentoins": 3}')


class Connection:
    """One that uvicorn has, of which ``waits`` bytes have not been taken."""

    def __init__(self, cycle=None, waits=0):
        self.cycle, self.seen, self.idle_since, self.ended = cycle, cycle, 0, False
        self.transport = SimpleNamespace(get_write_buffer_size=lambda: waits, abort=self.abort)

    def abort(self):
        self.ended = True


def cycle(done):
    return SimpleNamespace(response_complete=done)


def test_connections_that_do_nothing_are_ended(monkeypatch):
    silent = Connection()
    at_work = Connection(cycle(False))
    stuck = Connection(cycle(False), waits=10)
    idle = Connection(cycle(True))
    busy = Connection(cycle(True))
    there = {silent, at_work, stuck, idle, busy}
    for now in (0, 15, 21):
        monkeypatch.setattr(guard.time, "monotonic", lambda now=now: now)
        busy.cycle = cycle(True)  # another request since
        asyncio.run(sweep(there, 20))
        ended = {one for one in there if one.ended}
        assert ended == ({silent, stuck, idle} if now == 21 else set())


def test_too_few_open_files_are_refused(monkeypatch):
    for limit, allowed in ((1024, True), (128, True), (40, False)):
        monkeypatch.setattr(guard.resource, "getrlimit", lambda _, own=limit: (own, own))
        monkeypatch.setattr(guard.os, "listdir", lambda _: ["0"] * 20)
        if allowed:
            most, waiting = room()
            assert 8 <= most <= limit - 36 - 3 * waiting
        else:
            with pytest.raises(InputError, match="ulimit -n: 40 open files are too few"):
                room()
