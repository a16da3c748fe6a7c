"""What each stage of Table 2 is told: one knowledge base, and sets of mentions linked to it."""

from typing import Any

from muver.corpus.sources import find_source
from muver.settings.rows import model_settings

Settings = dict[str, Any]
DATASETS = ("wikipedia", "miniwikipedia")
# Of linking.search: what bounds memory or time and moves no candidate.
FREE = ("memory_mb", "threads", "gpu")


def set_settings(settings: Settings, name: str) -> Settings:
    """What `muver link` is told of a set, without its file."""
    linking, own = settings["linking"], settings["linking"]["sets"][name]
    counted = settings["dataset"] == "wikipedia" and linking["published_counts"]
    published = find_source("blink_benchmarks").published.mentions
    return {
        **settings["corpus"],
        "match": linking["match"],
        "expected": "blink_benchmarks" if counted and name in published else None,
        "format": None if settings["dataset"] == "miniwikipedia" else own.get("format"),
        "part": own.get("part"),
    }


def is_linked(settings: Settings) -> bool:
    """Whether the dataset is a knowledge base with linked sets, and not worlds of their own."""
    return settings["dataset"] in DATASETS


def index_settings(settings: Settings, name: str) -> Settings:
    """What `muver ann-build` is told of an index."""
    return {**settings["linking"]["indexes"][name], "seed": settings["seed"]}


def search_settings(settings: Settings, name: str) -> Settings:
    """What `muver ann-search` is told for the mentions of a set."""
    return {
        **settings["linking"]["search"],
        "split": name,
        "k": settings["retrieve"]["k"],
        "match": "id",
        "threads": settings["compute"]["threads"],
    }


def check_settings(settings: Settings) -> Settings:
    """What `muver ann-check` is told: of the search, what both have."""
    search = settings["linking"]["search"]
    return {
        "k": settings["retrieve"]["k"],
        "agreement": search["minimum"],
        "rescore": search["rescore"],
        "most_views": search["most_views"],
        "memory_mb": search["memory_mb"],
        "seed": settings["seed"],
        "threads": settings["compute"]["threads"],
    }


def texts_settings(settings: Settings) -> Settings:
    """What `muver kb-texts` is told, but for the expected number of lines: as the dump is read."""
    reading = settings["linking"]["kb"]
    return {key: reading[key] for key in ("bad_lines", "bad_share", "duplicates")}


def linked_row_settings(settings: Settings, system: str) -> Settings:
    """A row's whole settings, from which its key is made (without the data and the machine)."""
    model = settings["systems"][system]["model"]
    mining = {}
    if "negatives" in settings["models"][model]:
        mining = {"mining": _search(settings, settings["models"][model]["negatives"]["system"])}
    return {
        "system": system,
        "corpus": settings["corpus"],
        "kb": {"paragraphs": settings["linking"]["kb"]["paragraphs"]},
        **_search(settings, system),
        "model": model_settings(settings, model),
        **mining,
        "subset": subset_settings(settings),
        "dtype": settings["linking"]["dtype"],
        "precision": settings["compute"]["precision"],
        "seed": settings["seed"],
    }


def _search(settings: Settings, system: str) -> Settings:
    """How a system finds its candidates: what of it moves one."""
    index = settings["systems"][system].get("index")
    search = search_settings(settings, "any")
    kept = {key: value for key, value in search.items() if key not in (*FREE, "split")}
    if index is None:
        return {"retrieve": {key: kept[key] for key in ("k", "match")}, "index": None}
    return {"retrieve": kept, "index": index_settings(settings, index)}


def subset_settings(settings: Settings) -> Settings:
    """What `muver kb-subset` is told."""
    return {"further": settings["linking"]["further"], "seed": settings["seed"]}
