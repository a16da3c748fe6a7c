"""Packages that others load wherever they are installed, and that a command can do without."""

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class _Hidden(MetaPathFinder, Loader):
    """Finds one package, which then cannot be loaded."""

    def __init__(self, name: str):
        self.name = name

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        raise ImportError(f"{self.name} is hidden from this command.", name=self.name)


def hide(name: str) -> None:
    """Let every import of a package fail in this process, if it is not loaded yet.

    With its first array pyarrow loads pandas, which takes as long as all else that a short stage
    loads, and goes without it where it cannot be loaded.
    """
    sys.meta_path.insert(0, _Hidden(name))
