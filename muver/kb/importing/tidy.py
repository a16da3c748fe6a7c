"""Tidies an entity for the knowledge base, and counts what was changed."""

from collections import Counter

from muver.kb.importing.items import Entity, LeftOut
from muver.kb.importing.markup import has_html, without_html
from muver.kb.importing.settings import Import

SHOWN = 10  # examples of each kind


class Notes:
    """Counts of what users should know by kind, each with its first examples."""

    def __init__(self):
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}

    def add(self, what: str, example: str) -> None:
        """Count one, and keep the example if it is among the first."""
        self.counts[what] += 1
        if len(kept := self.examples.setdefault(what, [])) < SHOWN:
            kept.append(example)

    def put(self, what: str, count: int, examples: list[str]) -> None:
        """Tell of several at once."""
        self.counts[what], self.examples[what] = count, examples

    def as_dict(self) -> dict[str, dict]:
        """By kind: ``count`` and ``first``."""
        return {
            what: {"count": count, "first": self.examples[what]}
            for what, count in self.counts.items()
        }


def tidy(entity: Entity, settings: Import, notes: Notes, file: str) -> Entity | LeftOut:
    """Take out HTML, cut what is too long, drop names that come twice; empty ones are left out.

    Notes get what was changed. Links that the cut takes are dropped.
    """
    where = f"{file}, {entity.place}"
    title, text = " ".join(entity.title.split()), entity.description.strip()
    if settings.html and not entity.links and has_html(text):
        cleaned = without_html(text)
        if cleaned != text:
            notes.add("descriptions with HTML, which was taken out", where)
        text = cleaned
    if not title and not text:
        return LeftOut("neither title nor description", entity.place)
    if settings.longest is not None and len(text) > settings.longest:
        notes.add(
            f"descriptions cut at {settings.longest} characters", f"{where}: {len(text)} characters"
        )
        text = text[: settings.longest].rstrip()
    aliases = dict.fromkeys(" ".join(alias.split()) for alias in entity.aliases)
    names = [alias for alias in aliases if alias and alias != title]
    return Entity(
        id=entity.id.strip(),
        title=title,
        description=text,
        place=entity.place,
        world=entity.world,
        aliases=shortened(names, settings, notes, where),
        further=entity.further,
        links=[link for link in entity.links if link.end <= len(text)],
    )


def shortened(names: list[str], settings: Import, notes: Notes, where: str) -> list[str]:
    """The first aliases, as many as the settings allow."""
    most = settings.most_aliases
    if most is None or len(names) <= most:
        return names
    notes.add(f"entities of whose aliases {most} were kept", f"{where}: {len(names)} aliases")
    return names[:most]
