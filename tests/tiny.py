"""The smallest things that behave like the real ones: a BERT, a model, a corpus of two worlds."""

from pathlib import Path
from typing import Any

import torch

from muver.io.parquet import table_of, write_table
from muver.io.typed import read
from muver.retriever.corpus.schema import ENTITIES, MENTIONS, SENTENCES
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.encoders_settings import ModelConfig, Scratch
from muver.retriever.encoders.start import from_scratch
from muver.retriever.views.layout import Markers
from muver.retriever.views.views_settings import Views

torch.set_num_threads(1)  # threads that wait for each other cost more than such sizes gain

SCRATCH = {
    "vocabulary": 220, "layers": 2, "hidden": 32, "heads": 2, "intermediate": 64, "positions": 64,
    "dropout": 0.1,
    "initializer_range": 0.16,  # with BERT's 0.02 the vectors of all texts are nearly one
}  # fmt: skip
SENTENCE_VIEWS = {
    "kind": "sentences", "max_tokens": 24, "min_pieces": 4, "title_room": 4, "training_views": 3,
}  # fmt: skip
TOKEN_VIEWS = {"kind": "tokens", "max_tokens": 24}
CONTEXT = {"max_tokens": 32}
# Of a vocabulary in which numbers are words.
MARKERS = Markers(pad=0, bos=(101,), eos=(102,), mention_start=1, mention_end=2, title_end=3)
COMPUTE = {
    "device": "cpu", "precision": "fp32", "threads": 1, "processes": 1, "batch_tokens": 200,
}  # fmt: skip


def settings(kind: type, **own: Any) -> Any:
    """Settings of a stage that encodes."""
    return read(kind, {**COMPUTE, **own})


def config(**own: Any) -> ModelConfig:
    """A model's configuration: views of sentences and their maximum, unless said otherwise."""
    fields = {"views": SENTENCE_VIEWS, "context": CONTEXT, "score": "max", **own}
    return read(ModelConfig, fields, "config")


def views(given: dict[str, Any]) -> Views:
    """How a model lays out entities."""
    return read(Views, given, "views")


VOCABULARY = """
king river tower bell crown raven forest lantern harbour sword scholar winter
drum mirror captain island market horse garden storm wolf castle archer valley
"""
WORDS = VOCABULARY.split()


def texts(count: int = 24) -> list[list[str]]:
    """Descriptions of 1 to 5 sentences, each entity's own."""
    descriptions = []
    for number in range(count):
        words = [WORDS[(number * 7 + step * 5) % len(WORDS)] for step in range(15)]
        sentences = [
            f"The {words[3 * s]} of the {words[3 * s + 1]} saw the {words[3 * s + 2]} twice."
            for s in range(1 + number % 5)
        ]
        descriptions.append(sentences)
    return descriptions


def make_encoder(folder: Path) -> Path:
    """A BERT of two layers with a vocabulary of its own."""
    from_scratch([" ".join(sentences) for sentences in texts()], Scratch(**SCRATCH), 7, folder)
    return folder


def make_model(
    encoder: Path, score: str = "max", dropout: bool = False, padding: bool = False, **more: Any
) -> BiEncoder:
    """Two towers that start from ``encoder``; in evaluation mode, or in training mode.

    ``padding`` is that of token vectors; ``more`` are fields of the configuration.
    """
    token_views = {**TOKEN_VIEWS, "padding": padding}
    views = token_views if score == "sum_max" else SENTENCE_VIEWS
    made = config(**{"views": views, "score": score, **more})
    return BiEncoder.from_encoder(encoder, made).train(dropout)


def write_corpus(folder: Path) -> tuple[Path, Path, Path]:
    """Entities, mentions and sentences of three worlds: two to train on, one for val and test."""
    paths = tuple(folder / f"{name}.parquet" for name in ("entities", "mentions", "sentences"))
    worlds = {"alder": ("train",), "birch": ("train",), "cedar": ("val", "test")}
    entities, mentions, sentences = [], [], []
    for shift, (world, splits) in enumerate(worlds.items()):
        descriptions = texts(12)[shift:] + texts(12)[:shift]
        for number, own in enumerate(descriptions):
            title = f"{WORDS[(number + shift) % len(WORDS)]} {WORDS[number]}"
            entities.append((world, number, f"{world}-{number}", title, " ".join(own), None))
            sentences.append((world, number, own))
            for split in splits:
                left, right = own[-1].lower(), own[0].lower()
                place = (f"{split}-{world}-{number}", split, world, f"{world}-{number}")
                mention = (*place, left, title, right, number)
                mentions.append((*mention, "LOW_OVERLAP"))
    order = ("train", "val", "test")
    mentions.sort(key=lambda row: order.index(row[1]))
    rows = {ENTITIES: entities, MENTIONS: mentions, SENTENCES: sentences}
    for path, (schema, own) in zip(paths, rows.items(), strict=True):
        write_table(path, table_of(schema, zip(*own, strict=True)))
    return paths
