"""The settings that make a row: of its model, of its run, and all of them together."""

from typing import Any

from muver.io.typed import fields, overlay
from muver.reproduction.settings.knowledge_base import (
    has_knowledge_base,
    index_settings,
    search_settings,
    subset_settings,
)
from muver.retriever.retrieval.aggregates import AGGREGATES
from muver.retriever.retrieval.settings import OfAggregates, open_choice

Settings = dict[str, Any]
COMMON = ("split", "k", "match", "own_page")  # what every run is made with
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
OF_VIEWS = ("aggregate", *fields(OfAggregates), "merge_layers", "search", "global_view", "spans")
FUSION = {"reciprocal_rank": ("constant",), "weighted": ("weights", "cutoff")}


def system_of(settings: Settings, system: str) -> Settings:
    """A system's entry with its defaults, and the settings of its aggregate."""
    own = settings["systems"][system]
    if "model" not in own:
        return own
    scored = settings["aggregates"][own.get("aggregate", settings["aggregate"])]
    merged = own.get("merge_layers", 0) > 0
    return {
        "merge_layers": 0,
        "search": "distant" if merged else None,
        "global_view": False,
        "spans": False,
        **own,
        **_without_defaults({key: value for key, value in scored.items() if key != "kind"}),
        "aggregate": scored["kind"],
    }


def note_of(settings: Settings, system: str) -> str | None:
    """A row's footnote: how its model was chosen, how it scores several views, its own ``note``.

    No part of the row's settings: another wording gives no other row.
    """
    own, said = system_of(settings, system), []
    if "model" in own and "retriever" not in own:
        if among := settings["models"][own["model"]].get("best_of"):
            said = [f"The best on validation of {len(among)} models; other rows are one model."]
        if trained_as(settings, own["model"])["views"]["kind"] == "sentences":
            said.append(AGGREGATES[own["aggregate"]].note)
    return " ".join([*said, *filter(None, [own.get("note")])]) or None


def rows_named_by(own: Settings) -> list[str]:
    """The rows whose runs a row is made of: those that it fuses, or the one it starts from."""
    return [*own.get("fuse", []), *filter(None, [own.get("from")])]


def table_row(settings: Settings, system: str) -> Settings:
    """A row as `muver stage table` takes it: what it is called, and its footnote."""
    method = settings["systems"][system]["method"]
    return {"method": method, "system": system, "note": note_of(settings, system)}


def trained_as(settings: Settings, model: str) -> Settings:
    """A model's entry with its defaults; of a choice among models, that of the first one."""
    own = settings["models"][model]
    if "best_of" in own:
        return trained_as(settings, own["best_of"][0])
    return {"metric": "dot", "pooling": _pooling(settings, own), **own}


def _pooling(settings: Settings, own: Settings) -> str:
    """Of a model whose entry names none.

    Token vectors have none, and weights from a checkpoint were trained with ``[CLS]``.
    """
    fixed = own["score"] == "sum_max" or "checkpoint" in own
    return "cls" if fixed else settings["pooling"]


def model_settings(settings: Settings, model: str) -> Settings:
    """Everything that makes one model: views, score, context, training, seed.

    A choice among models is made of theirs; converted weights have no training. A model that starts
    from another, or whose hard negatives a row found, is made of that one's settings too.
    """
    own = settings["models"][model]
    if "best_of" in own:
        return {"best_of": {name: model_settings(settings, name) for name in own["best_of"]}}
    own = trained_as(settings, model)
    layouts = {key: own[key] for key in ("views", "score", "metric", "pooling")}
    layouts["context"] = overlay(settings["context"], own.get("context", {}))
    if "checkpoint" in own:
        return layouts
    made = {
        **layouts,
        **_without_defaults({"vectors": settings["vectors"]}),
        "training": _without_defaults(overlay(settings["training"], own.get("training", {}))),
        "precision": settings["compute"]["training_precision"],
        "seed": own.get("seed", settings["seed"]),
    }
    if "start" in own:
        made["start"] = {own["start"]: model_settings(settings, own["start"])}
    if "negatives" in own:
        mined_from = own["negatives"]["from"]
        made["negatives"] = {
            **negatives_settings(settings, model),
            "run": _run_behind(settings, mined_from),
        }
    return made


def pretrain_settings(settings: Settings, seed: int) -> Settings:
    """Settings of `muver stage pretrain`; with 0 steps the encoder is taken as it is."""
    return {
        **settings["pretrain"],
        "context_tokens": settings["context"]["max_tokens"],
        "initial_scale": settings["training"]["initial_scale"],
        "vectors": settings["vectors"],
        "precision": settings["compute"]["training_precision"],
        "seed": seed,
    }


def _without_defaults(own: Settings) -> Settings:
    return {key: value for key, value in own.items() if BEFORE.get(key) != value}


def _run_behind(settings: Settings, row: str) -> Settings:
    """What makes another row's run: its model, if it is ranked by that as all rows are.

    Such rows were the only ones that could be named, and models keep the keys that they had then.
    """
    own = settings["systems"][row]
    if own.keys() <= PLAIN and system_of(settings, row)["aggregate"] == "max":
        return {own["model"]: model_settings(settings, own["model"])}
    return {row: row_settings(settings, row)}


