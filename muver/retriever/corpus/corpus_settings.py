"""Settings of the corpus: sections ``corpus``, ``download`` and ``linking.kb`` of params.yaml."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from muver.io.typed import Count, Natural, Settings, Share, Text

SetName = Annotated[str, Meta(pattern="^[a-z0-9_-]+$")]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-fA-F]{64}$")]


class Corpus(Settings):
    """How many space tokens of context to keep on each side of a mention."""

    context_tokens: Count


class BuildCorpus(Corpus):
    """What `muver stage corpus` takes."""

    expected: str | None = None  # a declared source whose published counts must be met


class Download(Settings):
    """Another place for a dataset's archive than its declared address, and its checksum."""

    url: str | None = None
    source: str | None = None
    sha256: Sha256 | None = None


class BadLines(Settings):
    """How many unreadable lines a large file may have, and what happens to repeated ids."""

    bad_lines: Natural = 100  # more than this many stop the reading,
    bad_share: Share = 0.001  # if they are also more than this share of all lines
    duplicates: Literal["refuse", "first"] = "refuse"  # ids that occur twice; first: keep the first


class KnowledgeBase(BadLines, kw_only=True):
    """How much of each page of KILT's knowledge source to keep, and how large the parts are."""

    paragraphs: Count
    part_bytes: Count


class ReadDump(KnowledgeBase):
    """What `muver stage kb` takes."""

    expected: str | None = None  # a declared source whose published number of entities must be met


class ReadTexts(BadLines):
    """What `muver stage kb-texts` takes; ``duplicates`` applies to ids that the base has."""

    expected: str | None = None


class Link(Corpus):
    """What `muver stage link` takes for one set."""

    match: Literal["id", "id_or_title"]
    format: Literal["blink", "conll"] | None = None  # None: guessed from the file's ending
    part: Literal["train", "testa", "testb"] | None = None  # of AIDA's file
    expected: str | None = None  # a declared source whose published number of mentions must be met


class Subset(Settings):
    """What `muver stage kb-subset` takes."""

    further: Natural  # entities drawn from the rest of the base, as more candidates in validation
    seed: Natural  # for that draw


class LinkedSet(Settings):
    """A set of linked mentions: its file, its format, and which part of AIDA's file it is."""

    file: Text
    format: Literal["conll", "blink"] | UnsetType = UNSET
    part: Literal["train", "testa", "testb"] | UnsetType = UNSET
