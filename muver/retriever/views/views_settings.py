"""Settings of an entity's views: sections ``segment``, ``merge`` and ``global_view`` of
params.yaml, and the ``views`` and ``context`` of its models."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from muver.io.typed import Count, Name, Natural, Settings, Share, Text

UNICODE = "unicode"  # stands for a fingerprint where sentences are by Unicode's rules
PUNKT_FILES = (
    "abbrev_types.txt",
    "collocations.tab",
    "ortho_context.tab",
    "sent_starters.txt",
)
Tokens = Annotated[int, Meta(ge=8)]  # an encoder may have fewer positions, and refuses then


class Segment(Settings):
    """The sentence splitter: NLTK's English Punkt, or one trained on the training worlds; or, in
    its place, Unicode's rules, by which a line end ends a sentence too.
    """

    punkt: Literal["english", "train"]
    by: Literal["punkt", "unicode"] | UnsetType = UNSET


class Context(Settings):
    """The length of a mention in its context, and text that stands before it."""

    max_tokens: Tokens
    prompt: Text | UnsetType = UNSET


class Views(Settings):
    """How a description is laid out as views."""

    kind: Literal["prefix", "tokens", "sentences"]
    max_tokens: Tokens
    min_pieces: Count | UnsetType = UNSET
    title_room: Natural | UnsetType = UNSET
    training_views: Count | None | UnsetType = UNSET
    # Sentences that are too long for a view are cut off, as released, or are several views.
    long_sentences: Literal["split"] | UnsetType = UNSET
    types: bool | UnsetType = UNSET
    padding: bool | UnsetType = UNSET
    text: Literal["blink_entities"] | UnsetType = UNSET
    prompt: Text | UnsetType = UNSET  # before each title

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "sentences":
            for key in ("min_pieces", "title_room", "training_views"):
                if getattr(self, key) is UNSET:
                    raise ValueError(f"{key} is missing, which views of sentences need.")
        for key, meant in (("types", "prefix"), ("padding", "tokens")):
            if getattr(self, key) is True and self.kind != meant:
                raise ValueError(
                    f"{key} has a meaning for views of the kind {meant} only, and these are of the "
                    f"kind {self.kind}. Leave it out."
                )

    def whole(self, max_tokens: int) -> "Views":
        """The layout of one view instead: the title and the first tokens of the description."""
        return replace(self, kind="prefix", max_tokens=max_tokens)


class MergeSearch(Settings):
    """Which pairs of views a layer merges, and what happens if a pair makes no new view."""

    pairs: Literal["distant", "close"]
    among: Literal["neighbours", "all"]
    # What happens if a choice among neighbours makes no view: nothing, as released ("kept"), or the
    # next pair is taken ("replaced").
    wasted: Literal["kept", "replaced"] = "kept"

    def __post_init__(self) -> None:
        if self.wasted == "replaced" and self.among != "neighbours":
            raise ValueError("among all views no choice is wasted. Leave wasted out.")


class Merging(MergeSearch, kw_only=True):
    """One search with all of its settings."""

    layers: Natural
    top_k: Share  # int(views * top_k) pairs are merged in a layer
    max_tokens: Count  # of a merged view


class Merge(Settings):
    """The heuristic search (section 3.3): layers of merged views, and ways of choosing pairs."""

    layers: Natural
    top_k: Share
    max_tokens: Tokens
    searches: dict[Name, MergeSearch]


class GlobalView(Settings):
    """One more view per entity: its title and the first tokens of its description."""

    max_tokens: Tokens = 128
