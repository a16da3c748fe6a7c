"""From files to a canonical knowledge base, with a report; memory holds a row group at a time."""

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec.structs import asdict

from muver.io.errors import InputError, disk_errors
from muver.io.files import (
    BESIDE,
    folder_beside,
    read_json,
    sha256_of,
    synchronise_all,
    write_manifest,
)
from muver.io.parquet import row_groups
from muver.io.progress import logger
from muver.io.text import counted
from muver.kb.importing.dataset import write_dataset
from muver.kb.importing.importing_settings import Import, Options
from muver.kb.importing.ledger import Ledger, opened_ledger
from muver.kb.importing.markup import without_html
from muver.kb.importing.piped import at_rest, is_pipe
from muver.kb.importing.schema import (
    ENTITIES,
    FILE,
    MANIFEST,
    ROWS_A_GROUP,
    WORLD,
    Entity,
    is_world,
)
from muver.kb.importing.sources import FORMATS, format_of, source
from muver.retriever.corpus.opening import LeftOut, Notes, opened

CHARACTERS_A_GROUP = 1 << 22
STAGE = "kb import"
LINKED = {"mediawiki", "linked"}  # forms with links, whose descriptions are text without HTML


def import_kb(
    sources: Sequence[Path],
    *,
    out: Path,
    settings: Import,
    form: Literal[*FORMATS] | None = None,
    world: str | None = None,
    columns: Sequence[tuple[str, str]] = (),
    where: Sequence[str] = (),
    workers: int = 1,
    mentions: Path | None = None,
) -> dict[str, Any]:
    """Read a knowledge base of any usual form into a canonical one.

    docs/own-data.md has a section for each form. Nothing is written if anything in a file is wrong.

    Parameters
    ----------
    sources
        Files or pipes, of one form or of several, compressed or not; - is standard input.
    out
        Folder for ``entities.parquet`` and ``manifest.json``, which has the counts.
    form
        The form of the files. By default their endings tell it.
    world
        The world of all entities; with --map world=COLUMN, of the rows that name none. By default
        the source's own, or the file's name.
    columns
        NAME=COLUMN says which column is the id, title, description, aliases or world, where the
        column's name doesn't; NAME= says that none is.
    where
        PROPERTY=ITEM: which entities of Wikidata to keep; several conditions must all hold.
        P31=Q5 keeps humans, P31=Q5|Q43229 organisations too, P625 whatever has coordinates.
    workers
        Processes that read a wiki, Wikidata, KILT or BLINK.
    mentions
        Folder for a dataset in ZESHEL's format, whose mentions are a wiki's links.

    Returns
    -------
    The manifest's counts.
    """
    if workers < 1:
        raise InputError(f"--workers: {workers} is not a number of processes; at least 1 is.")
    options = Options(settings, dict(columns), world, tuple(where), workers)
    return import_sources(sources, options, out, form, mentions)


def import_sources(
    sources: Sequence[Path],
    options: Options,
    out: Path,
    form: str | None = None,
    mentions: Path | None = None,
) -> dict[str, Any]:
    """:func:`import_kb`, with the options of what reads a source."""
    _check_free(out, mentions)
    settings = options.settings
    with contextlib.ExitStack() as open_folders:
        files = open_folders.enter_context(at_rest(sources, out))
        for path in files:
            with opened(path):  # what can't be opened is told before hours go into another one
                pass
        forms = [form or format_of(path) for path in files]
        if options.where and set(forms) != {"wikidata"}:
            raise InputError("--where: only Wikidata's dump has properties to filter by.")
        if mentions is not None and LINKED.isdisjoint(forms):
            raise InputError("--mentions: only wikis have links, and --format linked.")
        names = [path.name for path in files]
        if len(set(names)) < len(names):
            names = list(map(str, files))
        # Within a folder that is there: it may be another disk, or none to write to.
        temporary = open_folders.enter_context(folder_beside(out / FILE if out.exists() else out))
        dataset = mentions and open_folders.enter_context(folder_beside(mentions))
        ledger = open_folders.enter_context(opened_ledger(temporary, files))
        build = _Build(ledger, settings)
        for number, (path, form_of_file) in enumerate(zip(files, forms, strict=True)):
            build.read(number, path, form_of_file, options)
        build.check()
        open_folders.enter_context(disk_errors(out, "Nothing was changed."))
        build.write(temporary / FILE)
        counts = build.summary()
        if mentions is not None:
            worlds = list(build.worlds)
            with disk_errors(mentions, "Nothing was changed."):
                counts["dataset"] = write_dataset(dataset, ledger, worlds, settings.mentions)
                synchronise_all(dataset)
        write_manifest(
            temporary / MANIFEST,
            STAGE,
            settings.as_dict(),
            dict(zip(names, map(sha256_of, files), strict=True)),
            formats=sorted(set(forms)),
            map=options.columns,
            where=list(options.where),
            **counts,
        )
        out.mkdir(exist_ok=True)
        # The old manifest must never lie beside the new table.
        (out / MANIFEST).unlink(missing_ok=True)
        for name in (FILE, MANIFEST):
            (temporary / name).replace(out / name)
        if mentions is not None:
            dataset.replace(mentions)
        _tell(files, counts)
    return counts


