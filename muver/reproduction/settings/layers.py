"""Layers of settings, as YAML has them, laid over each other and made complete.

From the lowest: params.yaml, the files of experiments/, the preset, the command line. An entry of
``models`` or ``systems`` may be ``like`` another one, and then has what that one has where it says
nothing itself.
"""

from collections.abc import Mapping
from typing import Any

from muver.io.errors import InputError
from muver.io.typed import overlay, suggestion
from muver.reproduction.settings.entries import FORMS

Layer = dict[str, Any]  # of settings, as YAML has them: not checked yet
# Sections whose values each trained model has, where it says nothing itself.
OF_MODELS = ("context", "training")


def with_entries(layer: Mapping[str, Any]) -> Layer:
    """A layer whose tables are entries; a list is short for a table's rows."""
    tables = layer.get("tables")
    if not isinstance(tables, Mapping):
        return dict(layer)
    entries = {
        name: {"rows": own} if isinstance(own, list) else own for name, own in tables.items()
    }
    return {**layer, "tables": entries}


def of_experiment(name: str, experiment: Mapping[str, Any], preset: str) -> Layer:
    """What a file of experiments/ adds to the sections where a preset is in use."""
    own = overlay(experiment, (experiment.get("presets") or {}).get(preset) or {})
    kept = {key: value for key, value in own.items() if key not in ("asks", "table", "presets")}
    return {**kept, "tables": {name: own.get("table")}}


def beside(layer: Layer, name: str, added: Layer) -> Layer:
    """A layer with what an experiment adds; it may not have an entry that is there already."""
    for section in ("aggregates", "models", "systems", "tables"):
        there = layer.get(section) or {}
        if twice := next((one for one in added.get(section) or {} if one in there), None):
            raise InputError(
                f"experiments/{name}.yaml: {section}.{twice} is the name of another entry, of "
                "params.yaml or of an experiment. Rename it."
            )
    contrasts = [*(layer.get("contrasts") or []), *(added.get("contrasts") or [])]
    distinct = [one for n, one in enumerate(contrasts) if one not in contrasts[:n]]
    return {**overlay(layer, added), "contrasts": distinct}


def completed(merged: Layer) -> Layer:
    """Settings whose models and systems have what they are ``like``, and say their kind."""
    sections = {
        section: _completed(section, merged[section])
        for section in FORMS
        if isinstance(merged.get(section), Mapping)
    }
    for name, own in sections.get("models", {}).items():
        if isinstance(own, Mapping) and own["kind"] in ("trained", "converted"):
            of = OF_MODELS if own["kind"] == "trained" else OF_MODELS[:1]
            sections["models"][name] = {
                **own,
                **{key: _under(merged.get(key), own.get(key)) for key in of},
            }
    return {**merged, **sections}


def _under(shared: Any, own: Any) -> Any:
    if own is None:
        return shared
    return overlay(shared, own) if isinstance(own, Mapping) and isinstance(shared, Mapping) else own


def _completed(section: str, entries: Mapping[str, Any]) -> Layer:
    return {
        name: _of_a_kind(section, _like(section, entries, name, ()))
        if isinstance(own, Mapping)
        else own
        for name, own in entries.items()
    }


def _like(section: str, entries: Mapping[str, Any], name: str, before: tuple[str, ...]) -> Layer:
    own = dict(entries[name])
    other = own.pop("like", None)
    if other is None:
        return own
    where = f"params.yaml: {section}.{name}.like"
    if other not in entries:
        raise InputError(f"{where} is {other!r}{suggestion(str(other), entries)}")
    if other in (name, *before):
        raise InputError(f"{where}: is like itself, by way of {other}. Name another entry.")
    if not isinstance(entries[other], Mapping):
        return own
    return overlay(_like(section, entries, other, (*before, name)), own)


def _of_a_kind(section: str, own: Layer) -> Layer:
    kinds = FORMS[section]
    return {"kind": next((kinds[key] for key in kinds if key in own), [*kinds.values()][-1]), **own}
