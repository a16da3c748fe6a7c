"""Versions against lock files."""

import re
from pathlib import Path

import pytest

from muver.reproduction.doctor.environment import locked, pins

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
