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
from types import UnionType
from typing import Any, Protocol, TypedDict, Unpack, get_args, get_type_hints

from muver.io.errors import InputError, did_you_mean
from muver.io.files import write_manifest
from muver.io.typed import Settings, read


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
    of_kinds = {name: getattr(find(name), "Section", None) for name in names()}
    return {name: section for name, section in of_kinds.items() if section is not None}


def runs_a_model(name: str) -> bool:
    """Whether a kind encodes while it ranks, so that it takes ``compute`` and may use a GPU."""
    return "compute" in inspect.signature(find(name).retrieve).parameters


def _inputs() -> dict[str, Any]:
    """Types of what any kind is ranked with: the keyword-only parameters of all of them."""
    types: dict[str, Any] = {}
    for name in names():
        hints, ranks = get_type_hints(find(name).retrieve), inspect.signature(find(name).retrieve)
        for p in ranks.parameters.values():
            if p.kind is p.KEYWORD_ONLY:
                hint = hints[p.name]
                types[p.name] = get_args(hint)[0] if isinstance(hint, UnionType) else hint
    return types


Inputs = TypedDict("Inputs", _inputs(), total=False)  # by the names that kinds use


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
    """Rank entities for each mention, with a retriever of one of the kinds.

    Settings are checked here. Run and manifest are written.

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
    fields = {"stage": "retrieve", "inputs": {}, **ranks(of_kind, run, **inputs)}
    write_manifest(manifest, settings=of_kind.as_dict(), **fields)
