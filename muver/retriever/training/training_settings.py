"""Settings of training: section ``training`` of params.yaml, and a model's hard negatives."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from muver.io.typed import Amount, Count, Natural, Positive, Settings, Share, Text
from muver.retriever.encoders.encoders_settings import Layouts, Pooling, Vectors
from muver.retriever.retrieval.retrieval_settings import Mining, check_ranks
from muver.retriever.views.views_settings import Tokens, Views


class Training(Settings, kw_only=True):
    """How two towers are trained (section 3.2), and where the released code differed.

    With ``own_page_negatives`` the page that a mention stands on is one more negative of its batch.
    It holds the mention's very words, and is a candidate wherever contexts are cut from entities'
    pages. ``global_view`` are the tokens of a view of each whole description, which stands beside
    the others here and in validation (Liu et al., Towards better entity linking with multi-view
    enhanced distillation, ACL 2023). ``labelled`` is the share of the training mentions that are
    used, drawn with the seed; at 0 nothing is trained. After each step, weights move towards those
    at the start by ``start_decay`` times the learning rate of the way (L2-SP, Li et al., ICML 2018,
    decoupled as AdamW's decay is). With an ``adapter_rank`` only adapters are trained
    (:mod:`muver.retriever.training.adapter`).
    """

    batch_size: Count
    epochs: Count
    learning_rate: Positive
    weight_decay: Amount
    warmup: Share
    clip_norm: Positive = 1.0
    adam_epsilon: Positive = 1.0e-6
    mask_false_negatives: bool = False
    validate_every: Count
    validation_cutoff: Count
    keep: Literal["best", "last"] = "best"
    start_counts: bool = False  # is validated too, and kept if every later state finds less
    checkpoint_every: Count
    chunk_tokens: Count
    graph_tokens: Natural
    initial_scale: Positive = 20
    padding_views: bool = False
    average_gradients_over: Count = 1
    optimiser: Literal["adamw", "adamw_released"] = "adamw"
    start_decay: Amount = 0
    adapter_rank: Natural = 0
    own_page_negatives: bool = False
    global_view: Tokens | None = None
    labelled: Share = 1


class HardNegatives(Settings):
    """A model's hard negatives: the row whose run they are mined from, how many, and which.

    The keys are explained at :class:`muver.retriever.retrieval.retrieval_settings.Mining`.
    """

    from_: Text = field(name="from")
    count: Count
    ranks: tuple[Count, Count] | UnsetType = UNSET
    margin: int | float | UnsetType = UNSET
    random: Share | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranks(self.ranks)


class MinedFrom(Mining, kw_only=True):
    """How hard negatives were mined, and what made the run that they come from."""

    run: dict[str, Any] = {}


class ModelTraining(Layouts, kw_only=True):
    """What `muver stage train` takes.

    The pooling ``auto`` is that of the encoder's makers, or of the model from which training
    starts, whose settings ``start`` has by its name. Without a precision it is that of
    ``--compute``. ``validate_after`` are shares of the steps after which validation is logged as
    well, for a choice among several trainings; it keeps no state.
    """

    pooling: Pooling | Literal["auto"] = "cls"
    vectors: Vectors = "raw"
    training: Training
    precision: Literal["fp32", "bf16"] | UnsetType = UNSET
    seed: Natural
    start: dict[str, Any] | UnsetType = UNSET
    negatives: MinedFrom | UnsetType = UNSET
    validate_after: list[Share] = []

    def __post_init__(self) -> None:
        super().__post_init__()
        if wrong := misfit(self.training, self.views):
            raise ValueError(wrong)


class EarlyChoice(Settings):
    """What ``muver stage train-best`` takes: several trainings, and the share of their steps after
    which validation chooses the one that goes on.
    """

    best_of: dict[Text, ModelTraining]
    after: Share


def misfit(training: Training, views: Views) -> str | None:
    """What of a model's training does not go with its views, and what to do."""
    if training.padding_views and not views.training_views:
        return (
            "padding_views fills an entity up to views.training_views, which is not set. Set it, "
            "or padding_views to false."
        )
    if training.global_view and views.kind != "sentences":
        return "global_view goes with views of sentences, and has no meaning beside others."
    return None


class Pretrain(Settings):
    """Pre-training of the encoder on the training worlds' texts; none at 0 steps.

    A batch has queries of one world. ``mask`` is the share of the pieces to hide and predict,
    ``hide_names`` the share of the queries naming a page in which the name is hidden, and
    ``keep_text`` how often a page keeps the text of a query that was taken from it and asks for it.
    """

    steps: Natural = 0
    batch_size: Annotated[int, Meta(ge=2)] = 32
    learning_rate: Positive = 1.0e-3
    weight_decay: Amount = 0.01
    warmup: Share = 0.1
    clip_norm: Positive = 1.0
    adam_epsilon: Positive = 1.0e-6
    mask: Share = 0.15
    hide_names: Share = 0.2
    keep_text: Share = 0.5


class Pretraining(Pretrain, kw_only=True):
    """What ``muver stage pretrain`` takes: the section, and what it shares with training."""

    context_tokens: Count
    initial_scale: Positive
    vectors: Vectors
    precision: Literal["fp32", "bf16"]
    seed: Natural
