"""What docs/reproduce.md says that ZESHEL takes is what the estimates say."""

import re
import shlex
from pathlib import Path

import pytest

from muver.cli import setting
from muver.reproduction.doctor.check import project
from muver.reproduction.estimate.machine import Machine
from muver.reproduction.settings import resolve
from muver.reproduction.settings.file import read_params
from muver.reproduction.workspace import graph_of

ROOT = Path(__file__).parents[3]
ROW = re.compile(r"^\| (`'.*'`|the preset as it is) \| ([\d.]+) \| ([\d.]+) \|$", re.MULTILINE)
ROWS = ROW.findall((ROOT / "docs/reproduce.md").read_text(encoding="utf-8"))
TWO_JOBS = Machine("build", 2**40, 2**40, 2, 0)


def test_the_table_is_there():
    assert len(ROWS) == 5


@pytest.mark.parametrize(("settings", "disk", "memory"), ROWS)
def test_the_table_of_zeshel_is_what_is_estimated(tmp_path, monkeypatch, settings, disk, memory):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(settings.strip("`")) if settings.startswith("`") else []
    changed = {"preset": "zeshel", **dict(map(setting, words))}
    needs = project(graph_of(resolve(read_params(ROOT / "params.yaml"), changed)), TWO_JOBS)[
        "needs"
    ]
    assert (f"{needs['disk']['needed'] / 1e9:.1f}", f"{needs['memory']['needed'] / 1e9:.1f}") == (
        disk,
        memory,
    )
