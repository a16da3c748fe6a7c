"""What makes a row: the settings of its model, of its run, and all of them together.

They are JSON values without what equals its type's default (:func:`muver.io.typed.plain`), as
stages read them and keys are made from them: a key that is added later, with a default that means
what was before, moves no row's key. No row's name is in them.
"""

from typing import Any

from msgspec import UNSET

from muver.io.errors import InputError
from muver.io.typed import fields, plain
from muver.reproduction.settings.entries import (
    OWN,
    AnySystem,
    ByViews,
    Chosen,
    Converted,
    Fused,
    Named,
    Towers,
    Trained,
    named_by,
    rows_named_by,
)
from muver.reproduction.settings.params import Resolved
from muver.retriever.encoders.encoders_settings import ONE_VIEW, Layouts
from muver.retriever.retrieval.aggregates import AGGREGATES
from muver.retriever.retrieval.kinds.signals import SIGNALS
from muver.retriever.retrieval.retrieval_settings import open_choice

Json = dict[str, Any]
OF_FIRST_STAGE = ("k", "match", "own_page")  # keys that a second stage has of its first one


def kind_of(settings: Resolved, system: str) -> str:
    """How a row finds its candidates (:mod:`muver.retriever.retrieval.kinds`)."""
    entry = settings.systems[system]
    if isinstance(entry, Named):
        return entry.retriever
    if isinstance(entry, Fused):
        return "fusion"
    if settings.over_kb:
        return "shards"
    return "tokens" if towers_of(settings, entry.model).score == "sum_max" else "views"


def towers_of(settings: Resolved, model: str) -> Towers:
    """A model's entry. A model chosen among several has the towers of the first of them."""
    entry = settings.models[model]
    return towers_of(settings, entry.best_of[0]) if isinstance(entry, Chosen) else entry


def models_of(settings: Resolved, system: str) -> list[str]:
    """The models of a row and of those that it is made of, each once."""
    models = []
    for section, name in named_by(settings.systems[system]):
        models += [name] if section == "models" else models_of(settings, name)
    return list(dict.fromkeys(models))


def pooling_of(settings: Resolved, model: Towers) -> str:
    """A model's own pooling, or the one of all.

    Token vectors have none, and weights from a checkpoint were trained with ``[CLS]``.
    """
    fixed = model.score in ONE_VIEW or isinstance(model, Converted)
    return model.pooling or ("cls" if fixed else settings.pooling)


def seed_of(settings: Resolved, model: str) -> int:
    """The seed of a model's training: its own, or that of all."""
    seed = getattr(settings.models[model], "seed", UNSET)
    return settings.seed if seed is UNSET else seed


def training_settings(settings: Resolved, model: str) -> Json:
    """Settings of the stage that makes a model which is trained, converted or chosen early."""
    entry = settings.models[model]
    if isinstance(entry, Chosen):
        among = {name: training_settings(settings, name) for name in entry.best_of}
        return {"best_of": among, "after": entry.after}
    values = {**plain(entry), "pooling": pooling_of(settings, entry)}
    layouts = {key: values[key] for key in fields(Layouts) if key in values}
    if isinstance(entry, Converted):
        return layouts
    training = {
        **layouts,
        "training": values["training"],
        "precision": settings.compute.training_precision,
        "seed": seed_of(settings, model),
    }
    if settings.vectors != "raw" and entry.score != "cross":
        training["vectors"] = settings.vectors
    if entry.negatives:
        training["negatives"] = negatives_settings(settings, model)
    return training


def negatives_settings(settings: Resolved, model: str) -> Json:
    """Settings of `muver stage negatives`: how a model's hard negatives are taken from the run."""
    mined = plain(settings.models[model].negatives)
    seed = {"seed": seed_of(settings, model)} if mined.get("random") else {}
    del mined["from"]
    return {"per_mention": mined.pop("count"), **mined, **seed}


def model_settings(settings: Resolved, model: str) -> Json:
    """Everything that makes one model: its own training, and what it starts from and is made of."""
    entry = settings.models[model]
    if isinstance(entry, Chosen):
        among = {name: model_settings(settings, name) for name in entry.best_of}
        return {"best_of": among, **({"after": entry.after} if entry.after else {})}
    values = training_settings(settings, model)
    if isinstance(entry, Trained):
        if entry.start:
            values["start"] = model_settings(settings, entry.start)
        if entry.negatives:
            run = row_settings(settings, entry.negatives.from_)
            values["negatives"] = {**values["negatives"], "run": run}
    return values


