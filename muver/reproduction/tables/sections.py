"""What people read below a table of recall: the sections that all layouts share."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from statistics import mean, stdev

from muver.io.text import bounds, counted, probability
from muver.reproduction.tables.cells import Place, Section, text_of
from muver.reproduction.tables.paper import CLAIMS, NOTES, VERDICTS, paper
from muver.reproduction.tables.records import (
    LEFT_OUT,
    MEAN,
    Contrast,
    Line,
    Published,
    Table,
    TableSet,
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
        sentences = [NOTES["of_sets"].format(entities=table.kb.entities, sizes=sizes)]
    else:
        (only,) = table.sets
        worlds = f"{counted(len(only.worlds), 'world')} ({', '.join(only.worlds)})"
        mentions = counted(only.mentions, "mention")
        sentences = [NOTES["of_worlds"].format(mentions=mentions, worlds=worlds)]
        if empty := only.worlds_without_mentions:
            sentences.append(f"Without mentions, and so without a number: {', '.join(empty)}.")
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
    sentences += [table.paper.note or "", f"Not in fp32: {'; '.join(reduced)}." if reduced else ""]
    return " ".join(filter(None, sentences))


def counts_of_sets(sets: Sequence[TableSet]) -> Section:
    """Numbers of mentions of each set: all, inside and outside the KB, found by title."""
    lines = [
        {
            "Set": of_set.column,
            "mentions": str(of_set.mentions + of_set.outside),
            "In-KB": str(of_set.mentions),
            "outside the KB": str(of_set.outside),
            "by title only": str(of_set.matched_by_title),
            "the paper's mentions": str(of_set.published.mentions) if of_set.published else "",
            "BLINK's In-KB": str(of_set.published.support) if of_set.published else "",
        }
        for of_set in sets
    ]
    return Section.of("Mentions", NOTES["mentions"], lines)


def intervals(table: Table, places: Sequence[Place]) -> Section:
    """The interval of each number."""
    return Section.at("How sure the numbers are", f"{table.interval}.", table, places, _bounds)


def _bounds(line: Line) -> str:
    return bounds([line.low, line.high])


def _with_bounds(line: Line) -> str:
    return f"{text_of(line)} ({_bounds(line)})"


def mean_of_worlds(table: Table, places: Sequence[Place]) -> Section:
    """Macro recall with its interval."""
    note = f"Macro recall: every world counts the same. In brackets the {table.interval}."
    means = [place._replace(world=MEAN) for place in places]
    return Section.at("Mean of worlds", note, table, means, _with_bounds)


def categories(table: Table) -> Section:
    """A line for each row in each category of mentions, of tables that have lines of them."""
    sizes = {line.category: line.mentions for line in table.lines if line.category}
    places = [
        Place(
            {"method": row.method, "Category": name, "mentions": str(sizes[name])},
            row, table.sets[0].set, category=name,
        )
        for name in sorted(sizes)
        for row in table.rows
    ]  # fmt: skip
    return Section.at("By category", "In brackets 95% intervals.", table, places, _with_bounds)


def both_protocols(table: Table) -> Section:
    """Rows that a table has under both protocols of the own page, side by side."""
    keys = {row.method: row.row_key for row in table.rows}
    lines = []
    for method, key in keys.items():
        if left_out := keys.get(f"{method}, {LEFT_OUT}"):
            line = {"method": method}
            for k in table.cutoffs:
                recall = (text_of(table.line(of_row, k)) for of_row in (key, left_out))
                line[f"R@{k}"] = " / ".join(recall)
            lines.append(line)
    return Section.of("Both protocols of the own page", NOTES["protocols"], lines)


def over_seeds(table: Table, places: Sequence[Place]) -> Section:
    """The mean and the spread of rows that have several seeds, and beside them all other rows."""
    numbers = sorted({len(place.row.seeds) for place in places} - {0, 1})
    note = NOTES["over_seeds"].format(numbers=" or ".join(map(str, numbers)))
    lines = []
    for place in places if numbers else []:
        line = dict(place.labels)
        for k in table.cutoffs:
            line[f"R@{k}"] = text_of(place.line(table, k))
            if len(place.row.seeds) > 1:
                drawn = [place.line(table, k, key).recall for key in place.row.seeds.values()]
                line[f"R@{k}"] = f"{mean(drawn):.2f} ± {stdev(drawn):.2f}"
        lines.append(line)
    return Section.of("Over seeds", note, lines)


def reference(table: Table, places: Sequence[Place], source: str, heading: str) -> Section:
    """Published numbers beside those of our rows that have some; of the paper all that it has."""
    lines = []
    for place in places:
        published = {k: table.judged(place.line(table, k)).get(source) for k in table.cutoffs}
        if any(published.values()):
            lines.append(
                place.labels | {f"R@{k}": _beside(number) for k, number in published.items()}
            )
    if lines and source == "paper":
        lines += _quoted(table)
    counts = Counter(number.verdict for number in table.published if number.source == source)
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    where = paper()["source" if source == "paper" else f"{source}_source"]
    return Section.of(
        heading, NOTES["reference"].format(source=where, rule=RULE, tally=tally), lines
    )


def _beside(number: Published | None) -> str:
    if number is None:
        return "-"
    apart = f"{number.difference:+z.2f} ± {number.half_width:.2f}"
    return f"{number.recall:.2f} ({apart}, {number.verdict})"


def _quoted(table: Table) -> Iterator[dict[str, str]]:
    """The paper's rows that we do not reproduce."""
    for quoted, row in paper()[table.name].get("quoted", {}).items():
        values = dict(zip(paper()["columns"], row["values"], strict=True))
        printed = {f"R@{k}": values.get(k) for k in table.cutoffs}
        recall = {
            title: "-" if value is None else f"{value:.2f}" for title, value in printed.items()
        }
        yield {"method": quoted, **recall}


