"""Where a collection of Qdrant is, and how it is searched."""

from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from muver.io.errors import InputError

EXPECTED = "Expected http://HOST:6333/COLLECTION, perhaps with ?ef=128."


class Address(NamedTuple):
    """A server (scheme, host, port, and what stands before the collection in the path), a
    collection, and how many entities HNSW looks at (``hnsw_ef``); None: all of them, exact search.
    """

    server: str
    collection: str
    ef: int | None = None

    @classmethod
    def read(cls, given: str, folder: Path) -> "Address":
        """The address in a URL, ``http://HOST:PORT/COLLECTION?ef=N``; without a collection it is
        called as the index's folder.
        """
        url = urlsplit(given)
        options = parse_qs(url.query, keep_blank_values=True)
        ef = options.pop("ef", [""])[-1]
        if url.scheme not in ("http", "https") or not url.hostname or options:
            raise InputError(f"--qdrant {given}: not the address of a collection. {EXPECTED}")
        if "ef=" in url.query and not (ef.isdecimal() and int(ef)):
            raise InputError(f"--qdrant {given}: ef is {ef!r}, not a number from 1. {EXPECTED}")
        before, _, name = url.path.rpartition("/")
        server = f"{url.scheme}://{url.netloc}{before}"
        return cls(server, name or folder.resolve().name, int(ef) if ef else None)

    def __str__(self) -> str:
        return f"{self.server}/{self.collection}"
