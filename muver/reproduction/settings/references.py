"""What types cannot say of settings: that names exist, and that choices fit together."""

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from typing import Any

from muver.io.errors import InputError
from muver.io.typed import suggestion
from muver.reproduction.settings.derive import further_seeds
from muver.reproduction.settings.entries import (
    FORMS,
    ByViews,
    Chosen,
    Fused,
    Named,
    Trained,
    named_by,
)
from muver.reproduction.settings.params import LINKED, Resolved
from muver.reproduction.settings.rows import (
    OF_FIRST_STAGE,
    models_of,
    shared_settings,
    to_search_a_kb,
    towers_of,
    views_of,
)
from muver.retriever.retrieval.kinds.signals import SIGNALS
from muver.retriever.training.training_settings import misfit

BUILT = ("table4", "table5", "grid")  # results without rows that could be chosen
TAKEN = (*BUILT, "report")  # names that are no table's or figure's
PAPERS = ("table1", "table2", "table3", "table6")  # whose captions are known
# Keys that hold names, and the section that has the entries of these names.
NAMES = (
    ("models.*.best_of", "models"),
    ("models.*.start", "models"),
    ("models.*.negatives.from", "systems"),
    ("systems.*.model", "models"),
    ("systems.*.fuse", "systems"),
    ("systems.*.from", "systems"),
    ("systems.*.of", "systems"),  # or signals
    ("systems.*.search", "merge.searches"),
    ("systems.*.aggregate", "aggregates"),
    ("aggregate", "aggregates"),
    ("systems.*.index", "linking.indexes"),
    ("tables.*.rows", "systems"),
    ("tables.*.against", "systems"),
    ("contrasts.*", "systems"),
    ("sweep.searches", "merge.searches"),
    ("figures.*.rows", "systems"),
    ("grid.models", "models"),
    ("linking.train", "linking.sets"),
    ("linking.validation", "linking.sets"),
    ("linking.test", "linking.sets"),
)


def check_references(settings: Resolved) -> None:
    """Refuse settings that name what is not there, or do not fit together."""
    checks = (_names, _origins, _models, _systems, _tables, _knowledge_base, _seeds)
    for mistake in chain.from_iterable(check(settings) for check in checks):
        raise InputError(f"params.yaml: {mistake}")


def _names(settings: Resolved) -> Iterator[str]:
    written = settings.as_dict()
    for pattern, section in NAMES:
        ((_, known),) = _values(written, section.split("."))
        known = [*SIGNALS, *known] if pattern.endswith(".of") else known
        yield from _unknown(_values(written, pattern.split(".")), known)
    results = [*settings.tables, *settings.figures, *BUILT]
    yield from _unknown([("results", settings.results)], results)


def _unknown(values: Iterable[tuple[str, Any]], known: Iterable[str]) -> Iterator[str]:
    for key, value in values:
        several = isinstance(value, list | tuple)
        for name in value if several else [value]:
            if name is not None and name not in known:
                yield f"{key} {'names' if several else 'is'} {name!r}{suggestion(name, known)}"


def _values(value: Any, pattern: list[str], key: str = "") -> Iterator[tuple[str, Any]]:
    """Keys that match a dotted pattern, in which ``*`` is any name, with their values."""
    if not pattern:
        yield key, value
        return
    first, *rest = pattern
    inner = dict(enumerate(value)) if isinstance(value, list) else value
    for name in inner if first == "*" else inner.keys() & {first}:
        yield from _values(inner[name], rest, f"{key}.{name}" if key else str(name))


def _origins(settings: Resolved) -> Iterator[str]:
    """Models and rows that are made of themselves, through those that they name."""
    try:
        TopologicalSorter(_made_of(settings)).prepare()
    except CycleError as error:
        first, *_ = circle = error.args[1][::-1]
        yield (
            f"{first}: is made of itself ({' <- '.join(circle)}). Name another model or row in one "
            "of them."
        )


def _made_of(settings: Resolved) -> dict[str, list[str]]:
    """The models and rows that each is made of, as dotted keys."""
    return {
        f"{section}.{name}": [".".join(part) for part in named_by(entry)]
        for section in FORMS
        for name, entry in getattr(settings, section).items()
    }


