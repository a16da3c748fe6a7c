"""A stage's log lines, to standard error and to its log file."""

import logging
import os
import sys
import time
from pathlib import Path

from muver.io.errors import InputError

logger = logging.getLogger("muver")
FOLLOWED = "MUVER_FOLLOWED"  # set for stages whose log files are already on a screen
PASSING = {"passing": True}  # marks a line that only terminals show
FIRST = 1.0  # seconds after which a terminal shows how far a loop is


def start_logging(stage: str, log_file: str | Path | None = None) -> None:
    """Send the ``muver`` logger to standard error, and to ``log_file`` if one is named.

    If :data:`FOLLOWED` is set and there is a log file, standard error gets only warnings.
    """
    logger.handlers.clear()
    logger.setLevel(logging.INFO)
    logger.propagate = False
    screen = logging.StreamHandler(sys.stderr)
    screen.setFormatter(logging.Formatter(f"[{stage}] %(message)s"))
    handlers: list[logging.Handler] = [screen]
    if log_file is not None:
        if FOLLOWED in os.environ:
            screen.setLevel(logging.WARNING)
        try:
            Path(log_file).parent.mkdir(parents=True, exist_ok=True)
            handlers.append(logging.FileHandler(log_file, mode="w", encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{log_file}: cannot be written ({error.strerror}).") from error
        handlers[1].setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    for handler in handlers:
        if handler is not screen or not sys.stderr.isatty():
            handler.addFilter(lambda line: not getattr(line, "passing", False))
        logger.addHandler(handler)


def note(line: str) -> None:
    """Write a line to the log file alone; the screen shows the same in another form."""
    record = logger.makeRecord(logger.name, logging.ERROR, "", 0, line, (), None)
    for handler in logger.handlers:
        if isinstance(handler, logging.FileHandler):
            handler.handle(record)


def duration(seconds: float) -> str:
    """Seconds as a person says them: ``8 s``, ``3 min 20 s``, ``2 h 5 min``."""
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


class Progress:
    """Logs how far a loop is, its rate and the time left, at most every ``every`` seconds.

    A terminal gets all of these lines, and the first after :data:`FIRST` seconds; a log file gets
    one for each twentieth of the whole, or every minute. A file hears nothing of a loop that takes
    less than ``every`` seconds.
    """

    def __init__(self, label: str, total: int, unit: str, every: float = 5.0, done: int = 0):
        self.label, self.total, self.unit, self.every = label, total, unit, every
        self.done = self._resumed_at = self._kept_at = done
        self._started = self._kept = time.monotonic()
        self._due = self._started + min(FIRST, every)

    def advance(self, amount: int = 1, note: str = "") -> None:
        """Count ``amount`` more; ``note`` is appended to the line if one is due."""
        self.done += amount
        now = time.monotonic()
        if now < self._due or self.done >= self.total:
            return
        self._due = now + self.every
        due = 20 * (self.done - self._kept_at) >= self.total or now - self._kept >= 60
        kept = due and now - self._started >= self.every
        if kept:
            self._kept, self._kept_at = now, self.done
        rate = (self.done - self._resumed_at) / (now - self._started)
        left = duration((self.total - self.done) / rate) if rate > 0 else "unknown"
        logger.info(
            "%s: %d of %d %s (%d%%), %.3g %s/s, %s left%s",
            self.label, self.done, self.total, self.unit, 100 * self.done // self.total,
            rate, self.unit, left, f", {note}" if note else "",
            extra=None if kept else PASSING,
        )  # fmt: skip

    def finish(self) -> None:
        took = time.monotonic() - self._started
        if took >= self.every:
            logger.info("%s: %d %s in %s", self.label, self.done, self.unit, duration(took))
