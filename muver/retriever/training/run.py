"""The training stage: make a model directory from the corpus and a start checkpoint."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from msgspec import UNSET
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import sha256_of, short_hash
from muver.io.progress import logger
from muver.retriever.corpus.schema import negatives_of
from muver.retriever.encoders import device
from muver.retriever.encoders.settings import Machine
from muver.retriever.training.checkpoint import Checkpoints
from muver.retriever.training.log import choice, write_log
from muver.retriever.training.loop import Trainer
from muver.retriever.training.settings import EarlyChoice, ModelTraining
from muver.retriever.training.start import config_of, start_files
from muver.retriever.views.worlds import load_worlds


def train(
    settings: ModelTraining,
    compute: Machine,
    start: Path,
    entities: Path,
    mentions: Path,
    sentences: Path,
    checkpoints: Path,
    training_log: Path,
    out: Path | None = None,
    negatives: Path | None = None,
) -> None:
    """Train one model and write it with its log; resume if a run of the same key was killed.

    Parameters
    ----------
    compute
        Its precision is for settings that have none.
    start
        An encoder for both towers, or a model directory whose towers are trained further with
        a new optimiser.
    out
        The model's directory; if None, only the log is written.
    negatives
        Hard negatives of the training mentions (`muver.retriever.corpus.schema.NEGATIVES`).
    """
    files = (entities, mentions, sentences, negatives)
    trainer = trainer_of(settings, compute, start, *files, checkpoints)
    write(trainer, trainer.run(), training_log, out)


def train_best(
    settings: EarlyChoice,
    compute: Machine,
    start: Path,
    entities: Path,
    mentions: Path,
    sentences: Path,
    checkpoints: Path,
    training_log: Path,
    out: Path,
) -> None:
    """Train several models for a share of their steps, and the best one to the end.

    That is the one with the greatest validation recall where the share ends; of equals, the first.
    It becomes what it would be if it were trained alone. The arguments are those of :func:`train`.
    """
    files, found = (entities, mentions, sentences, None), {}
    for name, own in settings.best_of.items():
        logger.info("training %s", name)
        trainer = trainer_of(own, compute, start, *files, checkpoints / name)
        trainer.run(settings.after)
        found[name] = trainer.recall_after(settings.after)
    note = choice(found, own.training.validation_cutoff)  # which all of them share
    chosen = note["chosen"]
    trainer = trainer_of(settings.best_of[chosen], compute, start, *files, checkpoints / chosen)
    write(trainer, trainer.run(), training_log, out, note)
    for name in found:
        Checkpoints(checkpoints / name, "").clear()


def trainer_of(
    settings: ModelTraining, compute: Machine, start: Path, entities: Path, mentions: Path,
    sentences: Path, negatives: Path | None, checkpoints: Path,
    candidates: Mapping[str, Sequence[int]] | None = None, kind: type[Trainer] = Trainer,
) -> Trainer:  # fmt: skip
    """The trainer of a model, at its first step or where a killed run's checkpoint is.

    ``candidates`` of the validation mentions, by their ids, stand where training has negatives.
    """
    if (negatives is None) != (settings.negatives is UNSET):
        raise InputError("--negatives: goes with negatives in --settings, which says how many.")
    parts, config = settings.training, config_of(settings, start)
    compute = replace(compute, precision=settings.precision or compute.precision)
    files = (entities, mentions, sentences, negatives)
    tables = [path for path in files if path is not None]
    inputs = {name: sha256_of(start / name) for name in start_files(start)}
    inputs |= {path.name: sha256_of(path) for path in tables}
    made_by = {"settings": config.as_dict(), "precision": compute.precision, "inputs": inputs}
    key = short_hash(made_by)  # not the threads: they may be others when a killed run goes on
    accelerator = device.start(compute.device, compute.precision, compute.threads)
    torch.manual_seed(settings.seed)
    model = kind.start(start, config)
    sources = (entities, mentions, sentences)
    hard = None
    if negatives is not None:
        hard = negatives_of(negatives, settings.negatives.per_mention)
    if parts.global_view:
        model.require_positions("training.global_view", parts.global_view)
    both = {"layouts": config, "tokenizer": model.pieces, "global_tokens": parts.global_view or 0}
    own = parts.own_page_negatives is True
    training = load_worlds(*sources, "train", **both, gold_only=True, negatives=hard, own_pages=own)
    if own and not any(some for world in training for some in world.negatives):
        raise InputError(
            f"{mentions}: no training mention stands on a page that is an entity, so "
            "training.own_page_negatives adds none. Set it to false."
        )
    validation = load_worlds(*sources, "val", **both, negatives=candidates)
    keeper = Checkpoints(checkpoints, key)
    trainer = kind(model, training, validation, parts, settings.seed, accelerator, keeper)
    to_validate = sum(len(world.gold) for world in validation)
    logger.info("%d mentions to train on, %d to validate on", len(trainer.examples), to_validate)
    return trainer


def write(
    trainer: Trainer, log: list[dict[str, Any]], training_log: Path, out: Path | None, *notes: Any
) -> None:
    """Write a trained model and its log, which are those of the first process."""
    if trainer.accelerator.is_main_process:
        if out is not None:
            trainer.model.to("cpu").save_pretrained(out)
        own = trainer.settings
        kept = (own.keep, trainer.kept_step)
        write_log(training_log, log, own.validation_cutoff, *kept, *notes)
        trainer.checkpoints.clear()
    trainer.accelerator.wait_for_everyone()
