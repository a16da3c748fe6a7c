"""The settings that make a row: of its model, of its run, and all of them together.

They are JSON values, as stages take them and keys are made from them.
"""

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from muver.io.typed import fields
from muver.reproduction.settings.params import Model, Resolved, System
from muver.retriever.encoders.settings import ONE_VIEW
from muver.retriever.retrieval.aggregates import AGGREGATES
from muver.retriever.retrieval.settings import OfAggregates, open_choice
from muver.retriever.training.settings import Average

Json = dict[str, Any]
MORE_VIEWS = ("merge_layers", "global_view")  # than the original ones
PLAIN = {"method", "note", "model", "aggregate", "index"}  # keys of a row ranked as all rows are
# Values that stand in no row's settings: what rows had before the key was there, so that their
# keys stay.
BEFORE = {
    "keep": "best",
    "wasted": "kept",
    "temperature": 1,
    "initial_scale": 20,
    "vectors": "raw",
}
SHARED = ("k", "match", "own_page")  # keys that a row may have of its own, or of its first stage
OWN = (*SHARED, "pool", "depth")
FUSION = {"reciprocal_rank": ("constant",), "weighted": ("weights", "cutoff")}


def views_of(settings: Resolved, system: str) -> Json:
    """How a row ranks by views: which it has, and how their scores become an entity's."""
    own = settings.systems[system]
    aggregate = settings.aggregates[own.aggregate or settings.aggregate]
    scores = _without_defaults(aggregate.as_dict())
    layers = own.merge_layers or 0
    return {
        "aggregate": scores.pop("kind"),
        **scores,
        "merge_layers": layers,
        "search": own.search or ("distant" if layers else None),
        "global_view": own.global_view or False,
    }


def note_of(settings: Resolved, system: str) -> str | None:
    """A row's footnote: how its model was chosen, how it scores several views, its own ``note``.

    No part of the row's settings: another wording gives no other row.
    """
    own, said = settings.systems[system], []
    if own.model:
        if among := settings.models[own.model].best_of:
            after = settings.models[own.model].after
            when = f" after {after:.0%} of their steps" if after else ""
            said.append(
                f"The best on validation of {len(among)} models{when}; other rows are one model."
            )
        if mean := settings.models[own.model].average:
            said.append(_averaged(mean))
        model = trained_as(settings, own.model)
        if model.views.kind == "sentences":
            views = views_of(settings, system)
            said.append(AGGREGATES[views["aggregate"]].note)
            if not isinstance(weight := views["global_view"], bool):
                said.append(f"To each view's vector its global view's is added, times {weight:g}.")
        if model.decay:
            said.append(
                f"A context's tokens weigh exp(-d/{model.decay:g}) at d pieces from the mention."
            )
    return " ".join([*said, own.note or ""]).strip() or None


def _averaged(mean: Average) -> str:
    trained = (
        "the trained ones" if mean.trainings == 1 else f"the mean of {mean.trainings} trainings'"
    )
    share = mean.trained_share
    return f"Its weights are {share:g} times {trained} and {1 - share:g} times the encoder's."


def rows_named_by(own: System) -> list[str]:
    """The rows whose runs a row is made of: those that it fuses, or the one it starts from."""
    return [*(own.fuse or ()), *([own.from_] if own.from_ else ())]


def trained_as(settings: Resolved, model: str) -> Model:
    """A model's entry with its defaults; of one that is made of others, that of the first one.

    Token vectors have no pooling, and weights from a checkpoint were trained with ``[CLS]``.
    """
    own = settings.models[model]
    if own.best_of:
        return trained_as(settings, own.best_of[0])
    if own.average:
        return trained_as(settings, own.average.of)
    fixed = own.score in ONE_VIEW or own.checkpoint
    pooling = own.pooling or ("cls" if fixed else settings.pooling)
    return replace(own, metric=own.metric or "dot", pooling=pooling)


def seed_of(settings: Resolved, model: str) -> int:
    """The seed of a model's training: its own, or that of all."""
    own = settings.models[model]
    if own.average:
        return seed_of(settings, own.average.of)
    return settings.seed if own.seed is UNSET else own.seed


def trainings_of(settings: Resolved, mean: Average) -> dict[str, int]:
    """The models whose mean weights a model has, and their seeds, which are 100 apart."""
    first = seed_of(settings, mean.of)
    further = range(1, mean.trainings)
    return {mean.of: first} | {f"{mean.of}_training{n + 1}": first + 100 * n for n in further}


