"""The long table from evaluations: the lines of each row, and what was published of them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from muver.io.errors import InputError
from muver.reproduction.tables import contrasts, paper
from muver.reproduction.tables.evaluations import (
    Evaluations,
    fields_of_row,
    head_of,
    key_of,
    only_set,
    read_evaluations,
)
from muver.reproduction.tables.records import (
    ALL_PAGES,
    LEFT_OUT,
    Line,
    Merged,
    OnSet,
    Published,
    Table,
    TableRow,
    lines_of,
)
from muver.reproduction.tables.tables_settings import RowSettings, TableSettings, systems_of
from muver.retriever.corpus.schema import read_mentions
from muver.retriever.evaluation.recall import scored
from muver.retriever.evaluation.records import Percent

RELEASED = "as released"
Found = Mapping[str, Evaluations]  # by set


def build(
    name: str, caption: str, layout: str, settings: TableSettings, evaluations: Sequence[Path],
    counts: Path | None = None, mentions: Path | None = None,
) -> Table:  # fmt: skip
    """The table of a name, from the files that :func:`.stage.make_table` is given."""
    found = read_evaluations(evaluations, systems_of(settings.rows), settings.sets, counts)
    first = next(iter(found.values())) if layout == "comparison" else only_set(found)
    rows = [_row(row, settings.rows, found) for row in settings.rows]
    categories = _categories(name, mentions, first) if settings.categories else None
    table = Table(
        **head_of(name, caption, found),
        layout=layout,
        cutoffs=[settings.cutoff] if settings.cutoff else first.first.cutoffs,
        against=settings.against,
        figure=settings.figure,
        rows=rows,
        lines=[
            line
            for row in rows
            for on_set in found.values()
            for line in _lines(row, on_set, categories)
        ],
        published=[],
        contrasts=[],
    )
    table.published.extend(_published(table, settings.rows, found))
    table.contrasts.extend(contrasts.pairs_of_rows(table, settings.contrasts, found))
    return table


def _row(row: RowSettings, rows: Sequence[RowSettings], found: Found) -> TableRow:
    evaluations = {name: on_set.by_system[row.system] for name, on_set in found.items()}
    first = next(iter(evaluations.values()))
    training = first.settings.get("model", {}).get("training")
    return TableRow(
        **fields_of_row(row, evaluations),
        sets={
            name: OnSet(evaluation.views_per_entity, evaluation.index, evaluation.own_page_first)
            for name, evaluation in evaluations.items()
        },
        seeds={
            system: key_of({name: on_set.by_system[system] for name, on_set in found.items()})
            for system in (row.system, *row.repeats)
        },
        labelled=training and training.get("labelled", 1),
        merged=_merged(row, rows, next(iter(found.values()))),
    )


def _own_page_left_out(settings: Mapping[str, Any]) -> bool:
    """Whether pages of mentions are no candidates of a row, or of all those that it fuses."""
    parts = settings.get("parts", [])
    if parts and "own_page" not in settings.get("retrieve", {}):
        return all(map(_own_page_left_out, parts))
    return settings.get("retrieve", {}).get("own_page") == "leave_out"


def _lines(
    row: TableRow, evaluations: Evaluations, categories: pa.ChunkedArray | None
) -> Iterator[Line]:
    """The lines of a row's seeds on a set, and those of each category if there are any."""
    for system in row.seeds:
        evaluation = evaluations.by_system[system]
        labels = {
            "row": row.system,
            "set": evaluation.set,
            "protocol": LEFT_OUT if _own_page_left_out(evaluation.settings) else ALL_PAGES,
            "seed": evaluation.settings.get("seed"),
            "key": row.seeds[system],
        }
        yield from lines_of(evaluation.scores, **labels)
        for name in [] if categories is None else sorted(categories.unique().to_pylist()):
            part = evaluations.ranks(system).filter(pc.equal(categories, name))
            scores = scored(part, evaluation.cutoffs, evaluation.resample)
            of_part = lines_of(scores, category=name, **labels)
            yield from (line for line in of_part if not line.world)


def _categories(name: str, file: Path | None, evaluations: Evaluations) -> pa.ChunkedArray:
    """The category of each mention, as the dataset says it."""
    if file is None:
        raise InputError(f"--mentions: {name} needs the corpus's mentions; none were given.")
    mentions = read_mentions(file, evaluations.first.set)
    for system in evaluations.by_system:
        if not evaluations.ranks(system)["mention_id"].equals(mentions["mention_id"]):
            raise InputError(
                f"--mentions: not those that {system} was scored on. Evaluate it again."
            )
    return mentions["category"].fill_null("unknown")


# Table 3.


def _merged(
    row: RowSettings, rows: Sequence[RowSettings], evaluations: Evaluations
) -> Merged | None:
    """How a row merges views, and the first row without merging whose other settings are its."""

    def before(system: str) -> dict[str, Any]:
        settings = evaluations.by_system[system].settings
        shared = {key: value for key, value in settings.items() if key not in ("system", "merge")}
        retrieve = settings.get("retrieve", {}).items()
        merging = ("merge_layers", "search")
        return {**shared, "retrieve": {k: v for k, v in retrieve if k not in merging}}

    if not row.merge_layers:
        return None
    merge = evaluations.by_system[row.system].settings["merge"]
    further = {
        "among all views": merge.get("among") == "all",
        "wasted choices replaced": merge.get("wasted") == "replaced",
    }
    reading = ", ".join(words for words, so in further.items() if so)
    settings = before(row.system)
    unmerged = (other.system for other in rows if not other.merge_layers)
    return Merged(
        layers=row.merge_layers,
        search=row.search,
        pairs=merge["pairs"],
        reading=reading or RELEASED,
        searched=", ".join(filter(None, (f"{merge['pairs']} pairs", reading))),
        start=next((system for system in unmerged if before(system) == settings), None),
    )


# What was published.


def _published(table: Table, rows: Sequence[RowSettings], found: Found) -> Iterator[Published]:
    """The published numbers of the lines that people see, on the paper's data."""
    for name, on_set in found.items():
        if not paper.is_papers(on_set.first):
            continue
        worlds = on_set.first.worlds if table.layout == "domains" else ("",)
        asked = zip(table.rows, rows, strict=True)
        for (row, of_row), world, source in product(asked, worlds, ("paper", "readme")):
            seeds = [] if world else [on_set.by_system[system].micro for system in row.seeds]
            for k, theirs in _theirs(table, row, of_row.sweep_of, on_set, world, source).items():
                line = table.line(row.row_key, k, name, world)
                of_seeds = [recall[k] for recall in seeds]
                judged = paper.judge(line.recall, theirs, line.mentions, of_seeds)
                yield Published(*judged, row.system, name, world, k, source)


def _theirs(
    table: Table, row: TableRow, sweep_of: str | None, on_set: Evaluations, world: str, source: str
) -> Percent:
    """The published recall of a row, by cutoff."""
    if table.layout != "views":
        domain = world or on_set.column or None
        column = "values" if source == "paper" else source
        return paper.published(table.name, row.system, table.cutoffs, domain, column)
    (k,) = table.cutoffs
    if source != "paper" or k != paper.paper()[table.name]["cutoff"]:
        return {}
    pairs = row.merged.pairs if row.merged else None
    recall = paper.published_views(sweep_of or row.system, pairs, row.views_per_entity)
    return {} if recall is None else {k: recall}
