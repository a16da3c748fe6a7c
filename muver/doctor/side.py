"""One of two runs, read into the form that both are compared in."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.corpus.schema import read_mentions
from muver.doctor.names import Names, numbered
from muver.doctor.place import Place
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.parquet import table_of
from muver.runs.run import (
    RUN,
    best_ranks,
    block_starts,
    mentions_of_rows,
    ranked_mentions,
    read_run,
)
from muver.runs.trec_reading import TrecRun, read_qrels, read_trec_run


@dataclass(frozen=True)
class Side:
    """A run and what is known of it.

    Attributes
    ----------
    path
        The file that was given.
    form
        "run" (ours, Parquet) or "trec".
    table
        Schema :data:`muver.runs.run.RUN`; of a foreign run, titles are candidates' names.
    manifest
        Of our run; None without one.
    match
        How equal titles are counted; None if nothing says.
    depth
        Candidates a mention.
    place
        None for a run that lies outside a workspace.
    notes
        What was seen while reading: sentences.
    """

    path: Path
    form: str
    table: pa.Table
    manifest: dict[str, Any] | None
    match: str | None
    depth: int
    place: Place | None
    notes: list[str] = field(default_factory=list)

    @property
    def mentions(self) -> list[str]:
        """Ids of the mentions, in the run's order."""
        return ranked_mentions(self.table)

    def only(self, mentions: Iterable[str]) -> "Side":
        """The same side with these mentions alone."""
        ids = pa.array(list(mentions), pa.string())
        kept = pc.is_in(self.table["mention_id"], value_set=ids)
        return replace(self, table=self.table.filter(kept))


def read_sides(first: Path, second: Path, names: Names | None) -> tuple[Side, Side]:
    """Read both runs; candidates of both are named alike.

    Parameters
    ----------
    names
        The entities; None if nobody knows them, which is enough for two runs of ours, and for two
        foreign ones that use the same names.

    Raises
    ------
    InputError
        For a file that is no run, or foreign names that cannot be told.
    """
    forms = [_form(path) for path in (first, second)]
    kinds = dict(zip((first, second), forms, strict=True))
    tables = {path: read_run(path) for path, form in kinds.items() if form == "run"}
    worlds: dict[str, str] = {}
    for table in tables.values():
        own = table["world"].take(pa.array(block_starts(table))).to_pylist()
        worlds |= dict(zip(ranked_mentions(table), own, strict=True))
    codes: dict[str, int] = {}  # of names that nobody explains
    sides = []
    for path, form in zip((first, second), forms, strict=True):
        place = Place.of(path)
        manifest = _manifest(path, place)
        match = (manifest or {}).get("settings", {}).get("match")
        notes: list[str] = []
        if form == "trec":
            read = read_trec_run(path)
            notes = _trec_notes(read)
            table = _as_run(path, read, names, worlds, codes, foreign=not tables)
        else:
            table = tables[path]
            if names is not None and match == "title":
                table = _first_of_title(path, table, names)
        ranks = table["rank"].to_numpy()
        asked = (manifest or {}).get("settings", {}).get("k")
        depth = asked if form == "run" and asked else int(ranks.max(initial=0))
        sides.append(Side(path, form, table, manifest, match, depth, place, notes))
    return sides[0], sides[1]


def gold_of(
    qrels: Path | None, mentions: Path | None, names: Names | None, split: str | None
) -> dict[str, set[Any]]:
    """The right candidates of each mention, by a mention's id.

    Returns
    -------
    Sets of (world, entity), or of candidates' names where only a foreign qrels file knows them.
    """
    if mentions is not None:
        table = read_mentions(mentions, split)
        columns = (table[name].to_pylist() for name in ("mention_id", "world", "gold"))
        return {mention: {(world, gold)} for mention, world, gold in zip(*columns, strict=True)}
    if qrels is None:
        return {}
    found: dict[str, set[Any]] = {}
    for mention, relevant in read_qrels(qrels).items():
        known = [numbered(name, names.titles if names else None) for name in relevant]
        if names is not None and None in known:
            known = [names.documents.get(name) for name in relevant]
        found[unquote(mention)] = set(relevant) if None in known else set(known)
    return found


