"""The model and sequences to measure with: real ones, or synthetic ones of realistic lengths."""

import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from benchmarks.options import Options
from muver.io.typed import read
from muver.retriever.encoders.bert import Bert, BertConfig
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.encoders_settings import ModelConfig
from muver.retriever.views.layout import Ids, Markers

VIEWS = {
    "kind": "sentences",
    "max_tokens": 40,
    "min_pieces": 6,
    "title_room": 6,
    "training_views": 10,
}
CONFIG = read(ModelConfig, {"views": VIEWS, "context": {"max_tokens": 128}, "score": "max"})
MARKERS = Markers(pad=0, bos=(101,), eos=(102,), mention_start=1, mention_end=2, title_end=3)
MADE_ENTITIES, MADE_MENTIONS = 500, 300


@dataclass(frozen=True)
class WorldSize:
    """Counts of a world to rank."""

    entities: int
    views: int
    mentions: int


@dataclass(frozen=True)
class Case:
    """Model and data of one run.

    Attributes
    ----------
    name
        Its name in the report.
    entities
        Views of each entity of one world.
    contexts
        Mentions of a test world.
    batch_contexts, batch_golds
        Mentions of a training world, and the entity of each.
    batch_views
        The first ten views of these entities, by entity.
    worlds
        Sizes of the worlds of the test split.
    texts, queries
        Descriptions of one world and mentions in it, for BM25; none if synthetic.
    """

    name: str
    model: BiEncoder
    entities: list[list[Ids]]
    contexts: list[Ids]
    batch_contexts: list[Ids]
    batch_golds: list[int]
    batch_views: dict[int, list[Ids]]
    worlds: list[WorldSize]
    texts: list[str]
    queries: list[str]

    @property
    def config(self) -> BertConfig:
        """Sizes of a tower."""
        return self.model.entity_encoder.config

    @property
    def markers(self) -> Markers:
        """Ids of the special pieces."""
        return self.model.pieces.markers

    def sample(self, count: int) -> list[list[Ids]]:
        """Views of ``count`` entities, evenly spaced in the world."""
        chosen = np.linspace(0, len(self.entities) - 1, min(count, len(self.entities)))
        return [self.entities[number] for number in np.unique(chosen.astype(int))]

    def batch(self, size: int) -> tuple[list[Ids], list[int]]:
        """Contexts and golds of ``size`` mentions, repeated if there are fewer."""
        rows = [number % len(self.batch_contexts) for number in range(size)]
        return [self.batch_contexts[r] for r in rows], [self.batch_golds[r] for r in rows]


def load(options: Options) -> Case:
    """The case that the options ask for."""
    if options.workspace:
        return _from_workspace(options.workspace, options.model)
    if options.dataset and options.encoder:
        return _from_dataset(options.dataset, options.encoder)
    return made(options.layers, options.hidden)


