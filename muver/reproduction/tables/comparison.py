"""Tables that compare the recall of systems, one per row, on one or more sets of mentions.

Table 1 and our own tables have one set, a split of worlds; Table 2 has three over one knowledge
base.
"""

from collections.abc import Sequence
from functools import partial
from statistics import mean, stdev

from msgspec.structs import asdict

from muver.reproduction.tables import contrasts, records
from muver.reproduction.tables.evaluations import (
    Evaluations,
    TableFiles,
    read_evaluations,
    row_of,
    table_of,
)
from muver.reproduction.tables.numbers import percent
from muver.reproduction.tables.page import (
    Labels,
    Page,
    Section,
    best_cells,
    by_cutoff,
    difference,
    intervals,
    main_section,
    mean_of_worlds,
    note_of,
    reference,
)
from muver.reproduction.tables.paper import compare, paper
from muver.reproduction.tables.settings import Comparison, RepeatedRow, systems_of
from muver.retriever.evaluation import significance

Line = tuple[Labels, records.ComparedPart]
# Columns of tables that are not the paper's, beside recall
FURTHER = {
    "vectors": "vectors: those that are compared with a mention, a mean over the entities.",
    "own page": "own page: mentions whose first candidate is the page that they stand on.",
}


def build(
    name: str, caption: str, settings: Comparison, files: TableFiles
) -> records.ComparisonTable:
    found = read_evaluations(files, systems_of(settings.rows), settings.sets)
    methods = {row.system: row.method for row in settings.rows}
    against = settings.against
    rows = []
    for row in settings.rows:
        sets = {one: _part(name, row, against, own) for one, own in found.items()}
        own = next(iter(found.values())).by_system[row.system].settings
        training = own.get("model", {}).get("training")
        labelled = training and training.get("labelled", 1)
        rows.append(row_of(records.ComparedRow, row, found, sets=sets, labelled=labelled))
    repeated = {row.system: [row.system, *row.repeats] for row in settings.rows if row.repeats}

    def contrasted(seeds: dict[str, list[str]] | None = None) -> list[records.Contrast]:
        return [
            contrast
            for own in found.values()
            for contrast in contrasts.build(
                settings.contrasts, methods, own, partial(own.published, name), own.column,
                seeds=seeds,
            )
        ]  # fmt: skip

    return table_of(
        records.ComparisonTable,
        name,
        caption,
        found,
        against=against and records.Against(system=against, method=methods[against]),
        rows=rows,
        contrasts=contrasted(),
        over_seeds=contrasted(repeated) if repeated else [],
        figure=settings.figure,
    )


def _part(
    name: str, row: RepeatedRow, against: str | None, evaluations: Evaluations
) -> records.ComparedPart:
    system, seeds = row.system, _seeds(row, evaluations)
    own = evaluations.by_system[system]

    def judged(source: str) -> dict:
        theirs = evaluations.published(name, system, source=source)
        return compare(own.micro, theirs, own.mentions, [*seeds.values.values()] if seeds else [])

    return records.ComparedPart(
        **asdict(own.scores),
        paper=judged("values"),
        readme=judged("readme"),
        views_per_entity=own.views_per_entity,
        index=own.index,
        own_page_first=own.own_page_first,
        paired=evaluations.paired([system], [against]) if against not in (None, system) else None,
        seeds=seeds,
    )


def _seeds(row: RepeatedRow, evaluations: Evaluations) -> records.Seeds | None:
    if not row.repeats:
        return None
    systems = [row.system, *row.repeats]
    values = {system: evaluations.by_system[system].micro for system in systems}
    cutoffs = values[row.system]
    return records.Seeds(
        values=values,
        mean={k: mean(recall[k] for recall in values.values()) for k in cutoffs},
        spread={k: stdev(recall[k] for recall in values.values()) for k in cutoffs},
    )


def lines_of(table: records.ComparisonTable) -> list[Line]:
    """A line for each row and set, with the set's name over a knowledge base."""
    return [
        ({"method": row.method} | ({"Set": one.column} if table.kb else {}), row.sets[one.set])
        for one in table.sets
        for row in table.rows
    ]


def page(table: records.ComparisonTable) -> Page:
    lines, cutoffs, worlds = lines_of(table), table.cutoffs, table.kb is None
    heads = "" if worlds else "Set"
    of_paper = reference(cutoffs, lines)
    for part in of_paper:
        part.rows.extend(_quoted(table))
    sections = [
        _main(table),
        *([] if worlds else [_counts_of_sets(table)]),
        *of_paper,
        *reference(cutoffs, lines, "readme", "Against the released README"),
        *contrasts.section(table, cutoffs, heads),
        *([mean_of_worlds(table, cutoffs, lines)] if worlds else []),
        intervals(table, cutoffs, lines),
        *_paired_tests(table, lines),
        *_over_seeds(table, lines),
        *contrasts.section(table, cutoffs, heads, over_seeds=True),
        *([] if worlds else [_search_of_lines(lines)]),
    ]
    return Page(f"{table.caption}, {table.dataset}", sections)


