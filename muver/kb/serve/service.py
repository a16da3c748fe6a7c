"""What the routes share: indexes, the queue, limits, and the token for changes."""

from dataclasses import dataclass, field
from pathlib import Path

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.kb.serve.models import Models
from muver.kb.serve.monitoring import Metrics
from muver.kb.serve.settings import Limits
from muver.kb.serve.waiting import Waiting

LEAST = 16  # characters of a token


@dataclass
class Service:
    """Everything behind the routes.

    Whoever shows the ``token`` may change an index; without one nobody may. ``log_texts`` has what
    clients ask in the log.
    """

    models: Models
    limits: Limits
    token: str | None = None
    log_texts: bool = False
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        self.waiting = Waiting(self.limits.waiting_tokens, self.limits.batch_tokens)


def read_token(path: Path) -> str:
    """The token in a file, without the white space around it."""
    make = f"Make one with `openssl rand -hex 32 > {path}`."
    try:
        token = path.read_text(encoding="ascii").strip()
        others = path.stat().st_mode & 0o077
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. {make}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as a token ({error}).") from None
    if len(token) < LEAST or not token.isprintable() or " " in token:
        raise InputError(
            f"{path}: expected one line of at least {LEAST} characters without spaces. {make}"
        )
    if others:
        logger.warning("%s: other users can read it. `chmod 600 %s` keeps them out.", path, path)
    return token
