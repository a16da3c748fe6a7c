"""Making the parts that are missing, in several processes."""

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from muver.corpus.kilt.parts import Part, fitting_manifest, plan_parts, strangers
from muver.corpus.kilt.reading import read_part
from muver.corpus.kilt.settings import MEBIBYTE
from muver.io.errors import InputError
from muver.io.progress import Progress, logger


def make_part(
    dump: str | Path, folder: str | Path, number: int, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Make part ``number`` of the plan, whether it is there already or not.

    Raises
    ------
    InputError
        If the plan has no such part, and as :func:`read_part`.
    """
    parts = plan_parts(dump, settings["part_bytes"])
    if not 0 <= number < len(parts):
        raise InputError(
            f"--part {number}: {dump} has the parts 0 to {len(parts) - 1} "
            f"(of {settings['part_bytes']} bytes each)."
        )
    counts = read_part(dump, parts[number], folder, settings)
    tell(parts[number], counts)
    return counts


def make_missing(
    dump: str | Path, folder: str | Path, settings: Mapping[str, Any], workers: int = 1
) -> int:
    """Make every part that is not there or does not fit; return how many were made.

    What is made is the same bytes with any number of workers. Run again after an interruption, it
    goes on with what is missing; after the dump has grown, with the parts that changed.

    Raises
    ------
    InputError
        As :func:`read_part`; parts made until then are kept.
    """
    dump, folder = Path(dump), Path(folder)
    if workers < 1:
        raise InputError(f"--workers {workers}: expected at least 1.")
    parts = plan_parts(dump, settings["part_bytes"])
    for path in strangers(folder, len(parts)):
        logger.info("%s is beyond the end of %s: removed", path.name, dump.name)
        path.unlink()
    missing = [part for part in parts if fitting_manifest(dump, folder, part, settings) is None]
    if len(missing) < len(parts):
        logger.info("%d of %d parts are there", len(parts) - len(missing), len(parts))
    total = sum(part.stop - part.start for part in missing) // MEBIBYTE
    progress = Progress("reading", total, "MB")
    done = entities = 0
    for part, counts in _made(dump, missing, folder, settings, workers):
        tell(part, counts)
        done += part.stop - part.start
        entities += counts["entities"]
        progress.advance(done // MEBIBYTE - progress.done, f"{entities} entities")
    progress.finish()
    return len(missing)


def tell(part: Part, counts: Mapping[str, Any]) -> None:
    """Log what a person should know of a part."""
    bad, cut = counts["bad"], counts["unfinished"]
    if bad["count"]:
        first = bad["first"][0]
        logger.info(
            "%s: %d of %d lines are no pages; the first, at byte %d: %s",
            part.name, bad["count"], counts["lines"], first["offset"], first["reason"],
        )  # fmt: skip
    if cut:
        logger.info(
            "%s: the dump ends within a line: %d bytes from byte %d on are left out",
            part.name, cut["bytes"], cut["offset"],
        )  # fmt: skip
    if counts["first_is_not_title"]:
        logger.info(
            "%s: the first paragraph is not the title on %d pages; it is left out all the same",
            part.name, counts["first_is_not_title"],
        )  # fmt: skip


def _made(
    dump: Path, parts: Sequence[Part], folder: Path, settings: Mapping[str, Any], workers: int
) -> Iterator[tuple[Part, dict[str, Any]]]:
    if workers == 1 or len(parts) < 2:
        for part in parts:
            yield part, read_part(dump, part, folder, settings)
        return
    # "spawn": on every system alike, and safe with Arrow's threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(parts)), mp_context=context) as pool:
        jobs = {pool.submit(read_part, dump, part, folder, dict(settings)): part for part in parts}
        try:
            for job in as_completed(jobs):
                yield jobs[job], job.result()
        except BrokenProcessPool as error:
            raise InputError(
                f"{folder}: a process that read {dump.name} was ended from outside (for want of "
                "memory?). The parts made are kept: run the same command again, with fewer "
                "--workers."
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)
