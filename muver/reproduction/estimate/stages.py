"""What one job of a stage computes, holds and writes: a formula for each stage."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from muver.kb.importing.opening import LONGEST_LINE
from muver.kb.importing.parts import CHARACTERS_A_GROUP
from muver.reproduction.estimate.indices import index_sizes
from muver.reproduction.estimate.lengths import Lengths
from muver.reproduction.estimate.rates import Rates
from muver.reproduction.estimate.sizes import LOOKUP
from muver.retriever.encoders.sizes import BertConfig
from muver.retriever.training.pretraining.cloze import mean_longest_view

Settings = Mapping[str, Any]
FLOAT = 4  # bytes
MEGABYTE = 10**6
DTYPE_BYTES = {"fp16": 2, "fp32": FLOAT}
SOM = "sum_max"  # the score that compares every token of a mention with every token of an entity
STATES = 4  # of a checkpoint: the weights, two moments of Adam, the best weights
# A merged view grows by half an original one a layer: on miniwikia's test worlds, views of 35
# tokens gave ones of 56, 70, 84 and 99 (distant pairs).
GROWTH = 0.5
BATCH_TOKENS = {"cpu": 2048, "cuda": 131072}  # as encoders.device, which loads torch
ENTITIES = 4096  # of a knowledge base, encoded at a time: encoders.stages.kb_part.ENTITIES
FINISHING = 48  # bytes an entity: ids, hashes and both orders 8 each, the titles' lookup 16


@dataclass(frozen=True)
class Work:
    """Something that takes time, at a rate that can be measured or given.

    Kinds are "read" (a dump), "encode", "train" (forward and backward), "multiply" (vectors in
    memory), "build" (an index) and "search" (one, or vectors on disk).
    """

    kind: str
    amounts: Mapping[str, float]  # by unit: tokens, views, products (of two vectors), mentions, MB
    name: str = ""  # of the model, or the type of index
    length: float = 0  # tokens of a sequence


@dataclass(frozen=True)
class Estimate:
    """One job: bytes that it writes and holds at most (without Python itself), and its work."""

    work: tuple[Work, ...] = ()
    disk: float = 0
    memory: float = 0
    gpu_memory: float = 0
    passing: float = 0  # further bytes on disk while it runs
    laying_out: float = 0  # seconds of laying out views, as a sample says
    note: str = ""  # faiss's name of an index

    def seconds(self, rates: Rates) -> float | None:
        """The time by the rates of a machine; None if one of them is not known."""
        total = self.laying_out
        for work in self.work:
            rate = rates.of(work.kind, work.name, work.length)
            if rate is None:
                return None
            total += work.amounts[rate.unit] / rate.value
        return total if self.work else None


@dataclass(frozen=True)
class Sizes:
    """What a job works on."""

    encoder: BertConfig = field(default_factory=BertConfig)
    lengths: Lengths = field(default_factory=lambda: Lengths(1, 0, 1, 0))
    name: str = ""  # of the model, or the type of index
    entities: float = 0
    mentions: float = 0
    pairs: float = 0  # of an entity and a mention, that are compared
    merged: float = 0  # merged views that are compared, to each original one
    bytes: float = 0  # of text that is read
    validation: tuple[float, float] = (0, 0)  # entities and mentions that a training validates on
    validation_pairs: float = 0  # of these, that are compared
    gpu: bool = False  # whether the job has one

    @property
    def views(self) -> float:
        """Views of all entities."""
        return self.entities * self.lengths.views

    @property
    def vector(self) -> int:
        """Bytes of a vector in float32."""
        return self.encoder.hidden_size * FLOAT

    def tokens(self, entities: float, mentions: float) -> float:
        """Tokens of the views of so many entities, and of so many contexts."""
        lengths = self.lengths
        return entities * lengths.views * lengths.tokens + mentions * lengths.context


def parameters(encoder: BertConfig) -> int:
    """Weights of one BERT, without its pooling layer.

    ``(V + P + 2) H + 2 H`` of the embeddings; in each layer ``4 (H^2 + H)`` of attention,
    ``2 H I + I + H`` of the feed-forward network and ``4 H`` of the norms.
    """
    h, i = encoder.hidden_size, encoder.intermediate_size
    rows = encoder.vocab_size + encoder.max_position_embeddings + 2
    layer = 4 * (h * h + h) + 2 * h * i + i + h + 4 * h
    return rows * h + 2 * h + encoder.num_hidden_layers * layer


def pretrain(sizes: Sizes, settings: Settings) -> Estimate:
    """``steps * batch_size * (context + view)`` tokens forward and backward, at the most.

    The longest view of a batch is drawn evenly on a logarithmic scale up to all positions. One
    tower is held as in training, and the states of a whole batch at that mean length.
    """
    encoder = sizes.encoder
    view = mean_longest_view(encoder.max_position_embeddings)
    batch = settings["batch_size"] * (settings["context_tokens"] + view)
    weights = parameters(encoder)
    memory = 16 * weights + batch * _states(encoder, view, sizes.gpu)
    work = Work("train", {"tokens": settings["steps"] * batch}, length=view)
    main = 4 * weights if sizes.gpu else memory
    return Estimate((work,), weights * FLOAT, main, memory if sizes.gpu else 0)


def _states(encoder: BertConfig, length: float, gpu: bool) -> float:
    """Bytes that training keeps of a token in a sequence of ``length``.

    ``(8 H + 2 I) * 4`` a layer; with dropout the masks of two states, of a byte a number on GPUs
    and of four elsewhere, and on a processor three numbers for each head and token attended: its
    weight, the mask and their product.
    """
    size = encoder.hidden_size
    layer = (8.0 * size + 2 * encoder.intermediate_size) * FLOAT
    if encoder.hidden_dropout_prob:
        layer += 2 * size * (1 if gpu else FLOAT)
    if encoder.attention_probs_dropout_prob and not gpu:
        layer += 3 * encoder.num_attention_heads * length * FLOAT
    return layer * encoder.num_hidden_layers


def train(sizes: Sizes, settings: Settings) -> Estimate:
    """``mentions * epochs * (context + (1 + negatives) * views * tokens)`` forward and backward.

    A batch above ``graph_tokens`` is encoded once more, and every ``validate_every`` steps the
    validation mentions and entities are, and compared as in retrieval. In memory are 16 bytes a
    weight of two towers (itself, gradient, two moments of Adam) and the states of each token that
    are kept, in each of the ``processes``. On disk are the towers and, while it runs, a checkpoint.
    """
    own, lengths, encoder = settings["training"], sizes.lengths, sizes.encoder
    negatives = settings.get("negatives", {}).get("per_mention", 0)
    views = (1 + negatives) * lengths.training_views
    each = lengths.context + views * lengths.tokens
    attended = (lengths.context**2 + views * lengths.tokens**2) / each
    passes = sizes.mentions * own["epochs"]
    batch = own["batch_size"] * each
    twice = batch > own["graph_tokens"]
    validations = max(passes / own["batch_size"] / own["validate_every"], 1)
    encoded = validations * sizes.tokens(*sizes.validation) + passes * each * twice
    compared = lengths.tokens * lengths.context if settings.get("score") == SOM else lengths.views
    one = lengths.training_views <= 1
    length = max(lengths.tokens, lengths.context) if one else lengths.tokens
    held = (own["chunk_tokens"] if twice else batch) * _states(encoder, attended, sizes.gpu)
    weights = 2 * parameters(encoder)
    memory = 16 * weights + held
    return Estimate(
        work=(
            Work("encode", {"tokens": encoded}, sizes.name, length),
            Work("multiply", {"products": validations * sizes.validation_pairs * compared}),
            Work("train", {"tokens": passes * each}, sizes.name, length),
        ),
        disk=weights * FLOAT,
        passing=weights * FLOAT * STATES,
        memory=settings["processes"] * (weights * FLOAT if sizes.gpu else memory),
        gpu_memory=memory if sizes.gpu else 0,
    )


def grid(sizes: Sizes, settings: Settings) -> Estimate:
    """A training of the grid, which leaves no model."""
    return replace(train(sizes, settings), disk=0)


def encode(sizes: Sizes, settings: Settings) -> Estimate:
    """Views and mentions of a split; their vectors in float32, and the views' token ids."""
    vectors = (sizes.views + sizes.mentions) * sizes.vector
    disk = vectors + sizes.views * sizes.lengths.tokens * FLOAT
    return _encoding(sizes, settings, sizes.tokens(sizes.entities, sizes.mentions), disk, vectors)


