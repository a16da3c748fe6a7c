"""Settings of the corpus: sections ``corpus``, ``download``, ``generate`` and ``linking.kb`` of
params.yaml.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from muver.io.typed import Count, FileName, Natural, Settings, Share, Some, Text

SetName = Annotated[str, Meta(pattern="^[a-z0-9_-]+$")]
WorldSize = Annotated[int, Meta(ge=12)]  # two entities of each type
Sha256 = Annotated[str, Meta(pattern="^[0-9a-fA-F]{64}$")]


class Corpus(Settings):
    """How many space tokens of context to keep on each side of a mention."""

    context_tokens: Count


class BuildCorpus(Corpus):
    """What `muver corpus` takes."""

    expected: str | None = None  # a declared source whose published counts must be met


class Download(Settings):
    """Another place for a dataset's archive than its declared address, and its checksum."""

    url: str | None = None
    source: str | None = None
    sha256: Sha256 | None = None


class Worlds(Settings):
    """Names of the invented worlds in each split."""

    train: Some[FileName]
    val: Some[FileName]
    test: Some[FileName]

    def __post_init__(self) -> None:
        # Some systems' file names don't tell capitals from small letters.
        names = [name.lower() for name in (*self.train, *self.val, *self.test)]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"{twice!r} is named twice. A world is in one split, once.")


class MentionsBySplit(Settings):
    """The number of mentions in each split."""

    train: Count
    val: Count
    test: Count


class Generate(Settings):
    """The built-in dataset, in ZESHEL's format; mentions are totals of each split.

    ``one_aspect`` is the share of the passages about a mention's entity that keep to one part of
    its description (:mod:`muver.retriever.corpus.miniwikia.pages`).
    """

    seed: Natural
    worlds: Worlds
    entities_per_world: WorldSize
    one_aspect: Share
    mentions: MentionsBySplit


class GenerateKilt(Settings):
    """The built-in encyclopedia, in KILT's format; ``entities`` counts all of its pages.

    Pages know of each other in groups of about ``entities_per_world``; ``mentions`` are by set.
    """

    seed: Natural
    entities: WorldSize
    entities_per_world: WorldSize
    mentions: dict[SetName, Count]


class BadLines(Settings):
    """How many unreadable lines a large file may have, and what happens to repeated ids."""

    bad_lines: Natural  # more than this many stop the reading,
    bad_share: Share  # if they are also more than this share of all lines
    duplicates: Literal["refuse", "first"]


class KnowledgeBase(BadLines):
    """How much of each page of KILT's knowledge source to keep, and how large the parts are."""

    paragraphs: Count
    part_bytes: Count


class ReadDump(KnowledgeBase):
    """What `muver kb` takes."""

    expected: str | None = None  # a declared source whose published number of entities must be met


class ReadTexts(BadLines):
    """What `muver kb-texts` takes; ``duplicates`` applies to ids that the knowledge base has."""

    expected: str | None = None


class Link(Corpus):
    """What `muver link` takes for one set."""

    match: Literal["id", "id_or_title"]
    format: Literal["blink", "conll"] | None = None  # None: guessed from the file's ending
    part: Literal["train", "testa", "testb"] | None = None  # of AIDA's file
    expected: str | None = None  # a declared source whose published number of mentions must be met


class Subset(Settings):
    """What `muver kb-subset` takes."""

    further: Natural  # entities drawn from the rest of the base, as more candidates in validation
    seed: Natural  # for that draw


class LinkedSet(Settings):
    """A set of linked mentions: its file, its format, and which part of AIDA's file it is."""

    file: Text
    format: Literal["conll", "blink"] | UnsetType = UNSET
    part: Literal["train", "testa", "testb"] | UnsetType = UNSET
