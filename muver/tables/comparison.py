"""Tables that compare the recall of systems, one per row, on one or more sets of mentions.

Table 1 and our own tables have one set, a split of worlds; Table 2 has three over one knowledge
base.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import mean, stdev
from typing import Any

from muver.tables import contrasts
from muver.tables.evaluations import Evaluations, TableFiles, head, identity, read_evaluations
from muver.tables.numbers import percent
from muver.tables.page import Page, Section, best_cells
from muver.tables.paper import paper
from muver.tables.sections import (
    by_cutoff,
    counts_of_sets,
    intervals,
    lines_of,
    main_section,
    mean_of_worlds,
    note_of,
    paired_tests,
    reference,
    search_of_lines,
)
from muver.tables.settings import Comparison, RepeatedRow, systems_of
from muver.tables.verdict import compare

Table = dict[str, Any]


def build(name: str, caption: str, settings: Comparison, files: TableFiles) -> Table:
    """The table as data, in full precision.

    Returns
    -------
    The head (:func:`muver.tables.evaluations.head`); ``contrasts``, over a knowledge base each with
    its ``set``; and ``rows``, with for each set: the counts of hits; recall in percent (micro, and
    macro, the mean of worlds) with bootstrap intervals; ``paired``, the comparison with the row
    of ``against`` (None for that row itself); ``seeds``, each seed's recall with mean and sample
    standard deviation (None without repeats); the ``index`` with its agreement (None for exact
    search); and, if the set is the paper's, published values, differences in points and verdicts.
    """
    found = read_evaluations(files, systems_of(settings.rows), settings.sets)
    table = head(name, "comparison", caption, found)
    methods = {row.system: row.method for row in settings.rows}
    built = []
    for one in table["sets"]:
        evaluations = found[one["set"]]
        published = partial(evaluations.published, name)
        label = {"set": one["column"]} if table["kb"] else {}
        built += [
            {**contrast, **label}
            for contrast in contrasts.build(settings.contrasts, methods, evaluations, published)
        ]
    against = settings.against
    return {
        **table,
        "against": against and {"system": against, "method": methods[against]},
        "rows": [
            {
                **identity(row, found),
                "sets": {
                    one: _measured(name, row, against, evaluations)
                    for one, evaluations in found.items()
                },
            }
            for row in settings.rows
        ],
        "contrasts": built,
    }


def _measured(
    name: str, row: RepeatedRow, against: str | None, evaluations: Evaluations
) -> dict[str, Any]:
    """The results of a row on one set."""
    system = row.system
    found = evaluations.by_system[system]
    seeds = _seeds(row, evaluations)
    measured = (found["mentions"], [*seeds["values"].values()] if seeds else [])
    values = evaluations.published(name, system)
    readme = evaluations.published(name, system, source="readme")
    tested = against is not None and system != against
    return {
        **{key: found[key] for key in ("mentions", "hits", "micro", "interval", "macro")},
        **{key: found[key] for key in ("worlds", "views_per_entity", "index")},
        "paired": evaluations.paired(system, against) if tested else None,
        "seeds": seeds,
        **compare(found["micro"], values, *measured),
        **compare(found["micro"], readme, *measured, "readme"),
    }


def _seeds(row: RepeatedRow, evaluations: Evaluations) -> dict[str, Any] | None:
    systems = [row.system, *row.repeats]
    if len(systems) == 1:
        return None
    values = {system: evaluations.by_system[system]["micro"] for system in systems}
    cutoffs = values[row.system]
    return {
        "values": values,
        "mean": {k: mean(recall[k] for recall in values.values()) for k in cutoffs},
        "spread": {k: stdev(recall[k] for recall in values.values()) for k in cutoffs},
    }


def page(table: Table) -> Page:
    """The table for people."""
    lines, kb, cutoffs = lines_of(table), table["kb"], table["cutoffs"]
    sections = [
        _main(table),
        *([counts_of_sets(table)] if kb else []),
        *_references(table, lines),
        *contrasts.section(table, cutoffs),
        *([] if kb else [mean_of_worlds(table, cutoffs, lines)]),
        intervals(table, cutoffs, lines),
        *paired_tests(table, lines),
        *_over_seeds(table, lines),
        *([search_of_lines(lines)] if kb else []),
    ]
    return Page(f"{table['caption']}, {table['dataset']}", sections)


def _main(table: Table) -> Section:
    columns = [(one, str(k)) for one in table["sets"] for k in table["cutoffs"]]
    header = ["method", *(f"{one['column']} R@{k}".strip() for one, k in columns)]
    cells = []
    for row in table["rows"]:
        parts = [(row["sets"][one["set"]], k) for one, k in columns]
        recalls = [percent(part["hits"][k], part["mentions"]) for part, k in parts]
        cells.append([row["method"], *recalls])
    best = best_cells(cells, range(1, len(header)))
    return main_section(note_of(table), header, cells, table["rows"], best)


def _references(table: Table, lines: Sequence[Mapping[str, Any]]) -> list[Section]:
    published, cutoffs = paper(), table["cutoffs"]
    of_paper = reference(cutoffs, lines, "paper", "Against the paper", published["source"])
    for part in of_paper:
        part.rows.extend(_quoted(table))
    heading = "Against the released README"
    return of_paper + reference(cutoffs, lines, "readme", heading, published["readme_source"])


def _quoted(table: Table) -> list[list[str]]:
    """The paper's rows that we do not reproduce."""
    rows = []
    for quoted, row in paper()[table["name"]].get("quoted", {}).items():
        values = dict(zip(paper()["columns"], row["values"], strict=True))
        found = [values.get(k) for k in table["cutoffs"]]
        rows.append([quoted, *("-" if value is None else f"{value:.2f}" for value in found)])
    return rows


def _over_seeds(table: Table, lines: Sequence[Mapping[str, Any]]) -> list[Section]:
    repeated = [line for line in lines if line["seeds"] is not None]
    if not repeated:
        return []
    numbers = sorted({len(line["seeds"]["values"]) for line in repeated})
    note = (
        f"Mean of {' or '.join(map(str, numbers))} seeds, and their sample standard deviation in "
        "points. The rows above are the first seed's."
    )

    def cell(line: Mapping[str, Any], k: str) -> str:
        return f"{line['seeds']['mean'][k]:.2f} ± {line['seeds']['spread'][k]:.2f}"

    return [by_cutoff(table["cutoffs"], "Over seeds", note, repeated, cell)]
