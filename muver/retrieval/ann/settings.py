"""Settings of the index stages: their defaults, and their checks."""

from collections.abc import Mapping
from typing import Any

from muver.io.checking import check_choices, check_whole, did_you_mean, with_defaults
from muver.io.errors import InputError

# By short name; {lists} is the setting. Other factory strings of faiss may be given as they are.
FACTORIES = {
    "ivf_sq": "IVF{lists},SQfp16",
    "ivf_sq8": "IVF{lists},SQ8",
    "opq_ivf_pq": "OPQ64_256,IVF{lists},PQ64",
    "hnsw": "HNSW32",
    "hnsw_sq": "HNSW32,SQfp16",
}
BUILD = {
    "factory": "ivf_sq",
    "product": "ip",  # or "l2" of augmented vectors: muver.retrieval.ann.factory
    "centre": True,
    "lists": None,  # None: by the number of views
    "training_views": None,  # None: 64 a list
    "ef_construction": 200,  # of HNSW
    "seed": 0,
    "threads": 0,  # 0: as many as faiss takes
    "memory_mb": 256,
    "gpu": True,  # where faiss has one
}
SEARCH = {
    "split": None,  # the set's name, for the evaluation
    "match": "id",
    "k": 100,
    "rescore": True,
    "most_views": 16384,  # fetched for a mention at most
    "effort": None,  # nprobe or efSearch; None: what the check chose
    "minimum": 0.995,  # agreement that the index must have; None: any
    "threads": 0,
    "memory_mb": 1024,
    "gpu": True,
}
CHECK = {
    "k": 100,
    "mentions": 1000,  # sampled
    "efforts": [16, 32, 64, 128, 256, 512, 1024, 2048, 4096],  # of nprobe or efSearch, increasing
    "agreement": 0.995,
    "rescore": True,
    "most_views": 16384,
    "seed": 0,
    "threads": 0,
    "memory_mb": 1024,
    "gpu": True,
}
CHOICES = {
    "product": ("ip", "l2"),
    "centre": (True, False),
    "rescore": (True, False),
    "gpu": (True, False),
    "match": ("id",),  # titles are not compared at this size
}
WHOLE = {
    "lists": 1,
    "training_views": 1,
    "ef_construction": 1,
    "seed": 0,
    "threads": 0,
    "memory_mb": 1,
    "k": 1,
    "most_views": 1,
    "effort": 1,
    "mentions": 1,
}
MAY_BE_NULL = {"lists", "training_views", "effort", "minimum"}
SHARES = ("agreement", "minimum")


def check(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with their defaults (:data:`BUILD`, :data:`SEARCH` or :data:`CHECK`).

    Raises
    ------
    InputError
        For an unknown key or a value that is not allowed.
    """
    settings = with_defaults(given, defaults)
    check_choices(settings, CHOICES)
    values = {
        key: value for key, value in settings.items() if value is not None or key not in MAY_BE_NULL
    }
    check_whole(values, WHOLE)
    for key, value in values.items():
        share = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
        if key in SHARES and not share:
            raise _unfit(key, value, "a number from 0 to 1")
    efforts = settings.get("efforts", [1])
    whole = isinstance(efforts, list) and all(type(n) is int and n > 0 for n in efforts)
    if not whole or not efforts or efforts != sorted(set(efforts)):
        raise _unfit("efforts", efforts, "a list of increasing whole numbers")
    return settings


def factory_string(settings: Mapping[str, Any], views: int) -> str:
    """The faiss string of the setting ``factory``, its number of lists put in.

    By default there are four times as many lists as the root of the number of views, as the next
    power of two below, and no more than leave 39 views a list, below which faiss warns.
    """
    lists = settings["lists"]
    if lists is None:
        most = max(min(4 * int(views**0.5), views // 39), 1)
        lists = 1 << (most.bit_length() - 1)
    name = str(settings["factory"])
    if name == name.lower() and name not in FACTORIES:  # faiss's strings have capitals
        raise InputError(
            f"--settings: factory is {name!r}, expected one of {', '.join(FACTORIES)}, or a "
            f"faiss factory string.{did_you_mean(name, FACTORIES)}"
        )
    return FACTORIES.get(name, name).replace("{lists}", str(lists))


def _unfit(key: str, value: Any, expected: str) -> InputError:
    return InputError(f"--settings: {key} is {value!r}, expected {expected}.")
