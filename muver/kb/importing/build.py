"""From files to a canonical knowledge base, with a report; memory holds a row group at a time."""

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from muver.io.errors import InputError
from muver.io.files import atomic_path, folder_beside, sha256_of, write_manifest
from muver.io.parquet import row_groups, table_of
from muver.io.progress import logger
from muver.kb.importing.dataset import check_free, write_dataset
from muver.kb.importing.items import Entity, Item, LeftOut
from muver.kb.importing.ledger import Ledger
from muver.kb.importing.schema import ENTITIES, FILE, LONGEST_WORLD, MANIFEST, ROWS_A_GROUP
from muver.kb.importing.settings import Given, Import
from muver.kb.importing.sources import format_of, source
from muver.kb.importing.tidy import SHOWN, Notes, shortened, tidy

WITH_LINKS = {"mediawiki", "linked"}
CHARACTERS_A_GROUP = 1 << 22


def import_kb(
    sources: Sequence[Path],
    *,
    out: Path,
    settings: Import,
    form: str | None = None,
    world: str | None = None,
    columns: Sequence[str] = (),
    where: Sequence[str] = (),
    workers: int = 1,
    mentions: Path | None = None,
) -> dict[str, Any]:
    """Write the entities of some files as one knowledge base; return the manifest's counts.

    docs/own-data.md has a section for each form. Nothing is written if anything in a file is wrong.

    Parameters
    ----------
    sources
        Files, of one form or of several; they may be compressed.
    out
        Folder for ``entities.parquet`` and ``manifest.json``, which has the counts.
    form
        json-lines, csv, parquet, mediawiki, rdf, obo, wikidata or linked; by default told by the
        files' endings.
    world
        Of entities whose source names none; by default the file's own, or its name.
    columns
        NAME=COLUMN: which column is which, where its name doesn't tell: id, title, description,
        aliases, world.
    where
        Of Wikidata, as PROPERTY=ITEM: which entities to keep; several conditions must all hold.
        P31=Q5: instances of humans; P31=Q5|Q43229; P625: whatever has coordinates.
    workers
        Processes, for wikis and Wikidata.
    mentions
        Of a wiki: folder for a dataset in ZESHEL's format, whose mentions are the links.

    Returns
    -------
    The manifest's counts.
    """
    given = Given(settings, _pairs(columns), world, tuple(where), workers)
    forms = [format_of(path, form) for path in sources]
    if where and set(forms) != {"wikidata"}:
        raise InputError("--where: only Wikidata's dump has properties to filter by.")
    if mentions is not None:
        if not WITH_LINKS.intersection(forms):
            raise InputError(
                "--mentions: only wikis have links, and none of the files is one. Others are read "
                "from JSON lines with links, as --format linked."
            )
        check_free(mentions)
    with (
        folder_beside(out) as temporary,
        _full_disk(temporary),
        contextlib.closing(Ledger(temporary / "ledger.sqlite", sources)) as ledger,
    ):
        build = _Build(ledger, settings)
        for number, (path, name) in enumerate(zip(sources, forms, strict=True)):
            build.read(number, path, source(name)(path, given))
        build.check()
        with atomic_path(out / FILE) as final:
            build.write(final)
            counts = build.summary()
            if mentions is not None:
                worlds = list(build.worlds)
                counts["dataset"] = write_dataset(
                    mentions, ledger, worlds, settings.mentions, temporary
                )
            # The old manifest must never lie beside the new table.
            (out / MANIFEST).unlink(missing_ok=True)
    names = [path.name for path in sources]
    if len(set(names)) < len(names):
        names = list(map(str, sources))
    write_manifest(
        out / MANIFEST,
        "kb import",
        settings.as_dict(),
        dict(zip(names, map(sha256_of, sources), strict=True)),
        formats=sorted(set(forms)),
        map=given.columns,
        where=list(where),
        **counts,
    )
    _tell(sources, counts)
    return counts


