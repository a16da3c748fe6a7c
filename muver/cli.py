"""``muver COMMAND``: a command line derived from the functions that do the work.

A parameter is an argument: where it may be given by its place it stands alone, and where it has to
be named, or in a stage of the workflow, it is an option. Its annotation says how it is read, and
the docstring what it means. The work is imported only when its command is called.
"""

import argparse
import json
import os
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Any, Literal, Union, get_args, get_origin

from muver.commands import COMMANDS, GROUPS, STAGE, Command
from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.garbage import collect_seldom
from muver.io.progress import note, start_logging
from muver.io.stopping import Stopped, stop_at_signals
from muver.io.text import Output, Shown, visible
from muver.version import __version__

# Options whose word means something else in Python, or is longer there.
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
# Options that take a name of params.yaml too, and the section with its names.
NAMED = {"model": "models", "index": "systems", "rerank": "models"}
NEEDED = object()  # in place of a default
Given = dict[str, Any]  # arguments of a command by parameter
HELP = ("-h", "--help")
NO_MEMORY = re.compile("allocate memory|out of memory|bad_alloc")  # as torch and faiss say it
LESS = (
    "End other work, give it more, or take smaller settings or a part of the data. What is made "
    "stays; the same command goes on or begins anew."
)
SEALING = ("record", "report")  # what reads and writes artifacts, beside the stages


def setting(text: str) -> tuple[str, Any]:
    """A setting as Snakemake's ``--config`` takes it: KEY=VALUE, the value in YAML."""
    import yaml

    from muver.reproduction.settings.file import load_yaml

    key, value = _pair(str, text)
    try:
        return key, load_yaml(value, f"--config {key}")
    except yaml.YAMLError as error:
        raise argparse.ArgumentTypeError(f"{key}: {value!r} is not YAML ({error})") from None


def _pair(kind: Callable[[str], Any], text: str) -> tuple[str, Any]:
    key, _, value = text.partition("=")
    if not key or (kind is Path and not value) or "=" not in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, kind(value)


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("expected a JSON object such as '{\"layers\": 4}'")
    return value


class _Merge(argparse.Action):
    """Takes JSON objects one after another, each laid over those before it."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        merged = getattr(namespace, self.dest) or {}
        for given in values:
            merged = {**merged, **given}
        setattr(namespace, self.dest, merged)


JSON = {"type": _json_object, "action": _Merge, "nargs": "+", "metavar": "JSON"}


def parser_of(command: Command) -> argparse.ArgumentParser:
    """The parser of a command; imports its work."""
    work = command.function()
    more, told = documented(work)
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
    if told_by_file(command):
        parser.add_argument("--job", metavar="FILE", help="JSON with options, in place of these")
    parser.add_argument("--log", metavar="FILE", help="write the progress lines here as well")
    for name, kind, default, alone in _parameters(work):
        keywords = {"dest": name, "help": "", **_reading(kind, default)}
        keywords["help"] = ". ".join(filter(None, [keywords["help"], told.get(name)]))
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
            parser.add_argument(_flag(name), **keywords)
    return parser


def told_by_file(command: Command) -> bool:
    """Whether the workflow calls a command, so that its options may stand in a file."""
    return command.name.startswith(STAGE) or command.name in SEALING


def read_job(command: Command, parser: argparse.ArgumentParser, words: Sequence[str]) -> Given:
    """The options of a job's file, below those that are typed.

    The file has each option under its word without dashes, as ``muver NAME --help`` lists them.
    """
    for action in parser._actions:
        action.required, action.default = False, argparse.SUPPRESS
    typed = vars(parser.parse_args(words))
    path = Path(typed.pop("job"))
    from muver.io.files import read_json

    told = read_json(path)
    given: Given = {"label": told.pop("label", None), "log": None}
    for name, kind, default, _ in _parameters(command.function()):
        word = _flag(name).strip("-")
        if word in told:
            given[name] = _from_json(kind, told.pop(word))
        elif name in typed or default is not NEEDED:
            given[name] = default
        else:
            raise InputError(f"{path}: {word} is missing, which muver {command.name} needs.")
    if told:
        raise InputError(f"{path}: muver {command.name} has no option {', '.join(told)}.")
    return given | typed


def _from_json(kind: Any, value: Any) -> Any:
    """A value of JSON as the parameter's type has it; paths stand there as text."""
    origin, inner = get_origin(kind), get_args(kind)
    if value is None or _is_settings(kind) or origin in (dict, Mapping):
        return value
    if origin in (Sequence, Iterable, list):
        return [_from_json(_without_none(inner[0]), one) for one in value]
    if origin is tuple:
        return (value[0], _from_json(inner[1], value[1]))
    return Path(value) if kind is Path else value


