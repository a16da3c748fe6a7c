"""The files of Punkt's parameters (imports nothing heavy)."""

import hashlib
from pathlib import Path

UNICODE = "unicode"  # stands for a fingerprint where sentences are by Unicode's rules
PUNKT_FILES = (
    "abbrev_types.txt",
    "collocations.tab",
    "ortho_context.tab",
    "sent_starters.txt",
)


def punkt_fingerprint(folder: str | Path) -> str:
    """SHA-256 over the four files: it tells which parameters were used."""
    whole = hashlib.sha256()
    for name in PUNKT_FILES:
        whole.update((Path(folder) / name).read_bytes() + b"\0")
    return whole.hexdigest()
