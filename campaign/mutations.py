"""Seeded changes of a file's bytes."""

import random

BLOCK = 64


def flip(data: bytes, chance: random.Random, old: bytes) -> bytes:
    """Another bit."""
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def cut(data: bytes, chance: random.Random, old: bytes) -> bytes:
    """The end is missing."""
    return data[: chance.randrange(len(data))]


def swapped(data: bytes, chance: random.Random, old: bytes) -> bytes:
    """Two blocks in each other's place."""
    size = min(BLOCK, len(data) // 2)
    first = chance.randrange(len(data) - 2 * size + 1)
    second = chance.randrange(first + size, len(data) - size + 1)
    between, last = data[first + size : second], data[second : second + size]
    return data[:first] + last + between + data[first : first + size] + data[second + size :]


def zeroed(data: bytes, chance: random.Random, old: bytes) -> bytes:
    """A block of zeros, as a disk gives back that lost it."""
    at = chance.randrange(len(data))
    size = min(BLOCK, len(data) - at)
    return data[:at] + bytes(size) + data[at + size :]


def empty(data: bytes, chance: random.Random, old: bytes) -> bytes:
    """Nothing."""
    return b""


def older(data: bytes, chance: random.Random, old: bytes) -> bytes:
    """Another file of the same form."""
    return old


DAMAGE = (flip, cut, swapped, zeroed, empty, older)
ODD = [
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", "\u202e\u2066".encode(), b"\x1b[2J", b"\xc2\x9b31m",
    b"{", b"[" * 3000, b'"', b"\\u0000", b"1e999", b"-1", b"9" * 5000, b"null", b"NaN",
    b"<!ENTITY x '&x;'>", b"&lt;", b"\n\n", b"\r", b"\t", b",,,,", b"=1+1", b"\\input{x}",
    b"../../x", b": &a [*a]", b"!!python/object:os.system",
]  # fmt: skip


def odd(data: bytes, chance: random.Random) -> bytes:
    """One to four changes of a valid file: damage, odd bytes put in, parts doubled."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(5):
            case 0:
                data = data[:at] + chance.choice(ODD) + data[at:]
            case 1:
                end = min(len(data), at + chance.randint(1, 200))
                data = data[:end] + data[at:end] * chance.choice((1, 2, 50)) + data[end:]
            case 2:
                data = data[:at] + data[at + chance.randint(1, 50) :]
            case 3:
                data = data[:at] + chance.choice(ODD) + data[at + chance.randint(1, 20) :]
            case _ if data:
                data = chance.choice(DAMAGE[:4])(data, chance, b"")
    return data
