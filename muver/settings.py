"""From params.yaml, a preset and the command line to the settings of a run, checked."""

import contextlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from muver.checking import did_you_mean
from muver.errors import InputError

Settings = dict[str, Any]
SCHEMA = Path(__file__).parent.parent / "workflow" / "schemas" / "params.schema.yaml"
NAMED_DATASETS = ("miniwikia", "zeshel")


def resolve(params: Mapping[str, Any], overrides: Mapping[str, Any]) -> Settings:
    """Merge the sections, the preset and the command line, in this order of precedence.

    A dataset that is a directory takes the preset ``directory`` in place of ``miniwikia``, whose
    settings are those of an encoder made from scratch. What is built goes to
    build/<workspace>/, so that one dataset's models outlive a run on another.

    Parameters
    ----------
    params
        Content of params.yaml.
    overrides
        What the command line sets (``--config``), merged last.

    Returns
    -------
    The sections with ``preset``, without ``presets``, and ``workspace``: the folder under build/.

    Raises
    ------
    InputError
        For an unknown key, preset, model or system, or a wrong type; names the key.
    """
    overrides = {key: _typed(value) for key, value in overrides.items()}
    given = {key: value for key, value in params.items() if key != "presets"}
    presets = params.get("presets") or {}
    chosen = _preset(given.get("preset"), overrides)
    if chosen not in presets:
        raise InputError(
            f"preset: {chosen!r} is not in params.yaml{_suggestion(str(chosen), presets)}"
        )
    if not isinstance(presets[chosen], Mapping | None):
        raise InputError(f"presets.{chosen}: expected sections, got {presets[chosen]!r}.")
    merged = _merge(_merge(given, presets[chosen] or {}), overrides)
    merged["preset"] = chosen
    _check({**merged, "presets": dict(presets)})
    _check_references(merged)
    merged.pop("presets", None)
    merged["workspace"] = _workspace(chosen, overrides, presets)
    return merged


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
    return f"{name}-directory" if name in presets else name


def model_settings(settings: Settings, model: str) -> Settings:
    """Everything that makes one trained model: views, score, context, training, seed."""
    own = settings["models"][model]
    return {
        "views": own["views"],
        "score": own["score"],
        "context": settings["context"],
        "training": _merge(settings["training"], own.get("training", {})),
        "precision": settings["compute"]["precision"],
        "seed": settings["seed"],
    }


def retrieval_settings(settings: Settings, system: str) -> Settings:
    """Everything that makes a system's run from its model or, for BM25, from the corpus."""
    own, common = settings["systems"][system], settings["retrieve"]
    if own.get("retriever") == "bm25":
        return {**settings["bm25"], **{key: common[key] for key in ("split", "k", "match")}}
    if settings["models"][own["model"]]["score"] == "sum_max":
        return {key: common[key] for key in ("split", "k", "match")}
    chosen = {**common, "aggregate": own["aggregate"], "merge_layers": own.get("merge_layers", 0)}
    if own["aggregate"] == "max":
        del chosen["softmax_candidates"]
    return chosen


def row_settings(settings: Settings, system: str) -> Settings:
    """A row's whole settings, from which its key is made (without the data and the machine)."""
    own = settings["systems"][system]
    retrieval = retrieval_settings(settings, system)
    retrieval.pop("memory_mb", None)  # bounds memory, moves no score
    row: Settings = {
        "system": system,
        "corpus": settings["corpus"],
        "retrieve": retrieval,
        "seed": settings["seed"],
    }
    if "model" in own:
        row["model"] = model_settings(settings, own["model"])
        row["segment"] = settings["segment"]
        if own.get("merge_layers", 0):
            row["merge"] = settings["merge"]
    return row


