"""What people read of a row: its name, made of its model, its views and its protocol; its footnote.

Neither is part of a row's settings: another wording gives no other row.
"""

from collections.abc import Iterator

from msgspec import UNSET

from muver.reproduction.settings.entries import (
    AnySystem,
    ByViews,
    Chosen,
    Fused,
    Named,
    model_of,
    rows_named_by,
)
from muver.reproduction.settings.params import Resolved
from muver.reproduction.settings.rows import first_stage, towers_of
from muver.reproduction.tables.records import LEFT_OUT
from muver.retriever.retrieval.aggregates import AGGREGATES


def method_of(settings: Resolved, system: str) -> str:
    """A row's name, as in "MuVER (w/o heuristic search), own-page negatives, own page left out"."""
    left_out = [LEFT_OUT] if _own_page_left_out(settings, system) else []
    return ", ".join([*_row(settings, system), *left_out])


def _own_page_left_out(settings: Resolved, system: str) -> bool:
    entry = first_stage(settings, system)
    if isinstance(entry, Fused):
        return all(_own_page_left_out(settings, part) for part in entry.fuse)
    return entry.own_page == "leave_out"


def _row(settings: Resolved, system: str) -> list[str]:
    """A row's name without its protocol, in parts: its method, then what sets it apart."""
    entry = settings.systems[system]
    model = model_of(entry)
    labels = _labels(settings, model) if model and not _sums_rows(entry) else []
    if entry.method:
        return [entry.method, *labels]
    if isinstance(entry, Fused):
        names = (", ".join(_row(settings, part)) for part in entry.fuse)
        return [f"{' + '.join(names)} (reciprocal rank)"]
    if isinstance(entry, Named):
        if entry.of:
            rows = {row: ", ".join(_row(settings, row)) for row in rows_named_by(entry)}
            return [" + ".join(rows.get(part, part) for part in entry.of)]
        if not entry.from_:
            return [entry.retriever]
        depth = entry.depth or getattr(settings, entry.retriever).depth
        return [*_row(settings, entry.from_), f"{depth} reranked"]
    name, *differs = _model(settings, model)
    if not entry.merge_layers and towers_of(settings, model).views.kind == "sentences":
        name = f"{name} (w/o heuristic search)"
    return [name, *differs, *labels, *_views(entry)]


def _sums_rows(entry: AnySystem) -> bool:
    """Whether a row sums the scores of other rows."""
    return isinstance(entry, Named) and bool(entry.of) and bool(rows_named_by(entry))


def _model(settings: Resolved, model: str) -> list[str]:
    """A model's name, then what sets it apart from another model of the same name."""
    entry = settings.models[model]
    return [entry.method or model, *([entry.differs] if entry.differs else [])]


def _labels(settings: Resolved, model: str) -> list[str]:
    """The share of the labelled mentions that a model was trained on, if not all."""
    training = getattr(towers_of(settings, model), "training", None)
    if training is None or training.labelled == 1:
        return []
    return [f"{training.labelled:.0%} of the labels" if training.labelled else "no labels"]


def _views(entry: ByViews) -> Iterator[str]:
    """What a row ranks by beside the views that its model has."""
    if entry.pool:
        yield f"{entry.pool} pooled vectors"
    if entry.global_view is True:
        yield "global view"
    elif entry.global_view:
        yield f"{entry.global_view:g} of the global view added"


def note_of(settings: Resolved, system: str) -> str | None:
    """A row's footnote: how its model was chosen, how it scores several views, and what is written
    at the row or else at its model."""
    return " ".join(_notes(settings, system)) or None


def _notes(settings: Resolved, system: str) -> Iterator[str]:
    entry = settings.systems[system]
    note = entry.note
    if model := model_of(entry):
        note = note or (UNSET if _sums_rows(entry) else settings.models[model].note)
        if decay := towers_of(settings, model).decay:
            yield f"A context's tokens weigh exp(-d/{decay:g}) at d pieces from the mention."
        if isinstance(chosen := settings.models[model], Chosen):
            when = f" after {chosen.after:.0%} of their steps" if chosen.after else ""
            among = f"The best on validation of {len(chosen.best_of)} models{when}"
            yield f"{among}; other rows are one model."
    if isinstance(entry, ByViews):
        if towers_of(settings, entry.model).views.kind == "sentences":
            yield AGGREGATES[settings.aggregates[entry.aggregate or settings.aggregate].kind].note
        if not isinstance(entry.global_view, bool):
            yield f"To each view's vector its global view's is added, times {entry.global_view:g}."
    if note:
        yield note
