"""Times and memory of stages."""

import os
from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.reproduction.tracking.timings import timings

HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmean_load\n"


def test_numbers_of_the_last_attempt_and_the_work_of_all_stages(tmp_path: Path):
    train, encode = tmp_path / "train.benchmark.tsv", tmp_path / "encode.benchmark.tsv"
    train.write_text(f"{HEADER}1.0\t0:00:01\t5.0\t9.0\t7.0\n75.2\t0:01:15\t869.7\t9.0\t58.5\n")
    encode.write_text(f"{HEADER}0.4\t0:00:00\t-\t-\tNA\n")  # too short to be measured
    os.utime(train, (100, 100))
    os.utime(encode, (200, 200))
    metrics, work = timings({"train": train, "encode": encode, "merge": tmp_path / "absent.tsv"})
    assert metrics == {
        "work/train_seconds": 75.2,
        "work/train_max_rss_mb": 869.7,
        "work/train_mean_load_percent": 58.5,
        "work/encode_seconds": 0.4,
    }
    assert (work.seconds, work.end) == (pytest.approx(75.6), 200)
    assert timings({"merge": tmp_path / "absent.tsv"}) == ({}, None)


@pytest.mark.parametrize("text", ["", "other\n1\n", HEADER, f"{HEADER}fast\t-\t-\t-\t-\n"])
def test_other_files_are_refused(tmp_path: Path, text: str):
    path = tmp_path / "x.benchmark.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=r"x\.benchmark\.tsv.* Remove it"):
        timings({"x": path})
