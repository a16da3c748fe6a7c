"""Settings of the stages of Table 2: one knowledge base, and sets of mentions linked to it."""

from typing import Any

from muver.retriever.corpus.sources import find_source

Settings = dict[str, Any]
DATASETS = ("wikipedia", "miniwikipedia")


def origins(settings: Settings) -> tuple[str, str]:
    """The declared sources of the dump and of the sets."""
    if settings["dataset"] == "miniwikipedia":
        return "miniwikipedia", "miniwikipedia"
    return "kilt", "blink_benchmarks"


def set_settings(settings: Settings, name: str) -> Settings:
    """Settings of `muver stage link` for a set, without its file."""
    linking, own = settings["linking"], settings["linking"]["sets"][name]
    source = find_source(origins(settings)[1])
    counted = linking["published_counts"] and name in source.published.mentions
    return {
        **settings["corpus"],
        "match": linking["match"],
        "expected": source.name if counted else None,
        "format": own.get("format"),
        "part": own.get("part"),
    }


def has_knowledge_base(settings: Settings) -> bool:
    """Whether the dataset is a knowledge base with linked sets, and not worlds of their own."""
    return settings["dataset"] in DATASETS


def index_settings(settings: Settings, name: str) -> Settings:
    """Settings of `muver stage ann-build` for an index."""
    return {**settings["linking"]["indexes"][name], "seed": settings["seed"]}


def search_settings(settings: Settings, name: str) -> Settings:
    """Settings of a search for the mentions of a set."""
    return {
        **settings["linking"]["search"],
        "split": name,
        "k": settings["retrieve"]["k"],
        "match": "id",
        "threads": settings["compute"]["threads"],
    }


def check_settings(settings: Settings) -> Settings:
    """Settings of `muver stage ann-check`: those of the search that both have."""
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
    """Settings of `muver stage kb-texts`: those of the dump, without a number of lines."""
    reading = settings["linking"]["kb"]
    return {key: reading[key] for key in ("bad_lines", "bad_share", "duplicates")}


def subset_settings(settings: Settings) -> Settings:
    """Settings of `muver stage kb-subset`."""
    return {"further": settings["linking"]["further"], "seed": settings["seed"]}
