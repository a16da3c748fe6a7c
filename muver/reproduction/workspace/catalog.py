"""What every artifact of a dataset's folder is made of, in one file beside them.

A key stands for settings and inputs, so that a line once written stays true whatever params.yaml
says later: lines are only added.
"""

from collections.abc import Iterable
from pathlib import Path

from muver.io.files import read_json, write_json
from muver.reproduction.workspace.artifact import Artifact

NAME = "catalog.json"


def add_to_catalog(root: Path, artifacts: Iterable[Artifact]) -> None:
    """Add artifacts to the catalog of their dataset's folder."""
    known = read_catalog(root)
    below = {one.path: one.path.removeprefix(f"{one.root}/") for one in artifacts}
    made = {below[one.path]: [below[own.path] for own in one.parents] for one in artifacts}
    if not made.items() <= known.items():
        write_json(root / NAME, {**known, **made})


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
    catalog, waiting = read_catalog(root), [one]
    for place in waiting:
        waiting += [own for own in catalog.get(place, []) if own not in waiting]
    return {place.partition("/")[0]: root / place for place in reversed(waiting)}
