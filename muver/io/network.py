"""A socket to listen at, or a clear error."""

import socket

from muver.io.errors import InputError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")  # names of this machine for itself


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at an address and a port; port 0 takes any that is free."""
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
    # An answer's head and body are sent separately; the body must not wait until the head has been
    # acknowledged. Connections inherit this option, and asyncio would not set it on them.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
