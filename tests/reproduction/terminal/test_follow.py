"""Snakemake's events become lines: what is done, what runs, how long it will take."""

import logging
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from muver.reproduction.terminal import follow
from muver.reproduction.terminal.follow import NOTHING_TO_BE_DONE_MSG, Follower

SECONDS = {("corpus", ""): 10.0, ("train", ""): 40.0}


class Clock:
    """A clock that is set by hand."""

    now = 1e6


@pytest.fixture
def logger(monkeypatch):
    """Snakemake's logger as it is when a run starts, and its own handler's lines."""
    monkeypatch.setattr(follow.time, "time", lambda: Clock.now)
    monkeypatch.setattr(follow.Live, "possible", staticmethod(lambda: False))
    monkeypatch.setattr(follow, "seconds_of", lambda graph: graph.seconds)
    logger, shown = logging.Logger("snakemake"), []
    handler = logging.Handler()
    handler.name, handler.emit = "DefaultStreamHandler", lambda record: shown.append(record.msg)
    logger.addHandler(handler)
    logger.shown = shown
    return logger


def started(logger, targets=(), seconds=SECONDS, cores=1):
    """A follower of two jobs that are to be run."""
    jobs = [
        SimpleNamespace(jobid=n, rule=SimpleNamespace(name=rule), wildcards_dict={})
        for n, (rule, _) in enumerate(SECONDS, 1)
    ]
    follower = Follower(lambda: targets, lambda: None)
    logger.addHandler(follower)
    graph = SimpleNamespace(
        settings=SimpleNamespace(compute=SimpleNamespace(threads=1)), gpus=0, seconds=seconds
    )
    follower.start(logger, graph, jobs, cores)
    return follower


def begin(logger, number, rule, log="none.log", **wildcards):
    said = {"jobid": number, "rule_name": rule, "wildcards": wildcards, "log": [log]}
    logger.info("Rule", extra={"event": "job_info", **said})


def finish(logger, number):
    logger.info("Finished", extra={"event": "job_finished", "job_id": number})


def test_a_line_for_each_finished_job_and_none_of_snakemakes(logger, capsys):
    follower = started(logger)
    logger.info("Select jobs to execute...")
    logger.info("Storing in storage: s3://bucket/results/table1.csv")
    logger.info("Finished upload.")
    logger.info("Execute 1 jobs...", extra={"event": "job_started"})
    begin(logger, 1, "corpus", id="0c1d2e3f")
    Clock.now += 20
    follower._graph.seconds = {("train", ""): 80.0}  # twice as long, as the corpus took
    finish(logger, 1)
    logger.info("1 of 2 steps", extra={"event": "progress", "done": 1, "total": 2})
    begin(logger, 2, "train", id="muver-0c1d2e3f")
    Clock.now += 30
    finish(logger, 2)
    logger.warning("something else")
    assert capsys.readouterr().err.splitlines() == [
        "[1 of 2 jobs, 20 s, about 1 min 20 s left] corpus: 20 s",
        "[2 of 2 jobs, 50 s] train muver: 30 s",
    ]
    assert logger.shown == ["Rule", "Rule", "something else"]


def test_the_time_left_is_told_once_the_data_are_counted(logger, capsys):
    follower = started(logger, seconds={})
    begin(logger, 1, "corpus")
    assert follower.lines()[-1] == "0 of 2 jobs, 0 s"
    follower._graph.seconds = SECONDS
    finish(logger, 1)
    assert capsys.readouterr().err == "[1 of 2 jobs, 0 s, about 40 s left] corpus: 0 s\n"


def test_a_failed_job_is_named_with_its_log(logger, capsys):
    started(logger)
    begin(logger, 1, "retrieve", "logs/bm25.log", id="test/bm25-0c1d2e3f")
    dump = "RuleException:\nCalledProcessError in file \"a.smk\", line 1:\nCommand 'muver' "
    logger.error(f"{dump}returned non-zero exit status 2.")
    logger.error(f"{dump}died with <Signals.SIGKILL: 9>.")
    logger.error("Error", extra={"event": "job_error", "jobid": 1})
    assert capsys.readouterr().err.splitlines() == [
        "[0 of 2 jobs, 0 s, about 50 s left] retrieve test/bm25: failed. Its log: logs/bm25.log"
    ]
    assert logger.shown[1:] == [f"{dump}died with <Signals.SIGKILL: 9>.", "Error"]


