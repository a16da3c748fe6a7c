"""The model that an index keeps: a copy of a trained one, or two towers from an encoder."""

import shutil
import tempfile
from pathlib import Path

import torch

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.kb.index.settings import Making
from muver.retriever.encoders.biencoder import BiEncoder, ModelConfig
from muver.retriever.encoders.files import MODEL_FILES
from muver.retriever.encoders.fingerprint import model_fingerprint
from muver.retriever.encoders.start import make_start
from muver.retriever.training.start import is_model, makers_vectors, settle_vectors, start_from

SCALE = 20.0  # of the product of two vectors that are brought to one length
LAYOUT = {"kind": "sentences", "min_pieces": 6, "title_room": 6, "training_views": None}


def keep(source: str, folder: Path, settings: Making) -> tuple[BiEncoder, bool]:
    """Write a model's directory into an index.

    Parameters
    ----------
    source
        A model's directory, an encoder's, or a name on the hub.

    Returns
    -------
    The model, and whether it is a trained one.

    Raises
    ------
    InputError
        If there is no such model, or it compares token vectors.
    """
    trained = Path(source).is_dir() and is_model(Path(source))
    if trained:
        model_fingerprint(source)  # looks whether all is there
        for name in MODEL_FILES:
            if Path(source, name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(Path(source, name), folder / name)
    else:
        _save_untrained(source, folder, settings)
        logger.info(
            "%s is an encoder that has not been trained to find entities: its vectors are compared "
            "as they are",
            source,
        )
    model = load_model(folder)
    if model.config.score == "sum_max":
        raise InputError(
            f"--model {source}: compares token vectors, which are not stored. Choose a model "
            "with one vector a view."
        )
    _check_positions(model, settings)
    return model, trained


def load_model(folder: Path) -> BiEncoder:
    """A model where it computes fastest."""
    model = BiEncoder.from_pretrained(folder).eval()
    return model.to("cuda" if torch.cuda.is_available() else "cpu")


def _save_untrained(source: str, folder: Path, settings: Making) -> None:
    """Write both towers as the encoder's makers left it, pooled as they do."""
    with tempfile.TemporaryDirectory() as name:
        start = Path(name)
        make_start(source, start, {"pooling": "auto"})
        asked = {
            "views": {**LAYOUT, "max_tokens": settings.view_tokens},
            "context": {"max_tokens": settings.context_tokens},
            "score": "max",
            "pooling": "auto",
            "vectors": "unit" if makers_vectors(start)["normalised"] else "raw",
        }
        own = settle_vectors(asked, start, SCALE)
        config = ModelConfig.from_settings(own, {"untrained": source})
        start_from(start, config).save_pretrained(folder)


def _check_positions(model: BiEncoder, settings: Making) -> None:
    views = kinds(settings, model.config)
    if "global" in views and model.config.views["kind"] != "prefix":
        model.require_positions("global_tokens", settings.global_tokens)
    if settings.merge:
        model.require_positions("merged_tokens", settings.merged_tokens)


def kinds(settings: Making, config: ModelConfig) -> tuple[str, ...]:
    """The kinds of views, ``sentences`` before ``global``; by default those of the training."""
    trained_on = "global" if config.views["kind"] == "prefix" else "sentences"
    wanted = settings.views or ("sentences" if settings.merge else trained_on)
    return ("sentences", "global") if wanted == "both" else (wanted,)
