"""What people read below a table of recall: the sections that all layouts share."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from statistics import mean, stdev

from muver.io.text import bounds, counted, probability
from muver.reproduction.tables.cells import (
    Column,
    Layout,
    Place,
    Section,
    labelled,
    pivot,
    text_of,
)
from muver.reproduction.tables.paper import CLAIMS, NOTES, VERDICTS, paper
from muver.reproduction.tables.records import (
    LEFT_OUT,
    MEAN,
    Contrast,
    Line,
    Published,
    Table,
    TableRow,
)
from muver.retriever.evaluation import significance
from muver.retriever.evaluation.records import in_words

RULE = NOTES["rule"].format(near=paper()["tolerance"]["near"])


def note_of(table: Table) -> str:
    """What the table measures, why published numbers are missing, and rows not in fp32."""
    if table.kb:
        sizes = "; ".join(
            f"{of_set.column} {of_set.mentions} mentions (outside: {of_set.outside})"
            for of_set in table.sets
        )
        said = [NOTES["of_sets"].format(entities=table.kb.entities, sizes=sizes)]
    else:
        (only,) = table.sets
        worlds = f"{counted(len(only.worlds), 'world')} ({', '.join(only.worlds)})"
        mentions = counted(only.mentions, "mention")
        said = [NOTES["of_worlds"].format(mentions=mentions, worlds=worlds)]
        if empty := only.worlds_without_mentions:
            said.append(f"Without mentions, and so without a number: {', '.join(empty)}.")
    methods: dict[str, dict[str, None]] = {}  # each method once, in the table's order
    for row in table.rows:
        if row.precision:
            methods.setdefault(in_words(row.precision), {})[row.method] = None
    every = {row.method for row in table.rows}
    with_vectors = {row.method for row in table.rows if row.views_per_entity}
    named = {frozenset(with_vectors): "any row with vectors", frozenset(every): "any row"}
    reduced = [
        f"{named.get(frozenset(names), ', '.join(names))} ({precision})"
        for precision, names in methods.items()
    ]
    said += [table.paper.note or "", f"Not in fp32: {'; '.join(reduced)}." if reduced else ""]
    return " ".join(filter(None, said))


def counts_of_sets(table: Table) -> Section:
    """Numbers of mentions of each set: all, inside and outside the KB, found by title."""
    header = [
        "Set", "mentions", "In-KB", "outside the KB", "by title only", "the paper's mentions",
        "BLINK's In-KB",
    ]  # fmt: skip
    grid = []
    for of_set in table.sets:
        theirs = of_set.published
        numbers = [
            of_set.mentions + of_set.outside, of_set.mentions, of_set.outside,
            of_set.matched_by_title,
            theirs.mentions if theirs else "", theirs.support if theirs else "",
        ]  # fmt: skip
        grid.append([of_set.column, *map(str, numbers)])
    return Section("Mentions", NOTES["mentions"], header, grid)


def bounds_of(line: Line) -> str:
    """A line's interval."""
    return bounds([line.low, line.high])


def with_bounds(line: Line) -> str:
    """A line's recall with its interval in brackets."""
    return f"{text_of(line)} ({bounds_of(line)})"


def mean_of_worlds(shown: Layout) -> list[Section]:
    """Macro recall with its interval."""
    interval = shown.table.interval
    note = f"Macro recall: every world counts the same. In brackets the {interval}."
    means = [column._replace(world=MEAN) for column in shown.columns]
    return shown._replace(columns=means).section("Mean of worlds", note, with_bounds)


def categories(shown: Layout) -> list[Section]:
    """A line for each row in each category of mentions, of tables that have lines of them."""
    table = shown.table
    sizes = {line.category: line.mentions for line in table.lines if line.category}
    places = [
        Place(
            {"method": row.method, "Category": name, "mentions": str(sizes[name])},
            row, table.sets[0].set, category=name,
        )
        for name in sorted(sizes)
        for row in table.rows
    ]  # fmt: skip
    by_category = shown._replace(places=places)
    return by_category.section("By category", "In brackets 95% intervals.", with_bounds)


def both_protocols(shown: Layout) -> list[Section]:
    """Rows that a table has under both protocols of the own page, side by side."""
    table = shown.table
    rows = {row.method: row for row in table.rows}
    both = {method: (row, rows.get(f"{method}, {LEFT_OUT}")) for method, row in rows.items()}
    lines = [({"method": method}, pair) for method, pair in both.items() if pair[1]]

    def cell(pair: tuple[TableRow, TableRow], column: Column) -> str:
        return " / ".join(text_of(table.line(row.row_key, column.k)) for row in pair)

    heading = "Both protocols of the own page"
    return pivot(heading, NOTES["protocols"], lines, shown.columns, cell)


