"""From params.yaml, its presets and experiments and the command line to a run's settings.

They are layers, laid over each other and made complete. From the lowest: params.yaml, the files of
experiments/, the preset, the command line. An entry of ``models`` or ``systems`` may be ``like``
another one, and then has what that one has where it says nothing itself.
"""

import contextlib
import re
from collections.abc import Iterable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import msgspec
import yaml
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.typed import flat, overlay, problem, suggestion
from muver.reproduction.settings.derive import derive
from muver.reproduction.settings.entries import FORMS
from muver.reproduction.settings.file import (
    FOLDERS,
    config_of,
    load_yaml,
    params_file,
    read_params,
)
from muver.reproduction.settings.params import LINKED, Experiment, Preset, Resolved, Sections
from muver.reproduction.settings.precision import settle_precision
from muver.reproduction.settings.references import check_references
from muver.retriever.corpus.sources import all_sources

Config = Mapping[str, Any] | Iterable[tuple[str, Any]]  # what the command line sets
Layer = dict[str, Any]  # of settings, as YAML has them: not checked yet
# Sections whose values a model of a kind has where it says nothing itself.
SHARED = {"trained": ("context", "training"), "converted": ("context",), "chosen": ()}


def with_entries(layer: Mapping[str, Any]) -> Layer:
    """A layer whose tables are entries; a list is short for a table's rows."""
    if not isinstance(tables := layer.get("tables"), Mapping):
        return dict(layer)
    written = {name: {"rows": of} if isinstance(of, list) else of for name, of in tables.items()}
    return {**layer, "tables": written}


def of_experiment(name: str, experiment: Mapping[str, Any], preset: str) -> Layer:
    """What a file of experiments/ adds to the sections where a preset is in use."""
    settled = overlay(experiment, experiment.get("presets", {}).get(preset, {}))
    kept = {key: value for key, value in settled.items() if key not in ("asks", "table", "presets")}
    return {**kept, "tables": {name: settled["table"]}}


def beside(layer: Layer, name: str, added: Layer) -> Layer:
    """A layer with what an experiment adds; it may not have an entry that is there already."""
    for section in ("aggregates", "models", "systems", "tables"):
        there = layer.get(section, {})
        if twice := next((entry for entry in added.get(section, {}) if entry in there), None):
            raise InputError(
                f"experiments/{name}.yaml: {section}.{twice} is the name of another entry, of "
                "params.yaml or of an experiment. Rename it."
            )
    contrasts = [*layer.get("contrasts", []), *added.get("contrasts", [])]
    distinct = [contrast for n, contrast in enumerate(contrasts) if contrast not in contrasts[:n]]
    return {**overlay(layer, added), "contrasts": distinct}


def completed(merged: Layer) -> Layer:
    """Settings whose models and systems have what they are ``like``, and say their kind."""
    sections = {
        section: {
            name: _of_a_kind(section, _like(section, merged[section], name, ()))
            for name in merged[section]
        }
        for section in FORMS
        if section in merged
    }
    by_unicode = merged.get("segment", {}).get("by") == "unicode"
    for entry in sections.get("models", {}).values():
        for key in SHARED[entry["kind"]]:
            entry[key] = overlay(merged.get(key, {}), entry.get(key, {}))
        if by_unicode and entry.get("views", {}).get("kind") == "sentences":
            entry["views"] = {"long_sentences": "split", **entry["views"]}
    return {**merged, **sections}


def _like(section: str, entries: Mapping[str, Any], name: str, before: tuple[str, ...]) -> Layer:
    entry = dict(entries[name])
    other = entry.pop("like", None)
    if other is None:
        return entry
    where = f"params.yaml: {section}.{name}.like"
    if other not in entries:
        raise InputError(f"{where} is {other!r}{suggestion(str(other), entries)}")
    if other in (name, *before):
        raise InputError(f"{where}: is like itself, by way of {other}. Name another entry.")
    return overlay(_like(section, entries, other, (*before, name)), entry)


def _of_a_kind(section: str, entry: Layer) -> Layer:
    kinds = FORMS[section]
    kind = next((kinds[key] for key in kinds if key in entry), [*kinds.values()][-1])
    return {"kind": kind, **entry}


FORM = " A key of a section is written as --config merge='{top_k: 0.2}'."


def is_named(dataset: str) -> bool:
    """Whether a dataset is one that this project declares, and not a folder."""
    source = all_sources().get(dataset)
    worlds = source.published.worlds if source and source.published else {}
    return bool(worlds) or dataset in LINKED


