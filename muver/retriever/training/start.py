"""The start of a training: one encoder for both towers, or the two towers of a model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.encoders.biencoder import BiEncoder, ModelConfig
from muver.retriever.encoders.files import (
    CONFIG_FILE,
    MANIFEST_FILE,
    TOKENIZER_FILE,
    TOWER_FILES,
    TOWERS,
)


def is_model(folder: Path) -> bool:
    """Whether a folder is a model's directory; otherwise it is an encoder's."""
    return (folder / CONFIG_FILE).is_file()


def start_files(folder: Path) -> list[str]:
    """The files below ``folder`` from which training starts."""
    towers = TOWERS if is_model(folder) else (".",)
    names = [*(f"{tower}/{file}" for tower in towers for file in TOWER_FILES), TOKENIZER_FILE]
    names = [name.removeprefix("./") for name in names]
    for name in names:
        if not (folder / name).is_file():
            raise InputError(
                f"--start: {folder / name}: no such file. Expected the "
                "directory of an encoder or of a model."
            )
    return names


def settle_vectors(
    settings: Mapping[str, Any], folder: Path, initial_scale: float
) -> dict[str, Any]:
    """A model's settings with its pooling by name, its prompts, and the scale of its vectors.

    The pooling ``auto`` becomes that of the encoder's makers, from its manifest
    (:mod:`muver.retriever.encoders.own_pooling`), or that of the model from which training starts;
    any other pooling stays. Unit vectors start with ``initial_scale``, or with the scale that the
    model has learnt; raw ones have none.
    """
    old = read_json(folder / CONFIG_FILE) if is_model(folder) else {}
    scale = old.get("scale") or initial_scale if settings.get("vectors") == "unit" else None
    if settings.get("pooling") != "auto":
        return {**settings, "scale": scale}
    if old:
        pooling = old.get("pooling", "cls")
        prompts = {name: old[name].get("prompt") for name in ("context", "views")}
    else:
        own = makers_vectors(folder)
        pooling, prompts = own["pooling"], {"context": own["query"], "views": own["passage"]}
    layouts = {name: {**settings[name], "prompt": own} for name, own in prompts.items() if own}
    return {**settings, **layouts, "pooling": pooling, "scale": scale}


def makers_vectors(folder: Path) -> dict[str, Any]:
    """How an encoder's makers pool its states, from the manifest in its directory."""
    vectors = read_json(folder / MANIFEST_FILE)["identity"].get("vectors")
    if vectors is None:
        raise InputError(
            f"--start {folder}: {MANIFEST_FILE} does not say how the encoder pools, as auto "
            """asks for. Make it with muver encoder --settings '{"pooling": "auto"}'."""
        )
    return vectors


def start_from(folder: Path, config: ModelConfig) -> BiEncoder:
    """A model of ``config`` with the weights and the vocabulary in ``folder``.

    If ``folder`` is a model, its own views, context, pooling and score are ignored.
    """
    if not is_model(folder):
        return BiEncoder.from_encoder(folder, config)
    old = BiEncoder.from_pretrained(folder)
    model = BiEncoder(old.mention_encoder, old.entity_encoder, old.pieces, config)
    model.require_layouts()
    return model
