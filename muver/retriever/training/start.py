"""The start of a training: one encoder for both towers, or the two towers of a model."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.encoders.encoders_settings import ModelConfig
from muver.retriever.encoders.files import (
    MANIFEST_FILE,
    OF_TOWERS,
    TOKENIZER_FILE,
    TOWER_FILES,
    is_model,
    read_model_config,
)
from muver.retriever.training.training_settings import ModelTraining

# Of a training's settings, what its model's directory tells people.
MADE_WITH = ("training", "precision", "seed", "start", "negatives")


def start_files(folder: Path) -> list[str]:
    """The files below ``folder`` from which training starts."""
    return [*(OF_TOWERS if is_model(folder) else TOWER_FILES), TOKENIZER_FILE]


def config_of(settings: ModelTraining, folder: Path) -> ModelConfig:
    """The configuration with which a training begins in ``folder``.

    The pooling ``auto`` becomes that of the encoder's makers, or that of the model from which
    training starts. Unit vectors start with the scale that this model has learnt, or with
    ``training.initial_scale``; raw ones have none. A cross-encoder's scale is
    where its weights start.
    """
    old = _config_in(folder)
    scale = None
    if settings.vectors == "unit" or settings.score == "cross":
        scale = (old and old.scale) or settings.training.initial_scale
    names = ("views", "context", "score", "metric", "decay")
    config = ModelConfig(
        **{name: getattr(settings, name) for name in names},
        scale=scale,
        provenance={key: value for key, value in settings.as_dict().items() if key in MADE_WITH},
    )
    if settings.pooling == "auto":
        return as_the_makers(config, folder, scale)
    return replace(config, pooling=settings.pooling)


def as_the_makers(config: ModelConfig, folder: Path, scale: float | None) -> ModelConfig:
    """A configuration with the pooling and the prompts of the encoder or model in ``folder``.

    An encoder's stand in its manifest (:mod:`muver.retriever.encoders.own_pooling`).
    """
    if old := _config_in(folder):
        pooling, prompts = old.pooling, (old.context.prompt, old.views.prompt)
    else:
        makers = makers_vectors(folder)
        pooling, prompts = makers["pooling"], (makers["query"], makers["passage"])
    context, views = (
        replace(part, prompt=prompt) if prompt else part
        for part, prompt in zip((config.context, config.views), prompts, strict=True)
    )
    return replace(config, context=context, views=views, pooling=pooling, scale=scale)


def _config_in(folder: Path) -> ModelConfig | None:
    """The configuration of a model's directory; None of a BERT's."""
    return read_model_config(folder) if is_model(folder) else None


def makers_vectors(folder: Path) -> dict[str, Any]:
    """How an encoder's makers pool its states, from the manifest in its directory."""
    vectors = read_json(folder / MANIFEST_FILE)["identity"].get("vectors")
    if vectors is None:
        raise InputError(
            f"--start {folder}: {MANIFEST_FILE} does not say how the encoder pools, as auto "
            """asks for. Make it with muver stage encoder --settings '{"pooling": "auto"}'."""
        )
    return vectors
