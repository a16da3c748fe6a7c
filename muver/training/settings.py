"""Settings of training: section ``training`` of params.yaml, and a model's hard negatives."""

from collections.abc import Mapping
from typing import Any, Literal

from muver.io.checking import check_whole, did_you_mean, with_defaults
from muver.io.errors import InputError
from muver.io.typed import Amount, Count, Natural, Positive, Settings, Share, Text
from muver.retrieval.settings import Mining

REQUIRED = (
    "batch_size",
    "epochs",
    "learning_rate",
    "weight_decay",
    "warmup",
    "clip_norm",
    "adam_epsilon",
    "mask_false_negatives",
    "validate_every",
    "validation_cutoff",
    "checkpoint_every",
    "chunk_tokens",
    "graph_tokens",
)
# What the released code did otherwise, off unless asked for.
PARITY = {"padding_views": False, "average_gradients_over": 1, "optimiser": "adamw"}
# What rows had before the key was there. Where it says so a row's settings leave it out, so that
# their key stays (muver.settings.rows).
BEFORE = {"keep": "best"}
OPTIMISERS = ("adamw", "adamw_released")
KEEP = ("best", "last")


def training_settings(given: Mapping[str, Any], views: Mapping[str, Any]) -> dict[str, Any]:
    """Complete and check the section.

    Parameters
    ----------
    given
        ``training`` as it was asked for; the keys of :data:`PARITY` and :data:`BEFORE` may be
        left out.
    views
        The model's ``views``.

    Raises
    ------
    InputError
        For a key that is unknown or missing, a value that does not exist, or empty views
        without a number of views to fill up to.
    """
    settings = with_defaults(given, {**dict.fromkeys(REQUIRED), **PARITY, **BEFORE})
    for name in REQUIRED:
        if name not in given:
            raise InputError(f"--settings: training.{name} is missing.")
    for name, known in (("optimiser", OPTIMISERS), ("keep", KEEP)):
        if settings[name] not in known:
            raise InputError(
                f"training.{name}: {settings[name]!r} is not one of {', '.join(known)}."
                f"{did_you_mean(str(settings[name]), known)}"
            )
    devices = settings["average_gradients_over"]
    if not isinstance(devices, int) or devices < 1:
        raise InputError(
            f"training.average_gradients_over: expected a whole number from 1, got {devices!r}."
        )
    if settings["padding_views"] and not views.get("training_views"):
        raise InputError(
            "training.padding_views fills up to views.training_views, which is not set. Give it "
            "a number, or set padding_views to false."
        )
    return settings


def check_sources(settings: Mapping[str, Any], from_model: bool, with_negatives: bool) -> None:
    """Refuse settings that say other things of start and negatives than the files given.

    Parameters
    ----------
    settings
        The model's, complete.
    from_model
        Whether training starts from a model's directory.
    with_negatives
        Whether a file of hard negatives is given.

    Raises
    ------
    InputError
        Names the setting or the option that is missing.
    """
    if "start" in settings and not from_model:
        raise InputError(
            "--settings: start names a model, but --start is no model's directory (it has no "
            "muver.json). Give that model's directory."
        )
    if ("negatives" in settings) != with_negatives:
        raise InputError(
            "--negatives is missing: the settings ask for hard negatives."
            if "negatives" in settings
            else "--settings: negatives.per_mention is missing: how many of --negatives to take."
        )
    if with_negatives:
        check_whole(settings["negatives"], {"per_mention": 1})
        if "per_mention" not in settings["negatives"]:
            raise InputError("--settings: negatives.per_mention is missing.")


class Training(Settings):
    """How two towers are trained (section 3.2), and what the released code did otherwise."""

    batch_size: Count
    epochs: Count
    learning_rate: Positive
    weight_decay: Amount
    warmup: Share
    clip_norm: Positive
    adam_epsilon: Positive
    mask_false_negatives: bool
    validate_every: Count
    validation_cutoff: Count
    keep: Literal["best", "last"]
    checkpoint_every: Count
    chunk_tokens: Count
    graph_tokens: Natural
    padding_views: bool
    average_gradients_over: Count
    optimiser: Literal["adamw", "adamw_released"]


class HardNegatives(Mining, kw_only=True):
    """A model's hard negatives: the system whose run they are mined from, and how."""

    system: Text
