"""Listening at a port, with messages for those who can't."""

import socket

from muver.io.errors import InputError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")  # names of this machine for itself


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at an address and a port; at any that is free for port 0."""
    try:
        (family, *_), *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, OverflowError, UnicodeError) as error:
        raise InputError(f"--host {host} --port {port}: cannot be used ({error}).") from None
    try:
        listening = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise InputError(
            f"--host {host} --port {port}: cannot be used ({error}). Take another port, or end "
            "what is served there."
        ) from None
    # Head and body of an answer go one after another: the second is not to wait until the first has
    # been acknowledged. Connections inherit this, and asyncio sets it only on others.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
