"""Snakemake's benchmark files."""

import pytest

from muver.reproduction.costs import measured

HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmean_load\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            f"{HEADER}1.0\t0:00:01\t5.0\t9.0\t7.0\n75.2\t0:01:15\t869.7\t9.0\t58.5\n",  # 2 attempts
            {"seconds": 75.2, "max_rss_mb": 869.7, "mean_load_percent": 58.5},
        ),
        (f"{HEADER}0.4\t0:00:00\t-\t-\tNA\n", {"seconds": 0.4}),  # too short to be measured
        (f"{HEADER}0.4\t0:0", {"seconds": 0.4}),  # cut off
        (HEADER, {}),
        ("", {}),
    ],
)
def test_what_is_measured_of_a_job(tmp_path, text, found):
    path = tmp_path / "train.benchmark.tsv"
    path.write_text(text)
    assert measured(path) == found


def test_a_job_without_a_file(tmp_path):
    assert measured(tmp_path / "absent.tsv") == {}
