"""``muver train``: two towers trained on labelled mentions of one's own knowledge base.

Contexts are no entities here, so pages give no negatives; the other entities of a batch do. A view
of the whole description stands beside those of the sentences, which helps most where labels are few
(docs/ideas.md).
"""

import math
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from muver.io.errors import InputError, Mistake, quoted
from muver.io.parquet import table_of, write_table
from muver.io.progress import logger
from muver.io.text import counted
from muver.io.typed import Count, Natural, Positive, Settings, Share, read
from muver.kb.importing.build import as_kb
from muver.kb.importing.piped import name_of
from muver.kb.importing.schema import entity_batches, read_entities
from muver.kb.index.mentions import Labelled, read_mentions
from muver.retriever.answers import SIDES
from muver.retriever.corpus.schema import ENTITIES, MENTIONS, SENTENCES
from muver.retriever.corpus.texts import clean
from muver.retriever.encoders.files import is_model
from muver.retriever.encoders.hub import check_there, taken_model
from muver.retriever.training.log import LOG, kept_validation, recall_after
from muver.retriever.training.training_settings import ModelTraining
from muver.retriever.views.boundaries import sentence_spans

VIEWS = {
    "kind": "sentences", "max_tokens": 40, "min_pieces": 6, "title_room": 6, "training_views": 10,
}  # fmt: skip
CONTEXT = {"max_tokens": 128}
CUTOFF = 10  # of validation recall
FEWEST_STEPS = 60  # where there are few labels, epochs are added up to so many
FOLDERS = ("start", "data", "checkpoints")  # of a training that is under way


