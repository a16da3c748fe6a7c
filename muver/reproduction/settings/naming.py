"""What people read of a row: its name, made of its model, its views and its protocol; its footnote.

Neither is part of a row's settings: another wording gives no other row.
"""

from msgspec import UNSET

from muver.reproduction.settings.entries import (
    AnySystem,
    Averaged,
    ByViews,
    Chosen,
    Fused,
    Named,
    model_of,
    rows_named_by,
)
from muver.reproduction.settings.params import Resolved
from muver.reproduction.settings.rows import first_stage, towers_of
from muver.retriever.retrieval.aggregates import AGGREGATES


def method_of(settings: Resolved, system: str) -> str:
    """A row's name, as in "MuVER (w/o heuristic search), own-page negatives, own page left out"."""
    left_out = ["own page left out"] if _own_page_left_out(settings, system) else []
    return ", ".join([*_row(settings, system), *left_out])


def _own_page_left_out(settings: Resolved, system: str) -> bool:
    own = first_stage(settings, system)
    if isinstance(own, Fused):
        return all(_own_page_left_out(settings, part) for part in own.fuse)
    return own.own_page == "leave_out"


def _row(settings: Resolved, system: str) -> list[str]:
    """A row's name without its protocol: what it is, and in what it differs from others."""
    own = settings.systems[system]
    model = model_of(own)
    labels = _labels(settings, model) if model and not _sums_rows(own) else []
    if own.method:
        return [own.method, *labels]
    if isinstance(own, Fused):
        names = (", ".join(_row(settings, part)) for part in own.fuse)
        return [f"{' + '.join(names)} (reciprocal rank)"]
    if isinstance(own, Named):
        if own.of:
            rows = rows_named_by(own)
            return [
                " + ".join(", ".join(_row(settings, one)) if one in rows else one for one in own.of)
            ]
        if not own.from_:
            return [own.retriever]
        depth = own.depth or getattr(settings, own.retriever).depth
        return [*_row(settings, own.from_), f"{depth} reranked"]
    name, *differs = _model(settings, model)
    if not own.merge_layers and towers_of(settings, model).views.kind == "sentences":
        name = f"{name} (w/o heuristic search)"
    return [name, *differs, *labels, *_views(own)]


def _sums_rows(own: AnySystem) -> bool:
    """Whether a row sums others' scores, so that its own model is not all that it is made of."""
    return isinstance(own, Named) and bool(own.of) and bool(rows_named_by(own))


def _model(settings: Resolved, model: str) -> list[str]:
    """A model's name, and in what it differs from the one of that name."""
    own = settings.models[model]
    if isinstance(own, Averaged):
        trained = "the training" if own.trainings == 1 else f"{own.trainings} trainings' mean"
        return [*_model(settings, own.of), f"{own.trained_share:g} of {trained}"]
    return [own.method or model, *([own.differs] if own.differs else [])]


def _labels(settings: Resolved, model: str) -> list[str]:
    """The share of the labelled mentions that a model was trained on, if it was not all."""
    training = getattr(towers_of(settings, model), "training", None)
    if training is None or training.labelled == 1:
        return []
    return [f"{training.labelled:.0%} of the labels" if training.labelled else "no labels"]


def _views(own: ByViews) -> list[str]:
    """What a row ranks by beside the views that its model has."""
    found = [f"{own.pool} pooled vectors"] if own.pool else []
    if own.global_view is True:
        return [*found, "global view"]
    return [*found, f"{own.global_view:g} of the global view added"] if own.global_view else found


def note_of(settings: Resolved, system: str) -> str | None:
    """A row's footnote: how its model was chosen, how it scores several views, and what is written
    at the row or else at its model."""
    own, said = settings.systems[system], []
    note = own.note
    if model := model_of(own):
        note = note or (UNSET if _sums_rows(own) else settings.models[model].note)
        if decay := towers_of(settings, model).decay:
            said.append(f"A context's tokens weigh exp(-d/{decay:g}) at d pieces from the mention.")
        match settings.models[model]:
            case Chosen(best_of=among, after=after):
                when = f" after {after:.0%} of their steps" if after else ""
                said.append(
                    f"The best on validation of {len(among)} models{when}; other rows are one "
                    "model."
                )
            case Averaged(trainings=trainings, trained_share=share):
                trained = (
                    "the trained ones" if trainings == 1 else f"the mean of {trainings} trainings'"
                )
                said.append(
                    f"Its weights are {share:g} times {trained} and {1 - share:g} times the "
                    "encoder's."
                )
    if isinstance(own, ByViews):
        if towers_of(settings, own.model).views.kind == "sentences":
            aggregate = settings.aggregates[own.aggregate or settings.aggregate]
            said.append(AGGREGATES[aggregate.kind].note)
        if not isinstance(own.global_view, bool):
            said.append(
                f"To each view's vector its global view's is added, times {own.global_view:g}."
            )
    return " ".join([*said, note or ""]).strip() or None
