"""One model of several: the mean of the weights of trainings that began with the same encoder.

It takes no training, and a search no more time: a model has the size of one of them.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_text
from muver.io.progress import logger
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.files import TOWERS


def average(
    models: Sequence[Path], start: Path, trained_share: float, training_log: Path, out: Path
) -> None:
    """Write a model with a share of the mean trained weights, and for the rest of the encoder's.

    What is trained beside the towers, a scale, is the mean of the trainings.

    Parameters
    ----------
    models
        Model directories, trained with the same settings but for their seeds.
    start
        The encoder, or the model, that their trainings began with.
    training_log
        Receives one line that says how many trainings, and their share.
    """
    first, *others = [BiEncoder.from_pretrained(folder) for folder in models]
    began = dict(BiEncoder.from_encoder(start, first.config).named_parameters())
    trained = [dict(model.named_parameters()) for model in (first, *others)]
    _check(models, trained, start, began)
    with torch.no_grad():
        for name, weight in first.named_parameters():
            mean = torch.stack([one[name] for one in trained]).mean(0)
            of_a_tower = name.startswith(TOWERS)
            weight.copy_(torch.lerp(began[name], mean, trained_share) if of_a_tower else mean)
    how = {"averaged": len(models), "trained_share": trained_share}
    made_with = {**first.config.provenance, "average": how}
    seeds = [model.config.provenance.get("seed") for model in (first, *others)]
    first.config = replace(first.config, provenance={**made_with, "seed": seeds})
    first.save_pretrained(out)
    write_text(training_log, json.dumps(how) + "\n")
    names = ", ".join(folder.name for folder in models)
    logger.info("%g of the weights of %s, the rest of %s", trained_share, names, start)


def _check(
    models: Sequence[Path], trained: Sequence[dict[str, torch.Tensor]], start: Path,
    began: dict[str, torch.Tensor],
) -> None:  # fmt: skip
    """Refuse models of other sizes than the first one's."""
    sizes = [{name: weight.shape for name, weight in own.items()} for own in (*trained, began)]
    for folder, own in zip((*models, start), sizes, strict=True):
        if own != sizes[0]:
            raise InputError(
                f"{folder}: its weights are not of the sizes of {models[0]}. Give models that were "
                "trained from the same encoder with the same settings, and that encoder."
            )
