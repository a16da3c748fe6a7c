"""The long table from evaluations: the lines of each row, and what was published of them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import convert

from muver.io.errors import InputError
from muver.io.typed import flat
from muver.reproduction.tables import contrasts, paper
from muver.reproduction.tables.evaluations import (
    BySet,
    Evaluations,
    data_fingerprint,
    fields_of_row,
    key_of,
    of_system,
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
    Reference,
    Table,
    TableRow,
    TableSet,
    lines_of,
)
from muver.reproduction.tables.tables_settings import RowSettings, TableSettings, systems_of
from muver.retriever.corpus.schema import read_mentions
from muver.retriever.corpus.statistics import read_counts
from muver.retriever.evaluation import bootstrap
from muver.retriever.evaluation.recall import scored
from muver.retriever.evaluation.records import Evaluation

RELEASED = "as released"
LAYOUTS = {"table3": "views", "table6": "domains"}  # of tables that are no comparisons
MERGING = ("system", "merge", "retrieve.merge_layers", "retrieve.search")  # settings of it
OF_SET = ("set", "fingerprint", "identified_as", "mentions", "outside", "matched_by_title")


def build(
    name: str, settings: TableSettings, evaluations: Sequence[Path], counts: Path | None = None,
    mentions: Path | None = None,
) -> Table:  # fmt: skip
    """The table of a name, from the files that :func:`.stage.make_table` is given."""
    layout = LAYOUTS.get(name, "comparison")
    by_set = read_evaluations(evaluations, systems_of(settings.rows), settings.sets)
    on_set = next(iter(by_set.values())) if layout == "comparison" else only_set(by_set)
    rows = [_row(row, settings.rows, by_set) for row in settings.rows]
    categories = _categories(name, mentions, on_set) if settings.categories else None
    first, published = on_set.first, paper.paper()
    worlds = read_counts(counts).worlds if counts else {}
    empty = sorted(world for world, part in worlds.items() if part.mentions == 0)
    sets = [_set_of(on_set.first, empty) for on_set in by_set.values()]
    table = Table(
        name=name,
        caption=settings.caption or published[name]["caption"],
        dataset=first.dataset,
        fingerprint=data_fingerprint({name: on_set.first for name, on_set in by_set.items()}),
        layout=layout,
        kb=first.kb,
        cutoffs=[settings.cutoff] if settings.cutoff else first.cutoffs,
        resample=first.resample,
        interval=bootstrap.method(first.resample),
        sets=sets,
        paper=Reference(
            source=published["source"],
            dataset=(published["table2"] if first.kb else published)["dataset"],
            tolerance=published["tolerance"],
            note=paper.comparability_of_sets(name, first, sets),
        ),
        against=settings.against,
        figure=settings.figure,
        rows=rows,
        lines=[
            line
            for row in rows
            for on_set in by_set.values()
            for line in _lines(row, on_set, categories)
        ],
        published=[],
        contrasts=[],
    )
    table.published.extend(_published(table, settings.rows))
    table.contrasts.extend(contrasts.pairs_of_rows(table, settings.contrasts, by_set))
    return table


def _set_of(evaluation: Evaluation, empty: list[str]) -> TableSet:
    return TableSet(
        **{key: getattr(evaluation, key) for key in OF_SET},
        column=paper.column(evaluation),
        worlds=sorted(evaluation.worlds),
        worlds_without_mentions=empty,
        published=paper.published_size(evaluation),
        of_paper=paper.is_papers(evaluation),
    )


def _row(row: RowSettings, rows: Sequence[RowSettings], by_set: BySet) -> TableRow:
    first = next(iter(by_set.values()))
    training = first.by_system[row.system].settings.get("model", {}).get("training")
    return TableRow(
        **fields_of_row(row, by_set),
        sets={
            name: convert(evaluation, OnSet, from_attributes=True)
            for name, evaluation in of_system(row.system, by_set).items()
        },
        seeds={system: key_of(of_system(system, by_set)) for system in (row.system, *row.repeats)},
        labelled=training and training.get("labelled", 1),
        merged=_merged(row, rows, first),
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
        settings = flat(evaluations.by_system[system].settings)
        return {key: value for key, value in settings if not key.startswith(MERGING)}

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


def _published(table: Table, rows: Sequence[RowSettings]) -> Iterator[Published]:
    """The published numbers of the lines that people see, on the paper's data."""
    for of_set in (of_set for of_set in table.sets if of_set.of_paper):
        worlds = of_set.worlds if table.layout == "domains" else ("",)
        both = zip(table.rows, rows, strict=True)
        for (row, asked), world, source in product(both, worlds, ("paper", "readme")):
            domain = world or of_set.column
            theirs = paper.published(table.name, row.system, table.cutoffs, domain, source)
            if row.merged and source == "paper":
                theirs = paper.published_views(
                    asked.sweep_of, row.merged.pairs, row.views_per_entity, table.cutoffs
                )
            for k, recall in theirs.items():
                seeds = [table.line(key, k, of_set.set).recall for key in row.seeds.values()]
                line = table.line(row.row_key, k, of_set.set, world)
                yield Published(
                    **paper.judge(line.recall, recall, line.mentions, [] if world else seeds),
                    row=row.system, set=of_set.set, world=world, k=k, source=source,
                )  # fmt: skip
