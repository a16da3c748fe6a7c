"""Lines that stay at the bottom of a terminal, while everything else scrolls above them."""

import atexit
import os
import sys
import threading
from collections.abc import Callable

from muver.io.progress import FOLLOWED


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