class _Build:
    """A knowledge base in the making: what was read, on disk, and counts."""

    def __init__(self, ledger: Ledger, settings: Import):
        self.ledger, self.settings = ledger, settings
        self.notes, self.left_out = Notes(), Notes()
        self.worlds: Counter[str] = Counter()
        self.counts: Counter[str] = Counter(without_description=0, with_aliases=0, aliases=0)

    def read(self, number: int, path: Path, items: Iterator[Item]) -> None:
        """Take in all of a source."""
        for item in items:
            if isinstance(item, Entity):
                item = tidy(item, self.settings, self.notes, str(path))
            if isinstance(item, LeftOut):
                self.left_out.add(item.why, f"{path}, {item.place}")
                continue
            if isinstance(item, Entity):
                if len(item.world.encode(errors="replace")) > LONGEST_WORLD:
                    raise InputError(
                        f"{path}, {item.place}: its world's name has {len(item.world)} characters, "
                        f"at most {LONGEST_WORLD} bytes are taken. Name another column with --map "
                        "world=COLUMN, or a world for all with --world."
                    )
                self.worlds[item.world] += 1
                self.counts["without_description"] += not item.description
            self.ledger.add(item, number)

    def check(self) -> None:
        """Look at the names of all."""
        if not self.worlds:
            why = (f" Left out: {count} ({why})." for why, count in self.left_out.counts.items())
            raise InputError(f"{_listed(self.ledger.files)}: no entity.{''.join(why)}")
        self.ledger.finish()
        if twice := self.ledger.first_twice():
            identity, first, second = twice
            raise InputError(
                f"{second}: id {identity!r} is already that of {first}. Ids must differ within a "
                "world. Remove one of the two, or take another column with --map id=COLUMN."
            )
        count, first = self.ledger.equal_titles(SHOWN)
        if count:
            self.notes.put("titles of several entities of a world (kept apart)", count, first)
        if lost := self.ledger.lost_redirects():
            self.left_out.put("redirects to no entity", lost, [])

    def write(self, path: Path) -> None:
        """Write all entities, with the titles of redirects among their aliases."""
        with pq.ParquetWriter(path, ENTITIES) as writer:
            for group in row_groups(
                self.ledger.entities(),
                lambda one: len(one.description),
                ROWS_A_GROUP,
                CHARACTERS_A_GROUP,
            ):
                rows = [
                    (one.id, one.title, one.description, self._names(one), one.world,
                     list(one.further.items()))
                    for one in group
                ]  # fmt: skip
                table = table_of(ENTITIES, list(zip(*rows, strict=True)))
                writer.write_table(table, row_group_size=len(rows))

    def summary(self) -> dict[str, Any]:
        """The manifest's counts."""
        return {
            "entities": self.worlds.total(),
            "worlds": dict(self.worlds),
            **self.counts,
            "told": self.notes.as_dict(),
            "left_out": self.left_out.as_dict(),
        }

    def _names(self, one: Entity) -> list[str]:
        further = self.ledger.redirects_to(one.world, one.title)
        names = [name for name in dict.fromkeys([*one.aliases, *further]) if name != one.title]
        names = shortened(names, self.settings, self.notes, f"{one.world}, {one.title!r}")
        self.counts["with_aliases"] += bool(names)
        self.counts["aliases"] += len(names)
        return names


@contextlib.contextmanager
def _full_disk(folder: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise InputError(
            f"{folder}: cannot be written ({error}). Free some space, then run the same command "
            "again; nothing was changed."
        ) from error


def _pairs(given: Sequence[str]) -> dict[str, str]:
    pairs = dict(one.partition("=")[::2] for one in given)
    if not all(name and column for name, column in pairs.items()):
        raise InputError(f"--map {' '.join(given)}: expected CANONICAL=COLUMN, such as title=name.")
    return pairs


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))


def _tell(sources: Sequence[Path], counts: dict[str, Any]) -> None:
    logger.info(
        "%s: %d entities, %d without a description, %d with %d aliases",
        _listed(sources), counts["entities"], counts["without_description"], counts["with_aliases"],
        counts["aliases"],
    )  # fmt: skip
    for world, entities in counts["worlds"].items():
        logger.info("world %s: %d entities", world, entities)
    if dataset := counts.get("dataset"):
        logger.info(
            "mentions: %s; %d more were left out, and %d links that lead to no entity",
            ", ".join(f"{split} {count}" for split, count in dataset["mentions"].items()),
            dataset["mentions_left_out"], dataset["links_to_no_entity"],
        )  # fmt: skip
    for heading, label in (("told", ""), ("left_out", "left out: ")):
        for what, one in counts[heading].items():
            example = f", such as {one['first'][0]}" if one["first"] else ""
            logger.info("%s%d %s%s", label, one["count"], what, example)
