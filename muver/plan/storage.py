"""Bytes on disk of what the stages write, indices apart; and what a made base says of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muver.corpus.kilt.made import made_parts, open_part
from muver.io.errors import InputError
from muver.plan.settings import BYTES

LOOKUP = 32  # bytes an entity: ids.npy 8, by_id.npy 8, by_title.npy 16


@dataclass(frozen=True)
class Base:
    """The knowledge base that is planned for.

    Attributes
    ----------
    entities
        All of them.
    kb_bytes
        Of the parts and lookups.
    segments
        Paragraphs, an entity without any counted as 1.
    origin
        "measured" of a base whose parts are all made; "projected" from some of its parts; "at
        most": as many paragraphs as are kept, in no fewer bytes than the whole dump.
    """

    entities: int
    kb_bytes: int
    segments: int
    origin: str

    def views(self, kind: str) -> int:
        """Views of all entities: one each of kind "prefix", one a paragraph at most else."""
        return self.entities if kind == "prefix" else self.segments

    def views_origin(self, kind: str) -> str:
        """That of the number of views; sizes that follow from it are never themselves measured."""
        few = self.origin == "at most" and kind != "prefix"
        return "at most" if few else "projected"


def expected_base(settings: dict[str, Any]) -> Base:
    """A base that is not there yet.

    ``segments = entities * paragraphs``; ``kb_bytes = dump_bytes + 32 * entities``: the parts keep
    a selection of the dump's text, compressed, so they are smaller than it.
    """
    entities = settings["entities"]
    return Base(
        entities,
        settings["dump_bytes"] + LOOKUP * entities,
        entities * settings["paragraphs"],
        "at most",
    )


def measured_base(folder: str | Path, settings: dict[str, Any]) -> Base:
    """The base in a folder: counted, if it is finished, else projected from the parts there.

    With ``e``, ``b`` and ``s`` the entities, bytes and segments of the parts that are made:
    ``kb_bytes = entities * b / e + 32 * entities`` and ``segments = entities * s / e``. Only
    metadata are read.

    Raises
    ------
    InputError
        If the folder has no part, or a damaged one.
    """
    parts = [open_part(folder, number) for number in made_parts(folder)]
    entities = sum(part.entities for part in parts)
    if not entities:
        raise InputError(f"{folder}: has no parts with entities. `muver kb all` makes them.")
    finished = (Path(folder) / "manifest.json").is_file()
    whole = entities if finished else settings["entities"]
    return Base(
        whole,
        sum(part.bytes for part in parts) * whole // entities + LOOKUP * whole,
        sum(part.segments for part in parts) * whole // entities,
        "measured" if finished else "projected",
    )


def vector_bytes(views: int, entities: int, dimension: int, dtype: str) -> int:
    """Bytes of the parts of vectors: ``views * dimension * 2 (or 4) + entities`` (the counts)."""
    return views * dimension * BYTES[dtype] + entities


def mention_bytes(mentions: int, dimension: int) -> int:
    """Bytes of mention vectors: ``mentions * dimension * 4``."""
    return mentions * dimension * 4
