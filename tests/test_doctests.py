"""The examples in docstrings hold."""

import doctest
import importlib
from pathlib import Path

import pytest

import muver

PACKAGE = Path(muver.__file__).parent
MODULES = sorted(
    ".".join(["muver", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    assert doctest.testmod(importlib.import_module(module)).failed == 0
