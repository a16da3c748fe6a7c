"""The scripts of workflow/, which are in no package."""

import importlib.util
from pathlib import Path
from types import ModuleType


def script(name: str) -> ModuleType:
    """One of them as a module of its own."""
    path = Path(__file__).parents[1] / "workflow" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
