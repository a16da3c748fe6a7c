"""What an index keeps to encode with: a copy of a trained model or two towers from an encoder, and
the parameters of Punkt by which descriptions are split into sentences.

The sentences of a description must not depend on other entities, so nothing is learnt from these.
Without parameters of one's own, a full stop ends a sentence where white space and no lower-case
letter follow, but not after the abbreviations below.
"""

import shutil
import tempfile
from pathlib import Path

from msgspec.structs import replace
from nltk.tokenize.punkt import PunktParameters
from safetensors import SafetensorError

from muver.io.checking import disk_errors
from muver.io.errors import InputError
from muver.io.progress import logger
from muver.io.typed import read
from muver.kb.index.machinery import load_model
from muver.kb.index.settings import Making
from muver.kb.index.state import MODEL, PUNKT, Model
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.files import MODEL_FILES
from muver.retriever.encoders.fingerprint import model_fingerprint
from muver.retriever.encoders.settings import ModelConfig
from muver.retriever.encoders.start import make_start
from muver.retriever.training.start import as_the_makers, is_model, makers_vectors, start_from
from muver.retriever.views import punkt
from muver.retriever.views.files import punkt_fingerprint

SCALE = 20.0  # of the product of two vectors that are brought to one length
LAYOUT = {"kind": "sentences", "min_pieces": 6, "title_room": 6, "training_views": None}
ABBREVIATIONS = """
adm al apr aug ave blvd bros c ca capt cf ch cmdr co col corp dec dept dr e.g ed eds esp est etc feb
fig figs fl gen gov hon i.e inc jan jr jul jun lt ltd maj mar max messrs min mr mrs ms mt no nos nov
oct op p pl pp prof pt rd ref rep rev sen sep sept sgt sr st u.k u.s vol vols vs
"""


def keep(
    source: str, folder: Path, settings: Making, parameters: str | Path | None
) -> tuple[Model, BiEncoder]:
    """Write a model and parameters of Punkt into an index: what its state says of them, and the
    model.

    ``source`` is a model's or an encoder's directory, or a name on the hub. ``parameters`` is a
    folder such as that of `muver stage segment`, or None for our abbreviations.
    """
    place = folder / MODEL
    trained = Path(source).is_dir() and is_model(Path(source))
    try:
        with disk_errors(place, "Nothing was changed."):
            (_copy if trained else _save_untrained)(source, place, settings)
    except SafetensorError as error:  # which the disk's errors are as well
        raise InputError(
            f"{place}: cannot be written ({error}). Free some space, then run the same command "
            "again. Nothing was changed."
        ) from error
    model = load_model(place)
    config, views = model.config, kinds(settings, model.config)
    if config.score == "sum_max":
        raise InputError(
            f"--model {source}: compares token vectors, which are not stored. Choose a model "
            "with one vector a view."
        )
    if "global" in views and config.views.kind != "prefix":
        model.require_positions("global_tokens", settings.global_tokens)
    if settings.merge:
        model.require_positions("merged_tokens", settings.merged_tokens)
    kept = Model(
        name=source,
        fingerprint=model_fingerprint(place),
        trained=trained,
        punkt=_keep_punkt(parameters, folder / PUNKT),
        dimension=model.dimension,
        metric=config.metric,
        kinds=" and ".join(views),
    )
    return kept, model


def kinds(settings: Making, config: ModelConfig) -> tuple[str, ...]:
    """The kinds of views, ``sentences`` before ``global``; by default those of the training."""
    trained_on = "global" if config.views.kind == "prefix" else "sentences"
    wanted = settings.views or ("sentences" if settings.merge else trained_on)
    return ("sentences", "global") if wanted == "both" else (wanted,)


def _copy(source: str, folder: Path, settings: Making) -> None:
    model_fingerprint(source)  # looks whether all is there
    for name in MODEL_FILES:
        if Path(source, name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(source, name), folder / name)


def _save_untrained(source: str, folder: Path, settings: Making) -> None:
    """Write both towers as the encoder's makers left it, pooled as they do."""
    with tempfile.TemporaryDirectory() as name:
        start = Path(name)
        make_start(source, start, {"pooling": "auto"})
        asked = {
            "views": {**LAYOUT, "max_tokens": settings.view_tokens},
            "context": {"max_tokens": settings.context_tokens},
            "score": "max",
        }
        scale = SCALE if makers_vectors(start)["normalised"] else None
        config = as_the_makers(read(ModelConfig, asked), start, scale)
        config = replace(config, provenance={"untrained": source})
        start_from(start, config).save_pretrained(folder)
    logger.info(
        "%s is an encoder that has not been trained to find entities: its vectors are compared "
        "as they are",
        source,
    )


def _keep_punkt(given: str | Path | None, folder: Path) -> str:
    if given is None:
        parameters = PunktParameters()
        parameters.abbrev_types = set(ABBREVIATIONS.split())
    elif Path(given).is_dir():
        parameters = punkt.load(given)
    else:
        raise InputError(f"--punkt {given}: no such folder.")
    punkt.save(parameters, folder)
    return punkt_fingerprint(folder)
