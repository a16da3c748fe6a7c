"""Fetch one file over HTTP, resuming where an earlier call stopped.

What has arrived lies in ``<path>.part`` until the file is complete.
"""

import os
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
            _fetch_part(address, part, by_hand)
        except requests.RequestException as error:
            raise _dead(address, str(error), by_hand) from error
        os.replace(part, path)


def _fetch_part(address: str, part: Path, by_hand: str) -> None:
    done = part.stat().st_size if part.exists() else 0
    # "identity" asks for the file's own bytes, so that sizes and positions are those of the file.
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={done}-"} if done else {})}
    with requests.get(address, headers=headers, stream=True, timeout=TIMEOUT) as response:
        total = _announced_size(response)
        if response.status_code == 416:  # the server has nothing after the part
            if total == done:
                return
            logger.info("%s does not fit the file at the address, starting again", part.name)
            part.unlink()
            return _fetch_part(address, part, by_hand)
        if response.status_code not in (200, 206):
            raise _dead(address, f"status {response.status_code} {response.reason}", by_hand)
        if "text/html" in response.headers.get("Content-Type", "").lower():
            raise _web_page(address, by_hand)
        if response.status_code == 200 and done:
            logger.info("the server cannot resume, starting again")
            done = 0
        broken = _receive(response, part, done, total, by_hand)
    size = part.stat().st_size
    if broken if total is None else size != total:
        of = "" if total is None else f" of {total}"
        raise InputError(
            f"{address}: the connection ended after {size}{of} bytes. What arrived is kept in "
            f"{part}; run the same command again to go on from there."
        )


def _announced_size(response: requests.Response) -> int | None:
    """Size of the whole file in bytes, None if the server does not say."""
    if response.status_code in (206, 416):
        total = response.headers.get("Content-Range", "").rpartition("/")[2]
    else:
        total = response.headers.get("Content-Length", "")
    return int(total) if total.isdigit() else None


def _receive(
    response: requests.Response, part: Path, done: int, total: int | None, by_hand: str
) -> bool:
    """Write what arrives to the part; return whether the connection broke."""
    progress = Progress(
        f"downloading {part.stem}", (total or 0) // MEGABYTE, "MB", done=done // MEGABYTE
    )
    broken = False
    with open(part, "ab" if done else "wb") as file:
        try:
            for piece in response.iter_content(PIECE):
                if done == 0 and piece.lstrip()[:15].lower().startswith(HTML):
                    raise _web_page(response.url, by_hand)
                file.write(piece)
                done += len(piece)
                progress.advance(done // MEGABYTE - progress.done)
        except requests.RequestException as error:
            logger.info("the connection broke: %s", error)
            broken = True
    progress.finish()
    return broken


def _web_page(address: str, by_hand: str) -> InputError:
    return InputError(
        f"{address}: answered with a web page instead of the archive (Google Drive does so when a "
        f"file was fetched too often, or asks for a confirmation). {by_hand}"
    )


def _dead(address: str, reason: str, by_hand: str) -> InputError:
    return InputError(f"{address}: cannot be downloaded ({reason}). {by_hand}")
