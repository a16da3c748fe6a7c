"""What every artifact of a dataset's folder is made of, in one file beside them.

A key stands for settings and inputs, so that a line once written stays true whatever params.yaml
says later: lines are only added.
"""

from collections.abc import Iterable
from pathlib import Path

from muver.io.files import read_json, write_json
from muver.workspace.artifact import Artifact

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


def _place(one: Artifact) -> str:
    return one.path.removeprefix(f"{one.root}/")