def negatives_settings(settings: Settings, model: str) -> Settings:
    """Settings of `muver stage negatives`: how a model's hard negatives are taken from the run."""
    own = settings["models"][model]
    kept = {key: value for key, value in own["negatives"].items() if key not in ("from", "count")}
    if kept.get("random"):
        kept["seed"] = own.get("seed", settings["seed"])
    return {"per_mention": own["negatives"]["count"], **kept}


def retrieval_settings(settings: Settings, system: str, split: str | None = None) -> Settings:
    """Everything that makes a system's run from its model, from the corpus or from other runs.

    Parameters
    ----------
    split
        Another split than the tables', as fusion needs to choose its weight.
    """
    own = system_of(settings, system)
    common = {**settings["retrieve"], **{key: own[key] for key in COMMON if key in own}}
    if split is not None:
        common["split"] = split
    shared = {key: common[key] for key in COMMON if key in common}
    if "fuse" in own:
        decides = {key: settings["fusion"][key] for key in FUSION[own["by"]]}
        return {**shared, "kind": own["by"], "parts": own["fuse"], **decides}
    if "retriever" in own:
        named = {"parts": [own["from"]]} if "from" in own else {}
        return {**settings[own["retriever"]], **shared, **named}
    model = trained_as(settings, own["model"])
    if model["score"] == "sum_max":
        return {**shared, "memory_mb": common["memory_mb"]}
    chosen = {
        **shared,
        "memory_mb": common["memory_mb"],
        "metric": model["metric"],
        **{key: own[key] for key in OF_VIEWS if key in own},
    }
    if open_choice(chosen):
        chosen["validation_cutoff"] = settings["training"]["validation_cutoff"]
    return chosen


def merge_settings(settings: Settings, search: str) -> Settings:
    """Settings of one way of merging."""
    common = {key: value for key, value in settings["merge"].items() if key != "searches"}
    return {**common, **_without_defaults(settings["merge"]["searches"][search])}


def row_settings(settings: Settings, system: str) -> Settings:
    """A row's whole settings, from which its key is made (without the data and the machine)."""
    own = system_of(settings, system)
    if has_knowledge_base(settings) and "model" in own:
        return _knowledge_base_row(settings, system)
    row: Settings = {
        "system": system,
        "corpus": settings["corpus"],
        "retrieve": retrieval_settings(settings, system),
        "seed": settings["seed"],
    }
    row["retrieve"].pop("memory_mb", None)  # bounds memory, moves no score
    if parts := rows_named_by(own):
        row["parts"] = {part: row_settings(settings, part) for part in parts}
    if "model" in own:
        row["model"] = model_settings(settings, own["model"])
        row["segment"] = settings["segment"]
        row["precision"] = settings["compute"]["precision"]
        row["seed"] = row["model"].get("seed", settings["seed"])
        if own["merge_layers"]:
            row["merge"] = merge_settings(settings, own["search"])
            del row["merge"]["layers"]  # how many are used stands in retrieve
        if own["global_view"]:
            row["global_view"] = settings["global_view"]
        if own["spans"]:
            row["spans"] = settings["spans"]
    return row


def _knowledge_base_row(settings: Settings, system: str) -> Settings:
    """Of a row over a knowledge base."""
    model = settings["systems"][system]["model"]
    mining = {}
    if "negatives" in settings["models"][model]:
        mined_from = settings["models"][model]["negatives"]["from"]
        mining = {"mining": _candidates(settings, mined_from)}
    return {
        "system": system,
        "corpus": settings["corpus"],
        "kb": {"paragraphs": settings["linking"]["kb"]["paragraphs"]},
        **_candidates(settings, system),
        "model": model_settings(settings, model),
        **mining,
        "subset": subset_settings(settings),
        "dtype": settings["linking"]["dtype"],
        "precision": settings["compute"]["precision"],
        "seed": settings["models"][model].get("seed", settings["seed"]),
    }


def search_of(settings: Settings, system: str, name: str) -> Settings:
    """Settings of a knowledge base's search for the mentions of a set."""
    own = system_of(settings, system)
    scored = {key: own[key] for key in ("aggregate", *fields(OfAggregates)) if key in own}
    # Rows by their best view have the keys that they had when there was nothing else.
    return search_settings(settings, name) | (scored if own["aggregate"] != "max" else {})


def _candidates(settings: Settings, system: str) -> Settings:
    """How a system finds its candidates among millions: what of it can change them."""
    index = settings["systems"][system].get("index")
    search = search_of(settings, system, "any")
    without = {"memory_mb", "threads", "gpu", "split"}
    if index is None:  # nor what says how an index is searched
        without |= settings["linking"]["search"].keys()
    retrieve = {key: value for key, value in search.items() if key not in without}
    return {"retrieve": retrieve, "index": index and index_settings(settings, index)}