def over_seeds(shown: Layout) -> list[Section]:
    """The mean and the spread of rows that have several seeds."""
    seeded = [place for place in shown.places if len(place.row.seeds) > 1]
    numbers = sorted({len(place.row.seeds) for place in seeded})
    note = NOTES["over_seeds"].format(numbers=" or ".join(map(str, numbers)))

    def cell(place: Place, column: Column) -> str:
        drawn = [column.line(shown.table, place, key) for key in place.row.seeds.values()]
        found = [line.recall for line in drawn if line]
        return f"{mean(found):.2f} ± {stdev(found):.2f}" if len(found) > 1 else ""

    return pivot("Over seeds", note, labelled(seeded), shown.columns, cell)


def reference(shown: Layout, source: str, heading: str) -> list[Section]:
    """The section of published numbers beside our rows, if any; of the paper all that it has."""
    table = shown.table

    def number(line: Line) -> Published | None:
        return next((found for found in table.judged(line) if found.source == source), None)

    def cell(line: Line) -> str:
        if (found := number(line)) is None:
            return "-"
        apart = f"{found.difference:+z.2f} ± {found.half_width:.2f}"
        return f"{found.recall:.2f} ({apart}, {found.verdict})"

    counts = Counter(found.verdict for found in table.published if found.source == source)
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    where = paper()["source" if source == "paper" else f"{source}_source"]
    note = NOTES["reference"].format(source=where, rule=RULE, tally=tally)
    places = [
        place
        for place in shown.places
        if any(number(column.line(table, place)) for column in shown.columns)
    ]
    found = shown._replace(places=places).section(heading, note, cell)
    for section in found if source == "paper" else ():
        section.rows.extend(_quoted(table))
    return found


def _quoted(table: Table) -> list[list[str]]:
    """The paper's rows that we do not reproduce."""
    rows = []
    for quoted, row in paper()[table.name].get("quoted", {}).items():
        values = dict(zip(paper()["columns"], row["values"], strict=True))
        found = [values.get(k) for k in table.cutoffs]
        rows.append([quoted, *("-" if value is None else f"{value:.2f}" for value in found)])
    return rows


def contrasted(table: Table, kind: str) -> list[dict[int, Contrast]]:
    """Contrasts of a kind by cutoff."""
    of_kind = (contrast for contrast in table.contrasts if contrast.kind == kind)
    pairs = groupby(of_kind, attrgetter("first", "second", "set", "world"))
    return [{contrast.k: contrast for contrast in by_cutoff} for _, by_cutoff in pairs]


def contrasts(shown: Layout, kind: str, heading: str) -> list[Section]:
    """The section of a table's contrasts of a kind, if it has any."""
    table = shown.table
    if not (found := contrasted(table, kind)):
        return []
    rows = table.row(table.against).method if kind == "against" else "another"
    both = kind == "against" and len({line.protocol for line in table.lines}) > 1
    note = NOTES["contrasts"].format(
        other=f"{rows}{' under its own protocol' * both}", resample=table.resample,
        method=significance.method(table.resample), seeds=NOTES[kind],
    )  # fmt: skip
    if counts := Counter(
        contrast.verdict for by_k in found for contrast in by_k.values() if contrast.verdict
    ):
        tally = ", ".join(f"{counts[word]} {word}" for word in CLAIMS)
        note += " " + NOTES["claimed"].format(source=paper()["source"], tally=tally)
    titles, lines = {of_set.set: of_set.column for of_set in table.sets}, []
    for by_k in found:
        contrast = next(iter(by_k.values()))
        of_set = {"Set": titles[contrast.set]} if table.kb else {}
        of_world = {"Domain": contrast.world} if contrast.world else {}
        lines.append(({"method": contrast.method, **of_set, **of_world}, by_k))

    def cell(by_k: dict[int, Contrast], column: Column) -> str:
        return difference(by_k[column.k])

    return pivot(heading.format(rows), note, lines, shown.columns, cell)


def difference(contrast: Contrast) -> str:
    """A difference with its interval and p-value, and beside it the paper's with a verdict."""
    sure = bounds([contrast.low, contrast.high], sign=True)
    text = f"{contrast.difference:+z.2f} ({sure}), {probability(contrast.p_value)}"
    return (
        text
        if contrast.verdict is None
        else f"{text}; paper {contrast.paper:+z.2f}: {contrast.verdict}"
    )


def search(places: Sequence[Place]) -> Section:
    """How each row searched each set: views per entity, the index and its agreement."""
    header = [
        "method", "Set", "views an entity", "Index", "agreement", "best found", "at k", "mentions",
    ]  # fmt: skip
    grid = []
    for place in places:
        how = place.row.sets[place.set]
        index, views = how.index, how.views_per_entity
        cells = ["exact", "", "", "", ""]
        if index is not None:
            knob = f", {index.knob} {index.effort}" if index.knob else ""
            agreed = [f"{share:.4f}" for share in (index.recall, index.best.found)]
            cells = [f"{index.factory}{knob}", *agreed, str(index.k), str(index.mentions)]
        mean = "" if views is None else f"{views:.2f}"
        grid.append([*place.labels.values(), mean, *cells])
    return Section("How candidates were found", NOTES["search"], header, grid)
