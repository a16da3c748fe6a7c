"""The training stage: from the corpus and a start checkpoint to a model directory."""

from pathlib import Path
from typing import Any

import torch

from muver.encoders import device
from muver.encoders.biencoder import BiEncoder, ModelConfig
from muver.encoders.files import TOKENIZER_FILE, TOWER_FILES
from muver.errors import InputError
from muver.files import sha256_of, short_hash
from muver.progress import logger
from muver.training.checkpoint import Checkpoints
from muver.training.loop import Trainer, write_log
from muver.training.settings import training_settings
from muver.views.worlds import load_worlds


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
) -> None:
    """Train one model and write it with its log; resume if a run of the same key was killed.

    Parameters
    ----------
    settings
        ``views``, ``score``, ``context``, ``training``, ``seed``, and, if they are not to be the
        defaults, ``metric``, ``pooling`` and ``precision``
        (:func:`muver.settings.rows.model_settings`).
    compute
        ``device``, ``precision`` (where the model's settings have none), ``threads``.
    out
        The model's directory. Without one only the log is written.

    Raises
    ------
    InputError
        For settings that do not exist or do not go together.
    """
    for name in ("training", "seed"):
        if name not in settings:
            raise InputError(f"--settings: the key {name!r} of the model is missing.")
    made_with = ("training", "precision", "seed")
    config = ModelConfig.from_settings(
        settings, provenance={key: settings[key] for key in made_with if key in settings}
    )
    parts = training_settings(settings["training"], config.views)
    compute = {**compute, "precision": settings.get("precision", compute.get("precision"))}
    encoder = (start / file for file in (*TOWER_FILES, TOKENIZER_FILE))
    inputs = {path.name: sha256_of(path) for path in (*encoder, entities, mentions, sentences)}
    key = short_hash({"settings": settings, "compute": compute, "inputs": inputs})
    accelerator = device.start(compute)
    torch.manual_seed(settings["seed"])
    model = BiEncoder.from_encoder(start, config)
    sources = (entities, mentions, sentences)
    training = load_worlds(*sources, "train", config, model.pieces, gold_only=True)
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
        write_log(training_log, log, parts["validation_cutoff"])
        keeper.clear()
    accelerator.wait_for_everyone()