def encode_global(sizes: Sizes, settings: Settings) -> Estimate:
    """One view an entity, of ``max_tokens`` at most."""
    longest = settings["max_tokens"]
    size = sizes.entities * (sizes.vector + longest * FLOAT)
    return _encoding(sizes, settings, sizes.entities * longest, size, size, longest)


def merge(sizes: Sizes, settings: Settings) -> Estimate:
    """Each layer adds at most ``views * top_k`` views, by :data:`GROWTH` longer each time."""
    new = sizes.views * settings["top_k"]
    longest = [
        min(sizes.lengths.tokens * (1 + GROWTH * layer), settings["max_tokens"])
        for layer in range(1, settings["layers"] + 1)
    ]
    size = sum(new * (sizes.vector + tokens * FLOAT) for tokens in longest)
    return _encoding(sizes, settings, new * sum(longest), size, size, longest[0])


def encode_part(sizes: Sizes, settings: Settings) -> Estimate:
    """Views of a part of a knowledge base: vectors in ``dtype``, and a byte an entity (counts).

    In memory are the part's vectors, and 4096 entities' vectors in float32.
    """
    vectors = sizes.views * sizes.encoder.hidden_size * DTYPE_BYTES[settings["dtype"]]
    block = min(ENTITIES, sizes.entities) * sizes.lengths.views * sizes.vector
    tokens = sizes.tokens(sizes.entities, 0)
    return _encoding(sizes, settings, tokens, vectors + sizes.entities, vectors + block)


def encode_mentions(sizes: Sizes, settings: Settings) -> Estimate:
    """Contexts of a set of mentions, in float32."""
    tokens, size = sizes.tokens(0, sizes.mentions), sizes.mentions * sizes.vector
    return _encoding(sizes, settings, tokens, size, size, sizes.lengths.context)