def settings_in(folder: Path, config: Config) -> Resolved:
    """The settings of a run in a folder, with or without a params.yaml of its own."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder. Name the one that holds build/ and results/.")
    return resolve(read_params(params_file(folder)), overlay(config_of(folder), dict(config)))


def resolve(params: Mapping[str, Any], overrides: Mapping[str, Any]) -> Resolved:
    """Lay params.yaml, its experiments, the preset and the command line over each other, and check.

    A dataset that is a directory takes the preset ``directory`` in place of ``miniwikia``, whose
    settings are those of the small encoder that comes along. Models and systems that follow from
    others are added (:mod:`muver.reproduction.settings.derive`), and ``auto`` as a precision
    becomes what it is here (:mod:`muver.reproduction.settings.precision`). ``params`` is what
    :func:`muver.reproduction.settings.file.read_params` returns, ``overrides`` what the command
    line sets (``--config``).
    """
    overrides = with_entries({key: typed(value) for key, value in overrides.items()})
    presets, experiments = params.get("presets") or {}, params.get("experiments") or {}
    chosen = _preset(params.get("preset"), overrides)
    if not isinstance(chosen, str) or chosen not in presets:
        raise InputError(
            f"preset: there is no presets/{chosen}.yaml{suggestion(str(chosen), presets)}"
        )
    merged = with_entries({key: value for key, value in params.items() if key not in FOLDERS})
    layers = {"params.yaml": merged}
    further = {f"presets/{chosen}.yaml": with_entries(presets[chosen] or {}), "--config": overrides}
    for name, layer in reversed({**layers, **further}.items()):
        if mistake := problem(Preset, layer):
            form = FORM if name == "--config" and any("." in key for key in layer) else ""
            raise InputError(f"{name}: {mistake[1]}{form}")
    for name, experiment in experiments.items():
        if mistake := problem(Experiment, experiment):
            raise InputError(f"experiments/{name}.yaml: {mistake[1]}")
        added = layers[f"experiments/{name}.yaml"] = of_experiment(name, experiment, chosen)
        merged = beside(merged, name, added)
    layers |= further
    merged = reduce(overlay, further.values(), merged)
    merged = completed({**merged, "preset": chosen})
    if mistake := problem(Sections, merged):
        raise InputError(f"{_written(mistake[0], layers)}: {mistake[1]}")
    if "dataset" in overrides and "workspace" not in overrides:
        merged.pop("workspace", None)  # the one written is of the dataset written
    if "workspace" not in merged:
        merged["workspace"] = _workspace(chosen, overrides, presets)
    settings = msgspec.convert(merged, Resolved)
    settings = replace(settings, compute=settle_precision(settings.compute))
    check_references(settings)
    derive(settings)
    return settings


def _written(key: str, layers: Mapping[str, Layer]) -> str:
    """Which of the layers has a dotted key, to head a message about it: the topmost one."""
    for name, layer in reversed(layers.items()):
        for other, _ in flat(layer):
            if f"{other}.".startswith(f"{key}.") or f"{key}.".startswith(f"{other}."):
                return name
    return "params.yaml"


def _preset(written: Any, overrides: Mapping[str, Any]) -> Any:
    """The preset asked for, or the one that goes with the dataset asked for."""
    dataset = overrides.get("dataset")
    if "preset" in overrides or dataset is None:
        return overrides.get("preset", written)
    if is_named(str(dataset)):  # which nobody has checked yet
        return dataset
    return "directory" if written == "miniwikia" else written


def _workspace(preset: str, overrides: Mapping[str, Any], presets: Iterable[str]) -> str:
    """The folder under build/: the preset's name, or that of a dataset given for one run."""
    dataset = str(overrides.get("dataset", preset))
    if is_named(dataset) or dataset == preset:
        return dataset
    name = Path(dataset).resolve().name
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", name):
        raise InputError(
            f"dataset {dataset}: what is built goes to a folder of its name, {name!r}, which may "
            "only have letters, digits and _ . - in it. Rename it, or set workspace to such a name."
        )
    return f"{name}-directory" if name in presets else name


def typed(value: Any) -> Any:
    """Numbers and truth values inside an override; Snakemake leaves them as text there."""
    if isinstance(value, Mapping):
        return {key: typed(part) for key, part in value.items()}
    if isinstance(value, list):
        return [typed(part) for part in value]
    if not isinstance(value, str):
        return value
    try:
        read = load_yaml(value, "--config") if value else value
    except yaml.YAMLError:
        return value
    if isinstance(read, str):  # YAML 1.1 takes 1e-5 for a word
        with contextlib.suppress(ValueError):
            return float(read)
    return read if isinstance(read, bool | int | float | None) else value
