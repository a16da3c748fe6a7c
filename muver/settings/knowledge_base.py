"""What each stage of Table 2 is told: one knowledge base, and sets of mentions linked to it."""

from typing import Any

from muver.corpus.sources import find_source

Settings = dict[str, Any]
DATASETS = ("wikipedia", "miniwikipedia")


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


def has_knowledge_base(settings: Settings) -> bool:
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


def subset_settings(settings: Settings) -> Settings:
    """What `muver kb-subset` is told."""
    return {"further": settings["linking"]["further"], "seed": settings["seed"]}