def _encoding(
    sizes: Sizes, settings: Settings, tokens: float, disk: float, held: float, length: float = 0
) -> Estimate:
    """A job that encodes.

    In main memory are ``held``, two towers and one more while they are read, and without a GPU the
    states of a batch, as far as a layer holds them at a time: ``batch_tokens * (2 I + 3 H) * 4``.
    A GPU holds two towers and these states.
    """
    encoder, asked = sizes.encoder, settings["batch_tokens"]
    batch = BATCH_TOKENS["cuda" if sizes.gpu else "cpu"] if asked == "auto" else asked
    states = batch * (2 * encoder.intermediate_size + 3 * encoder.hidden_size) * FLOAT
    tower = parameters(encoder) * FLOAT
    length = length or sizes.lengths.tokens
    return Estimate(
        work=(Work("encode", {"tokens": tokens, "views": tokens / length}, sizes.name, length),),
        disk=disk,
        memory=3 * tower + held + (0 if sizes.gpu else states),
        gpu_memory=2 * tower + states if sizes.gpu else 0,
        laying_out=sizes.views * sizes.lengths.laying_out,
    )


def dump(sizes: Sizes, settings: Settings) -> Estimate:
    """A dump that is downloaded or generated."""
    return Estimate(disk=sizes.bytes)


def kb_part(sizes: Sizes, settings: Settings) -> Estimate:
    """A part of the dump that one process reads; ``disk`` is measured or guessed.

    A line is held three times (bytes, text, parsed page), of which ``LONGEST_LINE`` is the longest
    that is read, and a row group twice (strings, Arrow) at up to 4 bytes a character.
    """
    read = Work("read", {"MB": sizes.bytes / MEGABYTE})
    return Estimate((read,), settings["disk"], 3 * LONGEST_LINE + 8 * CHARACTERS_A_GROUP)


def kb(sizes: Sizes, settings: Settings) -> Estimate:
    """Finishing a knowledge base: its lookups, and 48 bytes an entity in memory."""
    return Estimate(disk=LOOKUP * sizes.entities, memory=FINISHING * sizes.entities)


def index(sizes: Sizes, settings: Settings) -> Estimate:
    """Building an index of a type (``name``); settings of `muver ann-build`."""
    own = index_sizes(round(sizes.views), sizes.encoder.hidden_size, settings)
    work = Work("build", {"views": sizes.views}, sizes.name)
    return Estimate((work,), own.disk, own.build, note=own.factory)


def retrieve(sizes: Sizes, settings: Settings) -> Estimate:
    """Mentions against all stored views of their world, ``memory_mb`` of them at a time."""
    products = sizes.pairs * sizes.lengths.views * (1 + sizes.merged)
    work = Work("multiply", {"products": products})
    memory = settings["memory_mb"] * 2**20 + sizes.mentions * sizes.vector
    return Estimate((work,), memory=memory)


def retrieve_tokens(sizes: Sizes, settings: Settings) -> Estimate:
    """Every token of a mention against every token of an entity, encoded in the same job (SOM)."""
    tokens = sizes.tokens(sizes.entities, sizes.mentions)
    own = _encoding(sizes, settings, tokens, 0, settings["memory_mb"] * 2**20)
    products = sizes.pairs * sizes.lengths.tokens * sizes.lengths.context
    return replace(own, work=(*own.work, Work("multiply", {"products": products})))


def search(sizes: Sizes, settings: Settings) -> Estimate:
    """A knowledge base, by an index of a type (``name``), or exactly where there is no factory.

    Exact search compares all ``pairs``; it holds ``search_memory_mb`` and the mentions, whatever
    the number of views.
    """
    queries = sizes.mentions * sizes.vector
    if "factory" not in settings:
        products = sizes.pairs * sizes.lengths.views
        work = Work("search", {"products": products, "mentions": sizes.mentions}, "exact")
        return Estimate((work,), memory=settings["search_memory_mb"] * 2**20 + queries)
    own = index_sizes(round(sizes.views), sizes.encoder.hidden_size, settings)
    work = Work("search", {"mentions": sizes.mentions}, sizes.name)
    return Estimate((work,), memory=own.search + queries, note=own.factory)


Formula = Callable[[Sizes, Settings], Estimate]
# By rule, and runs by their retriever's kind: what tables call the stage, and its formula.
STAGES: dict[str, tuple[str, Formula]] = {
    "dump": ("dump", dump),
    "kb_part": ("kb_part", kb_part),
    "kb": ("kb", kb),
    "pretrain": ("pretrain", pretrain),
    "train": ("train", train),
    "grid_point": ("grid", grid),
    "encode": ("encode", encode),
    "encode_global": ("encode_global", encode_global),
    "merge": ("merge", merge),
    "encode_part": ("encode_part", encode_part),
    "encode_mentions": ("encode_mentions", encode_mentions),
    "ann_index": ("index", index),
    "views": ("retrieve", retrieve),
    "tokens": ("retrieve", retrieve_tokens),
    "shards": ("search", search),
}
