"""The training stage: make a model directory from the corpus and a start checkpoint."""

from pathlib import Path

import torch
from msgspec import UNSET
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import sha256_of, short_hash
from muver.io.progress import logger
from muver.retriever.corpus.schema import read_negatives
from muver.retriever.encoders import device
from muver.retriever.encoders.settings import Machine
from muver.retriever.training.checkpoint import Checkpoints
from muver.retriever.training.loop import Trainer, write_log
from muver.retriever.training.settings import ModelTraining
from muver.retriever.training.start import config_of, start_files, start_from
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
    if (negatives is None) != (settings.negatives is UNSET):
        raise InputError("--negatives: goes with negatives in --settings, which says how many.")
    parts, config = settings.training, config_of(settings, start)
    compute = replace(compute, precision=settings.precision or compute.precision)
    tables = [path for path in (entities, mentions, sentences, negatives) if path is not None]
    inputs = {name: sha256_of(start / name) for name in start_files(start)}
    inputs |= {path.name: sha256_of(path) for path in tables}
    key = short_hash({"settings": config.as_dict(), "compute": compute.as_dict(), "inputs": inputs})
    device.keep_freed_memory()
    accelerator = device.start(compute.device, compute.precision, compute.threads)
    torch.manual_seed(settings.seed)
    model = start_from(start, config)
    sources = (entities, mentions, sentences)
    hard = None
    if negatives is not None:
        rows, count = read_negatives(negatives).to_pylist(), settings.negatives.per_mention
        hard = {row["mention_id"]: row["negatives"][:count] for row in rows}
    training = load_worlds(*sources, "train", config, model.pieces, gold_only=True, negatives=hard)
    validation = load_worlds(*sources, "val", config, model.pieces)
    mentions_of = [sum(len(world.gold) for world in some) for some in (training, validation)]
    logger.info("%d mentions to train on, %d to validate on", *mentions_of)
    keeper = Checkpoints(checkpoints, key)
    trainer = Trainer(model, training, validation, parts, settings.seed, accelerator, keeper)
    log = trainer.run()
    if accelerator.is_main_process:
        if out is not None:
            model.to("cpu").save_pretrained(out)
        write_log(training_log, log, parts.validation_cutoff, parts.keep)
        keeper.clear()
    accelerator.wait_for_everyone()