def _models(settings: Resolved) -> Iterator[str]:
    for name, entry in settings.models.items():
        if isinstance(entry, Chosen):
            yield from _choice(settings, f"models.{name}.best_of", entry)
        if isinstance(entry, Trained):
            yield from _training(settings, f"models.{name}", entry)
    for model in settings.grid.models:
        entry = settings.models[model]
        if not isinstance(entry, Trained):
            yield f"grid.models names {model!r}, which is not trained as one model."
        elif entry.score == "cross":
            yield f"grid.models names {model!r}, a cross-encoder. Name models of two towers."
    yield from _compared(settings, "grid.models", settings.grid.models)


def _training(settings: Resolved, where: str, entry: Trained) -> Iterator[str]:
    if wrong := misfit(entry.training, entry.views):
        yield f"{where}: {wrong}"
    if entry.score == "cross" and (entry.start or not entry.negatives):
        yield (
            f"{where}: a cross-encoder starts from the encoder, and tells the gold from "
            "candidates of another row. Set negatives, and leave out start."
        )
    if entry.start and towers_of(settings, entry.start).score == "cross":
        yield f"{where}.start: {entry.start} is a cross-encoder. Name a model of two towers."


def _choice(settings: Resolved, where: str, entry: Chosen) -> Iterator[str]:
    among = [settings.models[other] for other in entry.best_of]
    for other, model in zip(entry.best_of, among, strict=True):
        if not isinstance(model, Trained):
            yield f"{where}: {other} is not trained here, so validation has no say."
            return
    if entry.after and any(each.start or each.negatives for each in among):
        yield f"{where}: after is for models that start from the encoder, without negatives."
    if len({(each.score, each.metric) for each in among}) > 1:
        yield f"{where}: its models differ in score or metric."
    yield from _compared(settings, where, entry.best_of)


def _compared(settings: Resolved, where: str, models: Iterable[str]) -> Iterator[str]:
    """Models that validation chooses among are compared at one cutoff."""
    trained = (settings.models[model] for model in models)
    if len({entry.training.validation_cutoff for entry in trained}) > 1:
        yield f"{where}: its models differ in training.validation_cutoff. Give all the same."


def _systems(settings: Resolved) -> Iterator[str]:
    for name, system in settings.systems.items():
        match system:
            case Fused():
                yield from _fusion(settings, name, system)
            case Named(from_=first) if first:
                yield from _second_stage(settings, name, system)
            case Named(of=of) if of:
                yield from _too_deep(settings, "signals.cutoff", settings.signals.cutoff, name)
            case ByViews():
                yield from _by_views(settings, name, system)


def _second_stage(settings: Resolved, name: str, entry: Named) -> Iterator[str]:
    for key in OF_FIRST_STAGE:
        if getattr(entry, key):
            yield f"systems.{name}.{key}: is that of {entry.from_}. Set it there."
    if entry.model and towers_of(settings, entry.model).score != "cross":
        yield f"systems.{name}: {entry.model} retrieves. Name a model whose score is cross."


def _by_views(settings: Resolved, name: str, entry: ByViews) -> Iterator[str]:
    where, towers = f"systems.{name}", towers_of(settings, entry.model)
    if towers.score == "cross":
        yield f"{where}: {entry.model} only reranks. Set retriever to rerank, and from to a row."
        return
    views = views_of(settings, entry)
    if towers.score == "sum_max" and (
        views["aggregate"] != "max" or entry.merge_layers or entry.global_view
    ):
        yield (
            f"{where}: {entry.model} compares token vectors, which are neither merged nor "
            "summed over views. Set aggregate to max and leave out merge_layers."
        )
    if not isinstance(entry.global_view, bool) and towers.metric == "l2":
        yield (
            f"{where}.global_view: a sum of vectors has no meaning by distances. Set it to true "
            "or false, or metric to dot."
        )
    if entry.merge_layers > settings.merge.layers:
        yield (
            f"{where}.merge_layers is {entry.merge_layers}, but merge.layers is only "
            f"{settings.merge.layers}. Raise merge.layers."
        )


