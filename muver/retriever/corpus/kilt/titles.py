"""When two titles are the same, and a 64-bit hash of a title."""

import hashlib
import unicodedata


def normal_title(title: str) -> str:
    """A title as Wikipedia shows it: spaces for underscores, the first letter a capital, NFC.

    >>> normal_title("new_York  City")
    'New York City'
    """
    title = " ".join(unicodedata.normalize("NFC", title).replace("_", " ").split())
    return title[:1].upper() + title[1:]


def title_hash(title: str) -> int:
    """64 bits of BLAKE2b of the normal title, as an unsigned number."""
    digest = hashlib.blake2b(normal_title(title).encode("utf-8"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
