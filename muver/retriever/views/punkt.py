"""Parameters of the Punkt sentence splitter (Kiss & Strunk 2006): learnt, stored, checked.

The files are those of NLTK's ``punkt_tab`` packages. They are read and written here because NLTK
only touches files below its own data folders, and writes sets in an order that changes.
"""

import hashlib
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path

from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer, PunktToken, PunktTrainer

from muver.io.errors import InputError, read_errors
from muver.io.files import write_text
from muver.retriever.views.views_settings import PUNKT_FILES

# What Punkt learns from the training worlds of miniwikia; `make wikis` writes it.
SHIPPED = Path(__file__).with_name("punkt_miniwikia")
CHUNK = 2_000_000  # characters of text in memory as tokens, at about 100 bytes a character


@lru_cache(maxsize=2**17)
def _type(word: str) -> str:
    return PunktToken._get_type(PunktToken, word)


@lru_cache(maxsize=2**17)
def _is_ellipsis(word: str) -> bool:
    return PunktToken._RE_ELLIPSIS.match(word) is not None


class _Token(PunktToken):
    """NLTK's token, but each distinct word is matched against the patterns only once."""

    __slots__ = ()

    def _get_type(self, tok: str) -> str:
        return _type(tok)

    @property
    def is_ellipsis(self) -> bool:
        return _is_ellipsis(self.tok)


class _Trainer(PunktTrainer):
    """NLTK's trainer, but it visits word types in a fixed order, and equal tokens are one object.

    NLTK goes through a set; whether ``etc..`` or ``etc.`` comes first decides which of the two
    becomes an abbreviation, so the result would change with Python's hash seed. What a training
    notes at a token depends on the token alone, and on the abbreviations known by then.
    """

    def __init__(self) -> None:
        super().__init__(token_cls=cache(_Token))

    def _train_tokens(self, tokens, verbose):
        self._Token.cache_clear()
        super()._train_tokens(tokens, verbose)

    def _unique_types(self, tokens):
        return sorted(super()._unique_types(tokens))


def learnt_from(texts: Callable[[], Iterable[str]]) -> PunktParameters:
    """What :func:`train` learns from texts, which is not learnt again where it is shipped.

    ``texts`` gives the same ones whenever it is called.
    """
    shipped = (SHIPPED / "texts.sha256").read_text(encoding="utf-8").strip()
    return load(SHIPPED) if sha256_of_texts(texts()) == shipped else train(texts())


def sha256_of_texts(texts: Iterable[str]) -> str:
    """SHA-256 over texts, each followed by a zero byte."""
    whole = hashlib.sha256()
    for text in texts:
        whole.update(text.encode() + b"\0")
    return whole.hexdigest()


def ship(texts: Callable[[], Iterable[str]], folder: Path) -> None:
    """Write what :func:`learnt_from` finds in ``SHIPPED``: parameters, and what they are of."""
    save(train(texts()), folder)
    write_text(folder / "texts.sha256", f"{sha256_of_texts(texts())}\n")


def train(texts: Iterable[str]) -> PunktParameters:
    """Learn parameters from texts, with the thresholds of Kiss & Strunk (NLTK's defaults).

    Texts are taken in chunks to bound the memory; equal texts in the same order give equal
    parameters.
    """
    trainer = _Trainer()
    chunk: list[str] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(text)
        if size >= CHUNK:
            trainer.train("\n\n".join(chunk), finalize=False)
            chunk, size = [], 0
    trainer.train("\n\n".join(chunk), finalize=False)
    return trainer.get_params()


def splitter(parameters: PunktParameters) -> PunktSentenceTokenizer:
    return PunktSentenceTokenizer(parameters, token_cls=_Token)


def save(parameters: PunktParameters, folder: str | Path) -> None:
    """Write the four files of ``punkt_tab``, sorted, so that equal parameters give equal bytes."""
    context = {word: flags for word, flags in parameters.ortho_context.items() if flags}
    lines = {
        "abbrev_types.txt": parameters.abbrev_types,
        "collocations.tab": ("\t".join(pair) for pair in parameters.collocations),
        "ortho_context.tab": (f"{word}\t{flags}" for word, flags in context.items()),
        "sent_starters.txt": parameters.sent_starters,
    }
    for name in PUNKT_FILES:
        write_text(Path(folder) / name, "".join(f"{line}\n" for line in sorted(lines[name])))


def fingerprint(folder: str | Path) -> str:
    """SHA-256 over the four files: it tells which parameters were used."""
    whole = hashlib.sha256()
    for name in PUNKT_FILES:
        whole.update((Path(folder) / name).read_bytes() + b"\0")
    return whole.hexdigest()


def load(folder: str | Path) -> PunktParameters:
    folder, parameters = Path(folder), PunktParameters()
    parameters.abbrev_types = {word for (word,) in _rows(folder / "abbrev_types.txt", 1)}
    parameters.sent_starters = {word for (word,) in _rows(folder / "sent_starters.txt", 1)}
    parameters.collocations = set(_rows(folder / "collocations.tab", 2))
    for word, flags in _rows(folder / "ortho_context.tab", 2):
        if not flags.isdecimal():
            raise InputError(f"{folder / 'ortho_context.tab'}: {flags!r} is not a number.")
        parameters.add_ortho_context(word, int(flags))
    return parameters


def verify_english(folder: str | Path) -> None:
    """Check that the parameters load and know that ``Dr.`` is an abbreviation."""
    sentences = splitter(load(folder)).tokenize("Dr. Smith came. He left.")
    if sentences != ["Dr. Smith came.", "He left."]:
        raise InputError(
            f"{folder}: not Punkt's English parameters: 'Dr. Smith came. He left.' is split into "
            f"{sentences}."
        )


def _rows(path: Path, columns: int) -> list[tuple[str, ...]]:
    with read_errors(path, f"Punkt's parameters are the files {', '.join(PUNKT_FILES)}."):
        lines = path.read_bytes().decode("utf-8").split("\n")
    rows = [tuple(line.split("\t")) for line in lines if line]
    if wrong := [row for row in rows if len(row) != columns]:
        raise InputError(f"{path}: {wrong[0]} has {len(wrong[0])} columns, expected {columns}.")
    return rows
