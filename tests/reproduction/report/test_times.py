"""Times of jobs, from benchmarks."""

from datetime import datetime

from muver.reproduction.report.stage import read_jobs, times


def test_jobs(finished):
    """One with a log and a benchmark, and one whose log alone is there."""
    (train,) = read_jobs(finished.logs)
    assert (train.stage, train.name, train.seconds, train.memory) == (
        "train",
        "muver",
        95.5,
        812.25,
    )
    assert train.started == datetime(2026, 3, 1, 11, 0)


def test_what_is_not_known_is_left_out(tmp_path):
    (tmp_path / "a.log").write_text("no time\n")
    (tmp_path / "a.benchmark.tsv").write_text("s\tmax_rss\n4\tNA\n")
    (tmp_path / "b.benchmark.tsv").write_text("s\n")
    (job,) = read_jobs(tmp_path)
    assert (job.stage, job.started, job.seconds, job.memory) == ("a", None, 4, None)
    assert read_jobs(tmp_path / "nowhere") == []


def test_stages(finished):
    stages = times(read_jobs(finished.logs))["stages"]
    assert [row[:1] + row[3:] for row in stages.rows] == [["train", "1 min 36 s", "100%", "812 MB"]]
    assert times([]) == {}
