"""The canonical tables: entities, mentions, sentences, negatives; how to write and read them."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from muver.errors import InputError
from muver.files import atomic_path

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
        ("document", pa.string()),  # that the mention stands in; null where it is not known
        ("context_left", pa.string()),  # contexts and mention are lower-cased
        ("mention", pa.string()),
        ("context_right", pa.string()),
        ("gold", pa.int32()),  # an entity of the same world
        ("category", pa.string()),
    ]
)
# Mentions over a knowledge base. Entities are numbered over all of it; null: gold outside.
LINKED_MENTIONS = MENTIONS.set(
    MENTIONS.get_field_index("gold"), pa.field("gold", pa.int64())
).append(pa.field("matched", pa.string()))  # how the gold was found: "id", "title" or "none"
WIKIPEDIA = "wikipedia"  # the world of all of them
SENTENCES = pa.schema(
    [
        ("world", pa.string()),
        ("entity", pa.int32()),
        ("sentences", pa.list_(pa.string())),
        ("starts", pa.list_(pa.int32())),  # character spans in muver.views.segment.clean(text)
        ("ends", pa.list_(pa.int32())),
    ]
)
NEGATIVES = pa.schema(
    [
        ("mention_id", pa.string()),
        ("negatives", pa.list_(pa.int64())),  # entities of the mention's world, hardest first
        ("ranks", pa.list_(pa.int32())),  # in the run that they were taken from, from 1
        ("scores", pa.list_(pa.float32())),  # there
    ]
)
NEGATIVES_KB = b"kb"  # metadata: fingerprint of the knowledge base whose numbers they are
ROWS_A_GROUP = 10_000


@contextlib.contextmanager
def table_writer(path: str | Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """Write a Parquet file piece by piece; it appears under its name when all went well."""
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, schema) as writer:
        yield writer


def read_entities(path: str | Path, worlds: Sequence[str] | None = None) -> pa.Table:
    """Entities sorted by world and number (`ENTITIES`), of all worlds or the named ones."""
    return _read(path, ENTITIES, "world", worlds)


def read_mentions(path: str | Path, split: str | None = None) -> pa.Table:
    """Mentions in the order of their files (`MENTIONS`), of all splits or of one."""
    return _read(path, MENTIONS, "split", None if split is None else [split])


def read_sentences(path: str | Path, worlds: Sequence[str] | None = None) -> pa.Table:
    """Sentences by entity (`SENTENCES`), in the order of `read_entities`."""
    return _read(path, SENTENCES, "world", worlds)


def read_negatives(path: str | Path) -> pa.Table:
    """Hard negatives of mentions (`NEGATIVES`), in the order of the mentions."""
    return _read(path, NEGATIVES, "mention_id", None)


def _read(
    path: str | Path, schema: pa.Schema, column: str, wanted: Sequence[str] | None
) -> pa.Table:
    filters = None if wanted is None else [(column, "in", list(wanted))]
    try:
        found = pq.read_schema(path)
        if not found.equals(schema):
            raise InputError(
                f"{path}: has the columns {', '.join(found.names)}, expected "
                f"{', '.join(schema.names)}. Make it again with this version."
            )
        return pq.read_table(path, filters=filters, partitioning=None)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.") from None
    except pa.ArrowInvalid as error:
        raise InputError(f"{path}: not a Parquet file, or damaged ({error}).") from None
