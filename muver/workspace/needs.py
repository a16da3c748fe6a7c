"""What some results need: their rows, and the models, stores and runs behind these."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from muver.settings.rows import miner, system_of, trained_as

Settings = dict[str, Any]


@dataclass
class Needs:
    """What is to be made, in the order in which it is first asked for.

    Attributes
    ----------
    systems
        Rows that are evaluated.
    runs
        (system, split) of every run.
    models
        Trained, chosen or converted models.
    negatives
        (model, the system whose run over the training mentions its hard negatives are mined from).
    stores, globals, spans
        (model, split).
    merged
        (model, split, search).
    """

    systems: list[str] = field(default_factory=list)
    runs: list[tuple[str, str]] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    negatives: list[tuple[str, str]] = field(default_factory=list)
    stores: list[tuple[str, str]] = field(default_factory=list)
    globals: list[tuple[str, str]] = field(default_factory=list)
    spans: list[tuple[str, str]] = field(default_factory=list)
    merged: list[tuple[str, str, str]] = field(default_factory=list)


def needs_of(settings: Settings, results: Iterable[str]) -> Needs:
    """Everything that the tables and figures of this name need.

    Parameters
    ----------
    results
        Names of tables and figures; those that need no run are passed over.
    """
    needs = Needs()
    for name in results:
        for system in rows_of(settings, name):
            _add(needs.systems, system)
            _add_run(settings, needs, system, settings["retrieve"]["split"])
    return needs


def rows_of(settings: Settings, name: str) -> list[str]:
    """Systems of a table or figure, further seeds among them; none for results without runs."""
    if name in settings["figures"]:
        return list(settings["figures"][name]["rows"])
    if name not in settings["tables"] or name == "table2":  # that is of a knowledge base
        return []
    rows = list(settings["tables"][name]["rows"])
    if name == "table1":
        rows += [seed for row in rows for seed in settings["repeats"].get(row, [])]
    return rows


def _add_run(settings: Settings, needs: Needs, system: str, split: str) -> None:
    own = system_of(settings, system)
    for part in own.get("fuse", []):
        _add_run(settings, needs, part, split)
        if own["by"] == "weighted":
            _add_run(settings, needs, part, "val")
    _add(needs.runs, (system, split))
    model = own.get("model")
    if model is None:
        return
    _add_model(settings, needs, model)
    if trained_as(settings, model)["score"] == "sum_max":
        return  # token vectors are never stored
    _add(needs.stores, (model, split))
    if own["merge_layers"]:
        _add(needs.merged, (model, split, own["search"]))
    if own["global_view"]:
        _add(needs.globals, (model, split))
    if own["spans"]:
        _add(needs.spans, (model, split))


def _add_model(settings: Settings, needs: Needs, model: str) -> None:
    own = settings["models"][model]
    for candidate in own.get("best_of", []):
        _add_model(settings, needs, candidate)
    if "start" in own:
        _add_model(settings, needs, own["start"])
    if "negatives" in own:
        _add_model(settings, needs, miner(settings, model))
        _add(needs.negatives, (model, own["negatives"]["system"]))
    _add(needs.models, model)


def _add(items: list[Any], item: Any) -> None:
    if item not in items:
        items.append(item)
