"""A command's options: the parameters of the function that does its work, read from words or a job.

A parameter that Python takes by position is a positional argument. A keyword-only parameter, and
any parameter of a stage of the workflow, is an option. Its annotation says how it is read, and the
docstring what it means.
"""

import argparse
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from operator import or_
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Any, Literal, Union, get_args, get_origin

from muver.commands import STAGE, Command
from muver.io.errors import InputError, quoted, repeated

# Options by the names of their parameters, where the two differ: a word may be taken in Python.
FLAGS = {
    "as_json": "json",
    "columns": "map",
    "file": "from",
    "form": "format",
    "number": "part",
    "show": "print",
    "training": "train",
    "validation": "val",
}
METAVARS = {Path: "PATH", str: "TEXT", int: "N", float: "X"}
NEEDED = object()  # in place of a default
Given = dict[str, Any]  # arguments of a command by parameter


def setting(text: str) -> tuple[str, Any]:
    """A setting as Snakemake's ``--config`` takes it: KEY=VALUE, the value in YAML."""
    import yaml

    from muver.reproduction.settings.file import load_yaml

    key, value = _pair(str, text)
    try:
        return key, load_yaml(value, f"--config {key}")
    except yaml.YAMLError as error:
        raise argparse.ArgumentTypeError(f"{key}: {quoted(value)} is not YAML ({error})") from None


def _path(text: str) -> Path:
    if not text or "://" in text:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)}: expected a path. What lies at an address is to be fetched first."
        )
    return Path(text)


def _pair(kind: Callable[[str], Any], text: str) -> tuple[str, Any]:
    key, _, value = text.partition("=")
    if not key or (kind is Path and not value) or "=" not in text:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not KEY=VALUE")
    return key, kind(value)


