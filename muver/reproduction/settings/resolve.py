"""From params.yaml, a preset and the command line to the settings of a run, checked."""

import contextlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import yaml
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.typed import flat, overlay, problem, suggestion
from muver.reproduction.settings.derive import derive
from muver.reproduction.settings.file import config_of, load_yaml, params_file, read_params
from muver.reproduction.settings.params import LINKED, Params, Resolved
from muver.reproduction.settings.precision import settle_precision
from muver.reproduction.settings.references import check_references

Layer = dict[str, Any]  # of settings, as YAML has them: not checked yet
FORM = " A key of a section is written as --config merge='{top_k: 0.2}'."
NAMED_DATASETS = ("miniwikia", "zeshel", "realworlds", *LINKED)


def settings_in(folder: Path, config: Mapping[str, Any]) -> Resolved:
    """The settings of a run in a folder, with or without a params.yaml of its own."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder. Name the one that holds build/ and results/.")
    return resolve(read_params(params_file(folder)), overlay(config_of(folder), config))


def resolve(params: Mapping[str, Any], overrides: Mapping[str, Any]) -> Resolved:
    """Merge the sections, the preset and the command line, in this order of precedence.

    A dataset that is a directory takes the preset ``directory`` in place of ``miniwikia``, whose
    settings are those of an encoder made from scratch. Models and systems that follow from others
    are added (:mod:`muver.reproduction.settings.derive`), and ``auto`` as a precision becomes what
    it is here (:mod:`muver.reproduction.settings.precision`). ``params`` is the content of
    params.yaml, ``overrides`` what the command line sets (``--config``).
    """
    overrides = _with_entries({key: typed(value) for key, value in overrides.items()})
    given = _with_entries({key: value for key, value in params.items() if key != "presets"})
    presets = params.get("presets") or {}
    chosen = _preset(given.get("preset"), overrides)
    if not isinstance(chosen, str) or chosen not in presets:
        raise InputError(
            f"preset: {chosen!r} is not in params.yaml{suggestion(str(chosen), presets)}"
        )
    preset = presets[chosen] or {}
    if not isinstance(preset, Mapping):
        raise InputError(f"params.yaml: presets.{chosen} is {preset!r}, expected sections.")
    merged = overlay(overlay(given, _with_entries(preset)), overrides)
    merged["preset"] = chosen
    if mistake := problem(Params, {**merged, "presets": presets}):
        key, message = mistake
        form = FORM if any("." in name for name in overrides) else ""
        raise InputError(f"{_written(key, overrides, chosen, preset)}: {message}{form}")
    if "dataset" in overrides and "workspace" not in overrides:
        merged.pop("workspace", None)  # the one written is of the dataset written
    merged.pop("presets", None)
    if "workspace" not in merged:
        merged["workspace"] = _workspace(chosen, overrides, presets)
    settings = msgspec.convert(merged, Resolved)
    settings = replace(settings, compute=settle_precision(settings.compute))
    check_references(settings)
    derive(settings)
    return settings


def _with_entries(layer: Mapping[str, Any]) -> Layer:
    """A layer of settings whose tables are entries; a list is short for its rows."""
    tables = layer.get("tables")
    if not isinstance(tables, Mapping):
        return dict(layer)
    entries = {
        name: {"rows": own} if isinstance(own, list) else own for name, own in tables.items()
    }
    return {**layer, "tables": entries}


def _written(key: str, overrides: Layer, preset: str, own: Mapping[str, Any]) -> str:
    """Where the value of a dotted key was written, to head a message about it."""
    for layer, name in ((overrides, "--config"), (own, f"params.yaml, preset {preset}")):
        for other, _ in flat(layer):
            if f"{other}.".startswith(f"{key}.") or f"{key}.".startswith(f"{other}."):
                return name
    return "params.yaml"


def _preset(written: Any, overrides: Mapping[str, Any]) -> Any:
    """The preset asked for, or the one that goes with the dataset asked for."""
    dataset = overrides.get("dataset")
    if "preset" in overrides or dataset is None:
        return overrides.get("preset", written)
    if dataset in NAMED_DATASETS:
        return dataset
    return "directory" if written == "miniwikia" else written


def _workspace(preset: str, overrides: Mapping[str, Any], presets: Iterable[str]) -> str:
    """The folder under build/: the preset's name, or that of a dataset given for one run."""
    dataset = str(overrides.get("dataset", preset))
    if dataset in NAMED_DATASETS or dataset == preset:
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
