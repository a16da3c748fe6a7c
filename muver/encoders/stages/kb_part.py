"""One part of a knowledge base to a part of vectors: in bounded memory, made once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from muver.checking import check_choices, with_defaults
from muver.corpus.kilt.made import MadePart, open_part
from muver.encoders.fingerprint import model_fingerprint
from muver.encoders.stages.settings import PART
from muver.encoders.stages.tower import Tower
from muver.errors import InputError
from muver.progress import Progress, logger
from muver.retrieval.ann.shards import MOST_VIEWS, part_name, read_part_manifest, write_part
from muver.views.build import Tokenizer, entity_views
from muver.views.layout import View

DTYPES = {"fp16": np.float16, "fp32": np.float32}
# The rest says where and in what batches it is computed, which moves last digits only.
OF_CONTENT = ("dtype", "precision")
COLUMNS = ("title", "paragraphs")
ENTITIES = 4096  # laid out and encoded at a time


def encode_part(
    model_folder: str | Path,
    kb: str | Path,
    number: int,
    out: str | Path,
    settings: Mapping[str, Any],
) -> bool:
    """Encode the views of a part's entities, unless that is done already.

    Views are what the model says. Kind "sentences": the paragraphs are laid out as sentences are,
    so that with ``min_pieces`` 1 each is a view. Kind "prefix": one view of the title and all
    paragraphs, joined by spaces. An entity without paragraphs has one view, of its title.

    In memory are the part's vectors in ``dtype``, and :data:`ENTITIES` entities with their views.

    Parameters
    ----------
    model_folder
        Model directory.
    kb
        Folder of the knowledge base; only the part itself has to be there.
    number
        Of the part, from 0.
    out
        Folder of the vectors, for :class:`muver.retrieval.ann.shards.Shards`.
    settings
        Those of :data:`PART`. A part that was written for the same model, the same part of the
        knowledge base and the same ``dtype`` and ``precision`` is left as it is.

    Returns
    -------
    Whether it was encoded.

    Raises
    ------
    InputError
        If there is no such part, if the model's vectors cannot be searched by products, or if a
        value is none that ``dtype`` can hold. Nothing is written then.
    """
    settings = with_defaults(settings, PART)
    check_choices(settings, {"dtype": tuple(DTYPES)})
    own = {key: settings[key] for key in OF_CONTENT}
    part = open_part(kb, number)
    model = model_fingerprint(model_folder)
    path = Path(out) / part_name(number)
    if _is_there(path, model, part, own):
        logger.info("%s is there, of this model, part and settings: left as it is", path)
        return False
    tower = Tower(Path(model_folder), dict(settings))
    _check_metric(tower.model.config.metric, model_folder)
    vectors, counts = _encode(tower, part, DTYPES[settings["dtype"]], f"views of {path.stem}")
    if not np.isfinite(vectors).all():
        raise InputError(
            f"{path}: a view's vector has values that {settings['dtype']} cannot hold. Set dtype "
            "to fp32; if it is that, the model's weights are not those of a model."
        )
    write_part(out, number, vectors, counts, model, part.fingerprint, own)
    return True


def paragraph_views(
    batch: pa.RecordBatch, layout: dict[str, Any], tokenizer: Tokenizer
) -> list[list[View]]:
    """Views of each entity of a batch (title, paragraphs), as a model's ``views`` say."""
    titles, paragraphs = (batch.column(name).to_pylist() for name in COLUMNS)
    texts = [" ".join(some) for some in paragraphs] if layout["kind"] == "prefix" else titles
    return list(entity_views(titles, texts, paragraphs, layout, tokenizer))


def _encode(
    tower: Tower, part: MadePart, dtype: type[np.floating], label: str
) -> tuple[np.ndarray, np.ndarray]:
    """(views, d) vectors and (entities,) numbers of views."""
    layout, pieces = tower.model.config.views, tower.model.pieces
    most = part.entities if layout["kind"] == "prefix" else part.segments
    vectors = np.empty((most, tower.model.dimension), dtype)
    counts = np.empty(part.entities, np.int64)
    progress = Progress(label, part.entities, "entities")
    entity = row = 0
    for batch in part.batches(COLUMNS, ENTITIES):
        views = paragraph_views(batch, layout, pieces)
        sizes = [len(some) for some in views]
        if max(sizes) > MOST_VIEWS:
            raise InputError(
                f"{part.path}: an entity has {max(sizes)} views, more than {MOST_VIEWS}. Make the "
                "knowledge base with fewer paragraphs an entity."
            )
        flat = [view.ids for some in views for view in some]
        with np.errstate(over="ignore"):  # looked for, and told, at the end
            vectors[row : row + len(flat)] = tower.views(flat, None)
        counts[entity : entity + len(sizes)] = sizes
        entity, row = entity + len(sizes), row + len(flat)
        progress.advance(len(sizes), f"{row} views")
    progress.finish()
    return vectors[:row], counts


def _is_there(path: Path, model: str, part: MadePart, own: Mapping[str, Any]) -> bool:
    if not path.with_suffix(".json").is_file():
        return False
    try:
        manifest = read_part_manifest(path)
    except InputError as error:
        logger.info("%s; doing so", error)
        return False
    inputs = {"model": model, "kb": part.fingerprint}
    if manifest["inputs"] == inputs and manifest["settings"] == own:
        return manifest["entities"] == part.entities
    logger.info("%s is of another model, part or settings: encoding it again", path)
    return False


def _check_metric(metric: str, folder: str | Path) -> None:
    if metric != "dot":
        raise InputError(
            f"{folder}: compares by metric {metric!r}, and parts of vectors are searched by inner "
            "products. Take a model with metric 'dot'."
        )
