"""What can be asked of the generator."""

from typing import Annotated

from msgspec import Meta

from muver.io.typed import Count, FileName, Natural, Settings, Share, Some

WorldSize = Annotated[int, Meta(ge=12)]  # two entities of each type
SetName = Annotated[str, Meta(pattern="^[a-z0-9_-]+$")]


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
    """Wikis in ZESHEL's format; ``mentions`` are totals of each split.

    ``one_aspect`` is the share of the passages about a mention's entity that keep to one part of
    its description (:mod:`miniwikia.pages`).
    """

    seed: Natural
    worlds: Worlds
    entities_per_world: WorldSize
    one_aspect: Share
    mentions: MentionsBySplit


class GenerateKilt(Settings):
    """An encyclopedia in KILT's format; ``entities`` counts all of its pages.

    Pages know of each other in groups of about ``entities_per_world``; ``mentions`` are by set.
    """

    seed: Natural
    entities: WorldSize
    entities_per_world: WorldSize
    mentions: dict[SetName, Count]
