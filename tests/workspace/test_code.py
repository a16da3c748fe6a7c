"""The code that a rule names is all that decides its output, found by following the imports."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import muver
from muver.workspace import CODE, code

PACKAGE = Path(muver.__file__).parent
# Where a rule's work begins, if not in the command of its name.
BEGINS = {
    "retrieve": "retrieval/from_store.py",
    "retrieve_tokens": "retrieval/over_tokens.py",
    "tables": "commands/table.py",
    "figures": "commands/figure.py",
}
# What a rule may reach without naming it, because another result cannot come of it.
FREE = {
    "__init__.py",  # the version, and names for users
    "commands/__init__.py",  # reading options
    "checking.py",  # messages, and defaults laid under settings, which are parameters of the rule
    "errors.py",
    "progress.py",
    "files.py",  # how a file is written, not what stands in it
    "encoders/files.py",  # names of files
    "views/files.py",
    "encoders/card.py",  # words for people, beside a model
    "encoders/device.py",  # does what the rule's parameters say of device, precision and threads
    "corpus/schema.py",  # whoever reads a table refuses one that another version wrote
}
# Files that come along with something else: a tower's weights and pieces are loaded, written and
# counted here, but nothing is laid out or encoded.
UNUSED = dict.fromkeys(
    ("encoder", "convert", "tables"),
    {"encoders/packing.py", "encoders/pooling.py", "views/layout.py"},
)
# It places the files of an archive, whose checksum it verifies: only the declaration decides.
PLACED = {"download"}


def imported(path: Path) -> Iterator[Path]:
    """Files of the package that a module imports at its top or inside its functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "muver":
            folder = PACKAGE.joinpath(*node.module.split(".")[1:])
            for name in node.names:
                places = (folder / f"{name.name}.py", folder.with_suffix(".py"))
                yield next((p for p in places if p.is_file()), folder / "__init__.py")


def data(path: Path) -> Iterator[Path]:
    """YAML files beside a module that it names."""
    for name in re.findall(r'"(\w+\.yaml)"', path.read_text(encoding="utf-8")):
        yield path.with_name(name)


def reached(rule: str) -> set[str]:
    """Files that take part in a rule's work, relative to the package, without those of `FREE`."""
    first = BEGINS.get(rule, f"commands/{rule}.py")
    found, waiting = set(), [PACKAGE / first]
    while waiting:
        path = waiting.pop()
        name = path.relative_to(PACKAGE).as_posix()
        if name in found or name in FREE | UNUSED.get(rule, set()):
            continue
        found.add(name)
        waiting += imported(path)
        found |= {file.relative_to(PACKAGE).as_posix() for file in data(path)}
    return {name for name in found if not name.startswith("commands/")}


@pytest.mark.parametrize("rule", [rule for rule in CODE if rule not in PLACED])
def test_a_rule_names_the_code_that_decides_its_output(rule):
    named = {file.removeprefix("muver/") for file in code(rule)}
    assert reached(rule) <= named
    # A pattern takes a package as a whole; what is named by itself must take part.
    assert {name for name in CODE[rule] if "*" not in name} - FREE <= reached(rule)


def test_imports_are_followed_into_functions_packages_and_modules():
    assert PACKAGE / "views/segment.py" in imported(PACKAGE / "commands/segment.py")
    assert PACKAGE / "corpus/miniwikia/__init__.py" in imported(PACKAGE / "commands/generate.py")
    assert PACKAGE / "views/punkt.py" in imported(PACKAGE / "views/segment.py")
    assert "retrieval/exact.py" in reached("bm25")
    assert "tables/paper.yaml" in reached("figures")


def test_no_module_imports_in_a_way_that_is_not_followed():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert all(name.name.split(".")[0] != "muver" for name in node.names), path
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path


def test_the_list_of_free_files_is_no_longer_than_needed():
    assert all((PACKAGE / name).is_file() for name in FREE)
