"""The training stage: make a model directory from the corpus and a start checkpoint."""

from pathlib import Path
from typing import Any

import torch

from muver.io.errors import InputError
from muver.io.files import sha256_of, short_hash
from muver.io.progress import logger
from muver.retriever.encoders import device
from muver.retriever.encoders.biencoder import ModelConfig
from muver.retriever.training.checkpoint import Checkpoints
from muver.retriever.training.loop import Trainer, write_log
from muver.retriever.training.memory import keep_freed_memory
from muver.retriever.training.negatives import hard_negatives
from muver.retriever.training.settings import check_sources, training_settings
from muver.retriever.training.start import is_model, settle_vectors, start_files, start_from
from muver.retriever.views.worlds import load_worlds


def train(
    settings: dict[str, Any],
    compute: dict[str, Any],
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
    settings
        ``views``, ``score``, ``context``, ``training``, ``seed``; optionally ``metric``,
        ``pooling`` and ``precision``; ``start`` if that is a model, ``negatives`` (with
        ``per_mention``) if there are any (:func:`muver.reproduction.settings.rows.model_settings`).
    compute
        ``device``, ``threads``, and ``precision`` for settings that have none.
    start
        An encoder for both towers, or a model directory whose towers are trained further with
        a new optimiser.
    out
        The model's directory; if None, only the log is written.
    negatives
        Hard negatives of the training mentions (`muver.retriever.corpus.schema.NEGATIVES`).
    """
    for name in ("training", "seed"):
        if name not in settings:
            raise InputError(f"--settings: the key {name!r} of the model is missing.")
    check_sources(settings, is_model(start), negatives is not None)
    made_with = ("training", "precision", "seed", "start", "negatives")
    parts = training_settings(settings["training"], settings.get("views", {}))
    settings = settle_vectors(settings, start, parts.initial_scale)
    config = ModelConfig.from_settings(
        settings, provenance={key: settings[key] for key in made_with if key in settings}
    )
    compute = {**compute, "precision": settings.get("precision", compute.get("precision"))}
    tables = [path for path in (entities, mentions, sentences, negatives) if path is not None]
    inputs = {name: sha256_of(start / name) for name in start_files(start)}
    inputs |= {path.name: sha256_of(path) for path in tables}
    key = short_hash({"settings": settings, "compute": compute, "inputs": inputs})
    keep_freed_memory()
    accelerator = device.start(compute["device"], compute["precision"], compute["threads"])
    torch.manual_seed(settings["seed"])
    model = start_from(start, config)
    sources = (entities, mentions, sentences)
    hard = None
    if negatives is not None:
        hard = hard_negatives(negatives, mentions, "train", settings["negatives"]["per_mention"])
    training = load_worlds(*sources, "train", config, model.pieces, gold_only=True, negatives=hard)
    validation = load_worlds(*sources, "val", config, model.pieces)
    logger.info(
        "%d mentions of %d worlds, validation on %d mentions",
        sum(len(world.gold) for world in training),
        len(training),
        sum(len(world.gold) for world in validation),
    )
    keeper = Checkpoints(checkpoints, key)
    trainer = Trainer(model, training, validation, parts, settings["seed"], accelerator, keeper)
    log = trainer.run()
    if accelerator.is_main_process:
        if out is not None:
            model.to("cpu").save_pretrained(out)
        write_log(training_log, log, parts.validation_cutoff, parts.keep)
        keeper.clear()
    accelerator.wait_for_everyone()
