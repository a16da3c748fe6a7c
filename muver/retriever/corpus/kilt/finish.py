"""Finish a knowledge base whose parts are complete: number its entities and write the lookups."""

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from muver.io.errors import InputError
from muver.io.files import short_hash, write_manifest
from muver.io.matrices import save_matrix
from muver.io.progress import logger
from muver.retriever.corpus.kilt.lines import check_bad
from muver.retriever.corpus.kilt.make import PAGES, make_missing, make_part
from muver.retriever.corpus.kilt.parts import (
    Part,
    dump_size,
    fitting_manifest,
    part_files,
    plan_parts,
)
from muver.retriever.corpus.kilt.titles import title_hash
from muver.retriever.corpus.schema import WIKIPEDIA
from muver.retriever.corpus.settings import ReadDump
from muver.retriever.corpus.sources import find_source
from muver.retriever.corpus.statistics import Sizes, identify

SHOWN = 20  # bad lines and double ids in the manifest
TOTALS = ("lines", "entities", "without_paragraphs", "first_is_not_title")


def finish(dump: str | Path, folder: str | Path, settings: ReadDump) -> dict[str, Any]:
    """Write ``ids.npy``, ``by_id.npy``, ``by_title.npy`` and ``manifest.json``; return the counts.

    An entity's global number is its place in the order of the parts. ``ids`` are the Wikipedia ids
    by number, (entities,) int64; ``by_id`` the numbers in order of id, (entities,) int64;
    ``by_title`` (2, entities) uint64: sorted hashes of the titles, and the numbers they belong to.
    Apart from these arrays, memory holds one part's ids and titles. If the parts, the bad lines,
    the ids or the number of entities are not as the settings allow, nothing is written.
    """
    dump, folder = Path(dump), Path(folder)
    parts = plan_parts(dump, settings.part_bytes)
    manifests = _manifests(dump, folder, parts, settings)
    counts = {key: sum(manifest[key] for manifest in manifests) for key in TOTALS}
    bad = {
        "count": sum(manifest["bad"]["count"] for manifest in manifests),
        "first": [one for manifest in manifests for one in manifest["bad"]["first"]][:SHOWN],
    }
    check_bad(dump, bad["count"], counts["lines"], bad["first"], PAGES, settings)
    if counts["entities"] == 0:
        raise InputError(f"{dump}: holds no page.")
    check_number(dump, counts["entities"], settings.expected)
    firsts = [0, *accumulate(manifest["entities"] for manifest in manifests)]
    ids, hashes = _columns(folder, parts, firsts)
    by_id = np.argsort(ids, kind="stable")
    ordered = ids[by_id]
    again = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1  # places in the sorted order
    if len(again) and settings.duplicates == "refuse":
        listed = "; ".join(
            f"{ordered[at]} as entities {by_id[at - 1]} and {by_id[at]}" for at in again[:5]
        )
        raise InputError(
            f"{dump}: {len(again)} lines have the wikipedia_id of a line before ({listed}, counted "
            f"over the parts in {folder}). Was the file joined from two downloads? Fetch it anew, "
            "or keep the lines and look up the first of each id with --settings "
            '\'{"duplicates": "first"}\'.'
        )
    by_title = np.argsort(hashes, kind="stable")
    unfinished = next((one["unfinished"] for one in reversed(manifests) if one["unfinished"]), None)
    save_matrix(folder / "ids.npy", ids)
    save_matrix(folder / "by_id.npy", by_id)
    save_matrix(folder / "by_title.npy", np.stack([hashes[by_title], by_title.astype(np.uint64)]))
    duplicates = {"count": len(again), "first_ids": ordered[again[:SHOWN]].tolist()}
    counts = {**counts, "bad": bad, "unfinished": unfinished, "duplicates": duplicates}
    write_manifest(
        folder / "manifest.json",
        "kb",
        settings.as_dict(),
        {"dump": short_hash([manifest["dump_sha256"] for manifest in manifests], 64)},
        fingerprint=short_hash([manifest["fingerprint"] for manifest in manifests], 64),
        identified_as=identify(Sizes(entities={WIKIPEDIA: counts["entities"]})),
        source={"file": dump.name, "bytes": dump_size(dump)},
        **counts,
        parts=[
            {
                "file": part_files(folder, part)[0].name,
                "first": first,
                **{key: manifest[key] for key in ("entities", "range", "fingerprint")},
            }
            for part, first, manifest in zip(parts, firsts, manifests, strict=False)
        ],
    )
    logger.info(
        "%d entities in %d parts, %d without paragraphs; %d bad lines, %d ids occur again%s",
        counts["entities"], len(parts), counts["without_paragraphs"], bad["count"], len(again),
        "; the dump ends within a line" if unfinished else "",
    )  # fmt: skip
    return counts


def check_number(path: Path, entities: int, expected: str | None) -> None:
    """Refuse another number of entities than is published for the source ``expected``, if any."""
    if expected is None:
        return
    published = find_source(expected).published
    wanted = sum(published.entities.values()) if published else None
    if wanted is None:
        raise InputError(f"--settings: expected is {expected!r}, for which nothing is published.")
    if entities != wanted:
        raise InputError(
            f"{path}: {entities} entities, but {expected} has {wanted}. Is the file complete? "
            "Fetch it anew, or accept the number with --settings '{\"expected\": null}' "
            "(params.yaml: linking.published_counts)."
        )


def _manifests(
    dump: Path, folder: Path, parts: Sequence[Part], settings: ReadDump
) -> list[dict[str, Any]]:
    manifests = {part.name: fitting_manifest(dump, folder, part, settings) for part in parts}
    missing = [name for name, manifest in manifests.items() if manifest is None]
    if missing:
        raise InputError(
            f"{folder}: {len(missing)} of {len(parts)} parts are missing or were made from another "
            f"dump or with other settings ({', '.join(missing[:5])}"
            f"{', ...' if len(missing) > 5 else ''}). Make them with `muver stage kb --step all`."
        )
    return list(manifests.values())


def _columns(
    folder: Path, parts: Sequence[Part], firsts: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    ids = np.empty(firsts[-1], np.int64)
    hashes = np.empty(firsts[-1], np.uint64)
    for part, start, stop in zip(parts, firsts, firsts[1:], strict=False):
        path = part_files(folder, part)[0]
        try:
            table = pq.read_table(path, columns=["id", "title"], partitioning=None)
        except pa.ArrowInvalid as error:
            raise InputError(
                f"{path}: damaged ({error}). Delete it and run `muver stage kb --step all` again."
            ) from None
        ids[start:stop] = pc.cast(table["id"], pa.int64()).to_numpy()
        hashes[start:stop] = [title_hash(title) for title in table["title"].to_pylist()]
    return ids, hashes


def build(
    step: Literal["part", "all", "finish"],
    dump: Path,
    folder: Path,
    settings: ReadDump,
    part: int | None = None,
    workers: int = 1,
) -> None:
    """Do one step of a knowledge base: ``part``, ``all`` missing parts, or ``finish``."""
    if (part is None) == (step == "part"):
        raise InputError(
            "--part: `muver stage kb --step part` needs the number of the part, and no other step."
        )
    if step == "part":
        make_part(dump, folder, part, settings)
    elif step == "all":
        make_missing(dump, folder, settings, workers)
    else:
        finish(dump, folder, settings)