def contrasted(table: Table, kind: str) -> list[dict[int, Contrast]]:
    """Contrasts of a kind by cutoff."""
    of_kind = (contrast for contrast in table.contrasts if contrast.kind == kind)
    pairs = groupby(of_kind, attrgetter("first", "second", "set", "world"))
    return [{contrast.k: contrast for contrast in by_cutoff} for _, by_cutoff in pairs]


def contrasts(table: Table, kind: str, heading: str) -> Section:
    """The section of a table's contrasts of a kind."""
    if not (pairs := contrasted(table, kind)):
        return Section.of(heading, "", [])
    methods = {row.system: row.method for row in table.rows}
    other = methods.get(table.against) if kind == "against" else "another"
    both = kind == "against" and len({line.protocol for line in table.lines}) > 1
    note = NOTES["contrasts"].format(
        other=f"{other}{' under its own protocol' * both}", resample=table.resample,
        method=significance.method(table.resample), seeds=NOTES[kind],
    )  # fmt: skip
    verdicts = (contrast.verdict for contrast in table.contrasts if contrast.kind == kind)
    if counts := Counter(filter(None, verdicts)):
        tally = ", ".join(f"{counts[word]} {word}" for word in CLAIMS)
        note += " " + NOTES["claimed"].format(source=paper()["source"], tally=tally)
    lines = []
    for by_k in pairs:
        contrast = next(iter(by_k.values()))
        of_set = table.columns.get(contrast.set)
        labels = {"method": contrast.method, "Set": of_set, "Domain": contrast.world}
        cells = {f"R@{k}": difference(contrast) for k, contrast in by_k.items()}
        lines.append({title: text for title, text in labels.items() if text} | cells)
    return Section.of(heading.format(other), note, lines)


def difference(contrast: Contrast) -> str:
    """A difference with its interval and p-value, and beside it the paper's with a verdict."""
    sure = bounds([contrast.low, contrast.high], sign=True)
    text = f"{contrast.difference:+z.2f} ({sure}), {probability(contrast.p_value)}"
    if contrast.verdict:
        text += f"; paper {contrast.paper:+z.2f}: {contrast.verdict}"
    return text


def search(places: Sequence[Place]) -> Section:
    """How each row searched each set: views per entity, the index and its agreement."""
    lines = []
    for place in places:
        how = place.row.sets[place.set]
        index, views = how.index, how.views_per_entity
        cells = {
            "views an entity": "" if views is None else f"{views:.2f}",
            "Index": "exact",
            **dict.fromkeys(("agreement", "best found", "at k", "mentions"), ""),
        }
        if index is not None:
            knob = f", {index.knob} {index.effort}" if index.knob else ""
            cells |= {
                "Index": f"{index.factory}{knob}",
                "agreement": f"{index.recall:.4f}",
                "best found": f"{index.best.found:.4f}",
                "at k": str(index.k),
                "mentions": str(index.mentions),
            }
        lines.append(place.labels | cells)
    return Section.of("How candidates were found", NOTES["search"], lines)
