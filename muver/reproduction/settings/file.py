"""params.yaml, presets/ and experiments/: read, and compared with what they were in git.

Settings as ``--config`` takes them.
"""

import json
import subprocess
from collections.abc import Hashable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import yaml
from yaml.constructor import ConstructorError

from muver.io.errors import InputError, read_errors
from muver.io.progress import logger
from muver.io.typed import flat

PACKAGE = Path(__file__).parents[2]
NAME = "params.yaml"
FOLDERS = ("presets", "experiments")  # beside it, a file for each entry


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Refuses a key that stands twice, of which YAML would silently take the last."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, KeyError, AttributeError) as error:  # as of 2001-99-99, or !!int x
            raise ConstructorError(problem=str(error), problem_mark=node.start_mark) from None

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        lines: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if key.value in lines and key.value != "<<":
                raise InputError(
                    f"{node.start_mark.name}, lines {lines[key.value]} and {line}: the key "
                    f"{key.value} stands in the same section twice. Remove one."
                )
            lines[key.value] = line
        return super().construct_mapping(node, deep)


def load_yaml(text: str, name: str) -> Any:
    """Parse YAML. An error, the library's or an InputError, names the file ``name``."""
    stream = StringIO(text)
    stream.name = name
    return yaml.load(stream, _Loader)


def written(config: Mapping[str, Any]) -> list[str]:
    """Settings as Snakemake's ``--config`` takes them: text as it is, all else as JSON.

    >>> written({"preset": "zeshel", "merge": {"top_k": 0.2}, "dataset": "a: b"})
    ['preset=zeshel', 'merge={"top_k": 0.2}', 'dataset="a: b"']
    """
    return [
        f"{key}={value if _is_plain(value) else json.dumps(value)}" for key, value in config.items()
    ]


def _is_plain(value: Any) -> bool:
    """Whether YAML reads a value as the text that it is."""
    try:
        return isinstance(value, str) and load_yaml(value, "--config") == value
    except yaml.YAMLError:
        return False


def home() -> Path:
    """The folder of the workflow and its params.yaml: a clone, or what an installed package has."""
    clone = PACKAGE.parent
    return clone if (clone / "workflow/Snakefile").is_file() else PACKAGE / "project"


def params_file(folder: Path = Path()) -> Path:
    """The params.yaml of a folder, or where it has none the one that comes with the workflow."""
    path, ours = folder / NAME, home() / NAME
    if path.is_file():
        return path
    logger.info("%s: not there, so that the settings are those of %s", path, ours)
    return ours


def config_of(folder: Path = Path()) -> dict[str, Any]:
    """Settings in config/config.yaml of a folder that has no params.yaml, which replace others."""
    path = folder / "config" / "config.yaml"
    return _read(path) if path.is_file() and not (folder / NAME).is_file() else {}


def read_params(path: str | Path) -> dict[str, Any]:
    """The sections of params.yaml, as they are written.

    ``presets`` and ``experiments`` have the files of the folders of these names beside it, by name;
    where there is no such folder, of the one that comes with the workflow.
    """
    path = Path(path)
    read = _read(path)
    for name in FOLDERS:
        if name in read:
            raise InputError(f"{path}: {name} is a folder beside it, with a file for each.")
        beside = path.parent / name
        files = sorted((beside if beside.is_dir() else home() / name).glob("*.yaml"))
        read[name] = {file.stem: _read(file) for file in files}
    return read


def _read(path: Path) -> dict[str, Any]:
    with read_errors(path, "Expected settings, as UTF-8 text."):
        text = path.read_text(encoding="utf-8")
    return parse_params(text, str(path))


def parse_params(text: str, name: str) -> dict[str, Any]:
    """As :func:`read_params`, of a text whose errors are to have this name."""
    try:
        read = load_yaml(text, name)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1
        raise InputError(
            f"{name}, line {line}: not YAML ({error.problem}). Indent by spaces, and close every "
            "bracket and quote."
        ) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise InputError(f"{name}: not YAML ({str(error).partition(chr(10))[0]}).") from None
    if not isinstance(read, dict):
        raise InputError(f"{name}: expected sections of settings.")
    return read


def without_effect(params: Path, preset: str, revision: str = "HEAD") -> list[str]:
    """What was changed since a git revision and has no effect, as sentences.

    ``dvc exp run -S training.epochs=5`` changes the section, and so does a hand; where the preset
    in use has the same key, its value stays and nothing runs differently. Nothing is said of a file
    that git does not know.
    """
    command, folder = ["git", "show", f"{revision}:./{params.name}"], params.absolute().parent
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
        before = dict(flat(parse_params(done.stdout.decode(errors="replace"), revision)))
        read = read_params(params)
        over = dict(flat(read["presets"].get(preset) or {}))
    except (OSError, subprocess.CalledProcessError, InputError):
        return []
    now = dict(flat({key: value for key, value in read.items() if key not in FOLDERS}))
    return [
        f"{key} was changed to {value!r}, which has no effect: presets/{preset}.yaml sets "
        f"{over[key]!r}. Change {key} there instead."
        for key, value in now.items()
        if before.get(key) != value != over.get(key, value)
    ]
