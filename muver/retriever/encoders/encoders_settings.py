"""Settings of encoders: sections ``scratch`` and ``compute`` of params.yaml, and a model's own."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from muver.io.typed import Count, Natural, Positive, Settings, Share
from muver.retriever.views.views_settings import Context, Views

Pooling = Literal["cls", "last", "special", "span", "all"]
Vectors = Literal["raw", "unit"]
Precision = Literal["fp32", "bf16", "auto"]
Score = Literal["max", "sum_max", "cross"]
Metric = Literal["dot", "l2"]


class Layouts(Settings):
    """What makes two towers a model: how texts become sequences, and their states a score.

    The score is the maximum over views, SOM's sum over token vectors, or that of a cross-encoder,
    which reads mention and view together and reranks what others retrieve
    (:mod:`muver.retriever.encoders.cross`). ``pooling`` says which states of the last layer make a
    vector (:mod:`muver.retriever.encoders.biencoder`). The metric ``l2`` is minus the Euclidean
    distance (equation 1).

    With ``decay`` a context's pieces weigh exp(-d / ``decay``) in a cross-encoder's sum, d pieces
    from the mention; without it each weighs as much as the mention's own.
    """

    views: Views
    context: Context
    score: Score
    pooling: Pooling = "cls"
    metric: Metric = "dot"
    decay: Positive | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        check_score(self)


# What scores with one view an entity do, and the views' kind.
ONE_VIEW = {
    "sum_max": ("compares the token vectors of one view an entity by dot products", "tokens"),
    "cross": ("reads one view an entity together with the mention", "prefix"),
}


def check_score(settings: Any) -> None:
    """Raise a ValueError where a score stands beside what it has no use for."""
    if settings.decay and settings.score != "cross":
        raise ValueError(
            "decay weighs the pieces that a cross-encoder sums over, and score is "
            f"{settings.score}. Set score to cross, or leave decay out."
        )
    if settings.score not in ONE_VIEW:
        return
    plain = settings.metric in ("dot", UNSET) and settings.pooling in ("cls", UNSET)
    if settings.views.kind == "sentences" or not plain:
        does, kind = ONE_VIEW[settings.score]
        raise ValueError(
            f"score {settings.score} {does}. Set views.kind to {kind} and leave out metric and "
            "pooling, or set score to max."
        )


class ModelConfig(Layouts, kw_only=True):
    """What a model directory stores beside the weights (``muver.json``).

    ``scale`` is the factor between the cosine of two vectors and their dot product; each vector is
    brought to the length of its square root. For token vectors it is divided by the square root of
    ``context.max_tokens``, so that a sum of so many products spreads about as far as one product
    does. None leaves vectors as long as the states are. ``provenance`` tells people how it was
    made.
    """

    # "weighted" comes from the makers of an encoder alone.
    pooling: Literal[Pooling, "weighted"] = "cls"
    scale: Positive | None = None
    provenance: dict[str, Any] = {}

    def as_dict(self) -> dict[str, Any]:
        """The content of muver.json."""
        return {key: value for key, value in super().as_dict().items() if value is not None}

    @property
    def terms(self) -> int:
        """The greatest number of products that a score sums up."""
        return self.context.max_tokens if self.score in ONE_VIEW else 1

    @property
    def pad_to(self) -> tuple[int | None, int | None]:
        """Lengths to which contexts and views are padded, if padding takes part in the score."""
        if not self.views.padding:
            return None, None
        return self.context.max_tokens, self.views.max_tokens


class Scratch(Settings):
    """A small BERT that is made from scratch."""

    # Few, so that names of training worlds are split like unseen names.
    vocabulary: Annotated[int, Meta(ge=100)] = 1500
    layers: Count = 2
    hidden: Count = 128
    heads: Count = 2
    intermediate: Count = 512
    positions: Count = 512
    dropout: Share = 0.0
    initializer_range: Positive = 0.1  # about 1/sqrt(hidden); BERT's 0.02 is for 768

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ValueError(
                f"hidden is {self.hidden}, which heads ({self.heads}) does not divide. Choose a "
                "multiple."
            )


class FromScratch(Settings):
    """What ``muver stage encoder --source scratch`` takes; ``auto``: with its pooling."""

    scratch: Scratch
    seed: Natural
    pooling: Literal["auto"] | UnsetType = UNSET


class Pretrained(Settings):
    """What ``muver stage encoder`` takes for an existing BERT; ``auto``: as its makers pool."""

    pooling: Literal["auto"] | UnsetType = UNSET


class Encoding(Settings):
    """Where and how precisely a job encodes."""

    device: Literal["auto", "cpu", "cuda"]
    precision: Precision
    threads: Count
    processes: Count
    batch_tokens: Count | Literal["auto"]

    def as_dict(self) -> dict[str, Any]:
        """As manifests have it: a stage's own settings come first."""
        values = super().as_dict()
        shared = {key: values.pop(key) for key in Encoding.__struct_fields__}
        return values | shared


class Machine(Encoding, kw_only=True):
    """The section ``compute`` as a stage takes it beside its own settings."""

    training_precision: Literal["fp32", "bf16"] | UnsetType = UNSET


class Compute(Encoding):
    """Where, in how many processes and how precisely jobs compute."""

    training_precision: Literal["fp32", "bf16", "auto"]