def _main(table: records.ComparisonTable) -> Section:
    columns = [(one, k) for one in table.sets for k in table.cutoffs]
    further = _further(table)
    header = ["method", *further, *(f"{one.column} R@{k}".strip() for one, k in columns)]
    cells = []
    for row in table.rows:
        parts = [(row.sets[one.set], k) for one, k in columns]
        recall = [percent(part.hits[k], part.mentions) for part, k in parts]
        cells.append([row.method, *(own[row.system] for own in further.values()), *recall])
    best = best_cells(cells, range(len(header) - len(columns), len(header)))
    note = " ".join([note_of(table), *(FURTHER[name] for name in further)])
    return main_section(note, header, cells, table.rows, best)


def _further(table: records.ComparisonTable) -> dict[str, dict[str, str]]:
    """Columns of :data:`FURTHER` that a table has beside recall: a cell for each row's system.

    The paper's have none, and over a knowledge base pages of mentions are no entities.
    """
    parts = {row.system: row.sets[table.sets[0].set] for row in table.rows}
    if table.name in paper() or table.kb:
        return {}
    own = {name: part.own_page_first for name, part in parts.items()}
    vectors = {name: part.views_per_entity for name, part in parts.items()}
    found = {}
    if any(vectors.values()):
        found["vectors"] = {name: f"{n:.1f}" if n else "" for name, n in vectors.items()}
    if None not in own.values():
        found["own page"] = {name: percent(n, parts[name].mentions) for name, n in own.items()}
    return found


def _quoted(table: records.ComparisonTable) -> list[list[str]]:
    """The paper's rows that we do not reproduce."""
    rows = []
    for quoted, row in paper()[table.name].get("quoted", {}).items():
        values = dict(zip(paper()["columns"], row["values"], strict=True))
        found = [values.get(k) for k in table.cutoffs]
        rows.append([quoted, *("-" if value is None else f"{value:.2f}" for value in found)])
    return rows


def _paired_tests(table: records.ComparisonTable, lines: Sequence[Line]) -> list[Section]:
    tested = [(labels, part.paired) for labels, part in lines if part.paired is not None]
    if not tested:
        return []
    against = table.against.method
    note = (
        f"The row minus {against} in points over all mentions, its 95% interval (paired bootstrap "
        f"of {table.resample} within worlds) and a p-value: "
        f"{significance.method(table.resample)}. p-values are not corrected for the number of "
        "comparisons, and know nothing of seeds."
    )
    return [by_cutoff(table.cutoffs, f"Paired tests against {against}", note, tested, difference)]


def _over_seeds(table: records.ComparisonTable, lines: Sequence[Line]) -> list[Section]:
    repeated = [(labels, part.seeds) for labels, part in lines if part.seeds is not None]
    if not repeated:
        return []
    numbers = sorted({len(seeds.values) for _, seeds in repeated})
    note = (
        f"Mean of {' or '.join(map(str, numbers))} seeds, and their sample standard deviation in "
        "points. The rows above are the first seed's. Each seed draws the weights of an encoder "
        "from scratch, pre-training, the order of batches and dropout anew. The data stay, and so "
        "do a public encoder's weights."
    )

    def cell(seeds: records.Seeds, k: int) -> str:
        return f"{seeds.mean[k]:.2f} ± {seeds.spread[k]:.2f}"

    return [by_cutoff(table.cutoffs, "Over seeds", note, repeated, cell)]


def _counts_of_sets(table: records.ComparisonTable) -> Section:
    """Numbers of mentions of each set: all, inside and outside the KB, found by title."""
    header = [
        "Set", "mentions", "In-KB", "outside the KB", "by title only", "the paper's mentions",
        "BLINK's In-KB",
    ]  # fmt: skip
    grid = []
    for one in table.sets:
        theirs = one.published
        numbers = [
            one.mentions + one.outside, one.mentions, one.outside, one.matched_by_title,
            theirs.mentions if theirs else "", theirs.support if theirs else "",
        ]  # fmt: skip
        grid.append([one.column, *map(str, numbers)])
    note = (
        "Gold entities are found by Wikipedia id and, where linking.match says so, else by title; "
        "recall leaves out those that are outside. The paper gives the number of mentions in all, "
        "and quotes BLINK's numbers, which are over the mentions inside BLINK's own catalogue."
    )
    return Section("Mentions", note, header, grid)


def _search_of_lines(lines: Sequence[Line]) -> Section:
    """How each row searched each set: views per entity, the index and its agreement."""
    header = [
        "method", "Set", "views an entity", "Index", "agreement", "best found", "at k", "mentions",
    ]  # fmt: skip
    grid = []
    for labels, part in lines:
        index, views = part.index, part.views_per_entity
        cells = ["exact", "", "", "", ""]
        if index is not None:
            knob = f", {index.knob} {index.effort}" if index.knob else ""
            shares = [f"{share:.4f}" for share in (index.recall, index.best.found)]
            cells = [f"{index.factory}{knob}", *shares, str(index.k), str(index.mentions)]
        grid.append([*labels.values(), "" if views is None else f"{views:.2f}", *cells])
    note = (
        "Agreement of an index: the share of the k entities of exact search that it finds, and the "
        "share of mentions for which the best one is found, on a sample of mentions."
    )
    return Section("How candidates were found", note, header, grid)
