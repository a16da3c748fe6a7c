"""From files to a canonical knowledge base, with a report; memory holds a row group at a time."""

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from muver.io.errors import InputError
from muver.io.files import atomic_path, folder_beside, sha256_of, write_manifest
from muver.io.parquet import table_of, table_writer
from muver.io.progress import logger
from muver.kb.importing.dataset import LINKS, check_free, write_dataset
from muver.kb.importing.items import Entity, Item, LeftOut, Redirect
from muver.kb.importing.ledger import Ledger
from muver.kb.importing.schema import ENTITIES, FILE, LONGEST_WORLD, MANIFEST, ROWS_A_GROUP
from muver.kb.importing.settings import Given, Import
from muver.kb.importing.sources import format_of, source
from muver.kb.importing.tidy import SHOWN, Notes, shortened, tidy

LINKS_FILE = "links.parquet"
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
    """Write the entities of some files as one knowledge base (`muver.kb.importing.schema`).

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
    with folder_beside(out) as temporary:
        build = _Build(temporary, sources, settings)
        with _full_disk(temporary), contextlib.closing(build.ledger):
            with (
                table_writer(temporary / FILE, ENTITIES) as build.rows,
                table_writer(temporary / LINKS_FILE, LINKS) as build.links,
            ):
                for number, (path, name) in enumerate(zip(sources, forms, strict=True)):
                    build.read(number, source(name)(path, given))
                build.flush()
            counts = build.finish(out, mentions)
    write_manifest(
        out / MANIFEST,
        "kb import",
        settings.as_dict(),
        dict(zip(_names_of(sources), map(sha256_of, sources), strict=True)),
        formats=sorted(set(forms)),
        map=given.columns,
        where=list(where),
        **counts,
    )
    _tell(sources, counts)
    return counts


class _Build:
    """A knowledge base that is being written: a group of rows, names on disk, counts."""

    def __init__(self, folder: Path, sources: Sequence[Path], settings: Import):
        self.folder, self.sources, self.settings = folder, sources, settings
        self.ledger = Ledger(folder / "ledger.sqlite", sources)
        self.notes, self.left_out = Notes(), Notes()
        self.worlds: Counter[str] = Counter()
        self.counts: Counter[str] = Counter(without_description=0, with_aliases=0, aliases=0)
        self.group: list[Entity] = []
        self.characters = 0

    def read(self, number: int, items: Iterator[Item]) -> None:
        """Take in all of a source."""
        path = self.sources[number]
        for item in items:
            if isinstance(item, Redirect):
                self.ledger.add_redirect(item.world, item.title, item.target)
                continue
            if isinstance(item, Entity):
                item = tidy(item, self.settings, self.notes, str(path))
            if isinstance(item, LeftOut):
                self.left_out.add(item.why, f"{path}, {item.place}")
                continue
            if len(item.world.encode(errors="replace")) > LONGEST_WORLD:
                raise InputError(
                    f"{path}, {item.place}: its world's name has {len(item.world)} characters, at "
                    f"most {LONGEST_WORLD} bytes are taken. Name another column with --map "
                    "world=COLUMN, or a world for all with --world."
                )
            self.ledger.add_entity(item.world, item.id, item.title, number, item.place)
            self.worlds[item.world] += 1
            self.counts["without_description"] += not item.description
            self.group.append(item)
            self.characters += len(item.description)
            if len(self.group) >= ROWS_A_GROUP or self.characters >= CHARACTERS_A_GROUP:
                self.flush()

    def flush(self) -> None:
        """Write the group."""
        if not self.group:
            return
        rows = [
            (one.id, one.title, one.description, one.aliases, one.world, list(one.further.items()))
            for one in self.group
        ]
        table = table_of(ENTITIES, list(zip(*rows, strict=True)))
        self.rows.write_table(table, row_group_size=len(rows))
        links = [
            (
                [link.start for link in own],
                [link.end for link in own],
                [link.target for link in own],
            )
            for own in (one.links for one in self.group)
        ]
        self.links.write_table(table_of(LINKS, list(zip(*links, strict=True))))
        self.group.clear()
        self.characters = 0

    def finish(self, out: Path, mentions: Path | None) -> dict[str, Any]:
        """Check the names of all, add redirects to aliases, put the file in its place; count."""
        if not self.worlds:
            raise InputError(f"{_listed(self.sources)}: no entity.{self._why_none()}")
        self.ledger.finish()
        if twice := self.ledger.first_twice():
            identity, first, second = twice
            raise InputError(
                f"{second}: id {identity!r} is already that of {first}. Ids must differ within a "
                "world. Remove one of the two, or take another column with --map id=COLUMN."
            )
        count, first = self.ledger.equal_titles(SHOWN)
        if count:
            key = "titles of several entities of a world (kept apart)"
            self.notes.counts[key], self.notes.examples[key] = count, first
        if lost := self.ledger.lost_redirects():
            self.left_out.counts["redirects to no entity"] = lost
            self.left_out.examples["redirects to no entity"] = []
        self.redirected = self.ledger.has_redirects()
        with atomic_path(out / FILE) as final:
            self._with_redirects(final)
            dataset = {} if mentions is None else {"dataset": self._dataset(final, mentions)}
            # The old manifest must never lie beside the new table.
            (out / MANIFEST).unlink(missing_ok=True)
        return {
            "entities": self.worlds.total(),
            "worlds": dict(self.worlds),
            **self.counts,
            "told": self.notes.as_dict(),
            "left_out": self.left_out.as_dict(),
            **dataset,
        }

    def _dataset(self, entities: Path, folder: Path) -> dict[str, Any]:
        return write_dataset(
            folder,
            entities,
            self.folder / LINKS_FILE,
            self.ledger,
            list(self.worlds),
            self.settings.mentions,
            self.folder,
        )

    def _with_redirects(self, final: Path) -> None:
        """Copy the table, with each entity's further titles among its aliases."""
        with (
            pq.ParquetFile(self.folder / FILE) as file,
            pq.ParquetWriter(final, ENTITIES) as writer,
        ):
            for number in range(file.num_row_groups):
                table = file.read_row_group(number)
                aliases = [
                    self._names(*row)
                    for row in zip(
                        *(table[name].to_pylist() for name in ("world", "title", "aliases")),
                        strict=True,
                    )
                ]
                at = ENTITIES.get_field_index("aliases")
                column = pa.array(aliases, ENTITIES.field(at).type)
                table = table.set_column(at, ENTITIES.field(at), column)
                writer.write_table(table, row_group_size=len(table))

    def _names(self, world: str, title: str, aliases: list[str]) -> list[str]:
        further = self.ledger.redirects_to(world, title) if self.redirected else []
        names = [name for name in dict.fromkeys([*aliases, *further]) if name != title]
        names = shortened(names, self.settings, self.notes, f"{world}, {title!r}")
        self.counts["with_aliases"] += bool(names)
        self.counts["aliases"] += len(names)
        return names

    def _why_none(self) -> str:
        return "".join(
            f" Left out: {count} ({why})." for why, count in self.left_out.counts.items()
        )


@contextlib.contextmanager
def _full_disk(folder: Path) -> Iterator[None]:
    """SQLite's error of a full disk, in words for users."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise InputError(
            f"{folder}: cannot be written ({error}). Free some space, then run the same command "
            "again; nothing was changed."
        ) from error


def _names_of(paths: Sequence[Path]) -> list[str]:
    """Names of files, with their folders where two files have one name."""
    names = [path.name for path in paths]
    return names if len(set(names)) == len(names) else list(map(str, paths))


def _pairs(given: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for one in given:
        name, equals, column = one.partition("=")
        if not (name and equals and column):
            raise InputError(f"--map {one}: expected CANONICAL=COLUMN, such as title=name.")
        pairs[name] = column
    return pairs


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))


def _tell(sources: Sequence[Path], counts: dict[str, Any]) -> None:
    """The report, for people."""
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
    for heading in ("told", "left_out"):
        for what, one in counts[heading].items():
            examples = f", such as {one['first'][0]}" if one["first"] else ""
            label = "left out: " if heading == "left_out" else ""
            logger.info("%s%d %s%s", label, one["count"], what, examples)
