"""The pages of a world with links among them, from files by their paths."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from posixpath import basename, dirname, join, normpath
from urllib.parse import unquote

from muver.kb.importing.pages.forms import Line, Page
from muver.kb.importing.schema import Entity, Link

SHORTEST = 10  # words of a page
AROUND = 5  # words of a line beside its links, or it is navigation
LONGEST = 10  # words of a mention
WORD = re.compile(r"[^\W_]+")
ENDING = re.compile(r"(\.lagda)?\.(md|html?|mediawiki|tex)$")
PREFIX = re.compile(r"^(xref:)?[:/]*(index\.php/)?")
REDIRECT = re.compile(r"\W*(1\W+)?redirect\b", re.IGNORECASE)
LEADS = re.compile(r"\W*redirect to\W*", re.IGNORECASE)  # the page is named on the next line
VAGUE = re.compile(  # mentions that name nothing
    r"\W*(here|links?|more|see|details|articles?|this( \w+)?|parent entry"
    r"|(lemma|theorem|section|chapter|appendix|s|§)?[\W\d]+)\W*",
    re.IGNORECASE,
)


def linked(
    files: Mapping[str, bytes], read: Callable[[str], Page], named_by_file: bool = False
) -> Iterator[Entity]:
    """The pages of a world, in the order of their paths; the target of a link is a title.

    A page is called as it says itself, or else as its file; where ``named_by_file``, always so.

    Redirects are followed and are no pages, nor are pages of fewer than `SHORTEST` words. Titles
    that several pages have get the folder's name in parentheses; where they still are the same, the
    first page stays. A page links to another once, by the first mention that says something.
    """
    pages = {path: read(files[path].decode("utf-8-sig", "replace")) for path in sorted(files)}
    find = _Finder(pages)
    leads = {}
    for path, page in pages.items():
        first = page.lines[0].text if page.lines else ""
        lines = page.lines[: 1 + bool(LEADS.fullmatch(first))]
        links = [link for line in lines for link in line.links]
        if links and REDIRECT.match(first):
            leads[path] = find(path, links[0].target)
    kept = [
        path
        for path, page in pages.items()
        if path not in leads
        and sum(len(WORD.findall(line.text)) for line in page.lines) >= SHORTEST
    ]
    headings = {} if named_by_file else {path: pages[path].title for path in kept}
    titles = _titles({path: headings.get(path) or _name(path) for path in kept})
    for path, title in titles.items():
        text, links, seen = "", [], {path}
        for line in pages[path].lines:
            text += "\n" if text else ""
            for link in _mentions(line):
                target = find(path, link.target)
                target = leads.get(target, target)
                if target in titles and target not in seen:
                    seen.add(target)
                    place = len(text)
                    links.append(Link(place + link.start, place + link.end, titles[target]))
            text += line.text
        yield Entity(path, title, text, path, links=links)


def _mentions(line: Line) -> Iterator[Link]:
    """The links of a line of running text that name something."""
    labels = [line.text[link.start : link.end] for link in line.links]
    words = [len(WORD.findall(label)) for label in labels]
    if len(WORD.findall(line.text)) - sum(words) < AROUND:
        return
    for link, label, count in zip(line.links, labels, words, strict=True):
        if 1 <= count <= LONGEST and not VAGUE.fullmatch(label) and "://" not in label:
            yield link


def _name(path: str) -> str:
    return ENDING.sub("", basename(path)).replace("_", " ").strip()


def _titles(names: Mapping[str, str]) -> dict[str, str]:
    times = Counter(title.lower() for title in names.values())
    titles, taken = {}, set()
    for path, title in names.items():
        title = " ".join(title.split())
        if times[title.lower()] > 1 and (folder := _name(dirname(path))):
            title = f"{title} ({folder})"
        if title.lower() not in taken:
            taken.add(title.lower())
            titles[path] = title
    return titles


class _Finder:
    """Finds the page that a link means: by its path, or by a name that no other page has.

    Names are those that a page gives itself, and the ends of its path, also with full stops.
    """

    def __init__(self, pages: Mapping[str, Page]):
        self.paths = {_key(path): path for path in pages}
        self.names: dict[str, set[str]] = {}
        for path, page in pages.items():
            parts = _key(path).split("/")
            ends = [parts[number:] for number in range(len(parts))]
            names = [mark.join(end) for end in ends for mark in "/."]
            for name in {*names, *map(_key, page.names)}:
                self.names.setdefault(name, set()).add(path)

    def __call__(self, path: str, href: str) -> str | None:
        key = _key(PREFIX.sub("", re.split("[#?]", unquote(href))[0]).rstrip("/"))
        if not key or "://" in href:
            return None
        for asked in (normpath(join(dirname(_key(path)), key)), key):
            if asked in self.paths:
                return self.paths[asked]
        named = self.names.get(key, ())
        return next(iter(named)) if len(named) == 1 else None


def _key(path: str) -> str:
    return ENDING.sub("", path.casefold().strip()).replace(" ", "_")