@contextlib.contextmanager
def as_kb(
    source: Path,
    beside: Path,
    world: str | None = None,
    columns: Mapping[str, str] | None = None,
    only: str | None = None,
) -> Iterator[Path]:
    """A canonical knowledge base: the folder ``source``, or what a file's entities are meanwhile
    imported to, on the disk of ``beside``. Rows that name no ``world`` get it, or ``only``.
    """
    if source.is_dir():
        if columns or world is not None:
            raise InputError(
                f"{source}: a knowledge base, whose worlds and columns are settled; --world and "
                "--map are for files. Give them to `muver kb import`, or name the file here."
            )
        yield source
        return
    if not (source.is_file() or is_pipe(source)):
        raise InputError(f"{source}: no such folder or file.")
    with folder_beside(beside) as folder:
        kb = folder / "kb"
        of_all = only if world is None else world
        options = Options(Import(), dict(columns or {}), of_all, replaces=world is not None)
        try:
            import_sources([source], options, kb)
        except InputError as error:
            raise InputError(
                f"{error} (`muver kb import` has more options: make a folder with it, and name "
                "that here.)"
            ) from error
        yield kb


def _check_free(out: Path, mentions: Path | None) -> None:
    """Refuse a place where something is that no import wrote, and one of mentions that is there."""
    if mentions is not None and (mentions.exists() or mentions == out):
        raise InputError(f"{mentions}: is there already. Remove it, or name another folder.")
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is no folder. Remove it, or name another place with --out.")
    names = {path.name for path in out.glob("*") if not path.name.endswith(BESIDE)}
    if MANIFEST in names:
        written = read_json(out / MANIFEST)
        ours = isinstance(written, dict) and written.get("stage") == STAGE
    else:
        ours = names <= {FILE}  # all that a killed import may leave
    if not ours:
        raise InputError(f"{out}: has files that no import wrote. Name another folder with --out.")


