"""What a plan is told: sizes, index types, devices, rates."""

from collections.abc import Mapping
from typing import Any

from muver.encoders.stages.settings import COMPUTE
from muver.io.checking import check_choices, check_whole, did_you_mean, with_defaults
from muver.io.errors import InputError

MEBIBYTE = 1 << 20
DEFAULTS: dict[str, Any] = {
    "entities": 5_903_530,  # MuVER, section 3
    "paragraphs": 5,  # kept of an entity
    "dump_bytes": 37_323_265_802,  # KILT's 34.76 GiB
    # The views of each model, as params.yaml has them.
    "models": {
        "blink_wiki": {"kind": "prefix", "max_tokens": 128},
        "muver_wiki": {"kind": "sentences", "max_tokens": 40, "min_pieces": 1, "title_room": 6},
    },
    "encoder": {  # BERT-large
        "vocab_size": 30522,
        "hidden_size": 1024,
        "num_hidden_layers": 24,
        "intermediate_size": 4096,
        "max_position_embeddings": 512,
    },
    "dtype": "fp16",  # of the vectors
    "indices": ["ivf_sq", "ivf_sq8", "opq_ivf_pq", "hnsw"],
    "lists": None,
    "training_views": None,
    "mentions": 35_201,  # of all five sets
    "workers": 1,  # processes that read the dump
    "devices": 1,  # that encode
    "part_bytes": 128 * MEBIBYTE,
    "line_bytes": 64 * MEBIBYTE,
    "build_memory_mb": 256,  # memory_mb of `muver ann-build`
    "search_memory_mb": 1024,  # and of `muver ann-search`
    # Known ones: read (MB/s a process), encode (views/s a device, by model), build (views/s, by
    # index type), search (mentions/s, by index type, or "exact").
    "rates": {},
    "seconds": 10,  # that a measurement takes, about
    **COMPUTE,
}
BATCH_TOKENS = {"cpu": 2048, "cuda": 131072}  # as muver.encoders.device.BATCH_TOKENS
BYTES = {"fp16": 2, "fp32": 4}
KINDS = ("prefix", "sentences")
RATES = {"read": None, "encode": {}, "build": {}, "search": {}}
WHOLE = {
    "entities": 1,
    "paragraphs": 1,
    "dump_bytes": 1,
    "mentions": 1,
    "workers": 1,
    "devices": 1,
    "part_bytes": 1,
    "line_bytes": 1,
    "build_memory_mb": 1,
    "search_memory_mb": 1,
    "seconds": 1,
    "threads": 1,
}


def check(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with their defaults.

    Raises
    ------
    InputError
        For an unknown key, or a value that is not allowed.
    """
    settings = with_defaults(given, DEFAULTS)
    check_choices(settings, {"dtype": tuple(BYTES), "device": ("auto", "cpu", "cuda")})
    check_whole(settings, WHOLE)
    if settings["batch_tokens"] != "auto":
        check_whole(settings, {"batch_tokens": 1})
    settings["encoder"] = with_defaults(settings["encoder"], DEFAULTS["encoder"])
    check_whole(settings["encoder"], dict.fromkeys(DEFAULTS["encoder"], 1))
    for name, views in settings["models"].items():
        kind = views.get("kind") if isinstance(views, dict) else views
        if kind not in KINDS:
            raise InputError(
                f"--settings: models.{name}.kind is {kind!r}, expected one of {', '.join(KINDS)}."
                f"{did_you_mean(str(kind), KINDS)}"
            )
        check_whole({"max_tokens": views.get("max_tokens")}, {"max_tokens": 1})
    settings["rates"] = with_defaults(settings["rates"], RATES)
    _check_rates(settings["rates"], settings)
    return settings


def _check_rates(rates: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    allowed = {
        "encode": list(settings["models"]),
        "build": settings["indices"],
        "search": [*settings["indices"], "exact"],
    }
    values = {} if rates["read"] is None else {"read": rates["read"]}
    for stage, names in allowed.items():
        for name, value in rates[stage].items():
            if name not in names:
                raise InputError(
                    f"--settings: rates.{stage}: unknown name {name!r}."
                    f"{did_you_mean(name, names)} Known: {', '.join(names)}."
                )
            values[f"{stage}.{name}"] = value
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise InputError(f"--settings: rates.{name} is {value!r}, expected a number above 0.")