def made(layers: int, hidden: int, seed: int = 1) -> Case:
    """A random BERT with heads of 32 or 64 numbers, and sequences of random pieces.

    Views have 12 to 40 pieces, 28 on average; entities a median of 10 views, a few of them up to
    100; contexts 60 to 128 pieces. Three quarters of a training batch's rows are thus real views.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    torch.manual_seed(seed)
    config = BertConfig(
        num_hidden_layers=layers,
        hidden_size=hidden,
        num_attention_heads=hidden // (64 if hidden >= 512 else 32),
        intermediate_size=4 * hidden,
        initializer_range=0.05,  # with BERT's 0.02 all texts have nearly the same vector
    )
    pieces: Any = SimpleNamespace(markers=MARKERS)
    model = BiEncoder([Bert(config), Bert(config)], pieces, CONFIG).eval()

    def pieces_of(count: int) -> Ids:
        return random.integers(1000, config.vocab_size, count).tolist()

    def view(title: Ids) -> Ids:
        length = int(np.clip(random.normal(28, 9), 12, 40))
        return [101, *title, MARKERS.title_end, *pieces_of(length - len(title) - 3), 102]

    def entity() -> list[Ids]:
        title = pieces_of(int(random.integers(1, 6)))
        return [view(title) for _ in range(_view_count(random))]

    def context() -> Ids:
        left = int(random.integers(29, 62))
        return [101, *pieces_of(left), 1, *pieces_of(2), 2, *pieces_of(left - 1), 102]

    entities = [entity() for _ in range(MADE_ENTITIES)]
    golds = random.permutation(MADE_ENTITIES)[:MADE_MENTIONS].tolist()
    contexts = [context() for _ in golds]
    size = WorldSize(len(entities), sum(map(len, entities)), len(golds))
    return Case(
        f"made sequences, a random BERT of {layers} layers and {hidden} numbers",
        model,
        entities,
        contexts,
        contexts,
        golds,
        {gold: entities[gold][: VIEWS["training_views"]] for gold in golds},
        [size],
        [],
        [],
    )


def _view_count(random: np.random.Generator) -> int:
    return int(np.clip(np.exp(random.normal(np.log(10), 0.9)), 1, 100))


def _from_workspace(folder: Path, model: str) -> Case:
    """The corpus of a finished main job, and one of its trained models."""
    current = folder / "current"  # what params.yaml asks for at present
    bi_encoder = BiEncoder.from_pretrained(current / "models" / model).eval()
    tables = [current / "corpus" / f"{name}.parquet" for name in ("entities", "mentions")]
    sentences = current / "segment" / "sentences.parquet"
    return _from_tables(f"{folder.name}, its model {model}", bi_encoder, *tables, sentences)


def _from_dataset(raw: Path, encoder: Path) -> Case:
    """A directory in ZESHEL's format, and a BERT directory for both towers, untrained."""
    from muver.retriever.corpus.corpus_settings import BuildCorpus
    from muver.retriever.corpus.zeshel import build_corpus
    from muver.retriever.encoders.start import take_encoder
    from muver.retriever.views.segment import segment
    from muver.retriever.views.views_settings import Segment

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        take_encoder(encoder, folder / "start")
        model = BiEncoder.from_encoder(folder / "start", CONFIG).eval()
        entities, mentions = folder / "entities.parquet", folder / "mentions.parquet"
        settings = BuildCorpus(context_tokens=128)
        build_corpus(raw.name, raw, entities, mentions, folder / "counts.json", settings)
        segment(entities, folder / "counts.json", folder, Segment(punkt="train"))
        sentences = folder / "sentences.parquet"
        sizes = f"{model.entity_encoder.config.num_hidden_layers} layers and {model.dimension}"
        name = f"{raw.name}, a BERT of {sizes} numbers"
        return _from_tables(name, model, entities, mentions, sentences)


def _from_tables(
    name: str, model: BiEncoder, entities: Path, mentions: Path, sentences: Path
) -> Case:
    from muver.retriever.corpus.schema import read_entities, read_mentions
    from muver.retriever.views.worlds import load_worlds, read_worlds

    files, layouts = (entities, mentions, sentences), (model.config, model.pieces)
    test = load_worlds(*files, "test", *layouts)
    train = [
        tables.lay_out(*layouts, np.unique(tables.mentions["gold"].to_numpy()))
        for tables in read_worlds(*files, "train")
    ]
    first = max(test, key=lambda world: sum(map(len, world.views)))
    learnt = max(train, key=lambda world: len(world.contexts))
    limit = model.config.views.training_views or VIEWS["training_views"]
    rows = read_mentions(mentions, "test").to_pylist()
    sizes = [WorldSize(len(w.views), sum(map(len, w.views)), len(w.contexts)) for w in test]
    # Adjacent mentions have few entities, so a batch is drawn from the whole world.
    order = np.random.Generator(np.random.PCG64(1)).permutation(len(learnt.contexts))
    golds = [int(learnt.gold[number]) for number in order]
    return Case(
        name,
        model,
        [[view.ids for view in some] for some in first.views],
        first.contexts,
        [learnt.contexts[number] for number in order],
        golds,
        {gold: [view.ids for view in learnt.views[gold][:limit]] for gold in Counter(golds)},
        sizes,
        read_entities(entities, [first.name])["text"].to_pylist(),
        [row["mention"] for row in rows if row["world"] == first.name],
    )
