"""Follows Snakemake's jobs by its log events: what runs, what is done, how long it will take."""

import atexit
import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snakemake.common import NOTHING_TO_BE_DONE_MSG

from muver.io.errors import InputError
from muver.io.progress import FOLLOWED, duration
from muver.reproduction.estimate.jobs import START, Key, seconds_of
from muver.reproduction.workspace import Graph

KEY = re.compile(r"(^|-)[0-9a-f]{8}$")  # of an artifact's name
STAMP = re.compile(r"^\S+ \S+ ")  # of a line in a job's log
# Snakemake's own lines, which the lines here replace.
REPLACED = ("job_started", "job_finished", "progress")
SELECTING = "Select jobs to execute..."
# And of a file's way to a storage and back.
MOVED = re.compile(
    r"(Storing in|Retrieving from) storage: |Finished (upload|retrieval)\.$|Removing local copy "
)
# What Snakemake says of a stage that ended with 2: the stage has said it better.
TOLD = re.compile(r"RuleException:\nCalledProcessError.*returned non-zero exit status 2\.$", re.S)
# Ctrl-C: how Snakemake takes note of it, of a job that it ended, and at last of the run.
STOPPING = "Terminating processes on user request"
INTERRUPTED = re.compile(r"RuleException:\nCalledProcessError.*(status 130|SIGINT: 2>)\.$", re.S)
FAILED = "At least one job did not complete successfully"
STOPPED = "Stopped. Repeat the command to go on."


def say(line: str) -> None:
    """Write a line to standard error in one piece, as other threads write there too.

    `print` writes the line's end by itself, and another's line may come in between.
    """
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


