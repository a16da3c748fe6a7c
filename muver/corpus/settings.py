"""Settings of what the corpus is made of: sections ``corpus``, ``download``, ``generate`` and
``linking.kb`` of params.yaml."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from muver.io.typed import Count, FileName, Natural, Settings, Share, Some, Text

SetName = Annotated[str, Meta(pattern="^[a-z0-9_-]+$")]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Corpus(Settings):
    """How a mention's context is kept: space tokens on each side of it."""

    context_tokens: Count


class Download(Settings):
    """Where a dataset's archive is, in place of its declared address, and its hash."""

    url: str | None
    source: str | None
    sha256: Sha256 | None


class Worlds(Settings):
    """Names of invented worlds by split."""

    train: Some[FileName]
    val: Some[FileName]
    test: Some[FileName]


class MentionsBySplit(Settings):
    """How many mentions each split gets."""

    train: Count
    val: Count
    test: Count


class Generate(Settings):
    """The built-in dataset, in ZESHEL's format."""

    seed: Natural
    worlds: Worlds
    entities_per_world: Count
    mentions: MentionsBySplit


class GenerateKilt(Settings):
    """The built-in encyclopedia, in KILT's format; mentions by set."""

    seed: Natural
    entities: Count
    entities_per_world: Count
    mentions: dict[SetName, Count]


class KnowledgeBase(Settings):
    """How KILT's knowledge source is read: what is kept, and how many bad lines are borne."""

    paragraphs: Count
    part_bytes: Count
    bad_lines: Natural
    bad_share: Share
    duplicates: Literal["refuse", "first"]


class LinkedSet(Settings):
    """A set of linked mentions: its file, its format, and which part of AIDA's file it is."""

    file: Text
    format: Literal["conll", "blink"] | UnsetType = UNSET
    part: Literal["train", "testa", "testb"] | UnsetType = UNSET
