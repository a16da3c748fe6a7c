"""Two runs, ours or TREC's, read into one form, with what is known of how they were made."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.reproduction.doctor.entities import Entities, Entity, numbered
from muver.reproduction.workspace.catalog import origins, place_of, read_catalog
from muver.retriever.runs.run import block_starts, ranked_mentions, read_run
from muver.retriever.runs.trec import read_trec_run


class Origin(NamedTuple):
    """A run among the files of its dataset."""

    root: Path  # the dataset's folder, build/<dataset>
    run: str  # the run's path below it, without its suffix

    @classmethod
    def of(cls, path: Path) -> "Origin | None":
        """The origin of a run or of its TREC file; None if it lies in no dataset's folder."""
        if (place := place_of(path)) is None:
            return None
        root, own = place
        runs = [own, *read_catalog(root).get(own, [])]  # an evaluation has its run among its inputs
        return next((cls(root, one) for one in runs if one.startswith("runs/")), None)

    def file(self, kind: str, name: str) -> Path | None:
        """A file of the nearest artifact of a kind that the run was made from, if it is there."""
        path = origins(self.root, self.run).get(kind, self.root / kind) / name
        return path if path.is_file() else None

    @property
    def evaluation(self) -> dict[str, Any] | None:
        """What ``muver stage evaluate`` wrote of this run."""
        for place, inputs in read_catalog(self.root).items():
            path = self.root / f"{place}.json"
            if self.run in inputs and place.startswith("evaluations/") and path.is_file():
                return read_json(path)
        return None


class Ranked(NamedTuple):
    """The candidates of a mention, best first."""

    names: list[Entity | str]  # entities; the file's own names where nobody knows them
    titles: list[str]
    scores: np.ndarray  # float64


@dataclass(frozen=True)
class Run:
    """A run and what is known of it."""

    path: Path
    ranked: dict[str, Ranked]  # by mention, in the run's order
    manifest: dict[str, Any] | None
    depth: int  # candidates a mention
    origin: Origin | None  # None outside a workspace
    notes: list[str]  # sentences on the file's peculiarities

    @property
    def settings(self) -> dict[str, Any]:
        """Those of retrieval; empty if nothing says."""
        return (self.manifest or {}).get("settings", {})


def read_runs(paths: tuple[Path, Path], entities: Path | None) -> tuple[list[Run], Entities | None]:
    """Read both runs, candidates of both named alike, and the entities of their worlds.

    Parameters
    ----------
    entities
        Table of the corpus; by default that of a workspace that one of the runs lies in. Without
        any, both have to name candidates in the same way.
    """
    places = {path: Origin.of(path) for path in paths}
    tables = {path: read_run(path) for path in paths if is_ours(path)}
    if all(path in tables for path in paths):
        _check_titles(paths, [tables[path] for path in paths])
    found = (one.file("corpus", "entities.parquet") for one in places.values() if one)
    entities = entities or next(filter(None, found), None)
    worlds: dict[str, str] = {}  # of mentions, as far as a run of ours says
    for table in tables.values():
        own = table["world"].take(block_starts(table)).to_pylist()
        worlds |= dict(zip(ranked_mentions(table), own, strict=True))
    known = entities and Entities.read(entities, sorted(set(worlds.values())) or None)
    runs = []
    for path in paths:
        origin = places[path]
        manifest, notes = _manifest(path, origin), []
        settings = (manifest or {}).get("settings", {})
        if path in tables:
            by_title = settings.get("match") == "title"
            ranked = _of_ours(path, tables[path], known if by_title else None)
        else:
            ranked, notes = _of_trec(path, known, worlds, bool(tables))
        depth = settings.get("k") if path in tables else None
        depth = depth or max((len(own.names) for own in ranked.values()), default=0)
        runs.append(Run(path, ranked, manifest, depth, origin, notes))
    return runs, known


def is_ours(path: Path) -> bool:
    """Whether a run is in our form (Parquet) and not TREC's."""
    if path.suffix == ".json":
        raise InputError(f"{path}: a manifest or an evaluation; give the run itself.")
    if not path.is_file():
        raise InputError(f"{path}: no such file.")
    with open(path, "rb") as file:
        return file.read(4) == b"PAR1" or path.suffix == ".parquet"


def _manifest(path: Path, origin: Origin | None) -> dict[str, Any] | None:
    """That beside our run, also where its TREC form was given."""
    own = origin.root / f"{origin.run}.parquet" if origin else path
    beside = own.with_suffix(".json")
    return read_json(beside) if own.suffix == ".parquet" and beside.is_file() else None


def _of_ours(path: Path, table: Any, by_title: Entities | None) -> dict[str, Ranked]:
    """Where titles decide, a candidate goes by the first entity of its title, as in TREC files."""
    worlds, numbers, titles = (table[name].to_pylist() for name in ("world", "entity", "title"))
    names: list[Entity] = list(zip(worlds, numbers, strict=True))
    if by_title:
        try:
            names = [by_title.first[one] for one in zip(worlds, titles, strict=True)]
        except KeyError as error:
            raise InputError(
                f"{path}: ranks {error.args[0][1]!r}, which is no entity of these data. Give the "
                "--entities that the run was made from."
            ) from None
    scores = table["score"].to_numpy().astype(np.float64)
    bounds = pairwise([*block_starts(table).tolist(), len(names)])
    blocks = zip(ranked_mentions(table), bounds, strict=True)
    return {one: Ranked(names[a:b], titles[a:b], scores[a:b]) for one, (a, b) in blocks}


def _of_trec(
    path: Path, entities: Entities | None, worlds: dict[str, str], beside_ours: bool
) -> tuple[dict[str, Ranked], list[str]]:
    """A TREC run, and what is odd about it."""
    read = read_trec_run(path)
    mentions = [name if name in worlds else unquote(name) for name in read.mentions]
    names, titles = list(read.candidates), read.candidates
    if entities is not None:
        own = [worlds.get(mention, "") for mention in mentions]
        names = entities.find(path, list(zip(own, names, strict=True)))
        titles = [entities.titles[one] for one in names]
    elif None not in (found := [numbered(name) for name in names]):
        names = found
    elif beside_ours:
        raise InputError(
            f"{path}: {names[found.index(None)]!r} is no <world>/<line number>; give the "
            "--entities (corpus/entities.parquet) that say what it is."
        )
    starts = [at for at, one in enumerate(mentions) if not at or one != mentions[at - 1]]
    ranked = {
        mentions[a]: Ranked(names[a:b], titles[a:b], read.scores[a:b].astype(np.float64))
        for a, b in pairwise([*starts, len(mentions)])
    }
    notes = {
        "the rank column contradicts the scores in {} mentions: scores are followed here, as "
        "trec_eval does": read.reordered,
        "{} mentions have candidates of equal score: here they stand as the file ranks them, "
        "trec_eval orders them by name": read.tied,
    }
    return ranked, [note.format(number) for note, number in notes.items() if number]


def _check_titles(paths: Sequence[Path], tables: Sequence[pa.Table]) -> None:
    """Refuse different titles: entities are only numbers, which may agree by chance."""
    columns = (
        [table[name].to_pylist() for name in ("world", "entity", "title")] for table in tables
    )
    first, second = ({own[:2]: own[2] for own in zip(*one, strict=True)} for one in columns)
    for entity, ours in first.items():
        if (theirs := second.get(entity, ours)) != ours:
            raise InputError(
                f"{paths[1]}: calls {theirs!r} what {paths[0]} calls {ours!r}: runs of other "
                "entities. Compare runs over the same data."
            )
