"""Reading params.yaml."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from muver.io.errors import InputError


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Refuses a key that stands twice, of which YAML would silently take the last."""

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


def read_params(path: str | Path) -> dict[str, Any]:
    """The sections of params.yaml, as they are written.

    Raises
    ------
    InputError
        If there is no such file, it is not YAML, holds no sections, or has a key twice (names both
        lines).
    """
    try:
        with Path(path).open(encoding="utf-8") as file:
            read = yaml.load(file, _Loader)
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file. Run this in the project's folder, or name it by --directory."
        ) from None
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not YAML ({error}).") from None
    if not isinstance(read, dict):
        raise InputError(f"{path}: expected sections of settings.")
    return read
