#!/usr/bin/env -S python3 -IS
"""`muver`, `snakemake` or `dvc`, by whose name it is called, run by a copy of the server."""

import json
import os
import socket
import struct
import sys

SERVER = "MUVER_TESTS_SERVER"  # variable with the name of the server's socket


def is_ours(peer: socket.socket) -> bool:
    """Whether the other end is a process of our own user."""
    _, user, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return user == os.getuid()


def ask(command: list[str]) -> int:
    """Have a command run; its exit code."""
    asked = {"command": command, "folder": os.getcwd(), "environment": dict(os.environ)}
    content = json.dumps(asked).encode()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(f"\0{os.environ[SERVER]}")
        assert is_ours(server)
        socket.send_fds(server, [struct.pack("I", len(content))], [0, 1, 2])
        server.sendall(content)
        (code,) = struct.unpack("i", server.recv(4, socket.MSG_WAITALL))
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(ask([os.path.basename(sys.argv[0]), *sys.argv[1:]]))
