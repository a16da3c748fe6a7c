"""What does not fit together: said on the page and in the log, while the page is made."""

from muver.io.progress import logger


class Problems(list[str]):
    """Sentences for the reader, in the order in which they came up, each once."""

    def add(self, message: str) -> None:
        if message not in self:
            self.append(message)
            logger.warning("%s", message)
