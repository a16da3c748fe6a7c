"""Snakemake's events become lines: what is done, how long the rest will take."""

import logging
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from muver.reproduction.doctor import follow
from muver.reproduction.doctor.follow import NOTHING_TO_BE_DONE_MSG, Follower
from muver.reproduction.doctor.plan import Machine

SECONDS = {("corpus", ""): 10.0, ("train", ""): 40.0}


class Clock:
    """A clock that is set by hand."""

    now = 1e6


@pytest.fixture
def logger(monkeypatch):
    """Snakemake's logger as it is when a run starts, and its own handler's lines."""
    monkeypatch.setattr(follow.time, "monotonic", lambda: Clock.now)
    monkeypatch.setattr(follow, "plan", lambda graph, gpu, asked: planned(graph.seconds))
    logger, shown = logging.Logger("snakemake"), []
    handler = logging.Handler()
    handler.name, handler.emit = "DefaultStreamHandler", lambda record: shown.append(record.msg)
    logger.addHandler(handler)
    logger.shown = shown
    return logger


def planned(seconds):
    return [SimpleNamespace(key=key, seconds=took) for key, took in seconds.items()]


def started(logger, targets=(), seconds=SECONDS, cores=1, jobs=tuple(SECONDS)):
    """A follower of jobs that are to be run."""
    listed = [
        SimpleNamespace(jobid=n, rule=SimpleNamespace(name=rule), wildcards_dict={"id": id})
        for n, (rule, id) in enumerate(jobs, 1)
    ]
    follower = Follower(lambda: targets, lambda: None)
    logger.addHandler(follower)
    settings = SimpleNamespace(compute=SimpleNamespace(device="cpu", threads=1, processes=1))
    graph = SimpleNamespace(settings=settings, seconds=seconds, declared=())
    follower.start(logger, graph, listed, Machine(cores, 0))
    return follower


def begin(logger, number, rule, log="none.log", **wildcards):
    said = {"jobid": number, "rule_name": rule, "wildcards": wildcards, "log": [log]}
    logger.info("Rule", extra={"event": "job_info", **said})


def finish(logger, number):
    logger.info("Finished", extra={"event": "job_finished", "job_id": number})


def test_a_line_for_each_finished_job_and_none_of_snakemakes(logger, capsys):
    started(logger)
    logger.info("Select jobs to execute...")
    logger.info("Execute 1 jobs...", extra={"event": "job_started"})
    begin(logger, 1, "corpus")
    Clock.now += 20
    finish(logger, 1)
    logger.info("1 of 2 steps", extra={"event": "progress", "done": 1, "total": 2})
    begin(logger, 2, "train", id="muver-0c1d2e3f")
    Clock.now += 30
    finish(logger, 2)
    logger.warning("something else")
    assert capsys.readouterr().err.splitlines() == [
        "[1 of 2 jobs, 20 s, about 40 s left] corpus: 20 s",
        "[2 of 2 jobs, 50 s] train muver: 30 s",
    ]
    assert logger.shown == ["Rule", "Rule", "something else"]


def test_finished_jobs_correct_the_others_of_their_rule(logger, capsys):
    jobs = {("train", "a"): 40.0, ("train", "b"): 10.0, ("encode", "a"): 5.0}
    started(logger, seconds=jobs, jobs=tuple(jobs))
    begin(logger, 1, "train", id="a")
    Clock.now += 80  # twice as long
    finish(logger, 1)
    assert (
        capsys.readouterr().err
        == "[1 of 3 jobs, 1 min 20 s, about 25 s left] train a: 1 min 20 s\n"
    )


def test_the_time_left_is_told_once_the_data_are_counted(logger, capsys):
    follower = started(logger, seconds={}, jobs=[*SECONDS, ("evaluate", "")])
    begin(logger, 3, "evaluate")
    finish(logger, 3)
    follower._graph.seconds = SECONDS
    begin(logger, 1, "corpus")
    finish(logger, 1)
    assert capsys.readouterr().err.splitlines() == [
        "[1 of 3 jobs, 0 s] evaluate: 0 s",
        "[2 of 3 jobs, 0 s, about 40 s left] corpus: 0 s",
    ]


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


@pytest.mark.parametrize("targets", [["results/table1.csv"], ["stage_train"]])
def test_the_tables_that_were_asked_for_stand_at_the_end(logger, targets, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    Path("results/table1.csv").touch()
    shown = []
    monkeypatch.setattr(
        "muver.reproduction.tables.render.print_tables", lambda *given: shown.append(given)
    )
    asked = [(["table1"], Path("results"), Path())] if "results" in targets[0] else []
    started(logger, targets).end()
    assert shown == asked
    logger.addHandler(Follower(lambda: targets, lambda: None, Path(".test")))
    logger.info(NOTHING_TO_BE_DONE_MSG)
    elsewhere = [(*one[:2], Path(".test")) for one in asked]
    assert shown[len(asked) :] == [*asked, *elsewhere]  # by either handler


def test_a_job_that_is_late_is_about_to_end(logger, capsys):
    started(logger, cores=4)
    begin(logger, 2, "train")
    begin(logger, 3, "latest")
    Clock.now += 100
    finish(logger, 3)
    assert "about 10 s left" in capsys.readouterr().err


def test_lines_of_several_threads_stay_whole_in_a_file(capfd, logger):
    follower = started(logger)
    work = [threading.Thread(target=lambda: [follower._say("a line") for _ in range(1000)])
            for _ in range(3)]  # fmt: skip
    for one in work:
        one.start()
    for one in work:
        one.join()
    line = "[0 of 2 jobs, 0 s, about 50 s left] a line"
    assert capfd.readouterr().err.splitlines() == [line] * 3000