class _Build:
    """A knowledge base in the making: what was read, on disk, and counts."""

    def __init__(self, ledger: Ledger, settings: Import):
        self.ledger, self.settings = ledger, settings
        self.notes, self.left_out = Notes(), Notes()
        self.worlds: Counter[str] = Counter()
        self.counts: Counter[str] = Counter(without_description=0, with_aliases=0, aliases=0)

    def read(self, number: int, path: Path, form: str, options: Options) -> None:
        """Take in all of a source."""
        world, html = options.world_of(path), options.settings.html and form not in LINKED
        for item in source(form)(path, options):
            if isinstance(item, Entity):
                item.world = item.world or world
                item = self._tidy(item, f"{path}, {item.place}", html)
            if isinstance(item, LeftOut):
                self.left_out.add(item.why, f"{path}, {item.place}")
            else:
                self.ledger.add(item, number)

    def _tidy(self, entity: Entity, where: str, html: bool) -> Entity | LeftOut:
        """Perhaps take out HTML, and cut what is too long; count what changed."""
        settings, notes = self.settings, self.notes
        try:
            msgspec.msgpack.encode(entity)
        except UnicodeEncodeError:  # half of a surrogate pair, such as &#xD800; in a wiki
            return LeftOut("texts that are not Unicode", entity.place)
        entity.id = entity.id.strip()
        if not entity.id:
            raise InputError(
                f"{where}: no id. Every entity needs one of its own; in a table name another "
                "column with --map id=COLUMN."
            )
        if not is_world(entity.world):
            raise InputError(
                f"{where}: world {entity.world[:50]!r}: expected {WORLD}. Name another column "
                "with --map world=COLUMN, or a world for all with --world NAME."
            )
        if html:
            written = [entity.title, entity.description, *entity.aliases]
            if (plain := list(map(without_html, written))) != written:
                notes.add("entities with HTML, which was taken out", where)
            entity.title, entity.description, *entity.aliases = plain
        title, text = " ".join(entity.title.split()), entity.description.rstrip()
        if not entity.links:  # they count characters
            text = text.lstrip()
        if not title and not text:
            return LeftOut("neither title nor description", entity.place)
        if not title:
            notes.add("entities without a title", where)
        if len(text) > settings.longest:
            what = f"descriptions cut at {settings.longest} characters"
            notes.add(what, f"{where}: {len(text)} characters")
            text = text[: settings.longest].rstrip()
        self.worlds[entity.world] += 1
        self.counts["without_description"] += not text
        entity.title, entity.description = title, text
        entity.further = {name: text for name, text in entity.further.items() if text}
        entity.links = [link for link in entity.links if link.end <= len(text)]
        return entity

    def check(self) -> None:
        """Look at the names of all."""
        if not self.worlds:
            why = (f" Left out: {out.count} ({why})." for why, out in self.left_out.items())
            files = ", ".join(map(str, self.ledger.files))
            raise InputError(f"{files}: no entity.{''.join(why)}")
        self.ledger.finish()
        self.ledger.check_ids()
        for world, title in self.ledger.lost_redirects():
            self.left_out.add("redirects to no entity", f"{world}, {title!r}")

    def write(self, path: Path) -> None:
        """Write all entities, with the titles of redirects among their aliases."""
        with pq.ParquetWriter(path, ENTITIES) as writer:
            for group in row_groups(
                self.ledger.entities(),
                lambda e: len(e.description),
                ROWS_A_GROUP,
                CHARACTERS_A_GROUP,
            ):
                rows = [{**asdict(e), "aliases": self._names(e)} for e in group]
                table = pa.Table.from_pylist(rows, ENTITIES)
                writer.write_table(table, row_group_size=len(rows))

    def _names(self, entity: Entity) -> list[str]:
        """The names beside the title, each once, and as many as the settings allow."""
        further = self.ledger.redirects_to(entity.world, entity.title)
        every = (" ".join(name.split()) for name in [*entity.aliases, *further])
        names = [name for name in dict.fromkeys(every) if name and name != entity.title]
        most = self.settings.most_aliases
        if len(names) > most:
            what = f"entities of whose aliases {most} were kept"
            self.notes.add(what, f"{entity.world}, {entity.title!r}: {len(names)} aliases")
            names = names[:most]
        self.counts["with_aliases"] += bool(names)
        self.counts["aliases"] += len(names)
        return names

    def summary(self) -> dict[str, Any]:
        """The manifest's counts."""
        return {
            "entities": self.worlds.total(),
            "worlds": dict(self.worlds),
            **self.counts,
            "told": msgspec.to_builtins(self.notes),
            "left_out": msgspec.to_builtins(self.left_out),
        }


def _tell(sources: Sequence[Path], counts: dict[str, Any]) -> None:
    parts = [counted(counts["entities"], "entity", "entities")]
    if undescribed := counts["without_description"]:
        parts.append(f"{undescribed} without a description")
    if named := counts["with_aliases"]:
        parts.append(f"{named} with {counted(counts['aliases'], 'alias', 'aliases')}")
    logger.info("%s: %s", ", ".join(map(str, sources)), ", ".join(parts))
    if dataset := counts.get("dataset"):
        logger.info(
            "mentions: %s; left out: %d, and of links that lead to no entity %d",
            ", ".join(f"{split} {count}" for split, count in dataset["mentions"].items()),
            dataset["mentions_left_out"], dataset["links_to_no_entity"],
        )  # fmt: skip
    for heading, label in (("told", ""), ("left_out", "left out: ")):
        for what, note in counts[heading].items():
            logger.info("%s%s: %d, such as %s", label, what, note["count"], note["first"][0])
