"""The canonical tables (entities, mentions, sentences, negatives) and how to read them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from muver.io.errors import InputError
from muver.io.parquet import read_table

ENTITIES = pa.schema(
    [
        ("world", pa.string()),
        ("entity", pa.int32()),  # line of documents/<world>.json, from 0
        ("document_id", pa.string()),
        ("title", pa.string()),
        ("text", pa.string()),
        ("type", pa.string()),  # null where the dataset says none
    ]
)
MENTIONS = pa.schema(
    [
        ("mention_id", pa.string()),
        ("split", pa.string()),
        ("world", pa.string()),
        ("document", pa.string()),  # the mention's document; null if unknown
        ("context_left", pa.string()),  # contexts and mention are lower-cased
        ("mention", pa.string()),
        ("context_right", pa.string()),
        ("gold", pa.int32()),  # an entity of the same world
        ("category", pa.string()),
    ]
)
# Mentions linked to a knowledge base; ``gold`` numbers all of its entities, null if not in it.
LINKED_MENTIONS = MENTIONS.set(
    MENTIONS.get_field_index("gold"), pa.field("gold", pa.int64())
).append(pa.field("matched", pa.string()))  # how the gold was found: "id", "title" or "none"
WIKIPEDIA = "wikipedia"  # the world of all linked mentions
SENTENCES = pa.schema(
    [
        ("world", pa.string()),
        ("entity", pa.int32()),
        ("sentences", pa.list_(pa.string())),
    ]
)
NEGATIVES = pa.schema(
    [
        ("mention_id", pa.string()),
        ("negatives", pa.list_(pa.int64())),  # entities of the mention's world, hardest first
        ("ranks", pa.list_(pa.int32())),  # in the run they come from, from 1; 0 if drawn at random
        ("scores", pa.list_(pa.float32())),  # in that run; null if drawn at random
    ]
)
ROWS_A_GROUP = 10_000


def read_entities(
    path: str | Path, worlds: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> pa.Table:
    """Entities (`ENTITIES`, or some columns) sorted by world and number, of all worlds or only of
    the named ones.
    """
    return read_table(path, ENTITIES, "a table of entities", "corpus", columns, world=worlds)


def titles_by_world(path: str | Path, worlds: Iterable[str]) -> dict[str, list[str]]:
    """Titles of the entities of each world."""
    return {world: read_entities(path, [world], ["title"])["title"].to_pylist() for world in worlds}


def read_mentions(path: str | Path, split: str | None = None) -> pa.Table:
    """Mentions (`MENTIONS`) in the order of their files, of all splits or of one that has some."""
    splits = None if split is None else [split]
    table = read_table(path, MENTIONS, "a table of mentions", "corpus", split=splits)
    if split is not None and not table.num_rows:
        raise InputError(f"{path}: no mentions in split {split!r}.")
    return table


def read_linked_mentions(path: str | Path) -> pa.Table:
    """Mentions linked to a knowledge base (`LINKED_MENTIONS`), in their file's order."""
    return read_table(path, LINKED_MENTIONS, "a table of linked mentions", "link")


def read_sentences(
    path: str | Path, worlds: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> pa.Table:
    """Sentences by entity (`SENTENCES`, or some columns), in the order of :func:`read_entities`."""
    return read_table(path, SENTENCES, "a table of sentences", "segment", columns, world=worlds)


def read_negatives(path: str | Path) -> pa.Table:
    """Hard negatives (`NEGATIVES`), in the order of the mentions."""
    return read_table(path, NEGATIVES, "a table of negatives", "negatives")


def negatives_of(path: str | Path, count: int) -> dict[str, list[int]]:
    """At most ``count`` hard negatives of each mention, by its id."""
    rows = read_negatives(path).to_pylist()
    return {row["mention_id"]: row["negatives"][:count] for row in rows}
