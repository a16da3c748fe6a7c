"""The training stage: make a model directory from the corpus and a start checkpoint."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from msgspec import UNSET
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import sha256_of, short_hash
from muver.io.progress import logger
from muver.io.text import counted
from muver.io.typed import read
from muver.retriever.corpus.schema import negatives_of
from muver.retriever.encoders import device
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.encoders_settings import Machine
from muver.retriever.training.checkpoint import Checkpoints
from muver.retriever.training.data import Dataset, Examples, worlds_of
from muver.retriever.training.log import (
    LOG,
    VALIDATION,
    choice,
    copy_chosen,
    recall_after,
    write_log,
)
from muver.retriever.training.loop import Trainer
from muver.retriever.training.objective import InBatch, Objective
from muver.retriever.training.start import config_of, start_files
from muver.retriever.training.training_settings import EarlyChoice, ModelTraining
from muver.retriever.views.worlds import World

LaidOut = dict[str, list[list[World]]]  # training and validation worlds by how they are laid out
MACHINE = Machine(device="auto", precision="fp32", threads=1, processes=1, batch_tokens="auto")


def train(
    data: Dataset,
    start: str | Path,
    out: str | Path | None,
    settings: ModelTraining | Mapping[str, Any],
    compute: Machine | Mapping[str, Any] = MACHINE,
    checkpoints: str | Path | None = None,
    training_log: str | Path | None = None,
) -> BiEncoder:
    """Train two towers on a dataset, write them into ``out``, and return them, on the CPU.

    A run that was killed goes on from its checkpoints. Raises an InputError for settings or files
    that do not go together.

    Parameters
    ----------
    data
        The dataset's files.
    start
        An encoder for both towers (`muver stage encoder`), or a model's directory.
    settings
        As ``--settings`` of `muver stage train` has them.
    compute
        As the section ``compute`` of params.yaml; by default one thread in fp32 and a GPU if there
        is one. Its precision is for settings that have none.
    checkpoints, training_log
        A folder and a file; by default in ``out``. Without an ``out`` only the log is written.
    """
    settings = read(ModelTraining, settings) if isinstance(settings, Mapping) else settings
    compute = read(Machine, compute, "compute") if isinstance(compute, Mapping) else compute
    folder = None if out is None else Path(out)
    kept = Path(checkpoints or folder / "checkpoints")
    trainer = trainer_of(settings, compute, Path(start), data, kept)
    write(trainer, trainer.run(), Path(training_log or folder / LOG), folder)
    return trainer.model


def train_model(
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
    """Train a model, two towers, and keep the checkpoint that the settings say.

    It is written with its log (:func:`train`).

    Parameters
    ----------
    start
        An encoder for both towers, or a model directory whose towers are trained further with
        a new optimiser.
    out
        The model's directory; if None, only the log is written.
    negatives
        Hard negatives of the training mentions (`muver.retriever.corpus.schema.NEGATIVES`).
    """
    data = Dataset(entities, mentions, sentences, negatives)
    train(data, start, out, settings, compute, checkpoints, training_log)


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
    models: Iterable[tuple[str, Path]] = (),
) -> None:
    """Train several models for a share of their steps, and the best one to the end.

    That is the one with the greatest validation recall where the share ends; of equals, the first.
    It becomes what it would be if it were trained alone.

    Parameters
    ----------
    models
        Those of them that are trained already, as their names and directories: none is trained
        again, and the best one is copied. If the log of one has no validation where the share ends,
        the share is trained for it.

    The others are those of :func:`train_model`.
    """
    data, trained, recalls = Dataset(entities, mentions, sentences), dict(models), {}
    laid_out: LaidOut = {}

    def trainer_named(name: str) -> Trainer:
        where = (start, data, checkpoints / name)
        return trainer_of(settings.best_of[name], compute, *where, laid_out=laid_out)

    for name, training in settings.best_of.items():
        cutoff = training.training.validation_cutoff  # which all of them share
        recall = None
        if name in trained:
            recall = recall_after(trained[name] / LOG, settings.after, cutoff)
        if recall is None:
            logger.info("training %s", name)
            log, key = trainer_named(name).run(settings.after), f"{VALIDATION}{cutoff}"
            recall = next(line[key] for line in log[::-1] if key in line)
        recalls[name] = recall
    note = choice(recalls, cutoff)
    best = note["chosen"]
    if best in trained:
        copy_chosen(trained[best], out, training_log, note)
    else:
        trainer = trainer_named(best)
        write(trainer, trainer.run(), training_log, out, note)
    for name in recalls:
        Checkpoints(checkpoints / name, "").clear()


def trainer_of(
    settings: ModelTraining, compute: Machine, start: Path, data: Dataset, checkpoints: Path,
    candidates: Mapping[str, Sequence[int]] | None = None, kind: Any = BiEncoder,
    objective: Objective | None = None, laid_out: LaidOut | None = None,
) -> Trainer:  # fmt: skip
    """The trainer of a model, at its first step or where a killed run's checkpoint is.

    ``candidates`` of the validation mentions, by their ids, stand where training has negatives.
    ``kind`` of model and ``objective`` are by default two towers and negatives in the batch.
    ``laid_out`` keeps the worlds for further trainings on the same data.
    """
    if (data.negatives is None) != (settings.negatives is UNSET):
        raise InputError("--negatives: goes with negatives in --settings, which says how many.")
    training_settings, config = settings.training, config_of(settings, start)
    compute = replace(compute, precision=settings.precision or compute.precision)
    inputs = {name: sha256_of(start / name) for name in start_files(start)}
    inputs |= {path.name: sha256_of(path) for path in data if path is not None}
    made_by = {"settings": config.as_dict(), "precision": compute.precision, "inputs": inputs}
    key = short_hash(made_by)  # not the threads: they may be others when a killed run goes on
    accelerator = device.start(compute.device, compute.precision, compute.threads)
    torch.manual_seed(settings.seed)
    model = kind.from_encoder(start, config)
    if training_settings.global_view:
        model.require_positions("training.global_view", training_settings.global_view)
    hard = None
    if data.negatives is not None:
        hard = negatives_of(data.negatives, settings.negatives.per_mention)
    layout = (config, model.pieces, training_settings)
    laid_out = {} if laid_out is None else laid_out
    by = short_hash([part.as_dict() for part in (config.views, config.context, training_settings)])
    if by not in laid_out:
        splits = (("train", hard), ("val", candidates))
        laid_out[by] = [worlds_of(data, split, *layout, others) for split, others in splits]
    training, validation = laid_out[by]
    examples = Examples(
        training, training_settings.batch_size, settings.seed, training_settings.labelled
    )
    to_validate = sum(len(world.gold) for world in validation)
    logger.info("%s to train on, %d to validate on", counted(len(examples), "mention"), to_validate)
    return Trainer(
        model, examples, objective or InBatch(training_settings.mask_false_negatives), validation,
        training_settings, settings.seed, accelerator, Checkpoints(checkpoints, key),
        settings.validate_after,
    )  # fmt: skip


def write(
    trainer: Trainer, log: list[dict[str, Any]], training_log: Path, out: Path | None, *notes: Any
) -> None:
    """Write a trained model and its log, which are those of the first process."""
    if trainer.accelerator.is_main_process:
        if out is not None:
            trainer.model.to("cpu").save_pretrained(out)
        settings = trainer.settings
        kept = (settings.keep, trainer.kept_step)
        write_log(training_log, log, settings.validation_cutoff, *kept, *notes)
        trainer.checkpoints.clear()
    trainer.accelerator.wait_for_everyone()
