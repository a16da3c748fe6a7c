"""Times and memory of stages."""

from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.tracking.timings import timings

HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmean_load\n"


def test_numbers_of_the_last_attempt(tmp_path: Path):
    path = tmp_path / "train.benchmark.tsv"
    path.write_text(f"{HEADER}1.0\t0:00:01\t5.0\t9.0\t7.0\n75.2\t0:01:15\t869.7\t9.0\t58.5\n")
    assert timings([("train", path), ("encode", tmp_path / "absent.tsv")]) == {
        "system/train/seconds": 75.2,
        "system/train/max_rss_mb": 869.7,
        "system/train/mean_load_percent": 58.5,
    }


def test_what_could_not_be_measured_is_left_out(tmp_path: Path):
    path = tmp_path / "bm25.benchmark.tsv"
    path.write_text(f"{HEADER}0.4\t0:00:00\t-\t-\tNA\n")
    assert timings([("bm25", path)]) == {"system/bm25/seconds": 0.4}


@pytest.mark.parametrize("text", ["", "other\n1\n", HEADER, f"{HEADER}fast\t-\t-\t-\t-\n"])
def test_other_files_are_refused(tmp_path: Path, text: str):
    path = tmp_path / "x.benchmark.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=r"x\.benchmark\.tsv.* Remove it"):
        timings([("x", path)])