def test_ctrl_c_ends_in_a_sentence(logger, capsys):
    """Not in the commands of the jobs that it ended, before Snakemake notices and after."""
    started(logger)
    begin(logger, 1, "corpus")
    dump = "RuleException:\nCalledProcessError in file \"a.smk\", line 1:\nCommand 'muver' "
    logger.error(f"{dump}died with <Signals.SIGINT: 2>.")
    logger.info("Terminating processes on user request, this might take some time.")
    logger.error(f"{dump}returned non-zero exit status 130.")
    logger.error("Error", extra={"event": "job_error", "jobid": 1})
    logger.error("WorkflowError:\nAt least one job did not complete successfully.")
    assert logger.shown == ["Rule", "Stopped. Repeat the command to go on."]
    assert capsys.readouterr().err == ""


def test_a_running_job_says_what_its_log_says_last(logger, tmp_path):
    log = tmp_path / "train.log"
    log.write_text("2026-01-01 10:00:00,000 of an earlier run\n")
    os.utime(log, (Clock.now - 10, Clock.now - 10))
    follower = started(logger)
    begin(logger, 2, "train", str(log), id="muver-0c1d2e3f")
    Clock.now += 5
    assert follower.lines() == ["train muver  5 s", "0 of 2 jobs, 5 s, about 45 s left"]
    log.write_text("2026-01-01 10:00:01,000 step 1\n2026-01-01 10:00:02,000 step 2: é\n")
    os.utime(log, (Clock.now, Clock.now))
    assert follower.lines()[0] == "train muver  5 s  step 2: é"


@pytest.mark.parametrize("targets", [["results/table1.csv"], ["stage_train"]])
def test_the_tables_that_were_asked_for_stand_at_the_end(logger, targets, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    Path("results/table1.csv").touch()
    shown = []
    monkeypatch.setattr(
        "muver.reproduction.tables.shown.print_tables",
        lambda *given: shown.append(given),
    )
    asked = [(["table1"], Path("results"), Path())] if "results" in targets[0] else []
    started(logger, targets).end()
    assert shown == asked
    logger.addHandler(Follower(lambda: targets, lambda: None, Path(".test")))
    logger.info(NOTHING_TO_BE_DONE_MSG)
    elsewhere = [(*one[:2], Path(".test")) for one in asked]
    assert shown[len(asked) :] == [*asked, *elsewhere]  # by either handler


def test_jobs_beside_each_other_take_as_long_as_the_longest(logger):
    follower = started(logger, cores=4)
    assert follower.lines() == ["0 of 2 jobs, 0 s, about 40 s left"]
    begin(logger, 2, "train")
    Clock.now += 100  # late, and so about to end
    assert follower.lines()[-1].endswith("about 10 s left")


PROGRAM = """
import os, subprocess, sys, time
from muver.io.progress import FOLLOWED
from muver.reproduction.terminal.follow import Live, say
live = Live(lambda: ["train muver", "1 of 2 jobs"])
assert Live.possible()
live.start()
assert FOLLOWED in os.environ
subprocess.run([sys.executable, "-c", "import sys; print('of a child', file=sys.stderr)"])
say("of the run")
live.stop()
live.stop()
print("afterwards", file=sys.stderr)
assert FOLLOWED not in os.environ
"""


def test_lines_of_children_scroll_by_and_the_terminal_is_given_back():
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], stderr=theirs, env=environment)
    os.close(theirs)
    said = b""
    while part := _read(ours):
        said += part
    os.close(ours)
    assert done.returncode == 0, said
    text = said.decode()
    places = [text.find(one) for one in ("of a child\r\n", "of the run\r\n", "afterwards\r\n")]
    assert places == sorted(places) and -1 not in places
    assert "train muver\r\n1 of 2 jobs" in text
    assert "\x1b" not in text[places[-1] :]


def test_lines_of_several_threads_stay_whole_in_a_file(capfd):
    assert not follow.Live.possible()
    work = [threading.Thread(target=lambda: [follow.say("a line") for _ in range(3000)])
            for _ in range(3)]  # fmt: skip
    for one in work:
        one.start()
    for one in work:
        one.join()
    assert capfd.readouterr().err.splitlines() == ["a line"] * 9000


def _read(terminal: int) -> bytes:
    """What is left to read; nothing once nobody writes to it."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""