def _json_object(text: str) -> dict[str, Any]:
    from muver.io.files import parse_json

    try:
        value = parse_json(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("expected a JSON object such as '{\"layers\": 4}'")
    return value


class _Merge(argparse.Action):
    """Takes JSON objects one after another, each laid over those before it."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        before = getattr(namespace, self.dest, None) or {}  # none beside a job
        setattr(namespace, self.dest, reduce(or_, values, before))


class _Several(argparse.Action):
    """Takes values wherever they stand, the first of them in place of the default."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        before = getattr(namespace, self.dest, self.default)  # none beside a job
        given = [*(() if before is self.default else before), *values]
        keys = [value[0] for value in given if isinstance(value, tuple)]
        if twice := repeated(keys):
            raise argparse.ArgumentError(self, f"{quoted(twice)} comes twice. Leave one out.")
        setattr(namespace, self.dest, given)


JSON = {"type": _json_object, "action": _Merge, "nargs": "+", "metavar": "JSON"}


def parser_of(command: Command) -> argparse.ArgumentParser:
    """The parser of a command; imports its work."""
    work = command.function()
    more, documented_options = documented(work)
    width = max(get_terminal_size().columns - 2, 11)  # argparse's
    called = fill("`snakemake -n -p --quiet host` shows how the workflow calls it.", width)
    if command.example:
        lines = f"muver {command.name} {command.example}".split("\n")
        called = "For example\n\n    " + " \\\n    ".join(lines)
    first = f"{command.help[0].upper()}{command.help[1:]}."
    parser = argparse.ArgumentParser(
        prog=f"muver {command.name}",
        description="\n\n".join(fill(part, width) for part in [first, *more]),
        epilog=called,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    is_stage = command.name.startswith(STAGE)
    if is_stage:
        parser.add_argument("--label", metavar="NAME", help="stands in progress lines as well")
    if command.of_workflow:
        parser.add_argument("--job", metavar="FILE", help="JSON with options, in place of these")
    parser.add_argument("--log", metavar="FILE", help="write the progress lines here as well")
    for name, kind, default, alone in parameters(work):
        keywords = {"dest": name, "help": "", **_reading(kind, default)}
        keywords["help"] = ". ".join(filter(None, [keywords["help"], documented_options.get(name)]))
        if default not in (NEEDED, None, False, (), Path(".")):
            shown = " ".join(map(str, default)) if isinstance(default, tuple) else default
            keywords["help"] += f" (default: {shown})"
        keywords["help"] = keywords["help"].strip().replace("%", "%%")
        if alone and not is_stage and "action" not in keywords:
            if default is not NEEDED:
                keywords.setdefault("nargs", "?")
            elif "nargs" in keywords:
                keywords["nargs"] = "+"
            parser.add_argument(**keywords | {"metavar": name.upper()})
        else:
            keywords.setdefault("required", default is NEEDED)
            if "nargs" in keywords:
                keywords.setdefault("action", _Several)
            parser.add_argument(_flag(name), **keywords)
    return parser


def bounded(parser: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    """The words typed, where an option of several values takes none that it can't read but the
    first: --map title=term terms.csv becomes --map=title=term terms.csv.
    """
    bound, left = [], list(words)
    while left and left[0] != "--":
        word, taken = left.pop(0), []
        action = parser._option_string_actions.get(word)
        if action is not None and action.nargs in ("*", "+"):
            while left and (left[0][:1] != "-" or left[0][1:2].isdigit()):
                try:
                    parser._get_values(action, left[:1])
                except argparse.ArgumentError:
                    if taken:
                        break
                taken.append(f"{word}={left.pop(0)}")
        bound += taken or [word]
    return bound + left


def read_job(command: Command, parser: argparse.ArgumentParser, words: Sequence[str]) -> Given:
    """The options of a job's file, below those that are typed.

    The file has each option under its word without dashes, as ``muver NAME --help`` lists them,
    and perhaps a checksum of all else.
    """
    for action in parser._actions:
        action.required, action.default = False, argparse.SUPPRESS
    typed = vars(parser.parse_args(words))
    path = Path(typed.pop("job"))
    from muver.io.files import CHECKSUM, read_json, short_hash

    job = read_json(path)
    if not isinstance(job, dict):
        raise InputError(f"{path}: expected an object with options.")
    if job.pop(CHECKSUM, None) not in (None, short_hash(job, 64)):
        raise InputError(
            f"{path}: is not as it was written. Run the workflow again, or, where you changed it, "
            f"leave {CHECKSUM} out."
        )
    arguments: Given = {"label": job.pop("label", None), "log": None}
    for name, kind, default, _ in parameters(command.function()):
        word = _flag(name).strip("-")
        if word in job:
            arguments[name] = _from_json(kind, job.pop(word))
        elif name in typed or default is not NEEDED:
            arguments[name] = default
        else:
            raise InputError(f"{path}: {word} is missing, which muver {command.name} needs.")
    if job:
        raise InputError(f"{path}: muver {command.name} has no option {', '.join(job)}.")
    return arguments | typed


def _from_json(kind: Any, value: Any) -> Any:
    """A value of JSON as the parameter's type has it; paths stand there as text."""
    origin, inner = get_origin(kind), get_args(kind)
    if value is None or is_settings(kind) or origin in (dict, Mapping):
        return value
    if origin in (Sequence, Iterable, list):
        return [_from_json(_without_none(inner[0]), item) for item in value]
    if origin is tuple:
        return (value[0], _from_json(inner[1], value[1]))
    return Path(value) if kind is Path else value


def parameters(work: Callable[..., Any]) -> Iterator[tuple[str, Any, Any, bool]]:
    """Name, type without None, default, and whether it may be given by its place."""
    from inspect import signature
    from typing import get_type_hints

    hints = get_type_hints(work)
    for name, parameter in signature(work).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:  # Unpack[a TypedDict]
            for key, kind in get_type_hints(get_args(hints[name])[0]).items():
                yield key, kind, None, False
            continue
        default = parameter.default
        if default is parameter.empty:
            default = None if type(None) in get_args(hints[name]) else NEEDED
        alone = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        yield name, _without_none(hints[name]), default, alone


def _without_none(kind: Any) -> Any:
    if get_origin(kind) not in (Union, types.UnionType):
        return kind
    options = [option for option in get_args(kind) if option is not type(None)]
    return Path if Path in options else options[0]


def is_settings(kind: Any) -> bool:
    return isinstance(kind, type) and kind not in (*METAVARS, bool, dict)


def _reading(kind: Any, default: Any) -> dict[str, Any]:
    """Keywords of ``add_argument``: how an argument of this type is read."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is bool:
        return {"action": "store_true"}
    needed = default is NEEDED
    default = {} if needed else {"default": default}
    if origin is Literal:
        return {"choices": inner, **default}
    if is_settings(kind):
        from muver.io.typed import outline, problem

        return {"help": outline(kind), "required": needed and problem(kind, {}) is not None, **JSON}
    if origin in (dict, Mapping):
        return {**default, **JSON}
    if origin in (Sequence, Iterable, list):
        return {**_reading(_without_none(inner[0]), NEEDED), "nargs": "*", **default}
    if origin is tuple:
        read = setting if inner[1] is Any else partial(_pair, inner[1])
        return {"type": read, "metavar": "KEY=VALUE"}
    return {"type": _path if kind is Path else kind, "metavar": METAVARS[kind], **default}


def _flag(name: str) -> str:
    """The option of a parameter.

    >>> _flag("k"), _flag("token_file"), _flag("as_json"), _flag("model_folder")
    ('-k', '--token-file', '--json', '--model')
    """
    word = FLAGS.get(name, name).removesuffix("_folder").removesuffix("_path").strip("_")
    return f"-{word}" if len(word) == 1 else f"--{word.replace('_', '-')}"


def documented(work: Callable[..., Any]) -> tuple[list[str], dict[str, str]]:
    """Paragraphs of a docstring below its first line, and what it says of each parameter."""
    from inspect import getdoc

    text = re.sub(r":\w+:`~?", "`", getdoc(work) or "").replace("``", "`")
    head, *sections = re.split(r"\n\n(\w+)\n-{3,}\n", text)
    described = dict(zip(sections[::2], sections[1::2], strict=True)).get("Parameters", "")
    options: dict[str, str] = {}
    for line in described.splitlines():
        if line and not line.startswith(" "):
            names = line.split(", ")
        else:
            options |= {name: f"{options.get(name, '')} {line}".strip() for name in names}
    return [" ".join(part.split()) for part in head.split("\n\n")[1:]], options
