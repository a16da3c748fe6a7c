"""A stage's log lines, to standard error and to its log file."""

import logging
import sys
import time
from pathlib import Path

from muver.io.errors import InputError
from muver.io.text import Shown

logger = logging.getLogger("muver")
FIRST, EVERY = 1, 5  # seconds before the first line of progress, and between two, at least


class _Screen(logging.StreamHandler):
    """Standard error, which may be closed or full: there is no place to say so."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass


class _File(logging.FileHandler):
    """A log file. Where its disk is full, that is said once, and the work goes on."""

    def handleError(self, record: logging.LogRecord) -> None:
        logger.removeHandler(self)
        error = getattr(sys.exc_info()[1], "strerror", None) or sys.exc_info()[1]
        logger.warning("%s: cannot be written any more (%s)", self.baseFilename, error)


def start_logging(stage: str, log_file: str | Path | None = None) -> None:
    """Send the ``muver`` logger to standard error, and to ``log_file`` if one is named."""
    logger.handlers.clear()
    logger.setLevel(logging.INFO)
    logger.propagate = False
    screen = _Screen(Shown(sys.stderr))
    screen.setFormatter(logging.Formatter(f"[{stage}] %(message)s"))
    logger.addHandler(screen)
    if log_file is None:
        return
    try:
        Path(log_file).parent.mkdir(parents=True, exist_ok=True)
        file = _File(log_file, mode="w", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{log_file}: cannot be written ({error.strerror}).") from error
    file.stream = Shown(file.stream)
    file.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger.addHandler(file)


def note(line: str) -> None:
    """Write a line to the log file alone; the screen shows the same in another form."""
    record = logger.makeRecord(logger.name, logging.ERROR, "", 0, line, (), None)
    for handler in logger.handlers:
        if isinstance(handler, logging.FileHandler):
            handler.handle(record)


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    >>> duration(0.4), duration(59.6), duration(200), duration(7500)
    ('0 s', '1 min 0 s', '3 min 20 s', '2 h 5 min')
    """
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


class Progress:
    """Logs how far a loop is, its rate and the time left.

    There is a line after the first second, then for each twentieth of the whole, or every minute,
    but none within five seconds of another.
    """

    def __init__(self, label: str, total: int, unit: str, done: int = 0):
        self.label, self.total, self.unit = label, total, unit
        self.done = self._resumed_at = self._told_at = done
        self._started = self._told = time.monotonic()

    def advance(self, amount: int = 1, note: str = "") -> None:
        """Count ``amount`` more; ``note`` is appended to the line if one is due."""
        self.done += amount
        now = time.monotonic()
        waited = now - self._told
        passed = waited >= EVERY and 20 * (self.done - self._told_at) >= self.total
        first = waited >= FIRST and self._told == self._started
        if self.done >= self.total or not (first or passed or waited >= 60):
            return
        self._told, self._told_at = now, self.done
        rate = (self.done - self._resumed_at) / (now - self._started)
        left = duration((self.total - self.done) / rate) if rate > 0 else "unknown"
        logger.info(
            "%s: %d of %d %s (%d%%), %.3g %s/s, %s left%s",
            self.label, self.done, self.total, self.unit, 100 * self.done // self.total,
            rate, self.unit, left, f", {note}" if note else "",
        )  # fmt: skip

    def finish(self) -> None:
        took = time.monotonic() - self._started
        if self._told > self._started:
            logger.info("%s: %d %s in %s", self.label, self.done, self.unit, duration(took))
