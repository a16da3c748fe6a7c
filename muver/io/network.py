"""A socket to listen at, or a clear error."""

import errno
import socket

from muver.io.errors import InputError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")  # names of this machine for itself
MOST = 65_535  # of a port
NO_ADDRESS = "no address of this machine. Take 127.0.0.1, or 0.0.0.0 for all that it has."
REFUSED = {
    errno.EADDRINUSE: "in use. Take another port, or end what is served there.",
    errno.EACCES: "not allowed to you. Take a port from 1024 on.",
}


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at an address and a port; port 0 takes any that is free."""
    if not 0 <= port <= MOST:
        raise InputError(f"--port {port}: expected 1 to {MOST}, or 0 for any that is free.")
    try:
        (family, *_), *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        listening = socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        why = REFUSED.get(getattr(error, "errno", None), NO_ADDRESS)
        raise InputError(f"--host {host} --port {port}: {why}") from None
    # An answer's head and body are sent separately; the body must not wait until the head has been
    # acknowledged. Connections inherit this option, and asyncio would not set it on them.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
