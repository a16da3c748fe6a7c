"""What an index encodes with: a copy of a trained model or two towers from an encoder.

The sentences of a description must not depend on other entities, so nothing is learnt from these:
they are those of Unicode's rules, and views read all of them.
"""

import contextlib
import os
import tempfile
from pathlib import Path

from msgspec.structs import replace

from muver.io.errors import InputError, disk_errors
from muver.io.files import sha256_of
from muver.io.progress import logger
from muver.io.typed import read
from muver.kb.index.index_settings import Making
from muver.kb.index.state import MODEL, Model
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.device import load_model
from muver.retriever.encoders.encoders_settings import ModelConfig
from muver.retriever.encoders.files import TOKENIZER_FILE, TOWER_FILES, TOWERS, copy_model
from muver.retriever.encoders.fingerprint import model_fingerprint
from muver.retriever.encoders.hub import SHIPPED, NotCached, pinned, taken_model
from muver.retriever.encoders.start import make_start
from muver.retriever.training.start import as_the_makers, makers_vectors
from muver.retriever.views.views_settings import UNICODE

INVENTED = SHIPPED["miniwikia-bert"]
SCALE = 20.0  # of the product of two vectors that are brought to one length, unless it is learnt
LAYOUT = {"kind": "sentences", "min_pieces": 6, "title_room": 6, "training_views": None}


def keep(source: str, folder: Path, settings: Making) -> tuple[Model, BiEncoder]:
    """Write a model into an index: what its state says of it, and the model. ``source`` is a
    model's or an encoder's directory, or a name on the hub.
    """
    place = folder / MODEL
    trained_model = taken_model(source)
    with disk_errors(place, "Nothing was changed."):
        if trained_model:
            model_fingerprint(trained_model)  # looks whether all is there
            copy_model(trained_model, place)
        else:
            _save_untrained(source, place, settings)
        _store_once(*(place / tower / TOWER_FILES[1] for tower in TOWERS))
    if (place / TOKENIZER_FILE).read_bytes() == (INVENTED / TOKENIZER_FILE).read_bytes():
        logger.warning(
            "%s has read invented wikis alone, the default's data: on real text it answers "
            "nonsense. Take an encoder, such as sentence-transformers/all-MiniLM-L6-v2, or leave "
            "--model out: words and names are compared without one.",
            source,
        )
    model = load_model(place, BiEncoder)
    config, columns = model.config, columns_of(settings, model.config, trained_model is not None)
    if config.score == "sum_max":
        raise InputError(
            f"--model {source}: sums the scores of a mention's token vectors, and an index "
            "compares one vector a mention. Choose a model that makes one."
        )
    if "text" in columns or ("whole" in columns and config.views.kind != "prefix"):
        model.require_positions("global_tokens", settings.global_tokens)
    if settings.merge:
        model.require_positions("merged_tokens", settings.merged_tokens)
    kept = Model(
        name=pinned(source),
        fingerprint=model_fingerprint(place),
        trained=trained_model is not None,
        punkt=UNICODE,
        dimension=model.dimension,
        metric=config.metric,
        scale=config.scale or SCALE,
        columns=columns,
    )
    return kept, model


def columns_of(settings: Making, config: ModelConfig, trained: bool) -> list[str]:
    """The columns of vectors (:data:`muver.kb.index.index_settings.OF_COLUMN`): of names and texts
    where the model is an encoder, and of views as they were asked for, or as the model was trained.
    """
    wanted = settings.views or ("sentences" if settings.merge else None)
    if trained and wanted is None:
        wanted = "global" if config.views.kind == "prefix" else "sentences"
    views = {"sentences": ["views"], "global": ["whole"], "both": ["views", "whole"]}
    return [*([] if trained else ["names", "text"]), *views.get(wanted, ())]


def _store_once(first: Path, second: Path) -> None:
    """Let two towers of the same weights, as those of an untrained encoder, be one file."""
    if sha256_of(first) == sha256_of(second):
        with contextlib.suppress(OSError):  # of file systems without links
            os.link(first, link := second.with_suffix(".tmp"))
            link.replace(second)


def _save_untrained(source: str, folder: Path, settings: Making) -> None:
    """Write both towers as the encoder's makers left it, pooled as they do."""
    with tempfile.TemporaryDirectory() as name:
        start = Path(name)
        known = _taken(source, start)
        asked = {
            "views": {**LAYOUT, "max_tokens": settings.view_tokens},
            "context": {"max_tokens": settings.context_tokens},
            "score": "max",
        }
        config = read(ModelConfig, asked)
        if known:
            scale = SCALE if makers_vectors(start)["normalised"] else None
            config = as_the_makers(config, start, scale)
        config = replace(config, provenance={"untrained": source})
        model = BiEncoder.from_encoder(start, config)
        model.save_pretrained(folder)
    logger.info(
        "%s is an encoder that has not been trained to find entities: its vectors are compared "
        "as they are",
        source,
    )


def _taken(source: str, start: Path) -> bool:
    """Take an encoder; whether it is known how its makers pool. If the hub cannot be asked, it is
    taken as a plain one, whose first state is its vector.
    """
    try:
        make_start(source, start, {"pooling": "auto"})
    except NotCached:
        make_start(source, start, {})
        logger.warning(
            "%s: whether it has files of sentence-transformers is not known here without the "
            "network; it is taken without: the state of [CLS] is its vector",
            source,
        )
        return False
    return True
