"""The indexes that are served, by name; requests are answered from the newest snapshot."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muver.io.errors import InputError, Mistake, choices, quoted
from muver.io.progress import logger
from muver.kb.index.index import opened_index
from muver.kb.serve.waiting import Waiting
from muver.retriever.answers import Mention


@dataclass(eq=False)
class Served:
    """An index that is served.

    Requests that are being answered may have an older snapshot than ``index``. ``trouble`` is
    why the newest one couldn't be taken at the last look; it is tried again. Requests wait in a
    ``queue`` of its own.
    """

    name: str
    index: Any
    trouble: str | None = None
    queue: Waiting = field(init=False)

    def warm(self) -> None:
        """Load what the first answer needs."""
        for world in self.index.worlds[:1]:
            self.index.retrieve([Mention("first", world=world)], 1)

    def look(self) -> str | None:
        """Take the newest snapshot, if another process made one; why not, if it can't be read."""
        try:
            newest = self.index.refresh()
            _ = newest.costs  # loads a model that is another one; requests ask for it
        except Exception as error:  # whatever it is, the next look may find all well
            return str(error) if isinstance(error, InputError) else repr(error)
        if newest is not self.index:
            self.index = newest
            logger.info("%s: generation %d", self.name, newest.generation)
        return None


class Models(dict[str, Served]):
    """Indexes by name; the first is meant where a request names none."""

    def named(self, name: str | None) -> Served:
        name = next(iter(self)) if name is None else name
        if name not in self:
            raise Mistake(f"model {quoted(name)} is not served here.{choices(name, self)}")
        return self[name]


def open_models(
    places: Sequence[str], rerank: Path | None = None, depth: int | None = None
) -> Models:
    """Open indexes, given as PLACE or NAME=PLACE; without a name the place's is taken.

    The rest is as of :func:`muver.kb.index.index.opened_index`.
    """
    served = Models()
    for place in places:
        name, path = _named(place)
        if name in served:
            raise InputError(
                f"{place}: another index is called {quoted(name)} already. Name them: NAME={path}."
            )
        served[name] = Served(name, opened_index(path, rerank, depth))
    return served


def _named(place: str) -> tuple[str, Path]:
    name, equals, path = place.partition("=")
    if equals and name and path and not Path(place).exists():
        return name, Path(path)
    path = Path(place).resolve()
    return path.name if path.is_dir() else path.stem, Path(place)


async def look_out(models: Models, seconds: float) -> None:
    """Look for changes by other processes, again and again."""
    while True:
        await asyncio.sleep(seconds)
        for served in models.values():
            before, served.trouble = served.trouble, await asyncio.to_thread(served.look)
            if served.trouble and served.trouble != before:
                logger.warning("%s: stays as it is. %s", served.name, served.trouble)
            elif before and not served.trouble:
                logger.info("%s: is read again", served.name)
