"""A run for the page: its files, results, the systems behind their rows, mentions and rankings."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from muver.io.checksums import check
from muver.io.errors import InputError
from muver.reproduction.tables.evaluations import data_fingerprint, row_key
from muver.reproduction.tables.records import AnyResult, Table, read_result
from muver.retriever.corpus import schema
from muver.retriever.evaluation.recall import read_ranks
from muver.retriever.evaluation.records import Evaluation, read_evaluation
from muver.retriever.runs.run import mentions_of_rows, read_run


@dataclass(frozen=True)
class RunFiles:
    """The folders of a run, as the workflow fills them."""

    results: Path  # tables and figures
    workspace: Path  # what was built, build/<workspace>/current

    def table(self, name: str, suffix: str = ".json") -> Path:
        return self.results / f"{name}{suffix}"

    def run(self, system: str, set_name: str) -> Path:
        return self.workspace / "runs" / set_name / f"{system}.parquet"

    def evaluation(self, system: str, set_name: str) -> Path:
        return self.workspace / "evaluations" / set_name / f"{system}.json"

    def recorded(self, table: str) -> Path:
        """Which MLflow run belongs to which row of a table."""
        return self.workspace / "recorded" / f"{table}.csv"

    def addresses(self, table: str) -> dict[str, str]:
        """Addresses in MLflow's pages, after its base, by row key; none if it was not recorded."""
        recorded = self.recorded(table)
        check([recorded])
        text = recorded.read_text(encoding="utf-8") if recorded.is_file() else ""
        lines = csv.DictReader(text.splitlines())
        return {run["row_key"]: run["address"] for run in lines if run["address"].startswith("/")}

    def corpus(self, file: str) -> Path:
        """A file of the corpus of worlds."""
        return self.workspace / "corpus" / file

    @property
    def sentences(self) -> Path:
        return self.workspace / "segment" / "sentences.parquet"

    def shown(self, path: Path) -> str:
        """A file's name for the page: as the project knows it, never a place on this machine."""
        return path.name if path.is_absolute() else path.as_posix()

    def without_folders(self, message: object) -> str:
        """A message that names files of this run, without the folders of this machine."""
        for folder in (self.results, self.workspace, self.workspace.parent):
            message = str(message).replace(f"{folder}/", "")
        return message


def read_results(names: Sequence[str], files: RunFiles, problems: list[str]) -> list[AnyResult]:
    """Read the results named; one that is missing or damaged is left out, which is a problem."""
    results = []
    for name in names:
        try:
            results.append(read_result(files.table(name)))
        except InputError as error:
            problems.append(f"{name}: {files.without_folders(error)}")
    return results


