"""Entity linking to the end: what a second stage makes of the candidates that the first one finds.

Accuracy is the share of mentions whose first candidate is the gold entity: unnormalised of all
mentions, normalised of those whose gold entity is among the candidates. Both names are BLINK's (Wu
et al. 2020), whose released code averages the normalised one over worlds (`train_cross.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean, stdev

import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import asdict, replace

from muver.io.errors import InputError
from muver.reproduction.tables import comparison, contrasts
from muver.reproduction.tables.evaluations import Evaluations, TableFiles, read_one_set
from muver.reproduction.tables.numbers import bounds, percent
from muver.reproduction.tables.page import (
    Page,
    Section,
    best_cells,
    difference,
    main_section,
    note_of,
)
from muver.reproduction.tables.records import (
    ComparedRow,
    Linked,
    LinkedRow,
    LinkingTable,
    Measure,
    Measures,
)
from muver.reproduction.tables.settings import Linking, LinkingRow, systems_of
from muver.retriever.corpus.schema import read_mentions
from muver.retriever.evaluation.recall import hits_at, scored
from muver.retriever.evaluation.records import Scores
from muver.retriever.evaluation.significance import paired

# The columns of a table by measure; "macro_" is the mean of worlds
ACCURACIES = {
    "accuracy": "unnormalised",
    "macro_accuracy": "unnormalised (macro)",
    "normalised": "normalised",
    "macro_normalised": "normalised (macro)",
}
COLUMNS = {"found": "found", "first_stage": "first stage", **ACCURACIES}
PLAIN = [name for name in COLUMNS if not name.startswith("macro_")]
MEANING = (
    "Found: the gold entity is among the first candidates, as many as the depth says; a second "
    "stage orders these alone anew, so it cannot link the mentions that are lost. First stage: its "
    "R@1. Accuracy: the first candidate is the gold entity, unnormalised of all mentions, "
    "normalised of those found. Macro: the mean of worlds where any is, each counting the same."
)


def build(name: str, caption: str, settings: Linking, files: TableFiles) -> LinkingTable:
    """A comparison whose rows are also split by world and by the mentions' category.

    Every second stage is contrasted with its first.
    """
    stages = [[row.system, row.first_stage] for row in settings.rows if row.first_stage]
    pairs = stages + [pair for pair in settings.contrasts if pair not in stages]
    table = comparison.build(name, caption, replace(settings, contrasts=pairs), files)
    found = read_one_set(files, [*systems_of(settings.rows), *(first for _, first in stages)])
    if files.mentions is None:
        raise InputError(f"--mentions: {name} needs the corpus's mentions; none were given.")
    mentions = read_mentions(files.mentions, found.first.set)
    rows = [
        _row(own, row, row.depth or table.cutoffs[-1], found, mentions)
        for own, row in zip(table.rows, settings.rows, strict=True)
    ]
    return LinkingTable(**{**asdict(table), "rows": rows})


def _row(
    own: ComparedRow, row: LinkingRow, depth: int, evaluations: Evaluations, mentions: pa.Table
) -> LinkedRow:
    cutoffs = sorted({1, depth, *evaluations.first.cutoffs})  # whose draws all intervals share
    resample = evaluations.first.resample
    systems = [row.system, *([row.first_stage] if row.first_stage else [])]
    ranks = [_ranks(evaluations, one, mentions) for one in systems]
    whole = _scores(ranks, depth, cutoffs, resample)

    def linked(measures: Measures, part: Sequence[pa.Table]) -> Linked:
        return Linked(measures, paired(*part, [1], resample) if row.first_stage else None)

    def of_category(name: str) -> Linked:
        part = _within(ranks, "category", name)
        return linked(_measures(_scores(part, depth, cutoffs, resample), depth), part)

    return LinkedRow(
        **asdict(own),
        depth=depth,
        first_stage=row.first_stage,
        linked=linked(_measures(whole, depth), ranks),
        worlds={
            name: linked(_measures(whole, depth, name), _within(ranks, "world", name))
            for name in evaluations.first.worlds
        },
        categories={
            name: of_category(name) for name in sorted(ranks[0]["category"].unique().to_pylist())
        },
        seeds={
            name: _measures(_scores([evaluations.ranks(name)], depth, cutoffs, resample), depth)
            for name in (row.system, *row.repeats)
        },
    )


def _ranks(evaluations: Evaluations, system: str, mentions: pa.Table) -> pa.Table:
    """A system's ranks, with each mention's category as the dataset says it."""
    ranks = evaluations.ranks(system)
    if not ranks["mention_id"].equals(mentions["mention_id"]):
        raise InputError(f"--mentions: not those that {system} was scored on. Evaluate it again.")
    return ranks.append_column("category", mentions["category"].fill_null("unknown"))


def _within(ranks: Sequence[pa.Table], column: str, value: str) -> list[pa.Table]:
    return [one.filter(pc.equal(one[column], value)) for one in ranks]


def _scores(
    ranks: Sequence[pa.Table], depth: int, cutoffs: Sequence[int], resample: str
) -> dict[str, Scores]:
    """Recall over all mentions and over those found, and the first stage's if it is given."""
    own = ranks[0]
    scores = {"all": scored(own, cutoffs, resample)}
    if (found := own.filter(pa.array(hits_at(own, depth)))).num_rows:
        scores["found"] = scored(found, [1], resample)
    if len(ranks) > 1:
        scores["before"] = scored(ranks[1], cutoffs, resample)
    return scores


