"""Versions against lock files, and imports."""

import re
from pathlib import Path

import pytest

from muver.reproduction.doctor.environment import (
    importable,
    libraries,
    locked,
    pins,
    python_version,
)

BASE = """\
numpy==2.4.0 \\
    --hash=sha256:00
colorama==0.4.6 ; sys_platform == 'win32' \\
    --hash=sha256:00
scipy==1.17.0
"""


@pytest.fixture
def requirements(tmp_path: Path) -> Path:
    (tmp_path / "base.lock").write_text(BASE)
    (tmp_path / "torch.lock").write_text("torch==2.13.0\nnvidia-x==1.0\n")
    return tmp_path


def test_pins_are_those_of_this_machine(requirements):
    assert pins(requirements / "base.lock") == {"numpy": "2.4.0", "scipy": "1.17.0"}


@pytest.mark.parametrize(
    ("change", "status", "says"),
    [
        ({}, "ok", "3 packages, as locked"),  # nvidia-x is of GPUs' builds alone
        ({"scipy": None}, "PROBLEM", "not installed: scipy. Run make setup"),
        ({"torch": None}, "PROBLEM", "not installed: torch"),
        ({"numpy": "2.5.0"}, "note", r"numpy 2.5.0 \(locked: 2.4.0\)"),
    ],
)
def test_locked(requirements, change, status, says):
    have = {"numpy": "2.4.0", "scipy": "1.17.0", "torch": "2.13.0+cpu", **change}
    found = locked(requirements, have.get)
    assert found.status == status
    assert re.search(says, found.says)


def test_without_lock_files(tmp_path):
    assert locked(tmp_path).status == "note"


def test_python():
    assert python_version((3, 13, 0)).status == "ok"
    assert python_version((3, 10, 9)).says == "Python 3.10.9, 3.11 or later is needed: make setup."


def test_libraries_are_those_that_the_package_requires():
    assert {"torch", "yaml", "snakemake"} <= set(libraries())
    assert not {"pytest", "pyyaml", "faiss-cpu"} & set(libraries())


def test_imports():
    assert importable(["json", "yaml"]).status == "ok"
    found = importable(["json", "no_such_library"])
    assert found.status == "PROBLEM"
    assert "no_such_library: ModuleNotFoundError" in found.says
