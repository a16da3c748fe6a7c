"""A row of the workflow as an index: its model, and the vectors of the views that it ranks by."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import folder_beside, read_json
from muver.io.typed import read
from muver.kb.index.changes import check_free
from muver.kb.index.entity import Entity
from muver.kb.index.index_settings import WITHOUT_MODEL, Making
from muver.kb.index.model import keep
from muver.kb.index.segments import groups, own_columns, write_segment
from muver.kb.index.state import State, write_state
from muver.kb.index.vectors import sentence_column, view_columns
from muver.kb.index.views import sentence_spans_in
from muver.retriever.corpus.schema import read_entities, read_sentences
from muver.retriever.retrieval.layers import SystemViews
from muver.retriever.retrieval.retrieval_settings import ViewsRun


def export_row(
    model: Path,
    store: Path,
    entities: Path,
    sentences: Path,
    out: Path,
    settings: ViewsRun,
    merged: Path | None = None,
    global_views: Path | None = None,
    chosen: Path | None = None,
) -> None:
    """Write a row of the workflow as an index, which queries and the service open.

    The index (:class:`muver.Index`) is asked and not changed.

    Its answers are the row's, with every entity a candidate of its own, and its scores those of
    the row's run. Signals of words and names have the weight 0.

    Parameters
    ----------
    model, store, merged, global_views
        What the stages of these names wrote; the last two if ``settings`` ask for their views.
    entities, sentences
        Of the corpus and segment stages.
    chosen
        If the aggregate has several values: a run's manifest with the one that validation chose.
    """
    check_free(out)
    settings = settings.settled(_choice(settings, chosen))
    views = SystemViews(settings, store, merged, global_views)
    aggregate = {"kind": settings.aggregate, **views.aggregate.as_dict()}
    making = read(Making, {"views": "sentences", "aggregate": aggregate})
    with folder_beside(out) as temporary:
        kept, _ = keep(str(model), temporary, making)
        kept = replace(kept, metric=settings.metric, scale=1.0)
        weights = {**dict.fromkeys(WITHOUT_MODEL, 0.0), "views": 1.0}
        state = State(settings=making, weights=weights, model=kept, row=True)
        parts = _parts(views, entities, sentences)
        segments = write_segment(temporary, "000001.arrow", kept, parts)
        write_state(temporary, state.after(segments))
        temporary.replace(out)


def _choice(settings: ViewsRun, manifest: Path | None) -> Mapping[str, Any]:
    """What validation chose for the row's run; nothing where the aggregate has one value."""
    if settings.choice is None:
        return {}
    chosen = (read_json(manifest).get("chosen") if manifest else None) or {}
    if settings.choice not in chosen:
        raise InputError(
            f"--chosen is needed, as {settings.choice} has several values: the manifest of a run "
            "with these settings."
        )
    return chosen


def _parts(views: SystemViews, entities: Path, sentences: Path) -> Iterator[dict[str, pa.Array]]:
    """The columns of a segment's parts, world by world."""
    for world in sorted(views.originals.worlds):
        rows_of_world = read_entities(entities, [world]).to_pylist()
        split = read_sentences(sentences, [world])["sentences"].to_pylist()
        vectors, owners, origins = views.world(world)
        every = np.concatenate(vectors)
        numbers = {e["document_id"]: e["entity"] for e in rows_of_world}
        described = (
            Entity(id=e["document_id"], title=e["title"], description=e["text"], world=world)
            for e in rows_of_world
        )
        for group in groups(described):
            rows = np.full(len(rows_of_world), -1)  # in the group, of each entity of the world
            rows[[numbers[e.id] for e in group]] = np.arange(len(group))
            there = np.flatnonzero(rows[owners] >= 0)
            columns = [column[there] for column in origins]
            spans = [sentence_spans_in(e.description, split[numbers[e.id]]) for e in group]
            yield {
                **own_columns(group),
                **view_columns(len(group), rows[owners[there]], columns, every[there]),
                "sentences": sentence_column(of_entity.tolist() for of_entity in spans),
                "unread": pa.array(np.zeros(len(group), np.int32)),
            }
