"""Follows Snakemake's jobs by its log events: how many are done, how long the others will take."""

import logging
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from snakemake.common import NOTHING_TO_BE_DONE_MSG

from muver.io.errors import InputError
from muver.io.progress import duration
from muver.reproduction.doctor.plan import COSTS, Key, Machine, plan, together
from muver.reproduction.workspace import Graph

KEY = re.compile(r"(^|-)[0-9a-f]{8}$")  # of an artifact's name
# Snakemake's own lines, which the lines here replace.
REPLACED = ("job_started", "job_finished", "progress")
HIDDEN = re.compile(
    r"Select jobs to execute|"
    # a stage that ended with 2 has said more; one with 130 was ended by Ctrl-C
    r"RuleException:\nCalledProcessError(?s:.*)(exit status (2|130)|SIGINT: 2>)\.$"
)
# What Snakemake says after Ctrl-C, first and last.
STOPPING = "Terminating processes on user request"
FAILED = "At least one job did not complete successfully"
STOPPED = "Stopped. Repeat the command to go on."


class Job(NamedTuple):
    """A job at work."""

    name: str
    key: Key
    logs: list[str]
    since: float  # seconds since the epoch


class Follower(logging.Handler):
    """A handler of Snakemake's logger: a line for each finished job, with the time left.

    After a run, or where there was nothing to do, the tables that were asked for are printed.
    """

    def __init__(
        self, targets: Callable[[], Iterable[str]], idle: Callable[[], None], folder: Path = Path()
    ):
        """``targets`` says what was asked for, once Snakemake knows it.

        ``idle`` is called where there is nothing to do, for which Snakemake has no hook. ``folder``
        is Snakemake's --directory as it was typed.
        """
        super().__init__()
        self._targets, self._idle, self._folder = targets, idle, folder
        self._running: dict[int, Job] = {}
        self._planned: dict[Key, float] = {}  # seconds
        self._took: Counter[str] = Counter()  # seconds of finished jobs, by rule, and planned ones
        self._expected: Counter[str] = Counter()
        self._done = 0
        self._stopped = False

    def start(
        self, logger: logging.Logger, graph: Graph, jobs: Iterable[Any], machine: Machine
    ) -> None:
        """Take the place of Snakemake's lines about these jobs, which are to be run."""
        self._left = {job.jobid: (job.rule.name, job.wildcards_dict.get("id", "")) for job in jobs}
        self._graph, self._machine = graph, machine
        self._total, self._since = len(self._left), time.monotonic()
        self._reckon()
        for handler in logger.handlers:
            if handler.name == "DefaultStreamHandler":
                handler.addFilter(self._keeps)

    def end(self) -> None:
        """After a run that went well."""
        from muver.reproduction.tables.render import print_tables

        paths = [path for path in map(Path, self._targets()) if path.match("results/*.csv")]
        # With --until a run ends before its tables.
        if tables := sorted(path for path in paths if path.is_file()):
            print(flush=True)
            print_tables([path.stem for path in tables], tables[0].parent, self._folder)

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of an event."""
        event, fields = getattr(record, "event", None), record.__dict__
        if record.msg == NOTHING_TO_BE_DONE_MSG:
            self._idle()
            self.end()
        elif event == "job_info":
            key = (fields["rule_name"], str(dict(fields["wildcards"]).get("id", "")))
            self._running[fields["jobid"]] = Job(
                _name(fields), key, list(fields["log"]), time.monotonic()
            )
        elif event == "job_finished" and (job := self._running.pop(fields["job_id"], None)):
            self._left.pop(fields["job_id"], None)  # a job of a checkpoint was not listed
            self._done += 1
            took = time.monotonic() - job.since
            if not self._planned:
                self._reckon()
            self._took[job.key[0]] += took
            self._expected[job.key[0]] += self._planned.get(job.key, COSTS["start"])
            self._say(f"{job.name}: {duration(took)}")
        elif event == "job_error" and (job := self._running.pop(fields["jobid"], None)):
            if not self._stopped:
                self._say(f"{job.name}: failed. Its log: {', '.join(job.logs)}")
        elif event == "progress":
            self._total = fields["total"]

    def _keeps(self, record: logging.LogRecord) -> bool:
        """Whether a line of Snakemake's is shown; after Ctrl-C a sentence replaces them all."""
        message = str(record.msg)
        self._stopped |= message.startswith(STOPPING)
        if self._stopped:
            record.msg = STOPPED
            return FAILED in message
        return not (getattr(record, "event", None) in REPLACED or HIDDEN.match(message))

    def _reckon(self) -> None:
        """Estimate what jobs take; there is no estimate before the data are counted."""
        with suppress(InputError, OSError):  # the job that meets the mistake says it
            jobs = plan(self._graph, self._machine, self._graph.declared)
            self._planned = {job.key: job.seconds for job in jobs}

    def _seconds_left(self) -> float | None:
        """By the plan, times what finished jobs of a rule took of it; None without a plan."""
        now, since = time.monotonic(), {number: job.since for number, job in self._running.items()}
        each = []
        for number, key in self._left.items():
            rule, seconds = key[0], self._planned.get(key, COSTS["start"])
            if self._expected[rule]:
                seconds *= self._took[rule] / self._expected[rule]
            each.append(max(seconds - (now - since.get(number, now)), 0.0))
        at_once = self._machine.at_once(self._graph.settings.compute)
        return together(each, at_once) if self._planned else None

    def _say(self, line: str) -> None:
        progress = f"{self._done} of {self._total} jobs, {duration(time.monotonic() - self._since)}"
        left = self._seconds_left()
        if left is not None and self._done < self._total:
            progress += f", about {duration(left)} left"
        # Line and line end in one write, as other threads write to the same stream.
        print(f"[{progress}] {line}\n", end="", file=sys.stderr, flush=True)


def _name(job: Mapping[str, Any]) -> str:
    """Rule and wildcards of a job, without keys: ``train muver``."""
    named = (KEY.sub("", str(value)) for value in job["wildcards"].values())
    return " ".join(filter(None, [job["rule_name"], *named]))
