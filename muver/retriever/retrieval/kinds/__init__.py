"""Retriever kinds: the ways in which a system finds its candidates.

Each module of this folder is a kind, named as the module, and has what :class:`Kind` lists. To add
a kind, add a module; `muver stage retrieve --kind NAME` and the rules find it here. The modules
import nothing heavy before they rank, because every rule looks at them.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypedDict, Unpack

from muver.io.errors import InputError, did_you_mean
from muver.io.files import write_manifest
from muver.io.typed import Settings, read
from muver.retriever.encoders.encoders_settings import Machine


class Inputs(TypedDict, total=False):
    """What a kind may rank with, by the names that `needs` and `retrieve` use."""

    entities: Path
    mentions: Path  # a corpus's, or a set's
    sentences: Path
    model: Path
    store: Path
    merged: Path
    global_views: Path
    runs: list[Path]  # of the systems to fuse; candidates keep the views of the first
    validation_runs: list[Path]  # of each value to choose among
    texts: Path  # that signals compare (`muver stage encode-texts`)
    views: list[Path]  # of the rows that are summed: each one's store, merged and global views
    scores: list[Path]  # runs of those that keep no views
    validation_texts: Path  # the same over validation mentions
    validation_views: list[Path]
    validation_scores: list[Path]
    kb: Path
    vectors: Path
    mention_vectors: Path
    index: Path  # without one the search is exact
    compute: Machine  # for kinds that run a model: the section of params.yaml


class Kind(Protocol):
    """What the module of a kind must have."""

    Settings: type[Settings]  # of the run, whose manifest repeats them
    # Of the section NAME of params.yaml, for kinds that a row names by ``retriever: NAME``. Other
    # kinds, which a row's model or its ``fuse`` imply, have none.
    Section: type[Settings]

    def needs(self, run: Mapping[str, Any]) -> tuple[str, ...]:
        """Names in :class:`Inputs` of what a run with these settings is ranked with.

        A kind that is always ranked with the same has none.
        """

    def retrieve(self, settings: Any, run: Path, **inputs: Any) -> dict[str, Any]:
        """Rank candidates for the mentions of a set, and write the run.

        Keyword arguments are the inputs, and ``compute`` (a section of params.yaml) if a model is
        run; those without a default are needed whatever the settings are. Returns what the manifest
        tells beside the settings, such as the ``counts`` of entities, views and bytes.
        """


@cache
def names() -> list[str]:
    """Names of all kinds.

    >>> names()
    ['bm25', 'fusion', 'rerank', 'shards', 'signals', 'tokens', 'views']
    """
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def find(name: str) -> Kind:
    """The module of the kind ``name``."""
    if name not in names():
        raise InputError(
            f"retriever kind {name!r}: there is none.{did_you_mean(name, names())} There are: "
            f"{', '.join(names())}."
        )
    return importlib.import_module(f"{__name__}.{name}")


def sections() -> dict[str, type[Settings]]:
    """The sections of params.yaml that kinds have, by the kind's name."""
    found = {name: getattr(find(name), "Section", None) for name in names()}
    return {name: section for name, section in found.items() if section is not None}


def runs_a_model(name: str) -> bool:
    """Whether a kind encodes while it ranks, so that it takes ``compute`` and may use a GPU."""
    return "compute" in inspect.signature(find(name).retrieve).parameters


def needs(name: str, run: Mapping[str, Any]) -> tuple[str, ...]:
    """Names in :class:`Inputs` of what a run of a kind with these settings is ranked with."""
    kind = find(name)
    if hasattr(kind, "needs"):
        return kind.needs(run)
    takes = inspect.signature(kind.retrieve).parameters.values()
    return tuple(p.name for p in takes if p.kind is p.KEYWORD_ONLY and p.name != "compute")


def retrieve(
    kind: str, settings: Mapping[str, Any], run: Path, manifest: Path, **inputs: Unpack[Inputs]
) -> None:
    """Rank with the kind of this name, whose settings are checked here; write run and manifest.

    Inputs are None if not given; kinds that run no model ignore ``compute``.
    """
    ranks = find(kind).retrieve
    of_kind = read(find(kind).Settings, settings)
    signature = inspect.signature(ranks)
    unused = () if runs_a_model(kind) else ("compute",)
    inputs = {key: path for key, path in inputs.items() if path is not None and key not in unused}
    try:
        signature.bind(of_kind, run, **inputs)
    except TypeError as error:
        takes = [f"--{key.replace('_', '-')}" for key in [*signature.parameters][2:]]
        raise InputError(f"retriever kind {kind}: {error}. It takes {', '.join(takes)}.") from None
    told = {"stage": "retrieve", "inputs": {}, **ranks(of_kind, run, **inputs)}
    write_manifest(manifest, settings=of_kind.as_dict(), **told)