def pretrain_settings(settings: Resolved, seed: int) -> Json:
    """Settings of `muver stage pretrain`; with 0 steps the encoder is taken as it is."""
    return {
        **settings.pretrain.as_dict(),
        "context_tokens": settings.context.max_tokens,
        "initial_scale": settings.training.initial_scale,
        "vectors": settings.vectors,
        "precision": settings.compute.training_precision,
        "seed": seed,
    }


def scores_of(settings: Resolved, row: ByViews) -> Json:
    """The row's aggregate, by which the scores of an entity's views become its own."""
    scores = plain(settings.aggregates[row.aggregate or settings.aggregate])
    return {"aggregate": scores.pop("kind"), **scores}


def views_of(settings: Resolved, row: ByViews) -> Json:
    """How a row ranks by views: which it has, and how their scores become an entity's."""
    return {
        **scores_of(settings, row),
        "merge_layers": row.merge_layers,
        "search": row.search if row.merge_layers else None,
        "global_view": row.global_view,
    }


def first_stage(settings: Resolved, system: str) -> AnySystem:
    """The row that a chain of second stages begins with; any other row is its own."""
    entry = settings.systems[system]
    return first_stage(settings, entry.from_) if isinstance(entry, Named) and entry.from_ else entry


def shared_settings(settings: Resolved, system: str) -> Json:
    """Settings that the runs of all rows have; a second stage has those of its first one."""
    first = first_stage(settings, system)
    kept = {key: value for key in OF_FIRST_STAGE if (value := getattr(first, key))}
    return settings.retrieve.as_dict() | kept


def retrieval_settings(settings: Resolved, system: str, split: str | None = None) -> Json:
    """Everything that makes a system's run from its model, from the corpus or from other runs.

    ``split`` is another one than the tables', as fusion needs to choose its weight.
    """
    entry, shared = settings.systems[system], shared_settings(settings, system)
    shared["split"] = split or settings.retrieve.split
    if pool := getattr(entry, "pool", UNSET):
        shared["pool"] = pool
    memory = shared.pop("memory_mb")
    if isinstance(entry, Fused):
        return {**shared, "constant": settings.fusion.constant}
    if isinstance(entry, Named):
        section = getattr(settings, entry.retriever)
        kept = {key: getattr(entry, key) or getattr(section, key, None) for key in OWN}
        kept = {key: value for key, value in kept.items() if value}
        if of := kept.get("of"):
            kept["of"] = [name if name in SIGNALS else signal_of(settings, name) for name in of]
        return {**plain(section), **shared, **kept}
    towers = towers_of(settings, entry.model)
    if towers.score == "sum_max":
        return {**shared, "memory_mb": memory}
    views = views_of(settings, entry)
    if open_choice(views):
        views["validation_cutoff"] = settings.training.validation_cutoff
    return {**shared, "memory_mb": memory, "metric": towers.metric, **views}


def signal_of(settings: Resolved, row: str) -> Json | str:
    """How a row's scores are a signal: how it is ranked by views, or "run".

    Its run alone tells the scores of a row that keeps no views, or has a value chosen.
    """
    entry = settings.systems[row]
    if kind_of(settings, row) != "views" or open_choice(views_of(settings, entry)):
        return "run"
    towers, views = towers_of(settings, entry.model), views_of(settings, entry)
    similar = towers.metric == "dot" and AGGREGATES[views["aggregate"]].alone
    unit = settings.vectors == "unit" and isinstance(towers, Trained)
    pool = {"pool": entry.pool} if entry.pool else {}
    return {"metric": towers.metric, **views, **pool, "cosines": similar and unit}


def merge_settings(settings: Resolved, search: str) -> Json:
    """Settings of one way of merging."""
    merge = plain(settings.merge)
    return {**merge.pop("searches")[search], **merge}