class Live:
    """Keeps lines up to date below what the process and its children write to standard error.

    Their standard error becomes a pipe, so that no line of theirs is overwritten.
    """

    def __init__(self, lines: Callable[[], list[str]]):
        self._lines = lines
        self._stopped = True

    @staticmethod
    def possible() -> bool:
        """Whether standard error is a terminal that can move its cursor."""
        return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def start(self) -> None:
        """Take over the terminal until :meth:`stop`, or the end of the process."""
        from rich.console import Console
        from rich.live import Live as Display
        from rich.text import Text

        def shown() -> Text:
            return Text("\n".join(self._lines()), no_wrap=True, overflow="ellipsis")

        self._terminal = os.dup(2)
        console = Console(file=os.fdopen(self._terminal, "w"), highlight=False)
        self._display = Display(
            console=console, get_renderable=shown, refresh_per_second=2, transient=True,
            redirect_stdout=False, redirect_stderr=False,
        )  # fmt: skip
        source, sink = os.pipe()
        os.dup2(sink, 2)
        os.close(sink)
        os.environ[FOLLOWED] = "1"
        self._stopped = False
        self._display.start()
        self._reader = threading.Thread(target=self._read, args=(source,), daemon=True)
        self._reader.start()
        atexit.register(self.stop)

    def stop(self) -> None:
        """Give the terminal back; may be called twice."""
        if self._stopped:
            return
        self._stopped = True
        sys.stderr.flush()
        os.dup2(self._terminal, 2)  # closes our end of the pipe
        self._reader.join(timeout=2)  # a child that is still at work keeps its end
        self._display.stop()
        del os.environ[FOLLOWED]

    def _read(self, source: int) -> None:
        from rich.text import Text

        with os.fdopen(source, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                self._display.console.print(Text.from_ansi(line.rstrip("\n")), soft_wrap=True)


@dataclass(frozen=True)
class Job:
    """A job at work."""

    rule: str
    name: str
    logs: list[str]
    since: float  # seconds since the epoch

    def line(self) -> str:
        """Its name, how long it runs, and what its log said last."""
        return f"{self.name}  {duration(time.time() - self.since)}  {self.said()}".rstrip()

    def said(self) -> str:
        """The last line of its log; nothing while the log is that of an earlier run."""
        for log in map(Path, self.logs):
            try:
                if log.stat().st_mtime >= self.since:
                    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
                    return STAMP.sub("", lines[-1]) if lines else ""
            except OSError:  # not there yet
                continue
        return ""


class Follower(logging.Handler):
    """A handler of Snakemake's logger: a line for each finished job, with the time left.

    In a terminal there is also a line for each running job, kept up to date below the others.
    After a run, or where there was nothing to do, the tables that were asked for are printed.
    """

    def __init__(
        self,
        targets: Callable[[], Iterable[str]],
        idle: Callable[[], None],
        folder: Path = Path(),
    ):
        """``targets`` says what was asked for, once Snakemake knows it.

        ``idle`` is called where there is nothing to do, for which Snakemake has no hook. ``folder``
        is Snakemake's --directory as it was typed.
        """
        super().__init__()
        self._targets, self._idle, self._folder = targets, idle, folder
        self._running: dict[int, Job] = {}
        self._seconds: dict[Key, float] = {}
        self._done = 0
        self._stopped = False
        self._live: Live | None = None

    def start(self, logger: logging.Logger, graph: Graph, jobs: Iterable[Any], cores: int) -> None:
        """Take the place of Snakemake's lines about these jobs, which are to be run."""
        left = {job.jobid: (job.rule.name, job.wildcards_dict.get("id", "")) for job in jobs}
        threads = graph.settings.compute.threads
        self._together = 1 if graph.gpus else max(cores // threads, 1)
        self._graph, self._left, self._total = graph, left, len(left)
        self._reckon()
        self._since = time.time()
        for handler in logger.handlers:
            if handler.name == "DefaultStreamHandler":
                handler.addFilter(self._keeps)
        if Live.possible():
            self._live = Live(self.lines)
            self._live.start()

    def end(self) -> None:
        """After a run that went well."""
        from muver.reproduction.tables.shown import print_tables

        self.stop()
        paths = [path for path in map(Path, self._targets()) if path.match("results/*.csv")]
        # With --until a run ends before its tables.
        if tables := sorted(path for path in paths if path.is_file()):
            print(flush=True)
            print_tables([path.stem for path in tables], tables[0].parent, self._folder)

    def stop(self) -> None:
        """Leave the terminal as it was."""
        if self._live:
            self._live.stop()

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of an event."""
        event, said = getattr(record, "event", None), record.__dict__
        if record.msg == NOTHING_TO_BE_DONE_MSG:
            self._idle()
            self.end()
        elif event == "job_info":
            self._running[said["jobid"]] = Job(
                said["rule_name"], _name(said), list(said["log"]), time.time()
            )
        elif event == "job_finished" and (job := self._running.pop(said["job_id"], None)):
            self._left.pop(said["job_id"], None)  # a job of a checkpoint was not listed
            self._reckon()
            self._done += 1
            self._say(f"{job.name}: {duration(time.time() - job.since)}")
        elif event == "job_error" and (job := self._running.pop(said["jobid"], None)):
            if not self._stopped:
                self._say(f"{job.name}: failed. Its log: {', '.join(job.logs)}")
        elif event == "progress":
            self._total = said["total"]

    def lines(self) -> list[str]:
        """A line for each running job, and one for the run; another thread may ask for them."""
        return [*(job.line() for job in dict(self._running).values()), self._whole()]

    def _keeps(self, record: logging.LogRecord) -> bool:
        """Whether a line of Snakemake's is shown; after Ctrl-C a sentence replaces them all."""
        said = str(record.msg)
        self._stopped |= said.startswith(STOPPING)
        if self._stopped:
            record.msg = STOPPED
            return FAILED in said
        replaced = getattr(record, "event", None) in REPLACED or said == SELECTING
        return not (replaced or any(one.match(said) for one in (TOLD, INTERRUPTED, MOVED)))

    def _reckon(self) -> None:
        """Look up what jobs take, as finished ones tell more of the others."""
        with suppress(InputError, OSError):  # the job that meets the mistake says it
            self._seconds = seconds_of(self._graph)

    def _seconds_left(self) -> float | None:
        """None before the data are counted."""
        now = time.time()
        since = {number: job.since for number, job in dict(self._running).items()}
        each = [
            max(self._seconds.get(key, START) - (now - since.get(number, now)), 0.0)
            for number, key in dict(self._left).items()  # a copy: jobs finish in another thread
        ]
        if not self._seconds:
            return None
        return max(sum(each) / self._together, max(each, default=0.0))

    def _say(self, line: str) -> None:
        say(line if self._live else f"[{self._whole()}] {line}")

    def _whole(self) -> str:
        left = self._seconds_left()
        told = f"{self._done} of {self._total} jobs, {duration(time.time() - self._since)}"
        if left is None or self._done >= self._total:
            return told
        return f"{told}, about {duration(left)} left"


def _name(job: Mapping[str, Any]) -> str:
    """Rule and wildcards of a job, without keys: ``train muver``."""
    named = (KEY.sub("", str(value)) for value in job["wildcards"].values())
    return " ".join(filter(None, [job["rule_name"], *named]))
