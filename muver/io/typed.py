"""Settings and records as types: JSON or YAML read into frozen structs.

A section of params.yaml, or what a stage takes as ``--settings``, is a :class:`Settings` class in
the package that uses it. msgspec decides what is valid; this module says what is wrong, by the name
of the key. A :class:`Record` is what one stage writes as JSON for another.
"""

import types
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from muver.io.checksums import check
from muver.io.errors import InputError, did_you_mean, quoted, repeated
from muver.io.files import read_json

Natural = Annotated[int, Meta(ge=0)]
Count = Annotated[int, Meta(ge=1)]
# JSON has one kind of number: 60 stays 60 in the files that repeat a setting.
Amount = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]
Positive = Annotated[int, Meta(gt=0)] | Annotated[float, Meta(gt=0)]
Share = Annotated[int, Meta(ge=0, le=1)] | Annotated[float, Meta(ge=0, le=1)]
Text = Annotated[str, Meta(min_length=1)]
Name = Annotated[str, Meta(pattern="^[a-z0-9_]+$")]
FileName = Annotated[str, Meta(pattern="^[A-Za-z0-9_.-]+$")]
T = TypeVar("T")
Some = Annotated[list[T], Meta(min_length=1)]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all settings; a list in them may not repeat a value."""

    def __post_init__(self) -> None:
        for key in self.__struct_fields__:
            twice = _twice(getattr(self, key))
            if twice is not None:
                raise ValueError(f"{key} has {twice!r} twice. Leave one out.")

    def as_dict(self) -> dict[str, Any]:
        """The settings as JSON values, in the order of the fields."""
        return msgspec.to_builtins(self)


# By class, since msgspec reads a class's annotations anew each time.
declared = cache(msgspec.structs.fields)


def plain(settings: Any) -> Any:
    """Settings as JSON values without what equals its type's default, at any depth."""
    if isinstance(settings, msgspec.Struct):
        kept = {
            field.encode_name: value
            for field in declared(type(settings))
            if (value := getattr(settings, field.name)) is not msgspec.UNSET
            and value != field.default
        }
        return plain(kept)
    if isinstance(settings, Mapping):
        return {key: plain(value) for key, value in settings.items()}
    return [plain(value) for value in settings] if isinstance(settings, list | tuple) else settings


S = TypeVar("S")


def read(kind: type[S], value: Any, where: str = "--settings") -> S:
    """Check parsed JSON or YAML and convert it to the :class:`Settings` class ``kind``.

    Errors name the dotted key, its value and what is allowed; ``where`` is the file or the option
    of the command line that they start with.
    """
    if mistake := problem(kind, value):
        raise InputError(f"{where}: {mistake[1]}")
    return msgspec.convert(value, kind)


class Record(msgspec.Struct, frozen=True):
    """Base of what a file holds, written by :func:`muver.io.files.write_json`.

    Dictionary keys that are numbers, such as cutoffs, become text in the file.
    """


def read_record(path: Path, kind: type[S], what: str, again: str) -> S:
    """Read a JSON file as a :class:`Record`, or as a union of some.

    Errors call the file ``what`` and end with ``again``: how to make it again.
    """
    check([path])
    return as_record(read_json(path), path, kind, what, again)


def as_record(value: Any, path: Path, kind: type[S], what: str, again: str) -> S:
    """Convert parsed JSON as :func:`read_record` does."""
    try:
        return msgspec.convert(value, kind, str_keys=True)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: not {what} of this version ({error}). {again}") from None


@cache
def partial(kind: Any) -> Any:
    """The same type with every key optional, at any depth.

    Files that give only some keys have this type; an entry of several kinds may be ``like``
    another. The merged settings are then checked by ``kind`` itself, with the rules that join
    several keys.
    """
    if get_origin(kind) is Annotated:
        bare = get_args(kind)[0]
        return partial(bare) if get_origin(bare) is dict else kind
    if get_origin(kind) is dict:
        name, inner = get_args(kind)
        return dict[name, partial(inner)]
    options = _options(kind)
    if all(map(_is_struct, options)):  # of several kinds of entries, the keys of them all
        keys = {name: inner for option in options for name, inner in fields(option).items()}
        named = [(name, partial(inner) | msgspec.UnsetType, msgspec.UNSET)
                 for name, inner in keys.items()]  # fmt: skip
        if len(options) > 1:
            named.append(("like", Text | msgspec.UnsetType, msgspec.UNSET))
        name, module = f"Partial{options[0].__name__}", options[0].__module__
        return msgspec.defstruct(name, named, bases=(Settings,), module=module, kw_only=True)
    return Union[tuple(partial(option) for option in options)] if options != (kind,) else kind  # noqa: UP007