def gold_ranks(
    side: Side, gold: dict[str, set[Any]], names: Names | None, match: str
) -> tuple[list[str], np.ndarray]:
    """Rank of the first right candidate of each mention whose gold is known.

    Returns
    -------
    The mentions, in the side's order, and (mentions,) ranks from 1; 0 where it is not there.
    """
    table, ids = side.table, side.mentions
    right = {mention: set(gold[mention]) for mention in ids if mention in gold}
    if match == "title" and names is not None:
        for wanted in right.values():
            entities = [one for one in wanted if isinstance(one, tuple)]
            wanted |= {names.titles[w][n] for w, n in entities if w in names.titles}
    columns = (table[name].to_pylist() for name in ("mention_id", "world", "entity", "title"))
    hits = [
        mention in right and not right[mention].isdisjoint(((world, entity), title))
        for mention, world, entity, title in zip(*columns, strict=True)
    ]
    ranks = best_ranks(table, mentions_of_rows(table, ids), np.array(hits, dtype=bool), len(ids))
    known = [place for place, mention in enumerate(ids) if mention in right]
    return [ids[place] for place in known], ranks[known]


def _form(path: Path) -> str:
    if path.suffix == ".json":
        raise InputError(
            f"{path}: a manifest or an evaluation; give the run itself, the .parquet file of "
            "muver retrieve, bm25 or fuse, or a TREC run."
        )
    try:
        with open(path, "rb") as file:
            return "run" if file.read(4) == b"PAR1" or path.suffix == ".parquet" else "trec"
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from None


def _manifest(path: Path, place: Place | None) -> dict[str, Any] | None:
    beside = path.with_suffix(".json")
    if path.suffix == ".parquet" and beside.is_file():
        return read_json(beside)
    run = place.run_file if place else None
    if run is not None and run.with_suffix(".json").is_file():
        return read_json(run.with_suffix(".json"))
    return None


def _trec_notes(read: TrecRun) -> list[str]:
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


def _first_of_title(path: Path, table: pa.Table, names: Names) -> pa.Table:
    """Where titles decide, a candidate goes by the first entity of its title, as in TREC files."""
    columns = (table[name].to_pylist() for name in ("world", "title", "entity"))
    try:
        firsts = [names.first[world][title] for world, title, _ in zip(*columns, strict=True)]
    except KeyError as error:
        raise InputError(
            f"{path}: ranks {error.args[0]!r}, which is no entity of these data. Give the "
            "--entities that the run was made from."
        ) from None
    return table.set_column(
        table.column_names.index("entity"), RUN.field("entity"), pa.array(firsts, pa.int32())
    )


def _as_run(
    path: Path,
    read: TrecRun,
    names: Names | None,
    worlds: dict[str, str],
    codes: dict[str, int],
    foreign: bool,
) -> pa.Table:
    """A TREC run in our columns."""
    mentions = [name if name in worlds else unquote(name) for name in read.mentions]
    own = [worlds.get(mention, "") for mention in mentions]
    if names is not None:
        pairs = list(zip(own, read.candidates, strict=True))
        resolve = names.resolver(path, set(pairs))
        entities = [resolve(world, name) for world, name in pairs]
        titles = [names.titles[world][number] for world, number in entities]
    else:
        entities = [numbered(name) for name in read.candidates]
        titles = list(read.candidates)
        if None in entities:
            if not foreign:
                raise InputError(
                    f"{path}: {read.candidates[entities.index(None)]!r} is no <world>/<line "
                    "number>; give the --entities (corpus/entities.parquet) that say what it is."
                )
            entities = [("", codes.setdefault(name, len(codes))) for name in read.candidates]
    ids = np.array(mentions, dtype=object)
    starts = np.r_[True, ids[1:] != ids[:-1]]
    begin = np.flatnonzero(starts)
    ranks = np.arange(len(ids)) - np.repeat(begin, np.diff(np.r_[begin, len(ids)])) + 1
    none = np.full(len(ids), -1)
    columns = (
        mentions,
        [world for world, _ in entities],
        ranks,
        [number for _, number in entities],
        titles,
        read.scores.astype(np.float32),
    )
    return table_of(RUN, (*columns, none, none, none))
