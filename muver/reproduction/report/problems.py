"""What does not fit together: said on the page and in the log, while the page is made."""

from dataclasses import dataclass, field

from muver.io.progress import logger


@dataclass
class Problems:
    """Collects what is wrong with the files that a page is made of.

    Attributes
    ----------
    messages
        Sentences for the reader, in the order in which they came up, each once.
    passed
        How many checks passed, by what was checked in singular and plural.
    """

    messages: list[str] = field(default_factory=list)
    passed: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, message: str) -> None:
        """Note something that is wrong."""
        if message not in self.messages:
            self.messages.append(message)
            logger.warning("%s", message)

    def passes(self, one: str, many: str) -> None:
        """Note that a check passed, such as of ``"run file", "run files"``."""
        self.passed[one, many] = self.passed.get((one, many), 0) + 1
