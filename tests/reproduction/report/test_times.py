"""Times of jobs, from benchmarks and logs."""

from datetime import datetime

from muver.reproduction.report.times import read_jobs, times


def test_jobs(finished):
    corpus, train = read_jobs(finished.logs)
    assert (corpus.stage, corpus.name, corpus.seconds, corpus.memory) == ("corpus", "", 90, None)
    assert corpus.started == datetime(2026, 3, 1, 10, 0)
    assert not corpus.measured
    assert (train.stage, train.name, train.seconds, train.memory) == (
        "train",
        "muver",
        95.5,
        812.25,
    )
    assert train.measured


def test_benchmarks_in_a_folder_of_their_own(tmp_path):
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "a.log").write_text("2026-01-01 00:00:00,000 x\n")
    (tmp_path / "benchmarks" / "train").mkdir(parents=True)
    (tmp_path / "benchmarks" / "train" / "a.tsv").write_text("s\tmax_rss\n2\t-\n4\tNA\n")
    (job,) = read_jobs(tmp_path)
    assert (job.stage, job.name, job.seconds, job.memory) == ("train", "a", 3, None)


def test_what_is_no_log_is_passed_over(tmp_path):
    (tmp_path / "a.log").write_text("no time\n")
    (tmp_path / "b.tsv").write_text("x\ty\n1\t2\n")
    (tmp_path / "c.tsv").write_text("s\n")
    assert read_jobs(tmp_path) == []
    assert read_jobs(tmp_path / "nowhere") == []


def test_stages_in_the_order_in_which_they_began(finished):
    stages = times(read_jobs(finished.logs))["stages"]
    assert [row[:1] + row[3:] for row in stages.rows] == [
        ["corpus", "~ 1 min 30 s", "94%", ""], ["train", "1 min 36 s", "100%", "812 MB"],
    ]  # fmt: skip
    assert times([]) == {}
