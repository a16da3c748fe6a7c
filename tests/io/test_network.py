import errno
import socket
from unittest.mock import Mock

import pytest

from muver.io.errors import InputError
from muver.io.network import listen


def test_small_packets_are_sent_at_once():
    with (
        listen("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as taken,
    ):
        assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    "host, port, said",
    [
        ("127.0.0.1", 70_000, "^--port 70000: expected 1 to 65535"),
        ("127.0.0.1", -1, "^--port -1: expected 1 to 65535"),
        ("no.such.host.invalid", 0, "^--host no.such.host.invalid --port 0: no address of this"),
        ("a..b", 0, "^--host a..b --port 0: no address of this machine"),
        ("192.0.2.1", 0, "^--host 192.0.2.1 --port 0: no address of this machine"),  # of nobody
    ],
)
def test_where_nobody_can_listen(host, port, said):
    with pytest.raises(InputError, match=said):
        listen(host, port)


def test_a_port_for_which_one_may_not_ask(monkeypatch):
    refused = Mock(side_effect=PermissionError(errno.EACCES, "Permission denied"))
    monkeypatch.setattr(socket, "create_server", refused)
    with pytest.raises(InputError, match="--port 80: not allowed to you. Take a port from 1024"):
        listen("127.0.0.1", 80)
