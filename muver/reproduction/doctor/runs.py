"""Two runs, ours or TREC's, read into one form: the same columns and names of candidates."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of
from muver.io.parquet import table_of
from muver.reproduction.doctor.entities import Entities, numbered
from muver.reproduction.doctor.origin import Evaluated, Origin
from muver.retriever.runs.run import RUN, block_starts, ranked_mentions, read_run
from muver.retriever.runs.trec_reading import TrecRun, read_trec_run


@dataclass(frozen=True)
class Run:
    """A run and what is known of it."""

    path: Path  # that was given
    form: str  # "run" (ours, Parquet) or "trec"
    table: pa.Table  # schema RUN of retriever.runs; of a foreign run, titles are candidates' names
    manifest: dict[str, Any] | None
    depth: int  # candidates a mention
    origin: Origin | None  # None outside a workspace
    notes: list[str]  # sentences on the file's peculiarities

    @property
    def mentions(self) -> list[str]:
        """Ids of the mentions, in the run's order."""
        return ranked_mentions(self.table)

    @property
    def settings(self) -> dict[str, Any]:
        """Those of retrieval; empty if nothing says."""
        return (self.manifest or {}).get("settings", {})

    @property
    def evaluation(self) -> Evaluated | None:
        """What was written of its row."""
        return self.origin and self.origin.evaluation

    def only(self, mentions: Iterable[str]) -> "Run":
        """The same run with these mentions alone."""
        ids = pa.array(list(mentions), pa.string())
        return replace(self, table=self.table.filter(pc.is_in(self.table["mention_id"], ids)))


def read_runs(first: Path, second: Path, entities: Entities | None) -> tuple[Run, Run]:
    """Read both runs; candidates of both are named alike.

    Parameters
    ----------
    entities
        None if they are not known: enough for two runs of ours, or two foreign ones that use the
        same names.

    Raises
    ------
    InputError
        For a file that is no run, or foreign names that stand for no entity.
    """
    paths = (first, second)
    ours = {path: read_run(path) for path in paths if is_ours(path)}
    worlds: dict[str, str] = {}
    for table in ours.values():
        own = table["world"].take(pa.array(block_starts(table))).to_pylist()
        worlds |= dict(zip(ranked_mentions(table), own, strict=True))
    codes: dict[str, int] | None = {} if not ours else None
    runs = []
    for path in paths:
        origin = Origin.of(path)
        manifest = _manifest(path, origin)
        settings = (manifest or {}).get("settings", {})
        if path in ours:
            table, notes, depth = ours[path], _edited(path, origin), settings.get("k")
            if entities is not None and settings.get("match") == "title":
                table = _first_of_title(path, table, entities)
        else:
            read = read_trec_run(path)
            table, notes, depth = _as_run(path, read, entities, worlds, codes), _notes(read), None
        depth = depth or int(table["rank"].to_numpy().max(initial=0))
        form = "run" if path in ours else "trec"
        runs.append(Run(path, form, table, manifest, depth, origin, notes))
    return runs[0], runs[1]


def is_ours(path: Path) -> bool:
    """Whether a run is in our form (Parquet) and not TREC's.

    Raises
    ------
    InputError
        If it cannot be read, or is a JSON file.
    """
    if path.suffix == ".json":
        raise InputError(
            f"{path}: a manifest or an evaluation; give the run itself, the .parquet file of "
            "muver stage retrieve, or a TREC run."
        )
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"PAR1" or path.suffix == ".parquet"
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from None


def _manifest(path: Path, origin: Origin | None) -> dict[str, Any] | None:
    """That beside our run, also where its TREC form was given."""
    own = origin.run_file if origin and path.suffix != ".parquet" else path
    beside = own.with_suffix(".json")
    return read_json(beside) if own.suffix == ".parquet" and beside.is_file() else None


def _edited(path: Path, origin: Origin | None) -> list[str]:
    evaluated = origin and origin.evaluation and origin.evaluation.run_sha256
    if evaluated in (None, sha256_of(path)):
        return []
    return ["not the file that was evaluated: run the retrieve or the evaluate stage again"]


def _notes(read: TrecRun) -> list[str]:
    notes = []
    if read.reordered:
        notes.append(
            f"the rank column contradicts the scores in {read.reordered} mentions: scores are "
            "followed here, as trec_eval does"
        )
    if read.tied:
        notes.append(
            f"{read.tied} mentions have candidates of equal score: here they stand as the file "
            "ranks them, trec_eval orders them by name"
        )
    return notes


def _first_of_title(path: Path, table: pa.Table, entities: Entities) -> pa.Table:
    """Where titles decide, a candidate goes by the first entity of its title, as in TREC files."""
    columns = (table[name].to_pylist() for name in ("world", "title"))
    try:
        firsts = [entities.first[world][title] for world, title in zip(*columns, strict=True)]
    except KeyError as error:
        raise InputError(
            f"{path}: ranks {error.args[0]!r}, which is no entity of these data. Give the "
            "--entities that the run was made from."
        ) from None
    place = table.column_names.index("entity")
    return table.set_column(place, RUN.field("entity"), pa.array(firsts, pa.int32()))


def _as_run(
    path: Path,
    read: TrecRun,
    entities: Entities | None,
    worlds: dict[str, str],
    codes: dict[str, int] | None,
) -> pa.Table:
    """A TREC run in our columns.

    Parameters
    ----------
    worlds
        Of mentions, as far as a run of ours says.
    codes
        Numbers given to unexplained names, added to here; None if the other run is ours.
    """
    mentions = [name if name in worlds else unquote(name) for name in read.mentions]
    if entities is not None:
        own = [worlds.get(mention, "") for mention in mentions]
        found = entities.find(path, list(zip(own, read.candidates, strict=True)))
        titles = [entities.titles[world][number] for world, number in found]
    else:
        found, titles = [numbered(name) for name in read.candidates], list(read.candidates)
        if None in found:
            if codes is None:
                raise InputError(
                    f"{path}: {read.candidates[found.index(None)]!r} is no <world>/<line "
                    "number>; give the --entities (corpus/entities.parquet) that say what it is."
                )
            found = [("", codes.setdefault(name, len(codes))) for name in read.candidates]
    ids = np.array(mentions, dtype=object)
    begin = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]])
    ranks = np.arange(len(ids)) - np.repeat(begin, np.diff(np.r_[begin, len(ids)])) + 1
    unknown = np.full(len(ids), -1)
    entity_worlds, numbers = zip(*found, strict=True)
    scores = read.scores.astype(np.float32)
    columns = (mentions, entity_worlds, ranks, numbers, titles, scores)
    return table_of(RUN, (*columns, unknown, unknown, unknown))
