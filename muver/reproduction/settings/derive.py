"""What follows from the entries: variants of rows and models that a table, a sweep, further seeds
or a choice of validation ask for.

A variant is an entry beside those that are written, under their name with an ending.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.reproduction.settings.entries import (
    AnyModel,
    AnySystem,
    ByViews,
    Fused,
    Trained,
    named_by,
    renamed,
)
from muver.reproduction.settings.params import Resolved
from muver.reproduction.settings.rows import row_settings
from muver.reproduction.tables.tables_settings import Table
from muver.retriever.retrieval.retrieval_settings import open_choice

ELSEWHERE = "_elsewhere"  # ends the name of a row whose mentions' own pages are no candidates


def derive(settings: Resolved) -> None:
    """Add to the settings what their tables ask for.

    The rows of tables are written out, and a row that equals another of its table under a second
    name is left out.
    """
    for name in list(settings.systems):
        _deepen(settings, name)
    _write_out_the_sweep(settings)
    for name, table in settings.tables.items():
        table = _by_labels(settings, table)
        table = _by_protocol(settings, table)
        if not settings.over_kb:
            table = replace(table, rows=_distinct(settings, table.rows, table.against))
        settings.tables[name] = table
    for name, seeds in further_seeds(settings).items():
        rows = settings.tables[name].rows
        by_seed = {row: [_with_seed(settings, row, seed) for seed in seeds] for row in rows}
        settings.repeats[name] = {row: again for row, again in by_seed.items() if row not in again}
    for system in list(settings.systems):
        _try_each_value(settings, system)


def further_seeds(settings: Resolved) -> dict[str, list[int]]:
    """Further seeds of each table's rows; those of Table 1 are the top-level ``repeat_seeds``."""
    seeds = {name: table.repeat_seeds or [] for name, table in settings.tables.items()}
    return seeds | {"table1": settings.repeat_seeds}


def _deepen(settings: Resolved, name: str) -> None:
    """Make a fusion one of rows that keep as many candidates as it names."""
    entry = settings.systems[name]
    if not isinstance(entry, Fused) or not entry.depth:
        return
    parts = [f"{part}_{entry.depth}" for part in entry.fuse]
    for part, deep in zip(entry.fuse, parts, strict=True):
        _deepen(settings, part)
        _add(settings.systems, deep, replace(settings.systems[part], k=entry.depth))
    settings.systems[name] = replace(entry, fuse=tuple(parts), depth=UNSET)


def _write_out_the_sweep(settings: Resolved) -> None:
    """Make one row a layer and search of each system of Table 3 that merges."""
    table, rows = settings.tables["table3"], []
    for name in table.rows:
        system = settings.systems[name]
        layers = getattr(system, "merge_layers", 0)
        rows += [] if layers else [name]
        for search, layer in product(settings.sweep.searches, range(1, layers + 1)):
            if (layer, search) == (layers, system.search):
                rows.append(name)  # the row itself, under its own name and key
                continue
            swept = f"{name}_{search}_{layer}"
            _add(settings.systems, swept, replace(system, merge_layers=layer, search=search))
            settings.sweep_of[swept] = name
            rows.append(swept)
    settings.tables["table3"] = replace(table, rows=rows)


def _by_labels(settings: Resolved, table: Table) -> Table:
    """A table with each row at each share of the labels, which come before the row itself."""
    rows = []
    for row in table.rows:
        rows += [_with_labels(settings, row, share) for share in table.labelled or []]
        rows.append(row)
    return replace(table, rows=list(dict.fromkeys(rows)))


def _by_protocol(settings: Resolved, table: Table) -> Table:
    """A table with the rows of its protocol; contrasts are made within each protocol."""
    if not table.own_page or table.own_page == "keep":
        return table
    left_out = {row: _without_own_page(settings, row) for row in table.rows}
    if table.own_page == "both":
        rows = [name for row in table.rows for name in (row, left_out[row])]
    else:
        rows = list(left_out.values())
        table = replace(table, against=left_out.get(table.against, table.against))
    within = [pair for pair in settings.contrasts if left_out.keys() >= {*pair}]
    others = [(left_out[first], left_out[second]) for first, second in within]
    settings.contrasts.extend(pair for pair in others if pair not in settings.contrasts)
    return replace(table, rows=rows)


