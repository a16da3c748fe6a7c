"""What does not fit together, told on the page and in the log; the page is made all the same."""

from dataclasses import dataclass, field

from muver.io.progress import logger


@dataclass
class Problems:
    """Collects what is wrong with the files a page is made of.

    Attributes
    ----------
    found
        Sentences for the reader, in the order in which they were found, each once.
    checked
        What was checked and held, by kind: how many run files, rows of tables and so on.
    """

    found: list[str] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)

    def tell(self, text: str) -> None:
        """Note something that is wrong."""
        if text not in self.found:
            self.found.append(text)
            logger.warning("%s", text)

    def held(self, kind: str, number: int = 1) -> None:
        """Note checks that went well."""
        self.checked[kind] = self.checked.get(kind, 0) + number
