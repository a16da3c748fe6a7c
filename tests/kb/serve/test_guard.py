"""Clients that send too much, too slowly, or go away."""

import contextlib
import json
import logging

import pytest

from muver.io.progress import logger
from muver.kb.serve import guard
from tests.kb.serve.conftest import WAIT, holding, running, until

BODY = json.dumps({"mentions": [{"mention": "bell"}]}).encode()
HEAD = b"POST /retrieve HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def head(line):
    """Status and headers of an answer."""
    with line.makefile("rb") as file:
        status = int(file.readline().split()[1])
        rows = iter(file.readline, b"\r\n")
        headers = dict(row.decode().strip().lower().split(": ", 1) for row in rows if row)
    return status, headers


def begin(line, body=BODY, length=None):
    """Send the head of a request, and as much of its body."""
    line.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % (length or len(body)) + body)


@contextlib.contextmanager
def at_work(**how):
    """A service whose worker is held by a request, which is answered in the end."""
    with running(**how) as service, holding(service) as held, service.line() as line:
        begin(line)
        assert held.begun.wait(WAIT)
        yield service
        held.gate.set()
        assert head(line)[0] == 200


def test_too_long_a_body_is_refused_before_it_is_read(town):
    with town.line() as line:
        line.sendall(HEAD + b"Content-Length: 100000000000\r\n\r\n")
        assert head(line)[0] == 413
    with town.line() as line:
        line.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(9):
            line.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
        assert head(line)[0] == 413


def test_a_body_in_pieces_is_put_together(town):
    with town.line() as line:
        line.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for byte in BODY:
            line.sendall(b"1\r\n%c\r\n" % byte)
        line.sendall(b"0\r\n\r\n")
        assert head(line)[0] == 200


@pytest.mark.parametrize(
    "said",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nnonsense\r\n",
        b"GET /" + b"x" * 100_000,
    ],
)
def test_what_is_no_http(town, said):
    with town.line() as line:
        line.sendall(said)
        assert head(line)[0] == 400
    assert town.retrieve("bell", k=1) == ["gate"]


def test_a_body_with_two_ends_closes_the_connection(town):
    both = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    with town.line() as line:
        line.sendall(HEAD + both + b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        status, headers = head(line)
        assert (status, headers["connection"]) == (400, "close")
        rest = line.recv(1 << 16)
        assert b"HTTP/1.1" not in rest and not line.recv(1)


def test_a_body_that_is_refused_while_it_comes_fills_no_log(town, caplog):
    caplog.set_level(logging.INFO, logger=logger.name)
    with town.line() as line:
        both = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\nnull\r\n"
        line.sendall(HEAD + both)
        assert head(line)[0] == 400
    until(lambda: ": 400 in" in caplog.text)
    assert "LocalProtocolError" not in caplog.text


def test_connections_that_wait_keep_nobody_out(monkeypatch, caplog):
    """Of those that have begun a request, and of those that have only a part of its body."""
    monkeypatch.setattr(guard, "room", lambda: (4, 8))
    with at_work() as service, contextlib.ExitStack() as lines:
        waiting = [lines.enter_context(service.line()) for _ in range(30)]
        for n, line in enumerate(waiting):
            with contextlib.suppress(OSError):  # it may have been ended
                line.sendall(b"GET / HT") if n % 2 else begin(line, b"{", 10)
        until(lambda: len(service.server.server_state.connections) <= 4)
        assert service.call("GET", "/health").status == 200
    assert caplog.text.count("as many as the limit of open files allows") == 1


def test_who_sends_slowly_is_refused_and_holds_nobody():
    with running({"seconds": 0.2}) as service, service.line() as line:
        begin(line, b"{", 10)
        assert service.retrieve("bell", k=1) == ["gate"]
        assert head(line)[0] == 408


def in_hand(service):
    return service.service.metrics.in_hand.collect()[0].samples[0].value


def test_slow_bodies_keep_nobody_out():
    with running({"requests": 2}) as service, contextlib.ExitStack() as lines:
        slow = [lines.enter_context(service.line()) for _ in range(20)]
        for line in slow:
            begin(line, b"{", 10)
        until(lambda: in_hand(service) == len(slow))
        assert service.retrieve("bell", k=1) == ["gate"]


def test_bodies_that_fill_the_memory_are_refused_and_watching_is_not():
    with running({"requests": 1, "body_kb": 1}) as service, service.line() as line:
        begin(line, b" " * 1000, 1024)
        until(lambda: in_hand(service) == 1)
        answer = service.call("POST", "/retrieve", BODY)
        assert (answer.status, answer.headers["retry-after"]) == (429, "1")
        for route in ("/health", "/ready", "/metrics"):
            assert service.call("GET", route).status == 200
        line.close()
        until(lambda: in_hand(service) == 0)
        assert service.retrieve("bell", k=1) == ["gate"]


def test_more_than_may_wait():
    with running({"waiting_tokens": 1}) as service, holding(service) as held:
        lines = [service.line() for _ in range(3)]
        for n, line in enumerate(lines):
            begin(line)
            until(held.begun.is_set)
            until(lambda n=n: n != 1 or service.service.waiting)
        status, headers = head(lines[2])
        assert status == 429
        assert int(headers["retry-after"]) >= 1
        held.gate.set()
        assert [head(line)[0] for line in lines[:2]] == [200, 200]
        for line in lines:
            line.close()


def test_the_worker_does_nothing_for_who_has_gone():
    with running() as service, holding(service) as held:
        stays, goes = service.line(), service.line()
        begin(stays)
        assert held.begun.wait(WAIT)
        begin(goes, BODY.replace(b"bell", b"bread"))
        until(lambda: service.service.waiting)
        assert service.call("GET", "/health").status == 200  # while the worker is busy
        goes.close()
        until(lambda: not service.service.waiting)
        held.gate.set()
        assert head(stays)[0] == 200
        stays.close()
        assert service.retrieve("river", k=1) == ["smith"]
        assert held.calls == [["bell"], ["river"]]
        assert (
            'route="/retrieve",status="499"} 1.0' in service.call("GET", "/metrics").body.decode()
        )


def test_an_index_at_work_holds_no_other():
    with at_work(names=("small", "large")) as service:
        assert service.retrieve("bell", k=1, model="large") == ["gate"]


def test_who_has_been_taken_in_hand_is_answered_before_the_end():
    with at_work() as service:
        service.server.should_exit = True


def test_an_error_of_our_own_is_logged_without_texts(caplog):
    with caplog.at_level(logging.INFO, logger.name), running() as service:

        def fail(mentions, k, excerpts, weights):
            raise RuntimeError(mentions[0].text)

        service.service.models.named(None).index.retrieve = fail
        answer = service.call("POST", "/retrieve", BODY)
        assert (answer.status, answer.said[:20]) == (500, "something went wrong")
        assert service.call("GET", "/health").status == 200
    assert "RuntimeError" in caplog.text and "in fail" in caplog.text
    assert "bell" not in caplog.text and "bell" not in answer.said
