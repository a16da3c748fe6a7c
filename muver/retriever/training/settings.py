"""Settings of training: section ``training`` of params.yaml, and a model's hard negatives."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from muver.io.errors import InputError
from muver.io.typed import Amount, Count, Natural, Positive, Settings, Share, Text, read
from muver.retriever.encoders.settings import Vectors
from muver.retriever.retrieval.settings import check_ranks

# A model's settings omit these values, so that its key stays as it was before they existed.
BEFORE = {
    "padding_views": False,
    "average_gradients_over": 1,
    "optimiser": "adamw",
    "keep": "best",
    "initial_scale": 20,
}


class Training(Settings):
    """How two towers are trained (section 3.2), and where the released code differed."""

    batch_size: Count
    epochs: Count
    learning_rate: Positive
    weight_decay: Amount
    warmup: Share
    clip_norm: Positive
    adam_epsilon: Positive
    mask_false_negatives: bool
    validate_every: Count
    validation_cutoff: Count
    keep: Literal["best", "last"]
    checkpoint_every: Count
    chunk_tokens: Count
    graph_tokens: Natural
    initial_scale: Positive
    padding_views: bool
    average_gradients_over: Count
    optimiser: Literal["adamw", "adamw_released"]


class HardNegatives(Settings):
    """A model's hard negatives: the row whose run they are mined from, how many, and which.

    The keys are explained at :class:`muver.retriever.retrieval.settings.Mining`.
    """

    from_: Text = field(name="from")
    count: Count
    ranks: tuple[Count, Count] | UnsetType = UNSET
    margin: int | float | UnsetType = UNSET
    random: Share | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranks(self.ranks)


def training_settings(given: Mapping[str, Any], views: Mapping[str, Any]) -> Training:
    """Check the section ``training`` together with the model's ``views``.

    The keys of :data:`BEFORE` are optional.
    """
    settings = read(Training, {**BEFORE, **given}, "--settings: training")
    if settings.padding_views and not views.get("training_views"):
        raise InputError(
            "training.padding_views fills up to views.training_views, which is not set. Give it "
            "a number, or set padding_views to false."
        )
    return settings


def check_sources(settings: Mapping[str, Any], from_model: bool, with_negatives: bool) -> None:
    """Refuse settings that contradict the files given as start and as negatives.

    ``from_model`` tells whether training starts from a model's directory.
    """
    if "start" in settings and not from_model:
        raise InputError(
            "--settings: start names a model, but --start is no model's directory (it has no "
            "muver.json). Give that model's directory."
        )
    if "negatives" in settings and not with_negatives:
        raise InputError("--negatives is missing: the settings ask for hard negatives.")
    count = settings.get("negatives", {}).get("per_mention")
    if with_negatives and (type(count) is not int or count < 1):
        raise InputError(
            f"--settings: negatives.per_mention is {count!r}, expected how many of --negatives to "
            "take: a whole number, at least 1."
        )


class Pretrain(Settings):
    """Pre-training of the encoder on the training worlds' texts; none at 0 steps.

    Attributes
    ----------
    batch_size
        Queries per batch, all of one world.
    mask
        Share of the pieces to hide and predict; 0 trains without masked words.
    hide_names
        Share of the queries naming a page in which the name is hidden.
    keep_text
        How often a page keeps the text of a query that was taken from it and asks for it.
    """

    steps: Natural
    batch_size: Annotated[int, Meta(ge=2)]
    learning_rate: Positive
    weight_decay: Amount
    warmup: Share
    clip_norm: Positive
    adam_epsilon: Positive
    mask: Share
    hide_names: Share
    keep_text: Share


class Pretraining(Pretrain, kw_only=True):
    """What ``muver pretrain`` takes: the section, and what it shares with training."""

    context_tokens: Count
    initial_scale: Positive
    vectors: Vectors
    precision: Literal["fp32", "bf16"]
    seed: Natural
