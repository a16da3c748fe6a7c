"""Which code decides a rule's output: what its command imports, directly or through others.

A change in it runs the rule again. What the stages are called and `FREE` are left out, so that
rewording a help text never trains a model again.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from muver.commands import COMMANDS, STAGE
from muver.reproduction.workspace.steps import BY_RULE

PACKAGE = Path(__file__).parents[2]
# Of the files' names: none where they lie in the folder that Snakemake runs in.
BEFORE = "" if PACKAGE.parent == Path.cwd() else f"{PACKAGE.parent}/"
# Where a rule's work begins, if not in the stage of its name.
KIND = "retrieve_"  # before the name of a retriever kind
DECLARED = "retriever/corpus/sources.py"  # an archive's files are verified by its checksum
BEGINS = {
    "download": [DECLARED],
    "download_worlds": ["kb/importing/pages/worlds.py"],
    "punkt_english": [],
}
# What a rule may reach because another result cannot come of it.
FREE = {
    "__init__.py",  # names for users
    "version.py",
    "io/checking.py",  # messages, and defaults laid under settings, which are the rule's parameters
    "io/typed.py",
    "io/errors.py",
    "io/progress.py",
    "io/files.py",  # how a file is written, not what stands in it
    "io/matrices.py",
    "io/parquet.py",
    "retriever/encoders/files.py",  # names of files, and words for people beside a model
    "retriever/views/files.py",
    "retriever/encoders/device.py",  # does what the rule's parameters say
    "retriever/corpus/settings.py",  # types of the rule's parameters
}
# Every job of a run looks, so that parsing each module would cost seconds in all.
IMPORT = re.compile(r"^ *from (muver[\w.]*) import (\([^)]*\)|[^(\n]*)", re.MULTILINE)


@cache
def code(rule: str) -> list[str]:
    """Files of the package that decide a rule's output, sorted; relative to the project in it.

    >>> code("choose")
    ['muver/retriever/runs/manifest.py', 'muver/retriever/training/log.py']
    """
    found: set[str] = set()
    waiting = [PACKAGE / one for one in BEGINS.get(rule, _begins(rule))]
    while waiting:
        path = waiting.pop()
        name = path.relative_to(PACKAGE).as_posix()
        if name in found or name in FREE:
            continue
        found.add(name)
        waiting += read_by(path)
    return sorted(f"{BEFORE}muver/{name}" for name in found)


def _begins(rule: str) -> list[str]:
    """The modules that do the work of a rule's stages, or in which a retriever kind ranks."""
    if rule.startswith(KIND):
        return [f"retriever/retrieval/kinds/{rule.removeprefix(KIND)}.py"]
    names = ["ann-build", "ann-check"]
    if rule != "ann_index":
        names = [BY_RULE[rule].command if rule in BY_RULE else rule.replace("_", "-")]
    found = [COMMANDS.get(f"{STAGE}{name}") or COMMANDS.get(name) for name in names]
    return [one.module.replace(".", "/") + ".py" for one in found if one]


@cache
def read_by(path: Path) -> tuple[Path, ...]:
    """Files of the package that a module imports, in its functions too, and data that it names."""
    if path.suffix != ".py":
        return ()
    text = path.read_text(encoding="utf-8")
    return (*_imported(text), *_data(path, text))


def _imported(text: str) -> Iterator[Path]:
    for module, names in IMPORT.findall(text):
        folder = PACKAGE.joinpath(*module.split(".")[1:])
        for name in re.findall(r"(\w+)(?: as \w+)?", re.sub("#.*", "", names)):
            places = (folder / f"{name}.py", folder.with_suffix(".py"))
            yield next((place for place in places if place.is_file()), folder / "__init__.py")


def _data(path: Path, text: str) -> Iterator[Path]:
    """Files beside a module, such as ``paper.yaml``, and those of a folder beside it."""
    for name in re.findall(r'with_name\("([\w.]+)"\)', text):
        beside = path.with_name(name)
        yield from sorted(beside.iterdir()) if beside.is_dir() else [beside]