def _distinct(settings: Resolved, rows: list[str], against: str | None) -> list[str]:
    """The rows that differ from those before them by more than their name.

    Among equal rows the one named ``against``, which the others are tested against, stays, else
    the first.
    """
    settings_of = [row_settings(settings, row) for row in rows]
    tested = settings_of.index(settings_of[rows.index(against)]) if against in rows else None
    firsts = [n for n in range(len(rows)) if settings_of[n] not in settings_of[:n]]
    return [against if n == tested else rows[n] for n in firsts]


def _try_each_value(settings: Resolved, system: str) -> None:
    """Where validation chooses a value of the row's aggregate, add a system for each value."""
    entry = settings.systems[system]
    if not isinstance(entry, ByViews):
        return
    name = entry.aggregate or settings.aggregate
    aggregate = settings.aggregates[name]
    if choice := open_choice(aggregate.as_dict()):
        settings.tried[system] = []
        for value in getattr(aggregate, choice):
            end = f"_{choice}_{value}".replace(".", "_")  # a dot would begin a file's suffix
            _add(settings.aggregates, name + end, replace(aggregate, **{choice: value}))
            _add(settings.systems, system + end, replace(entry, aggregate=name + end))
            settings.tried[system].append(system + end)


# Variants of a row, which reach to the models and rows that it is made of.

Entry = AnyModel | AnySystem


def _without_own_page(settings: Resolved, row: str) -> str:
    """The row without the page that a mention stands on among its candidates."""

    def changed(entry: Entry) -> Entry:
        if isinstance(entry, Fused) or getattr(entry, "from_", UNSET):
            return entry
        return replace(entry, own_page="leave_out")

    return _varied(settings, row, ELSEWHERE, changed, lambda _, section: section == "systems")


def _with_seed(settings: Resolved, row: str, seed: int) -> str:
    """The row with models of this seed, and with it what they and the row are made of.

    An encoder that is neither made nor trained here is the same with every seed.
    """
    drawn = settings.encoder == "scratch" or settings.pretrain.steps > 0

    def changed(entry: Entry) -> Entry:
        if not isinstance(entry, Trained) or not (drawn or entry.training.labelled or entry.start):
            return entry
        return replace(entry, seed=seed)

    return _varied(settings, row, f"_seed{seed}", changed, lambda *_: True)


def _with_labels(settings: Resolved, row: str, share: float) -> str:
    """The row with models trained on a share of the labels, in as many steps as on all.

    What they start from and are mined by stays.
    """

    def changed(entry: Entry) -> Entry:
        if not isinstance(entry, Trained):
            return entry
        epochs = round(entry.training.epochs / share) if share else entry.training.epochs
        return replace(entry, training=replace(entry.training, labelled=share, epochs=epochs))

    end = f"_labels_{share:g}".replace(".", "_")
    return _varied(settings, row, end, changed, lambda entry, _: not isinstance(entry, Trained))


def _varied(
    settings: Resolved, name: str, end: str, changed: Callable[[Entry], Entry],
    reaches: Callable[[Entry, str], bool], section: str = "systems",
) -> str:  # fmt: skip
    """The name of an entry that is changed, as those are that it names where ``reaches`` is true of
    it and their section: with the ending, or its own where nothing has changed."""
    entries = getattr(settings, section)
    entry = entries[name]
    others = {
        (of, part): _varied(settings, part, end, changed, reaches, of)
        for of, part in named_by(entry)
        if reaches(entry, of)
    }
    variant = renamed(changed(entry), others)
    if variant == entry:
        return name
    _add(entries, name + end, variant)
    return name + end


def _add(entries: dict[str, Any], name: str, entry: Any) -> None:
    """Put an entry beside those that are written, which have none of its name but the same."""
    if entries.setdefault(name, entry) != entry:
        raise InputError(
            f"params.yaml: {name} is the name of what a table, a sweep or a choice adds. Rename "
            "the entry that has it."
        )