@dataclass
class System:
    """The system of a row."""

    name: str
    method: str
    key: str  # the row's
    table: Table  # the first one that it stands in
    # By name of the set; empty if those of any set cannot be read
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    tables: list[str] = field(default_factory=list)  # that it stands in

    @property
    def evaluation(self) -> Evaluation:
        """Scores on the first set; all sets have the same settings and cutoffs."""
        return next(iter(self.evaluations.values()))

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the row; empty without an evaluation."""
        return self.evaluation.settings if self.evaluations else {}

    @property
    def over_kb(self) -> bool:
        """Whether its candidates come from one knowledge base, not from worlds."""
        return self.evaluation.kb is not None


def read_systems(
    results: Sequence[AnyResult], files: RunFiles, problems: list[str]
) -> list[System]:
    """Every system that stands in a table of recall, in the order of the tables.

    Evaluations lie under names without keys. So those of a table that was not made again after a
    change of settings are of other rows, which is a problem, as missing ones are.
    """
    systems: dict[str, System] = {}
    for table in results:
        if not isinstance(table, Table):
            continue
        for row in table.rows:
            name = row.system
            if name not in systems:
                systems[name] = System(name, row.method, row.row_key, table)
                try:
                    systems[name].evaluations = {
                        of_set.set: read_evaluation(files.evaluation(name, of_set.set))
                        for of_set in table.sets
                    }
                except InputError as error:
                    problems.append(
                        f"{row.method}: its settings cannot be shown. "
                        f"{files.without_folders(error)} The rule evaluate makes it."
                    )
            system = systems[name]
            if table.name not in system.tables:
                system.tables.append(table.name)
            if system.evaluations:
                key = row_key(system.settings, data_fingerprint(system.evaluations))
                if key != row.row_key:
                    problems.append(
                        f"{table.name}, {row.method}: the table's row key is {row.row_key}, the "
                        f"evaluation's is {key}, so the numbers of this row are not from the "
                        "settings shown. Make the table again."
                    )
    return list(systems.values())


@dataclass(frozen=True)
class Collection:
    """Mentions with their gold entities, and the entities that are candidates."""

    split: str  # of the mentions
    worlds: list[str]  # their names
    mentions: pa.Table
    world: np.ndarray  # (mentions,) number of each one's world
    first: np.ndarray  # (mentions,) number of the first entity of that world
    titles: pa.Array  # (entities,)

    @property
    def gold(self) -> np.ndarray:
        """The number of each mention's gold entity: (mentions,)."""
        return self.first + self.mentions["gold"].to_numpy()

    def sample(self, limit: int) -> np.ndarray:
        """Numbers of at most ``limit`` mentions, in order, drawn evenly from all worlds: (n,)."""
        total = len(self.world)
        if total <= limit:
            return np.arange(total)
        by_world = np.argsort(self.world, kind="stable")
        return np.sort(by_world[np.arange(limit) * total // limit])


def read_collection(files: RunFiles, split: str) -> Collection:
    """The mentions of a split and the entities of their worlds, world after world."""
    mentions = schema.read_mentions(files.corpus("mentions.parquet"), split)
    names = mentions["world"].to_pylist()
    worlds = sorted(set(names))
    table = schema.read_entities(files.corpus("entities.parquet"), worlds, ["world", "title"])
    world = np.searchsorted(worlds, names)
    first = np.searchsorted(table["world"].to_pylist(), worlds)[world]
    return Collection(split, worlds, mentions, world, first, table["title"].combine_chunks())


def read_sentences(files: RunFiles, worlds: list[str], entities: np.ndarray) -> list[list[str]]:
    """The sentences of entities, by their numbers."""
    table = schema.read_sentences(files.sentences, worlds, ["sentences"])
    return table["sentences"].take(pa.array(entities)).to_pylist()


@dataclass(frozen=True)
class Ranking:
    """The first candidates of each mention shown, and the gold entity wherever it stands."""

    rank: np.ndarray  # (mentions,) of the gold entity in the whole run, from 1; 0 = not retrieved
    counts: np.ndarray  # (mentions,) how many candidates are kept of each
    entity: np.ndarray  # (candidates,) number of each one kept, among all of the collection
    kept: pa.Table  # (candidates,) the rows of the run, mention after mention
    depth: int  # how many candidates a mention the run has at most


def read_ranking(
    system: System, collection: Collection, chosen: np.ndarray, keep: int, files: RunFiles
) -> Ranking:
    """A system's run, and where its evaluation found the gold entities.

    Of the mentions ``chosen`` (n,) the first ``keep`` candidates and the gold entity are kept.
    """
    run, ids = read_run(files.run(system.name, collection.split)), collection.mentions["mention_id"]
    scores = files.evaluation(system.name, collection.split).with_suffix(".parquet")
    ranks = read_ranks(scores)
    if not ranks["mention_id"].equals(ids):
        raise InputError(f"{scores}: ranks of other mentions than the corpus has. Evaluate again.")
    ranks, mention = ranks["rank"].to_numpy(), mentions_of_rows(run, ids.to_pylist())
    entity = collection.first[mention] + run["entity"].to_numpy()
    place = run["rank"].to_numpy()
    wanted = np.isin(mention, chosen) & ((place <= keep) | (place == ranks[mention]))
    rows = np.flatnonzero(wanted)
    rows = rows[np.argsort(mention[rows], kind="stable")]
    return Ranking(
        rank=ranks[chosen],
        counts=np.bincount(mention[rows], minlength=len(ranks))[chosen],
        entity=entity[rows],
        kept=run.take(rows),
        depth=int(place.max(initial=0)),
    )
