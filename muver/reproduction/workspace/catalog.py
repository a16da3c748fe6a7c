"""What every artifact of a dataset's folder is made of, in one file beside them.

A key stands for settings and inputs, so that a line once written stays true whatever params.yaml
says later: lines are only added.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from muver.io.files import read_json, write_json
from muver.reproduction.workspace.artifact import Artifact

NAME = "catalog.json"


def add_to_catalog(root: Path, artifacts: Iterable[Artifact]) -> None:
    """Add artifacts to the catalog of their dataset's folder."""
    known = read_catalog(root)
    content = {
        **known,
        **{_place(one): [_place(parent) for parent in one.parents] for one in artifacts},
    }
    if content != known:
        write_json(root / NAME, content)


def read_catalog(root: Path) -> dict[str, list[str]]:
    """By each artifact's path below the folder, without suffixes, the paths of its inputs."""
    path = root / NAME
    return dict(read_json(path)) if path.is_file() else {}


def place_of(path: Path) -> tuple[Path, str] | None:
    """The dataset's folder that a file lies in, and its path below it without its suffix.

    A link, as ``build/<dataset>/current`` has them, is followed. None in no dataset's folder.
    """
    path = path.resolve()
    for root in path.parents:
        if (root / NAME).is_file():
            return root, path.relative_to(root).with_suffix("").as_posix()
    return None


def origins(root: Path, one: str) -> dict[str, Path]:
    """By kind, the nearest artifact that one was made from; its own kind's is itself."""
    found: dict[str, Path] = {}
    for place in _upwards(read_catalog(root), one):
        found.setdefault(place.partition("/")[0], root / place)
    return found


def _upwards(catalog: Mapping[str, list[str]], one: str) -> Iterator[str]:
    waiting, seen = [one], set()
    while waiting:
        place = waiting.pop(0)
        if place not in seen:
            seen.add(place)
            yield place
            waiting += catalog.get(place, [])


def _place(one: Artifact) -> str:
    return one.path.removeprefix(f"{one.root}/")
