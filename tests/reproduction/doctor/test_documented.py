"""What docs/reproduce.md says that ZESHEL takes is what the estimates say."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from muver.options import setting
from muver.reproduction.doctor.check import Machine, check

ROOT = Path(__file__).parents[3]
ROW = re.compile(r"^\| (`'.*'`|the preset as it is) \| ([\d.]+) \|$", re.MULTILINE)
ROWS = ROW.findall((ROOT / "docs/reproduce.md").read_text(encoding="utf-8"))
TWO_JOBS = Machine("build", 2**40, 2, 0)


def test_the_table_is_there():
    assert len(ROWS) == 4


@pytest.mark.parametrize(("settings", "disk"), ROWS)
def test_the_table_of_zeshel_is_what_is_estimated(tmp_path, settings, disk):
    shutil.copy(ROOT / "params.yaml", tmp_path)
    words = shlex.split(settings.strip("`")) if settings.startswith("`") else []
    report = check(tmp_path, {"preset": "zeshel", **dict(map(setting, words))}, TWO_JOBS)
    (says,) = (found["says"] for found in report["findings"] if found["check"] == "disk")
    assert says.startswith(f"{disk} GB needed")