def _fusion(settings: Resolved, name: str, entry: Fused) -> Iterator[str]:
    if entry.own_page:
        yield f"systems.{name}.own_page: is that of its parts. Set it there."
    match = shared_settings(settings, name)["match"]
    parts = {part: shared_settings(settings, part) for part in entry.fuse}
    for part, shared in parts.items():
        if shared["match"] != match:
            yield (
                f"systems.{name} matches by {match}, its part {part} by {shared['match']}. Give "
                "both the same match."
            )
    if len({shared.get("own_page", "keep") for shared in parts.values()}) > 1:
        yield f"systems.{name}.fuse: its parts differ in own_page. Give all the same."


def _tables(settings: Resolved) -> Iterator[str]:
    cutoffs = settings.evaluate.cutoffs
    for name, table in settings.tables.items():
        if name in (*TAKEN, *settings.figures):
            yield f"tables.{name}: the result of this name has no rows to choose. Rename the table."
        if name == "table2" and table.figure:
            yield "tables.table2.figure: its sets would be in one drawing. Leave it out."
        if name not in PAPERS and not table.caption:
            yield f"tables.{name} needs a caption."
        for row in table.rows:
            yield from _too_deep(settings, "evaluate.cutoffs", max(cutoffs), row)
    if "table3" in settings.results and settings.sweep.cutoff not in cutoffs:
        yield (
            f"sweep.cutoff is {settings.sweep.cutoff}, which is not among evaluate.cutoffs "
            f"({', '.join(map(str, cutoffs))}). Add it there."
        )
    for name, figure in settings.figures.items():
        if name in TAKEN:
            yield f"figures.{name}: is a result without a figure's settings. Rename the figure."
        for row in figure.rows if name in settings.results else ():
            yield from _too_deep(settings, f"figures.{name}.cutoff", figure.cutoff, row)


def _too_deep(settings: Resolved, key: str, cutoff: int, row: str) -> Iterator[str]:
    if cutoff > (k := shared_settings(settings, row)["k"]):
        yield (
            f"{key} goes up to {cutoff}, but {row} keeps only {k} candidates. Lower it, or raise "
            "retrieve.k."
        )


def _knowledge_base(settings: Resolved) -> Iterator[str]:
    """Table 2 is made of a knowledge base, everything else of worlds."""
    over_kb, dataset = settings.over_kb, settings.dataset
    for result in settings.results:
        if (result == "table2") != over_kb:
            yield (
                f"results: {result} is not made of the dataset {dataset}. Table 2, and it alone, "
                f"is made of {' and '.join(LINKED)}."
            )
    for name, model in settings.models.items():
        text = getattr(getattr(model, "views", None), "text", None)
        if text and not over_kb:
            yield (
                f"models.{name}.views.text: {text} has texts for the entities of a knowledge base, "
                f"and the dataset {dataset} has its own. Leave it out."
            )
    made_of, waiting = _made_of(settings), []
    if over_kb:
        waiting = [f"systems.{row}" for row in settings.tables["table2"].rows]
    for name in waiting:  # with the rows that their models' negatives come from
        waiting += [entry for entry in made_of[name] if entry not in waiting]
        section, _, row = name.partition(".")
        if section == "systems" and (change := to_search_a_kb(settings, row)):
            yield f"{name} is made for table2, and does not search a knowledge base. {change}."


def _seeds(settings: Resolved) -> Iterator[str]:
    for name in ("table1", "table3", "table6"):
        if settings.tables[name].repeat_seeds:
            yield (
                f"tables.{name}.repeat_seeds: Table 1 has the top-level repeat_seeds, and Tables 3 "
                "and 6 have one seed. Leave it out."
            )
    for name, seeds in further_seeds(settings).items():
        where = "repeat_seeds" if name == "table1" else f"tables.{name}.repeat_seeds"
        if settings.seed in seeds:
            yield f"{where} holds {settings.seed}, which is the seed itself. Leave it out."
        rows = settings.tables[name].rows
        for model in chain.from_iterable(models_of(settings, row) for row in rows):
            if (seed := getattr(settings.models[model], "seed", None)) in seeds:
                yield f"{where} holds {seed}, which is models.{model}.seed. Leave one of them out."