def run(command: Command, words: Sequence[str]) -> None:
    with redirect_stderr(Shown(sys.stderr)):
        parser = parser_of(command)
        by_file = told_by_file(command) and "--job" in words
        given = read_job(command, parser, words) if by_file else vars(parser.parse_args(words))
    given.pop("job", None)
    label = [command.name.removeprefix(STAGE), given.pop("label", None)]
    start_logging(" ".join(filter(None, label)), given.pop("log"))
    work = command.function()
    from muver.io.checksums import check, seal
    from muver.io.files import WRITTEN

    sealing = told_by_file(command)
    if sealing:
        check(_paths(given.values()))
    for name, kind, default, _ in _parameters(work):
        if _is_settings(kind) and (given[name] or default is not None):
            from muver.io.typed import read

            given[name] = read(kind, given[name] or {})
    if not command.name.startswith(STAGE):
        for name in NAMED:
            if given.get(name):
                given[name] = _by_name(name, given[name])
    WRITTEN.clear()
    work(**given)
    if sealing:
        seal(WRITTEN)


def _paths(values: Iterable[Any]) -> Iterator[Path]:
    """The paths among the arguments of a stage, those in lists and tables too."""
    for value in values:
        if isinstance(value, str | Path):
            yield Path(value)
        elif isinstance(value, Mapping):
            yield from _paths(value.values())
        elif isinstance(value, Iterable):
            yield from _paths(value)


def _by_name(option: str, given: Any) -> Any:
    """Where a folder has a params.yaml, the path of the model or index that it calls so.

    A model or an index that lies here under this name comes first. Each has a JSON file, by which
    it is told from the package, whose folder in a clone is called muver as a model is.
    """
    here = Path(given)
    if here.is_file() or any(here.glob("*.json")) or not Path("params.yaml").is_file():
        return given
    from muver.reproduction.workspace.current import made

    return type(given)(made(NAMED[option], str(given)))


def _parameters(work: Callable[..., Any]) -> Iterator[tuple[str, Any, Any, bool]]:
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
    options = [one for one in get_args(kind) if one is not type(None)]
    return Path if Path in options else options[0]


def _is_settings(kind: Any) -> bool:
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
    if _is_settings(kind):
        from muver.io.typed import outline, problem

        return {"help": outline(kind), "required": needed and problem(kind, {}) is not None, **JSON}
    if origin in (dict, Mapping):
        return {**default, **JSON}
    if origin in (Sequence, Iterable, list):
        return {**_reading(_without_none(inner[0]), NEEDED), "nargs": "*", **default}
    if origin is tuple:
        read = setting if inner[1] is Any else partial(_pair, inner[1])
        return {"type": read, "metavar": "KEY=VALUE"}
    return {"type": kind, "metavar": METAVARS[kind], **default}


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
    told: dict[str, str] = {}
    for line in described.splitlines():
        if line and not line.startswith(" "):
            names = line.split(", ")
        else:
            told |= {name: f"{told.get(name, '')} {line}".strip() for name in names}
    return [" ".join(part.split()) for part in head.split("\n\n")[1:]], told


