"""What an entry of the table of stages consists of."""

import argparse
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


def json_object(text: str) -> dict[str, Any]:
    """Parse the value of ``--settings``: a JSON object, as the workflow passes it."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("expected a JSON object such as '{\"layers\": 4}'")
    return value


def machine(text: str) -> Any:
    """Parse the value of ``--compute``: the section of params.yaml."""
    from muver.io.typed import problem
    from muver.retriever.encoders.settings import Machine

    if mistake := problem(Machine, given := json_object(text)):
        raise argparse.ArgumentTypeError(mistake[1])
    return Machine(**given)


class Merge(argparse.Action):
    """Takes JSON objects one after another, each laid over those before it."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        merged = {key: value for given in values for key, value in given.items()}
        setattr(namespace, self.dest, {**getattr(namespace, self.dest), **merged})


def setting(text: str) -> tuple[str, Any]:
    """A setting as Snakemake's ``--config`` takes it: KEY=VALUE, the value in YAML."""
    import yaml

    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE, such as preset=zeshel")
    try:
        return key, yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise argparse.ArgumentTypeError(f"{key}: {value!r} is not YAML ({error})") from None


def named_folder(text: str) -> tuple[str, Path]:
    """A folder with a name, NAME=DIR."""
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=DIR")
    return name, Path(folder)


class Option(NamedTuple):
    """An argument of a stage: of the command line, and of the function that does the work."""

    flag: str
    to: str  # the function's parameter
    either: bool  # one of the options with this mark has to be given, and only one
    argparse: dict[str, Any]  # keywords of add_argument

    @property
    def name(self) -> str:
        """As argparse has it."""
        return self.flag.lstrip("-").replace("-", "_")


def option(
    flag: str, about: str, *, to: str | None = None, either: bool = False, **more: Any
) -> Option:
    """An option that takes a path and is needed, unless ``more`` says otherwise.

    Parameters
    ----------
    flag
        ``--name`` or ``-n``, or ``name`` of an argument that stands without one.
    to
        The function's parameter; by default the flag's name.
    either
        Whether it is one of several options of which one has to be given.
    more
        Keywords of ``argparse.ArgumentParser.add_argument``.
    """
    keywords = {"help": about, **more}
    if "action" not in more:
        keywords.setdefault("type", Path)
    if flag.startswith("-"):
        keywords.setdefault("required", not (either or "default" in more or "action" in more))
    return Option(flag, to or flag.lstrip("-").replace("-", "_"), either, keywords)


def optional(flag: str, about: str, **more: Any) -> Option:
    """An :func:`option` that may be left out; the function then gets None."""
    return option(flag, about, required=False, **more)


def switch(flag: str, about: str, **more: Any) -> Option:
    """An :func:`option` without a value; the function gets whether it is there."""
    return option(flag, about, action="store_true", **more)


class Stage(NamedTuple):
    """An entry of the table.

    Parameters
    ----------
    name
        As it is typed after ``muver``.
    help
        One line, without a full stop.
    work
        Function that does it, as ``package.module:function``.
    options
        Its files and other arguments.
    example
        A call, without ``muver NAME``; goes on over several lines where a shell would.
    settings
        The type of ``--settings``, as ``package.module:Class`` of a module that is quick to import;
        ``json`` passes an object on as it is; None for a stage that has none.
    about
        What the help says of ``--settings``, before the keys of the type.
    settings_to
        The function's parameter that takes them.
    settings_needed
        Of ``json``: whether they have to be given.
    label
        What ``--label`` names in progress lines: a model, a system; None without the option.
    note
        Stands below the options in the help.
    """

    name: str
    help: str
    work: str
    options: tuple[Option, ...]
    example: str
    settings: str | None = None
    about: str = ""
    settings_to: str = "settings"
    settings_needed: bool = False
    label: str | None = None
    note: str = ""

    @property
    def module(self) -> str:
        """The module in which the work begins."""
        return self.work.partition(":")[0]

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        if self.label:
            parser.add_argument("--label", help=f"name of the {self.label} in progress lines")
        group = parser
        if any(own.either for own in self.options):
            group = parser.add_mutually_exclusive_group(required=True)
        for own in self.options:
            (group if own.either else parser).add_argument(own.flag, **own.argparse)
        if self.settings:
            parser.add_argument(
                "--settings", type=json_object, nargs="+", action=Merge, default={}, metavar="JSON",
                **self._settings_help(),
            )  # fmt: skip

    def run(self, args: argparse.Namespace) -> None:
        """Do the work, with the arguments of the command line."""
        given = {own.to: getattr(args, own.name) for own in self.options}
        if self.settings == "json":
            given[self.settings_to] = args.settings
        elif self.settings:
            from muver.io.typed import read

            given[self.settings_to] = read(_imported(self.settings), args.settings)
        self.function()(**given)

    def function(self) -> Callable[..., Any]:
        """The function that does the work, imported now."""
        return _imported(self.work)

    def _settings_help(self) -> dict[str, Any]:
        """Keywords of ``--settings``: what may stand there, and whether something has to."""
        if self.settings == "json":
            return {"help": self.about, "required": self.settings_needed}
        from muver.io.typed import outline, problem

        kind = _imported(self.settings)
        text = ". ".join(filter(None, [outline(kind), self.about]))
        return {"help": text.replace("%", "%%"), "required": problem(kind, {}) is not None}


def _imported(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


MODEL = option("--model", "model directory")
STORE = option("--store", "folder that `muver encode` wrote")
ENTITIES = option("--entities", "entities.parquet, from `muver corpus`")
MENTIONS = option("--mentions", "mentions.parquet, from `muver corpus`")
SENTENCES = option("--sentences", "sentences.parquet, from `muver segment`")
COUNTS = option("--counts", "counts.json, from `muver corpus`")
KB = option("--kb", "folder that `muver kb` wrote")
CONFIG = option(
    "--config",
    "settings that replace those of params.yaml, as snakemake takes them",
    type=setting,
    nargs="+",
    default=[],
    metavar="KEY=VALUE",
)
