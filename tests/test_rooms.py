"""The rooms of the package, one above the other: none imports from a room above it."""

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import muver

PACKAGE = Path(muver.__file__).parent
ROOT = Path(__file__).parents[1]
# From the ground up, in the order the data flows: three floors of rooms.
FLOORS = {
    "retriever": [
        "answers", "corpus", "views", "vectors", "encoders", "runs", "retrieval", "training",
        "evaluation", "sharing",
    ],
    "kb": ["importing", "index", "training", "serve", "spacy"],
    "reproduction": [
        "tables", "figures", "metrics", "settings", "workspace", "costs", "tracking",
        "report", "doctor", "record", "results_page", "verdicts",
    ],
}  # fmt: skip
ROOMS = [
    "look",
    "commands",
    "io",
    *(f"{floor}.{room}" for floor, rooms in FLOORS.items() for room in rooms),
    "options",
    "completion",
    "cli",
    "__init__",  # the library's face
]


def room_of(names):
    """The room that a module lies in, from its name's parts without the package's."""
    if names and names[0] in FLOORS:
        return ".".join(names[:2]) if len(names) > 1 else None  # a floor's own docstring
    return names[0] if names and names[0] in ROOMS else "__init__"


@cache
def modules():
    """Each module's file, its room, and the rooms that it imports from."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = [*path.relative_to(PACKAGE).with_suffix("").parts]
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        if room := room_of(parts):
            found.append((path, room, list(imported_rooms(path))))
    return found


def imported_rooms(path):
    """Rooms that a file imports from, in its functions too, each with the line of the import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}, line {node.lineno}: a relative import"
            # `from muver.io import x` names a module or what is in one.
            modules = [f"{node.module}.{name.name}" for name in node.names]
        else:
            continue
        for module in modules:
            package, *names = module.split(".")
            if package == "muver" and names != ["__version__"]:  # which no room brings
                yield node.lineno, room_of(names)


def imported(path, known):
    """Modules of ours that a file imports, in its functions and for its types too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield from [one for one in (inner, node.module) if one in known][:1]


def test_no_module_imports_itself_through_others():
    known = {}
    for package in ("muver", "benchmarks", "campaign", "miniwikia"):
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            known[".".join(parts).removesuffix(".__init__")] = path
    graph = {name: {*imported(path, known)} - {name} for name, path in known.items()}
    TopologicalSorter(graph).prepare()  # refuses a circle, and names it


def test_every_room_has_its_place():
    assert sorted({room for _, room, _ in modules()}) == sorted(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_from_none_above_it(room):
    upward = [
        f"{path.relative_to(PACKAGE)}, line {line}: {other}"
        for path, own, imports in modules()
        if own == room
        for line, other in imports
        if ROOMS.index(other) > ROOMS.index(room)
    ]
    assert not upward, f"{room} imports from rooms above it"


def test_what_is_imported_is_there():
    """So that a module that was renamed is found at every place that names it."""
    missing = [
        f"{path.relative_to(ROOT)}, line {node.lineno}: {node.module}"
        for folder in ("muver", "tests", "benchmarks", "campaign", "workflow", "miniwikia")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("muver.")
        for place in [PACKAGE.joinpath(*node.module.split(".")[1:])]
        if not (place.is_dir() or place.with_suffix(".py").is_file())
    ]
    assert not missing
