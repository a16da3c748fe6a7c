"""Fetch one file over HTTP, resuming where an earlier call stopped.

What has arrived lies in ``<path>.part`` until the file is complete.
"""

import os
from itertools import chain
from pathlib import Path

import requests

from muver.io.checking import disk_errors
from muver.io.errors import InputError
from muver.io.progress import Progress, logger

PIECE = 1 << 16
MEGABYTE = 1 << 20
TIMEOUT = (30, 60)  # seconds to connect, seconds without a byte
HTML = (b"<!doctype html", b"<html")


def fetch(address: str, path: str | Path, by_hand: str) -> None:
    """Download ``address`` to ``path``, continuing ``<path>.part`` if there is one.

    Errors end with ``by_hand``: what to do if the address does not work. If the connection ends
    early, the part stays for the next call.
    """
    path = Path(path)
    part = path.with_name(path.name + ".part")
    with disk_errors(part, "What had arrived is kept and the download goes on from there."):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            _receive(address, part, by_hand)
        except requests.RequestException as error:
            kept = f" What arrived is kept in {part}: run the same command again to go on."
            raise InputError(
                f"{address}: cannot be downloaded ({error}).{kept if part.exists() else ''} "
                f"{by_hand}"
            ) from error
        os.replace(part, path)


def _receive(address: str, part: Path, by_hand: str) -> None:
    done = part.stat().st_size if part.exists() else 0
    # "identity" asks for the file's own bytes, so that sizes and positions are those of the file.
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={done}-"} if done else {})}
    with requests.get(address, headers=headers, stream=True, timeout=TIMEOUT) as response:
        if response.status_code == 416:  # the server has nothing after the part
            if response.headers.get("Content-Range") != f"bytes */{done}":
                logger.info("%s does not fit the file at the address, starting again", part.name)
                part.unlink()
                _receive(address, part, by_hand)
            return
        response.raise_for_status()
        if response.status_code == 200:  # all of it
            done = 0
        pieces = response.iter_content(PIECE)
        first = next(pieces, b"")
        page = "text/html" in response.headers.get("Content-Type", "").lower()
        if page or (not done and first.lstrip()[:15].lower().startswith(HTML)):
            raise InputError(
                f"{address}: answered with a web page instead of the archive (Google Drive does so "
                f"when a file was fetched too often, or asks for a confirmation). {by_hand}"
            )
        total = done + int(response.headers.get("Content-Length") or 0)
        progress = Progress(
            f"downloading {part.stem}", total // MEGABYTE, "MB", done=done // MEGABYTE
        )
        with open(part, "ab" if done else "wb") as file:
            for piece in chain([first], pieces):
                file.write(piece)
                done += len(piece)
                progress.advance(done // MEGABYTE - progress.done)
        progress.finish()