def row_settings(settings: Resolved, system: str) -> Json:
    """A row's whole settings, from which its key is made (without the data and the machine)."""
    entry = settings.systems[system]
    if settings.over_kb and isinstance(entry, ByViews):
        return _knowledge_base_row(settings, entry)
    row: Json = {
        "corpus": plain(settings.corpus),
        "retrieve": retrieval_settings(settings, system),
        "seed": settings.seed,
    }
    row["retrieve"].pop("memory_mb", None)  # bounds memory, moves no score
    if model := getattr(entry, "model", UNSET):
        row["model"] = model_settings(settings, model)
        row["segment"] = plain(settings.segment)
        row["precision"] = settings.compute.precision
        row["seed"] = seed_of(settings, model)
    if parts := rows_named_by(entry):
        row["parts"] = [row_settings(settings, part) for part in parts]
        # A row whose own model isn't drawn is of the seed that its parts are trained with.
        seeds = [row["seed"], *(part["seed"] for part in row["parts"])]
        row["seed"] = next((seed for seed in seeds if seed != settings.seed), settings.seed)
    if isinstance(entry, ByViews):
        if entry.merge_layers:
            row["merge"] = merge_settings(settings, entry.search)
            del row["merge"]["layers"]  # how many are used stands in retrieve
        if entry.global_view:
            row["global_view"] = settings.global_view.as_dict()
    return row


# Of a knowledge base.


def to_search_a_kb(settings: Resolved, system: str) -> str | None:
    """What to change for a row to search a knowledge base, by original views; None if it can."""
    aggregates = [kind for kind, aggregate in AGGREGATES.items() if aggregate.alone]
    entry = settings.systems[system]
    if not isinstance(entry, ByViews):
        return f"Set model and aggregate, of the kind {' or '.join(aggregates)}"
    if more := [key for key in ("merge_layers", "global_view") if getattr(entry, key)]:
        return f"Leave out {', '.join(more)}"
    views = scores_of(settings, entry)
    if views["aggregate"] not in aggregates:
        return f"Set model and aggregate, of the kind {' or '.join(aggregates)}"
    if choice := open_choice(views):
        return f"Set one {choice}, as there is no validation of it"
    if towers_of(settings, entry.model).score in ONE_VIEW:
        return "Set a model whose score is max"
    if entry.own_page:
        return "Leave out own_page, as mentions stand on none of its pages"
    if entry.pool:
        return "Leave out pool"
    return "Set index to null (exact) or one of linking.indexes" if entry.index is UNSET else None


def _knowledge_base_row(settings: Resolved, entry: ByViews) -> Json:
    linking = settings.linking
    row = {
        "corpus": plain(settings.corpus),
        "kb": {"paragraphs": linking.kb.paragraphs},
        **_candidates(settings, entry),
        "model": model_settings(settings, entry.model),
        "subset": subset_settings(settings),
        "dtype": linking.dtype,
        "precision": settings.compute.precision,
        "seed": seed_of(settings, entry.model),
    }
    if negatives := getattr(settings.models[entry.model], "negatives", UNSET):
        row["mining"] = _candidates(settings, settings.systems[negatives.from_])
    return row


def subset_settings(settings: Resolved) -> Json:
    """Settings of `muver stage kb-subset`."""
    return {"further": settings.linking.further, "seed": settings.seed}


def index_settings(settings: Resolved, name: str) -> Json:
    """Settings of `muver stage ann-build` for an index."""
    return {**plain(settings.linking.indexes[name]), "seed": settings.seed}


def search_settings(settings: Resolved, system: str, name: str) -> Json:
    """As :func:`retrieval_settings`, of a row's search for the mentions of a linked set."""
    if change := to_search_a_kb(settings, system):
        raise InputError(f"systems.{system}: does not search a knowledge base. {change}.")
    search = {**settings.linking.search.as_dict(), "threads": settings.compute.threads}
    return {**search, "split": name, **_ranking(settings, settings.systems[system])}


def _ranking(settings: Resolved, entry: ByViews) -> Json:
    return {"k": settings.retrieve.k, "match": "id", **scores_of(settings, entry)}


def _candidates(settings: Resolved, entry: ByViews) -> Json:
    """How a row finds its candidates among millions: what of it can change them."""
    retrieve, index = _ranking(settings, entry), None
    if entry.index:
        search = settings.linking.search.as_dict().items()
        retrieve |= {key: value for key, value in search if key not in ("memory_mb", "gpu")}
        index = index_settings(settings, entry.index)
    return {"retrieve": retrieve, "index": index}