class Labels(Settings):
    """What may be chosen of a training."""

    validation: Share = 0.2  # of the labels, held out
    others: Count = 1_000  # entities among which validation looks for the right ones
    epochs: Count | None = None  # None: 3, or as many as few labels need
    batch_size: Count = 16
    learning_rate: Positive = 2.0e-5
    whole: Natural = 128  # tokens of the view of the whole description; 0: none
    seed: Natural = 13

    def of_training(self, mentions: int) -> ModelTraining:
        """All settings of a training on so many mentions."""
        steps = math.ceil(mentions / self.batch_size)
        epochs = self.epochs or max(3, math.ceil(FEWEST_STEPS / steps))
        asked: dict[str, Any] = {
            "views": VIEWS, "context": CONTEXT, "score": "max", "pooling": "auto",
            "vectors": "unit", "seed": self.seed,
            "training": {
                "batch_size": self.batch_size, "epochs": epochs,
                "learning_rate": self.learning_rate, "weight_decay": 0.01, "warmup": 0.1,
                "validate_every": max(steps, FEWEST_STEPS // 3), "validation_cutoff": CUTOFF,
                "start_counts": True, "checkpoint_every": 10,
                "chunk_tokens": 4096, "graph_tokens": 65536,
                "global_view": self.whole or None,
            },
        }  # fmt: skip
        return read(ModelTraining, asked)


def train(kb: Path, labels: str, *, encoder: str, out: Path, settings: Labels) -> None:
    """Train a model on labelled mentions of a knowledge base.

    A run that was killed goes on where it was when the same command is given again. An index takes
    the model by --model.

    Parameters
    ----------
    kb
        Folder of `muver kb import`, or a file that it reads.
    labels
        JSON lines with mention, gold (an entity's id), and perhaps left, right and world, as of
        `muver index evaluate`; - is standard input.
    encoder
        What both towers start from: an encoder's directory or a name on the hub; or a model, whose
        own towers are trained further.
    out
        The model's directory.
    """
    if is_model(out):
        raise InputError(f"{out}: a model is there already. Name another folder, or remove it.")
    begun = out / "data" / "entities.parquet"  # FOLDERS go in the end: let them be of a training
    if out.exists() and not begun.is_file() and (out.is_file() or any(out.iterdir())):
        raise InputError(f"{out}: has files that no training wrote. Name another folder by --out.")
    check_there(encoder)
    asked = list(read_mentions(labels))
    with as_kb(kb, out) as folder:
        found = _in_kb(asked, folder, kb, name_of(labels))
        held_out = _held_out(len(found), settings, name_of(labels))
        _write_dataset(found, held_out, folder, out / "data", settings)
    from muver.retriever.training.data import Dataset
    from muver.retriever.training.run import MACHINE, train

    start = taken_model(encoder)
    if start is None:
        from muver.retriever.encoders.start import make_start

        start = out / "start"
        make_start(encoder, start, {"pooling": "auto"})
    tables = (out / "data" / f"{name}.parquet" for name in ("entities", "mentions", "sentences"))
    train(Dataset(*tables), start, out, settings.of_training(len(found) - len(held_out)), MACHINE)
    recall, step = kept_validation(out / LOG, CUTOFF)
    before = recall_after(out / LOG, 0, CUTOFF)
    logger.info(
        "recall@%d of the %d held out: %.1f, after step %d; %.1f before training%s",
        CUTOFF, len(held_out), recall, step, before,
        "" if step else ". It made it worse: the model is what it started from",
    )  # fmt: skip
    for name in FOLDERS:
        shutil.rmtree(out / name, ignore_errors=True)
    logger.info("%s: a model; muver index create %s --model %s --out INDEX", out, kb, out)


def _in_kb(asked: Sequence[Labelled], folder: Path, kb: Path, labels: str) -> list[Labelled]:
    """The labels whose entity the knowledge base has, in its world; how many others there are is
    told.
    """
    named = [line for line in asked if isinstance(line.gold, str)]
    wanted, worlds = {line.gold for line in named}, {}
    for batch in entity_batches(folder, ["id", "world"]):
        for id, world in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if id in wanted:
                worlds.setdefault(id, []).append(world)
    found = []
    for line in named:
        there = [w for w in worlds.get(line.gold, ()) if line.mention.world in (None, w)]
        if len(there) > 1:
            raise Mistake(f"{line.place}: gold {quoted(line.gold)} is in several worlds. Name one.")
        found += [replace(line, mention=replace(line.mention, world=world)) for world in there]
    if left := len(asked) - len(found):
        logger.info("%s without an entity of %s: not trained on", counted(left, "label"), kb)
    if len({label.gold for label in found}) < 3:
        raise InputError(
            f"{labels}: labels of fewer than 3 entities of {kb}, from which nothing is learnt. "
            "Each line needs a mention and a gold, an entity's id."
        )
    return found


def _held_out(labels: int, settings: Labels, where: str) -> set[int]:
    """The numbers of the labels for validation."""
    count = min(max(math.ceil(settings.validation * labels), 1), labels - 2)
    logger.info("%s: %s, of which %d are held out", where, counted(labels, "label"), count)
    return {*np.random.default_rng(settings.seed).permutation(labels)[:count].tolist()}


def _write_dataset(
    labels: Sequence[Labelled], held_out: set[int], kb: Path, folder: Path, settings: Labels
) -> None:
    """Write the labels, their entities and some others as a corpus with its sentences."""
    total = read_entities(kb, []).num_rows
    drawn = np.random.default_rng(settings.seed).permutation(total)[: settings.others]
    golds, drawn = {(label.mention.world, label.gold) for label in labels}, {*drawn.tolist()}
    columns = ("world", "id", "title", "description")
    rows_of_kb = (row for batch in entity_batches(kb, columns) for row in batch.to_pylist())
    entities = sorted(
        tuple(row[name] for name in columns)
        for number, row in enumerate(rows_of_kb)
        if number in drawn or (row["world"], row["id"]) in golds
    )
    numbers: dict[tuple[str, str], int] = {}
    rows: dict[str, list[tuple[Any, ...]]] = {"entities": [], "mentions": [], "sentences": []}
    counts: dict[str, int] = {}
    for world, id, title, text in entities:
        number = numbers[world, id] = counts.get(world, 0)
        counts[world] = number + 1
        cleaned = clean(text)
        sentences = [cleaned[start:end] for start, end in sentence_spans(cleaned)]
        rows["entities"].append((world, number, id, title, text, None))
        rows["sentences"].append((world, number, sentences))
    for number, label in enumerate(labels):
        split, world = "val" if number in held_out else "train", label.mention.world
        texts = (getattr(label.mention, side).lower() for side in SIDES)
        gold = numbers[world, label.gold]
        rows["mentions"].append((f"m{number}", split, world, None, *texts, gold, ""))
    schemas = {"entities": ENTITIES, "mentions": MENTIONS, "sentences": SENTENCES}
    for name, schema in schemas.items():
        table = table_of(schema, [list(column) for column in zip(*rows[name], strict=True)])
        write_table(folder / f"{name}.parquet", table)
