"""The canonical knowledge base: a folder with ``entities.parquet`` and ``manifest.json``; and what
its sources give: entities, further titles of entities, and what they left out.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from msgspec import Struct

from muver.io.errors import InputError
from muver.io.parquet import batches, parquet_errors, read_table
from muver.retriever.corpus.opening import LeftOut

ENTITIES = pa.schema(
    [
        ("id", pa.string()),  # unique within its world
        ("title", pa.string()),
        ("description", pa.string()),  # may be empty; the title is then all that is known
        ("aliases", pa.list_(pa.string())),  # further names, without the title
        ("world", pa.string()),
        ("further", pa.map_(pa.string(), pa.string())),  # the source's other columns
    ]
)
FILE = "entities.parquet"
MANIFEST = "manifest.json"
ROWS_A_GROUP = 5_000
LONGEST_WORLD = 200  # bytes of its name, of which names of files are made
WORLD = f"a name of 1 to {LONGEST_WORLD} bytes, without slashes and control characters"


class Link(Struct, frozen=True):
    """A link in a description: characters ``start <= c < end``, to the page called ``target``."""

    start: int
    end: int
    target: str


class Entity(Struct):
    """An entity, as its source has it."""

    id: str
    title: str
    description: str
    place: str = ""  # in its file, for messages: "line 12"
    world: str = ""
    aliases: list[str] = []
    further: dict[str, str] = {}  # the source's other columns
    links: list[Link] = []  # of the description, in its order, none within another


class Redirect(Struct):
    """A further title of the entity called ``target``."""

    world: str
    title: str
    target: str


Item = Entity | Redirect | LeftOut


def is_world(name: str) -> bool:
    """Whether a world may have this name, which names of files have."""
    fits = 0 < len(name.encode()) <= LONGEST_WORLD
    return fits and not re.search(r"[/\\\x00-\x1f\x7f-\x9f]", name)


def read_entities(folder: str | Path, columns: Sequence[str] | None = None) -> pa.Table:
    """All entities of a knowledge base (`ENTITIES`), or some of their columns, in its order."""
    path = Path(folder, FILE)
    if not path.is_file():
        none = "no folder with a knowledge base. `muver kb import` makes one of a file's entities."
        raise InputError(f"{folder}: {none}")
    return read_table(path, ENTITIES, "a table of entities", "kb import", columns=columns)


def entity_batches(
    folder: str | Path, columns: Sequence[str] | None = None, rows: int = ROWS_A_GROUP
) -> Iterator[pa.RecordBatch]:
    """The same entities in pieces of at most ``rows``; memory holds one."""
    read_entities(folder, [])  # its form, without its rows
    path = Path(folder, FILE)
    with parquet_errors(path, "Run the kb import stage that makes it."):
        for batch in batches(path, rows, columns):
            batch.validate(full=True)  # whether texts are UTF-8
            yield batch
