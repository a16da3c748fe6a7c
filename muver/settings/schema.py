"""Checking settings against workflow/schemas/params.schema.yaml."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from muver.io.checking import did_you_mean
from muver.io.errors import InputError

# What the alternatives of a section are, for one that is none of them or two at once.
ONE_OF = {
    "systems": (
        "a row names either 'retriever: bm25' alone, or 'model' and 'aggregate', or 'fuse' and "
        "'by'."
    ),
    "models": "a model names either 'views' and 'score', or 'best_of' alone.",
}
SCHEMA = Path(__file__).parents[2] / "workflow" / "schemas" / "params.schema.yaml"


@cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(yaml.safe_load(SCHEMA.read_text(encoding="utf-8")))


def check_schema(settings: Mapping[str, Any]) -> None:
    """Refuse unknown keys, wrong types and values out of range.

    Raises
    ------
    InputError
        Names the key, what it was and what is allowed.
    """
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
        raise InputError(f"params.yaml: unknown key {where}{suggestion(str(key), allowed)}")
    if error.validator == "enum":
        allowed = ["null" if value is None else value for value in error.schema["enum"]]
        raise InputError(
            f"params.yaml: {place} is {error.instance!r}{suggestion(str(error.instance), allowed)}"
        )
    raise InputError(f"params.yaml: {place or 'the file'}: {_said(error)}")


def _said(error: Any) -> str:
    if error.validator == "type":
        kinds = error.schema["type"]
        kinds = " or ".join([kinds] if isinstance(kinds, str) else kinds)
        return f"expected {kinds}, got {error.instance!r}."
    if error.validator == "oneOf":
        return ONE_OF[str(error.absolute_path[0])]
    return f"{error.message}."


def suggestion(given: str, allowed: Iterable[Any]) -> str:
    """End of a message: the nearest allowed name, if one is near, and all of them."""
    options = ["null" if option is None else str(option) for option in allowed]
    return f".{did_you_mean(given, options)} Allowed: {', '.join(options)}."