def overview() -> str:
    """All that people type, by purpose; commands of two words in one line."""
    lines = ["usage: muver COMMAND ..."]
    for group, commands in GROUPS.items():
        rows: dict[str, str] = {}
        for command in commands:
            first, _, second = command.name.partition(" ")
            if command.name.startswith(STAGE):
                rows[f"{STAGE}..."] = "a step of the workflow; `muver stage` lists them"
            elif second and _family(first)[1:]:
                rows[f"{first} ..."] = ", ".join(filter(None, [rows.get(f"{first} ..."), second]))
            else:
                rows[command.name] = command.help
        lines += ["", f"{group}:", *_rows(rows)]
    return "\n".join([*lines, "", "`muver COMMAND --help` explains a command."])


def _rows(rows: Mapping[str, str]) -> list[str]:
    width = max(map(len, rows)) + 4
    return [
        fill(text, 100, initial_indent=f"  {name:{width - 2}}", subsequent_indent=" " * width)
        for name, text in rows.items()
    ]


def _family(word: str) -> list[Command]:
    return [one for name, one in COMMANDS.items() if name.startswith(f"{word} ")]


def _found(words: Sequence[str]) -> Command | str:
    """The command that is called, or a text to print in its place."""
    for count in (2, 1):
        if command := COMMANDS.get(" ".join(words[:count])):
            return command
    if not words or words[0] in HELP:
        return overview()
    if words[0] == "--version":
        return f"muver {__version__}"
    family = _family(words[0])
    if family and (not words[1:] or words[1] in HELP):
        rows = {one.name.partition(" ")[2]: one.help for one in family}
        more = f"`muver {words[0]} NAME --help` explains each."
        return "\n".join([f"usage: muver {words[0]} NAME ...", "", *_rows(rows), "", more])
    wrong = " ".join(words[: 2 if family else 1])
    known = {*COMMANDS, *(name.partition(" ")[0] for name in COMMANDS)}
    raise InputError(
        f"no command {wrong!r}.{did_you_mean(wrong, known)} `muver --help` lists them."
    )


def _extra(module: str) -> str | None:
    """The requirement that brings a missing module, where it is one of this package's extras."""
    from importlib.metadata import requires

    name = module.partition(".")[0].replace("_", "-")
    wanted = (text.split(";")[0] for text in requires("muver") or () if "extra ==" in text)
    return next((text for text in wanted if text.startswith(name)), None)


def _mistake(prefix: str, text: object) -> int:
    if sys.stderr is not None:  # it may be closed, or full
        with suppress(OSError):
            print(visible(f"{prefix}: error: {text}"), file=sys.stderr, flush=True)
    note(f"error: {text}")
    _drop()
    return 2


def _drop() -> None:
    """Forget what standard output did not take; Python would try again in the end."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it went well, 2 after a user's mistake, 130 or 141 where stopped."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    collect_seldom()
    if arguments is None:  # as a program
        stop_at_signals()
    # Read when torch is loaded. Threads that wait are to sleep: by default they spin, and where
    # other work runs as well they keep the processors from those that have something to do.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    prefix = "muver"
    try:
        with redirect_stdout(Output(sys.stdout)):
            found = _found(words)
            try:
                if isinstance(found, str):
                    print(found)
                else:
                    prefix = f"muver {found.name}"
                    run(found, words[len(found.name.split()) :])
            finally:
                sys.stdout.flush()
    except InputError as error:
        return _mistake(prefix, error)
    except ModuleNotFoundError as error:
        if not (package := _extra(error.name or "")):
            raise
        return _mistake(
            prefix, f"{package} is not installed. Install it with: pip install '{package}'"
        )
    except Stopped as signal:
        print(f"{prefix}: ended by {signal}", file=sys.stderr)
        return signal.status
    except KeyboardInterrupt:
        return 130
    except (MemoryError, RuntimeError) as error:
        if not (isinstance(error, MemoryError) or NO_MEMORY.search(str(error))):
            raise
        return _mistake(prefix, f"the memory of this machine does not suffice. {LESS}")
    except BrokenPipeError:  # who reads it has had enough, as head has
        _drop()
        return 141
    return 0


if __name__ == "__main__":
    sys.exit(main())
