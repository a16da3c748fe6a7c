import socket

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


@pytest.mark.parametrize("host, port", [("127.0.0.1", 70_000), ("no.such.host.invalid", 0)])
def test_where_nobody_can_listen(host, port):
    with pytest.raises(InputError, match=f"--host {host} --port {port}: cannot be used"):
        listen(host, port)