def problem(kind: Any, value: Any, key: str = "") -> tuple[str, str] | None:
    """The dotted key of the first mistake, and a sentence about it; None if all is well.

    Of the keys of a section, unknown ones come first, as they often explain what else is wrong.
    """
    try:
        msgspec.convert(value, kind)
        return None
    except msgspec.ValidationError as error:
        message = str(error)
    matching = _matching(kind, value)
    section = _is_struct(matching) and isinstance(value, Mapping)
    if section and (mistake := _wrong_keys(matching, value, key)):
        return mistake
    for part in _parts(matching, value, key):
        if inner := problem(*part):
            return inner
    if section:  # its __post_init__ raised
        return key, f"{key}: {message}" if key else message
    if (choices := _choices(kind)) is not None:
        return key, f"{key} is {quoted(value)}{suggestion(value, choices)}"
    if any(get_args(option)[:1] == (float,) for option in _options(kind)):
        message = message.replace("`int`", "`int | float`")  # msgspec names the form of the value
    why = f"{message[:1].lower()}{message[1:].partition(' - at')[0]}"
    return key, f"{key or 'this'} is {quoted(value)}: {why}."


def _wrong_keys(kind: Any, values: Mapping[str, Any], key: str) -> tuple[str, str] | None:
    """The first key of a section that is unknown or missing."""
    allowed = fields(kind)
    tag = kind.__struct_config__.tag_field
    unknown = [name for name in values if name not in allowed and name != tag]
    if unknown and kind.__struct_config__.forbid_unknown_fields:
        there = _join(key, unknown[0])
        return there, f"unknown key {there}{suggestion(unknown[0], allowed)}"
    for field in declared(kind):
        if field.required and field.encode_name not in values:
            there = _join(key, field.encode_name)
            hints = ((name, did_you_mean(name, [field.encode_name])) for name in unknown)
            near = next((f" There is {quoted(name)}.{hint}" for name, hint in hints if hint), "")
            return there, f"{there} is missing.{near}"
    return None


def _parts(kind: Any, values: Any, key: str) -> Iterable[tuple[Any, Any, str]]:
    """The type, value and key of each part inside a value."""
    arguments = get_args(kind)
    if _is_struct(kind) and isinstance(values, Mapping):
        for name, inner in fields(kind).items():
            if name in values:
                yield inner, values[name], _join(key, name)
    elif get_origin(kind) is dict and isinstance(values, Mapping):
        for name, value in values.items():
            yield arguments[0], name, f"{key}: the name"
            yield arguments[1], value, _join(key, name)
    elif get_origin(kind) in (list, tuple) and isinstance(values, list):
        for n, value in enumerate(values):
            yield arguments[0], value, _join(key, n)


@cache
def fields(kind: Any) -> dict[str, Any]:
    """The keys of a :class:`Settings` class, each with its type."""
    return {field.encode_name: field.type for field in declared(kind)}


def overlay(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` overridden by ``over``; sections are merged, lists replaced whole.

    >>> base = {"a": {"b": 1, "c": [1, 2]}, "d": 3}
    >>> overlay(base, {"a": {"c": [4]}}), base
    ({'a': {'b': 1, 'c': [4]}, 'd': 3}, {'a': {'b': 1, 'c': [1, 2]}, 'd': 3})
    """
    merged = dict(base)
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(merged.get(key), Mapping):
            merged[key] = overlay(merged[key], value)
        else:
            merged[key] = value
    return merged


def flat(nested: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names and values of nested settings.

    >>> dict(flat({"training": {"epochs": 3}, "views": {}}, "model"))
    {'model.training.epochs': 3, 'model.views': {}}
    """
    for key, value in nested.items():
        if isinstance(value, Mapping) and value:
            yield from flat(value, _join(prefix, key))
        else:
            yield _join(prefix, key), value


def outline(kind: type[msgspec.Struct]) -> str:
    """The keys of a :class:`Settings` class, optional ones in brackets."""
    return ", ".join(f.encode_name if f.required else f"[{f.encode_name}]" for f in declared(kind))


def suggestion(value: Any, allowed: Iterable[Any]) -> str:
    """The end of a message: the nearest allowed name, if one is near, and all allowed names."""
    names = ["null" if name is None else str(name) for name in allowed]
    return f".{did_you_mean(str(value), names)} Allowed: {', '.join(names)}."


def _options(kind: Any) -> tuple[Any, ...]:
    """The members of a union except UNSET; any other type stands alone."""
    if get_origin(kind) not in (Union, types.UnionType):
        return (kind,)
    return tuple(member for member in get_args(kind) if member is not msgspec.UnsetType)


def _matching(kind: Any, value: Any) -> Any:
    """The bare type; for a union, the member that a value of this form is meant for."""
    options = [get_args(t)[0] if get_origin(t) is Annotated else t for t in _options(kind)]
    for t in options if isinstance(value, Mapping) else []:
        config = getattr(t, "__struct_config__", None)
        if config and config.tag_field and value.get(config.tag_field) == config.tag:
            return t
    forms = (list, tuple) if isinstance(value, list) else (dict,)
    alike = [t for t in options if (dict if _is_struct(t) else get_origin(t)) in forms]
    return [*alike, *options][0]


def _choices(kind: Any) -> list[Any] | None:
    options = _options(kind)
    literal = all(get_origin(option) is Literal for option in options)
    return [choice for option in options for choice in get_args(option)] if literal else None


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _join(key: str, name: Any) -> str:
    return f"{key}.{name}" if key else str(name)


def _twice(value: Any) -> Any:
    """A value that occurs twice in a list, or in a list within it."""
    if not isinstance(value, list | tuple):
        return None
    inner = (twice for inner in value if (twice := _twice(inner)) is not None)
    return next(inner, repeated(value))
