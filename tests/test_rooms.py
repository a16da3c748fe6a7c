"""The rooms of the package, one above the other: none imports from a room above it."""

import ast
from pathlib import Path

import pytest

import muver

PACKAGE = Path(muver.__file__).parent
# From the ground up, in the order the data flows. A room is a folder, or a module beside them.
ROOMS = [
    "version",
    "io",
    "corpus",
    "kb",
    "views",
    "vectors",
    "encoders",
    "runs",
    "retrieval",
    "training",
    "evaluation",
    "index",
    "tables",
    "figures",
    "metrics",
    "grid",
    "settings",
    "stages",
    "workspace",
    "estimate",
    "terminal",
    "tracking",
    "plugins",
    "report",
    "serve",
    "results_page",
    "doctor",
    "cli",
    "__init__",  # the library's face
]


def room_of(path):
    """The room that a file of the package lies in."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported_rooms(path):
    """Rooms that a file imports from, in its functions too, each with the line of the import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}, line {node.lineno}: a relative import"
            # `from muver import x` names a room where x is one, else the package's face.
            modules = [f"{node.module}.{name.name}" for name in node.names]
        else:
            continue
        for module in modules:
            package, _, rest = module.partition(".")
            if package == "muver":
                name = rest.partition(".")[0]
                yield node.lineno, name if name in ROOMS else "__init__"


def test_every_room_has_its_place():
    rooms = {room_of(path) for path in PACKAGE.rglob("*.py")}
    assert sorted(rooms) == sorted(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_from_none_above_it(room):
    upward = [
        f"{path.relative_to(PACKAGE)}, line {line}: {other}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if room_of(path) == room
        for line, other in imported_rooms(path)
        if ROOMS.index(other) > ROOMS.index(room)
    ]
    assert not upward, f"{room} imports from rooms above it"
