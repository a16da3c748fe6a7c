"""Settings of the stages that encode, with where and how they compute."""

from typing import Literal

from muver.io.typed import Count, Natural, Share, Text
from muver.retriever.encoders.settings import Encoding
from muver.retriever.views.settings import Merging


class Encode(Encoding):
    """The entities and mentions of a split."""

    split: Text


class Part(Encoding):
    """A part of a knowledge base; ``dtype`` is the type of the vectors on disk."""

    dtype: Literal["fp16", "fp32"]


class GlobalViews(Encoding):
    """One view of each whole description, with at most ``max_tokens`` tokens."""

    max_tokens: Count


class Spans(Encoding):
    """Every run of neighbouring views, for entities with at most ``max_views`` views."""

    max_views: Natural
    max_tokens: Count


class Merge(Encoding, kw_only=True):
    """A search of params.yaml's ``merge``, with the fields of :class:`Merging`."""

    layers: Natural
    top_k: Share
    pairs: Literal["distant", "close"]
    among: Literal["neighbours", "all"]
    wasted: Literal["kept", "replaced"] = "kept"  # rows omit it if it is as released
    max_tokens: Count

    @property
    def search(self) -> Merging:
        """The search's settings without those of where it is computed."""
        return Merging(**{key: getattr(self, key) for key in Merging.__struct_fields__})
