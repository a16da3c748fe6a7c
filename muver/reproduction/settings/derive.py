"""What follows from the entries of params.yaml: a sweep's rows, further seeds, tried values."""

from typing import Any

from msgspec.structs import replace

from muver.io.errors import InputError
from muver.reproduction.settings.params import Resolved
from muver.reproduction.settings.rows import row_settings, trainings_of
from muver.retriever.retrieval.settings import open_choice


def derive(settings: Resolved) -> None:
    """Add to the settings what the sweep, ``repeat_seeds``, averages and several values ask for.

    Models, systems and aggregates come beside those of params.yaml. The rows of ``tables.table3``
    are written out, and a row that equals another of its table under a second name is left out.
    """
    _write_out_the_sweep(settings)
    if not settings.over_kb:
        for name, table in settings.tables.items():
            rows = _distinct(settings, table.rows, table.against)
            settings.tables[name] = replace(table, rows=rows)
    for name, seeds in further_seeds(settings).items():
        rows = settings.tables[name].rows
        made = {row: [_with_seed(settings, row, seed) for seed in seeds] for row in rows}
        settings.repeats[name] = {row: again for row, again in made.items() if row not in again}
    for model in list(settings.models):
        _add_trainings(settings, model)
    for system in list(settings.systems):
        _try_each_value(settings, system)


def further_seeds(settings: Resolved) -> dict[str, list[int]]:
    """Further seeds of each table's rows; those of Table 1 are the top-level ``repeat_seeds``."""
    own = {name: table.repeat_seeds or [] for name, table in settings.tables.items()}
    return own | {"table1": settings.repeat_seeds}


def _distinct(settings: Resolved, rows: list[str], against: str | None) -> list[str]:
    """The rows that differ from those before them by more than their name.

    Of equal ones the row ``against`` which a table tests stands for all, else the first.
    """
    made = [{**row_settings(settings, row), "system": None} for row in rows]
    tested = made.index(made[rows.index(against)]) if against in rows else None
    firsts = [n for n in range(len(rows)) if made[n] not in made[:n]]
    return [against if n == tested else rows[n] for n in firsts]


def _add_trainings(settings: Resolved, model: str) -> None:
    """The further trainings whose mean weights a model has, which start as the first one does."""
    if mean := settings.models[model].average:
        _, *further = trainings_of(settings, mean).items()
        for name, seed in further:
            _add(settings.models, name, replace(settings.models[mean.of], seed=seed))
            settings.again[name] = mean.of


def _try_each_value(settings: Resolved, system: str) -> None:
    """Where validation chooses a value of the row's aggregate, add a system for each value."""
    own = settings.systems[system]
    if not own.model or own.retriever:
        return
    name = own.aggregate or settings.aggregate
    aggregate = settings.aggregates[name]
    if choice := open_choice(aggregate.as_dict()):
        settings.tried[system] = []
        for value in getattr(aggregate, choice):
            end = f"_{choice}_{value}".replace(".", "_")  # a dot would begin a file's suffix
            _add(settings.aggregates, name + end, replace(aggregate, **{choice: value}))
            _add(settings.systems, system + end, replace(own, aggregate=name + end))
            settings.tried[system].append(system + end)


def _write_out_the_sweep(settings: Resolved) -> None:
    """Make one row a layer and search of each system of Table 3 that merges."""
    table, rows = settings.tables["table3"], []
    for name in table.rows:
        system = settings.systems[name]
        layers = system.merge_layers or 0
        rows += [] if layers else [name]
        for search in settings.sweep.searches if layers else []:
            for layer in range(1, layers + 1):
                if (layer, search) == (layers, system.search or "distant"):
                    rows.append(name)  # the row itself, under its own name and key
                    continue
                swept = f"{name}_{search}_{layer}"
                _add(settings.systems, swept, replace(system, merge_layers=layer, search=search))
                settings.sweep_of[swept] = name
                rows.append(swept)
    settings.tables["table3"] = replace(table, rows=rows)


def _with_seed(settings: Resolved, system: str, seed: int) -> str:
    """The row with a model of this seed, and with it the rows whose runs it is made of."""
    own, made = settings.systems[system], {}
    if own.model:
        made["model"] = _model_with_seed(settings, own.model, seed)
    if own.fuse:
        made["fuse"] = tuple(_with_seed(settings, part, seed) for part in own.fuse)
    if own.from_:
        made["from_"] = _with_seed(settings, own.from_, seed)
    again = replace(own, **made)
    if again == own:
        return system  # nothing is drawn
    name = f"{system}_seed{seed}"
    _add(settings.systems, name, again)
    return name


def _model_with_seed(settings: Resolved, model: str, seed: int) -> str:
    """The model trained again, and with it what it starts from and what finds its negatives."""
    own = settings.models[model]
    if own.checkpoint:
        return model  # nothing is drawn
    name, made = f"{model}_seed{seed}", {"seed": seed}
    if own.best_of:
        made = {"best_of": [_model_with_seed(settings, one, seed) for one in own.best_of]}
    if own.average:
        of = _model_with_seed(settings, own.average.of, seed)
        made = {"average": replace(own.average, of=of)}
    if own.start:
        made["start"] = _model_with_seed(settings, own.start, seed)
    if own.negatives:
        found_by = _with_seed(settings, own.negatives.from_, seed)
        made["negatives"] = replace(own.negatives, from_=found_by)
    _add(settings.models, name, replace(own, **made))
    return name


def _add(entries: dict[str, Any], name: str, entry: Any) -> None:
    """Put an entry beside those of params.yaml, which has none of its name but the same."""
    if entries.setdefault(name, entry) != entry:
        raise InputError(
            f"params.yaml: {name} is the name of what a sweep, repeat_seeds or several values of a "
            "choice add. Rename the entry that has it."
        )