def _typed(value: Any) -> Any:
    """Numbers and truth values inside an override; Snakemake leaves them as text there."""
    if isinstance(value, Mapping):
        return {key: _typed(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_typed(part) for part in value]
    if not isinstance(value, str):
        return value
    read = yaml.safe_load(value) if value else value
    if isinstance(read, str):  # YAML 1.1 takes 1e-5 for a word
        with contextlib.suppress(ValueError):
            return float(read)
    return read if isinstance(read, bool | int | float | None) else value


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(merged.get(key), Mapping):
            merged[key] = _merge(merged[key], value)
        else:
            merged[key] = value
    return merged


@cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(yaml.safe_load(SCHEMA.read_text(encoding="utf-8")))


def _check(settings: Settings) -> None:
    from jsonschema.exceptions import best_match

    errors = list(_validator().iter_errors(settings))
    unknown = [error for error in errors if error.validator in ("additionalProperties",)]
    error = unknown[0] if unknown else best_match(errors)
    if error is None:
        return
    place = ".".join(str(part) for part in error.absolute_path)
    if error.validator == "additionalProperties":
        allowed = error.schema["properties"]
        key = next(key for key in error.instance if key not in allowed)
        where = f"{place}.{key}" if place else key
        raise InputError(f"params.yaml: unknown key {where}{_suggestion(str(key), allowed)}")
    if error.validator == "enum":
        allowed = ["null" if value is None else value for value in error.schema["enum"]]
        raise InputError(
            f"params.yaml: {place} is {error.instance!r}{_suggestion(str(error.instance), allowed)}"
        )
    raise InputError(f"params.yaml: {place or 'the file'}: {_said(error)}")


def _said(error: Any) -> str:
    if error.validator == "type":
        kinds = error.schema["type"]
        kinds = " or ".join([kinds] if isinstance(kinds, str) else kinds)
        return f"expected {kinds}, got {error.instance!r}."
    if error.validator == "oneOf":
        return "a row names either 'retriever: bm25' alone, or 'model' and 'aggregate'."
    return f"{error.message}."


def _suggestion(given: str, allowed: Iterable[Any]) -> str:
    options = ["null" if option is None else str(option) for option in allowed]
    return f".{did_you_mean(given, options)} Allowed: {', '.join(options)}."


def _check_references(settings: Settings) -> None:
    for name, model in settings["models"].items():
        if model["score"] == "sum_max" and model["views"]["kind"] == "sentences":
            raise InputError(
                f"params.yaml: models.{name}: score sum_max compares the token vectors of one "
                "view an entity. Set views.kind to tokens, or score to max."
            )
    for name, system in settings["systems"].items():
        model = system.get("model")
        if model is not None and model not in settings["models"]:
            raise InputError(
                f"params.yaml: systems.{name}.model is {model!r}"
                f"{_suggestion(model, settings['models'])}"
            )
        sums_tokens = model is not None and settings["models"][model]["score"] == "sum_max"
        if sums_tokens and (system["aggregate"] != "max" or system.get("merge_layers", 0)):
            raise InputError(
                f"params.yaml: systems.{name}: {model} compares token vectors, which are neither "
                "merged nor summed over views. Set aggregate to max and leave out merge_layers."
            )
        if system.get("merge_layers", 0) > settings["merge"]["layers"]:
            raise InputError(
                f"params.yaml: systems.{name}.merge_layers is {system['merge_layers']}, but "
                f"merge.layers is only {settings['merge']['layers']}. Raise merge.layers."
            )
    scratch = settings["scratch"]
    if scratch["hidden"] % scratch["heads"]:
        raise InputError(
            f"params.yaml: scratch.hidden is {scratch['hidden']}, which scratch.heads "
            f"({scratch['heads']}) does not divide. Choose a multiple."
        )
    for table, rows in settings["tables"].items():
        for row in rows:
            if row not in settings["systems"]:
                raise InputError(
                    f"params.yaml: tables.{table} names {row!r}"
                    f"{_suggestion(row, settings['systems'])}"
                )
    if max(settings["evaluate"]["cutoffs"]) > settings["retrieve"]["k"]:
        raise InputError(
            f"params.yaml: evaluate.cutoffs goes up to {max(settings['evaluate']['cutoffs'])}, "
            f"but retrieve.k keeps only {settings['retrieve']['k']} candidates. Raise retrieve.k."
        )