def context_of(settings: Resolved, model: Model) -> Json:
    """How long a mention's context is for a model, and the prompt before it."""
    return settings.context.as_dict() | (model.context.as_dict() if model.context else {})


def training_of(settings: Resolved, model: Model) -> Json:
    """How a model is trained: as all are, but for what its entry says."""
    return settings.training.as_dict() | (model.training.as_dict() if model.training else {})


def model_settings(settings: Resolved, model: str) -> Json:
    """Everything that makes one model: views, score, context, training, seed.

    A choice among models is made of theirs; converted weights have no training. A model that starts
    from another, or whose hard negatives a row found, is made of that one's settings too. An
    average has those of its trainings, which differ in their seeds alone.
    """
    if mean := settings.models[model].average:
        seeds = list(trainings_of(settings, mean).values())
        how = {"seeds": seeds, "trained_share": mean.trained_share}
        return {**model_settings(settings, mean.of), "average": how}
    if among := settings.models[model].best_of:
        after = settings.models[model].after
        made = {"best_of": {name: model_settings(settings, name) for name in among}}
        return {**made, "after": after} if after else made
    own = trained_as(settings, model)
    layouts = {
        "views": own.views.as_dict(),
        "score": own.score,
        "metric": own.metric,
        "pooling": own.pooling,
        "context": context_of(settings, own),
    }
    if own.decay:
        layouts["decay"] = own.decay
    if own.checkpoint:
        return layouts
    made = {
        **layouts,
        **_without_defaults({"vectors": "raw" if own.score == "cross" else settings.vectors}),
        "training": _without_defaults(training_of(settings, own)),
        "precision": settings.compute.training_precision,
        "seed": seed_of(settings, model),
    }
    if own.start:
        made["start"] = {own.start: model_settings(settings, own.start)}
    if own.negatives:
        behind = _run_behind(settings, own.negatives.from_)
        made["negatives"] = {**negatives_settings(settings, model), "run": behind}
    return made


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


def _without_defaults(own: Json) -> Json:
    return {key: value for key, value in own.items() if BEFORE.get(key) != value}


def _run_behind(settings: Resolved, row: str) -> Json:
    """What makes another row's run: its model, if it is ranked by that as all rows are.

    Such rows were the only ones that could be named, and models keep the keys that they had then.
    """
    own = settings.systems[row]
    if own.as_dict().keys() <= PLAIN and views_of(settings, row)["aggregate"] == "max":
        return {own.model: model_settings(settings, own.model)}
    return {row: row_settings(settings, row)}


def negatives_settings(settings: Resolved, model: str) -> Json:
    """Settings of `muver stage negatives`: how a model's hard negatives are taken from the run."""
    own = settings.models[model].negatives
    kept = {key: value for key, value in own.as_dict().items() if key not in ("from", "count")}
    if own.random:
        kept["seed"] = seed_of(settings, model)
    return {"per_mention": own.count, **kept}


def retrieval_settings(settings: Resolved, system: str, split: str | None = None) -> Json:
    """Everything that makes a system's run from its model, from the corpus or from other runs.

    ``split`` is another one than the tables', as fusion needs to choose its weight.
    """
    own = settings.systems[system]
    given = {key: value for key in OWN if (value := getattr(own, key))}
    if own.from_:
        first = first_stage(settings, system)
        given |= {key: value for key in SHARED if (value := getattr(first, key))}
    shared = settings.retrieve.as_dict() | given
    shared["split"] = split or settings.retrieve.split
    memory = shared.pop("memory_mb")
    if own.fuse:
        decides = {key: getattr(settings.fusion, key) for key in FUSION[own.by]}
        return {**shared, "kind": own.by, "parts": list(own.fuse), **decides}
    if own.retriever:
        named = {"parts": [own.from_]} if own.from_ else {}
        return {**getattr(settings, own.retriever).as_dict(), **shared, **named}
    model = trained_as(settings, own.model)
    if model.score == "sum_max":
        return {**shared, "memory_mb": memory}
    views = views_of(settings, system)
    if open_choice(views):
        views["validation_cutoff"] = settings.training.validation_cutoff
    return {**shared, "memory_mb": memory, "metric": model.metric, **views}


def first_stage(settings: Resolved, system: str) -> System:
    """The row that a chain of second stages begins with; any other row is its own."""
    own = settings.systems[system]
    return first_stage(settings, own.from_) if own.from_ else own


def merge_settings(settings: Resolved, search: str) -> Json:
    """Settings of one way of merging."""
    merge = settings.merge
    pairs = _without_defaults(merge.searches[search].as_dict())
    return {
        "layers": merge.layers,
        "top_k": merge.top_k,
        "max_tokens": merge.max_tokens,
        **pairs,
    }