def _measures(scores: Mapping[str, Scores], depth: int, world: str | None = None) -> Measures:
    """By name; those of a world, or of all mentions with the means of worlds."""
    made = {}
    for name, of, k in (
        ("found", "all", depth),
        ("first_stage", "before", 1),
        ("accuracy", "all", 1),
        ("normalised", "found", 1),
    ):
        one = scores.get(of)
        if one is not None and world is None:
            made[name] = Measure(one.micro[k], one.interval.micro[k], one.hits[k], one.mentions)
            made[f"macro_{name}"] = Measure(one.macro[k], one.interval.macro[k])
        elif one is not None and world in one.worlds:
            part = one.worlds[world]
            made[name] = Measure(part.recall[k], part.interval[k], part.hits[k], part.mentions)
    return made


def page(table: LinkingTable) -> Page:
    sections = [
        _main(table),
        _parts(table, "World"),
        _parts(table, "Category"),
        *contrasts.section(table, table.cutoffs[:1]),
        Section(
            "How sure the numbers are",
            f"{table.interval}. Those of normalised accuracy take the mentions found as given.",
            ["method", *COLUMNS.values()],
            [
                [row.method, *(bounds(one.interval) if one else "" for one in _shown(row.linked))]
                for row in table.rows
            ],
        ),
        *_over_seeds(table),
        *contrasts.section(table, table.cutoffs[:1], over_seeds=True),
    ]
    return Page(f"{table.caption}, {table.dataset}", sections)


def _shown(linked: Linked, columns: Sequence[str] = tuple(COLUMNS)) -> Iterator[Measure | None]:
    return map(linked.measures.get, columns)


def _main(table: LinkingTable) -> Section:
    header = ["method", "depth", "found", "lost", *[*COLUMNS.values()][1:]]
    cells = []
    for row in table.rows:
        found, *others = _shown(row.linked)
        lost = percent(found.mentions - found.hits, found.mentions)
        cells.append([row.method, str(row.depth), _text(found), lost, *map(_text, others)])
    best = best_cells(cells, range(len(header) - len(ACCURACIES), len(header)))
    return main_section(f"{note_of(table)} {MEANING}", header, cells, table.rows, best)


def _text(one: Measure | None) -> str:
    if one is None:
        return ""
    return f"{one.percent:.2f}" if one.hits is None else percent(one.hits, one.mentions)


def _parts(table: LinkingTable, of: str) -> Section:
    """A line for each row and world, or category of mentions."""
    key, cells = {"World": "worlds", "Category": "categories"}[of], []
    for name in getattr(table.rows[0], key):
        for row in table.rows:
            part = getattr(row, key)[name]
            told = [one and f"{_text(one)} ({bounds(one.interval)})" for one in _shown(part, PLAIN)]
            minus = difference(part.paired, 1) if part.paired else ""
            mentions = str(part.measures["found"].mentions)
            cells.append([row.method, name, mentions, *(text or "" for text in told), minus])
    header = ["method", of, "mentions", *(COLUMNS[name] for name in PLAIN), "minus first stage"]
    note = (
        "In brackets 95% intervals. Last the unnormalised accuracy minus the first stage's in "
        "points, with the test of the contrasts below."
    )
    return Section(f"By {of.lower()}", note, header, cells)


def _over_seeds(table: LinkingTable) -> list[Section]:
    columns = {"found": "found", **ACCURACIES}
    cells = []
    for row in table.rows:
        every = row.seeds.values()
        values = [[one[name].percent for one in every if name in one] for name in columns]
        told = [f"{mean(one):.2f} ± {stdev(one):.2f}" if len(one) > 1 else "" for one in values]
        cells += [[row.method, *told]] if len(every) > 1 else []
    note = "Mean of a row's seeds and their sample standard deviation in points."
    return [Section("Over seeds", note, ["method", *columns.values()], cells)] if cells else []
