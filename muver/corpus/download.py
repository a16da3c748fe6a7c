"""Fetching one file over HTTP: in pieces, resumable, checked for its size.

What has arrived lies in ``<path>.part`` until it is complete, so that a run that was cut off goes
on where it stopped.
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


def fetch(address: str, path: str | Path, by_hand: str) -> None:
    """Download ``address`` to ``path``, going on with ``<path>.part`` if there is one.

    Parameters
    ----------
    address
        An http or https address.
    path
        The finished file.
    by_hand
        What to do where the address does not work, as a sentence; part of the errors.

    Raises
    ------
    InputError
        If the address is dead, answers with a web page, ends before the announced size (the part
        stays for the next run), or the disk refuses.
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
    with _open(address, done) as response:
        if response.status_code == 416 and _announced_size(response) == done:
            return  # the part was complete already
        if response.status_code == 416:
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
        total = _announced_size(response)
        _receive(response, part, done, total, by_hand)
    size = part.stat().st_size
    if total is not None and size != total:
        raise InputError(
            f"{address}: the connection ended after {size} of {total} bytes. What arrived is kept "
            f"in {part}; run the same command again to go on from there."
        )


def _open(address: str, done: int) -> requests.Response:
    # "identity": the bytes as they are, so that sizes and positions are those of the file.
    headers = {"Accept-Encoding": "identity"}
    if done:
        headers["Range"] = f"bytes={done}-"
    return requests.get(address, headers=headers, stream=True, timeout=TIMEOUT)


def _announced_size(response: requests.Response) -> int | None:
    """Bytes of the whole file as the server says, None if it does not."""
    if response.status_code in (206, 416):
        total = response.headers.get("Content-Range", "").rpartition("/")[2]
    else:
        total = response.headers.get("Content-Length", "")
    return int(total) if total.isdigit() else None


def _receive(
    response: requests.Response, part: Path, done: int, total: int | None, by_hand: str
) -> None:
    progress = Progress(
        f"downloading {part.stem}", (total or 0) // MEGABYTE, "MB", done=done // MEGABYTE
    )
    with open(part, "ab" if done else "wb") as file:
        try:
            for piece in response.iter_content(PIECE):
                if done == 0 and _looks_like_html(piece):
                    raise _web_page(response.url, by_hand)
                file.write(piece)
                done += len(piece)
                progress.advance(done // MEGABYTE - progress.done)
        except (
            requests.exceptions.ChunkedEncodingError,
            requests.ConnectionError,
            requests.Timeout,
        ) as error:
            logger.info("the connection broke: %s", error)
            if total is None:
                raise InputError(
                    f"{response.url}: the connection broke after {done} bytes. What arrived is "
                    f"kept in {part}; run the same command again to go on from there."
                ) from error
    progress.finish()


def _looks_like_html(start: bytes) -> bool:
    return start.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html"))


def _web_page(address: str, by_hand: str) -> InputError:
    return InputError(
        f"{address}: answered with a web page instead of the archive (Google Drive does so when a "
        f"file was fetched too often, or asks for a confirmation). {by_hand}"
    )


def _dead(address: str, reason: str, by_hand: str) -> InputError:
    return InputError(f"{address}: cannot be downloaded ({reason}). {by_hand}")