def row_settings(settings: Resolved, system: str) -> Json:
    """A row's whole settings, from which its key is made (without the data and the machine)."""
    own = settings.systems[system]
    if settings.over_kb and own.model:
        return _knowledge_base_row(settings, system)
    row: Json = {
        "system": system,
        "corpus": settings.corpus.as_dict(),
        "retrieve": retrieval_settings(settings, system),
        "seed": settings.seed,
    }
    row["retrieve"].pop("memory_mb", None)  # bounds memory, moves no score
    if "merge_layers" in row["retrieve"]:
        row["retrieve"]["spans"] = False  # in the keys of rows that rank by views
    if parts := rows_named_by(own):
        row["parts"] = {part: row_settings(settings, part) for part in parts}
        # A row without a model is of the seed that its parts are trained with.
        drawn = [part["seed"] for part in row["parts"].values() if part["seed"] != settings.seed]
        row["seed"] = drawn[0] if drawn else settings.seed
    if own.model:
        row["model"] = model_settings(settings, own.model)
        row["segment"] = settings.segment.as_dict()
        row["precision"] = settings.compute.precision
        row["seed"] = seed_of(settings, own.model)
        views = views_of(settings, system)
        if views["merge_layers"]:
            row["merge"] = merge_settings(settings, views["search"])
            del row["merge"]["layers"]  # how many are used stands in retrieve
        if views["global_view"]:
            row["global_view"] = settings.global_view.as_dict()
    return row


# Of a knowledge base.


def to_search_a_kb(settings: Resolved, system: str) -> str | None:
    """What to change for a row to search a knowledge base, by original views; None if it can."""
    aggregates = [kind for kind, aggregate in AGGREGATES.items() if aggregate.alone]
    own, views = settings.systems[system], views_of(settings, system)
    if more := [key for key in MORE_VIEWS if views[key]]:
        return f"Leave out {', '.join(more)}"
    if not own.model or views["aggregate"] not in aggregates:
        return f"Set model and aggregate, of the kind {' or '.join(aggregates)}"
    if choice := open_choice(views):
        return f"Set one {choice}, as there is no validation of it"
    model = trained_as(settings, own.model)
    if own.retriever or model.score in ONE_VIEW:
        return "Set a model whose score is max"
    if own.own_page:
        return "Leave out own_page, as mentions stand on none of its pages"
    if own.pool:
        return "Leave out pool"
    return None if own.index is not UNSET else "Set index to null (exact) or one of linking.indexes"


def _knowledge_base_row(settings: Resolved, system: str) -> Json:
    model, linking = settings.systems[system].model, settings.linking
    negatives = settings.models[model].negatives
    mining = {"mining": _candidates(settings, negatives.from_)} if negatives else {}
    return {
        "system": system,
        "corpus": settings.corpus.as_dict(),
        "kb": {"paragraphs": linking.kb.paragraphs},
        **_candidates(settings, system),
        "model": model_settings(settings, model),
        **mining,
        "subset": subset_settings(settings),
        "dtype": linking.dtype,
        "precision": settings.compute.precision,
        "seed": seed_of(settings, model),
    }


def subset_settings(settings: Resolved) -> Json:
    """Settings of `muver stage kb-subset`."""
    return {"further": settings.linking.further, "seed": settings.seed}


def index_settings(settings: Resolved, name: str) -> Json:
    """Settings of `muver stage ann-build` for an index."""
    return {**settings.linking.indexes[name].as_dict(), "seed": settings.seed}


def search_settings(settings: Resolved, system: str, name: str) -> Json:
    """Settings of a system's search for the mentions of a set."""
    search = {
        **settings.linking.search.as_dict(),
        "split": name,
        "k": settings.retrieve.k,
        "match": "id",
        "threads": settings.compute.threads,
    }
    views = views_of(settings, system)
    if views["aggregate"] != "max":  # such rows keep the keys of when there was nothing else
        search |= {key: views[key] for key in ("aggregate", *fields(OfAggregates)) if key in views}
    return search


def _candidates(settings: Resolved, system: str) -> Json:
    """How a system finds its candidates among millions: what of it can change them."""
    index = settings.systems[system].index or None
    search = search_settings(settings, system, "any")
    without = {"memory_mb", "threads", "gpu", "split"}
    if index is None:  # nor what says how an index is searched
        without |= fields(type(settings.linking.search)).keys()
    retrieve = {key: value for key, value in search.items() if key not in without}
    return {"retrieve": retrieve, "index": index and index_settings(settings, index)}
