"""The form of a recording's JSON files; further keys are ignored."""

from typing import Annotated

from msgspec import Meta, Struct

Number = Annotated[int, Meta(ge=0)]
Ids = list[Number]
Sequence = Annotated[list[Number], Meta(min_length=1)]
NotEmpty = Meta(min_length=1)


class Document(Struct):
    """An entity; its index in the list is its line."""

    title: str
    text: str


class RecordedMention(Struct):
    """A mention; ``label_id`` is its gold entity's line."""

    context_left: str
    mention: str
    context_right: str
    label_id: Number


class Inputs(Struct):
    """``inputs.json.gz``: the entities and mentions of a world."""

    world: object
    documents: Annotated[list[Document], NotEmpty]
    mentions: Annotated[list[RecordedMention], NotEmpty]


class MadeWith(Struct):
    """Maximum lengths in pieces, and the share of pairs that a layer merges."""

    max_cand_len: Annotated[int, Meta(ge=3)]
    max_seq_len: Annotated[int, Meta(ge=5)]
    top_k: Annotated[float, Meta(ge=0, le=1)]


class MergedView(Struct):
    """A view that a layer of merging made from the original views ``range``."""

    range: Annotated[list[Number], Meta(min_length=2, max_length=2)]
    ids: Sequence


class RecordedEntity(Struct):
    """An entity's tokens and the views that each layer of merging made."""

    line: Number
    title_ids: Ids
    sentences: list[str]
    views: Annotated[list[Sequence], NotEmpty]
    merged: list[list[MergedView]]
    n_total: list[int]
    smallest_margin: float | None


class Tokens(Struct):
    """``tokens.json.gz``: the inputs of the towers."""

    settings: MadeWith
    contexts: list[Sequence]
    views_per_entity: list[Annotated[int, Meta(ge=1)]]
    entities: Annotated[list[RecordedEntity], NotEmpty]


class Rankings(Struct, rename=lambda name: name.replace("_", "/")):
    """Each mention's entities by rank, for each number of layers and aggregate."""

    plain_max: list[Sequence]
    plain_accumulate: list[Sequence]
    merge1_max: list[Sequence]
    merge1_accumulate: list[Sequence]
    merge4_max: list[Sequence]
    merge4_accumulate: list[Sequence]


class RecordedBatch(Struct):
    """Scores, loss and gradient norms of one batch."""

    loss: float
    score_max: list[list[float]]
    argmax_view: list[Sequence]
    grad_norm_total: float
    grad_norm_ctx_word_embeddings: float
    grad_norm_ent_layer0_query: float


class RecordedStep(Struct):
    """A step of the optimiser."""

    lr: float
    loss: float
    grad_norm: float


class RecordedTraining(Struct):
    """A batch of mentions, and five steps on it."""

    mentions: Sequence
    gold: Sequence
    real_views: Sequence
    legacy_mask: RecordedBatch
    trajectory_legacy_mask: Annotated[list[RecordedStep], NotEmpty]


class Ranks(Struct):
    """``ranks.json.gz``: the rankings and the training."""

    ranks: Rankings
    training: RecordedTraining


FORMS = {"inputs": Inputs, "tokens": Tokens, "ranks": Ranks}
