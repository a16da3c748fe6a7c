"""What MLflow is told of a row: parameters, metrics, tags and a note, from its evaluation."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from muver.evaluation.precision import in_words, reduced_precision
from muver.io.files import short_hash
from muver.tables.numbers import percent

VALUE_LIMIT = 6000  # characters MLflow keeps of a parameter's value


def parameters(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings as flat names and texts.

    >>> parameters({"retrieve": {"k": 64, "match": "title"}, "layers": [1, 2], "words": None})
    {'retrieve.k': '64', 'retrieve.match': 'title', 'layers': '[1, 2]', 'words': 'null'}
    """
    flat = {}
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            flat |= {f"{key}.{inner}": text for inner, text in parameters(value).items()}
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            flat[str(key)] = text[:VALUE_LIMIT]
    return flat


def recalls(group: str, recall: Mapping[str, float | None], width: int) -> dict[str, float]:
    """Numbers by cutoff under names such as ``macro/recall_at_08``; None is left out.

    Cutoffs are padded with zeros to ``width`` so that names sort by them; the UI groups by what
    stands before the slash. A character that MLflow does not allow becomes "_".

    >>> recalls("paper", {"8": 71.5, "64": None}, 2)
    {'paper/recall_at_08': 71.5}
    """
    prefix = re.sub(r"[^\w.\- ]", "_", group) + "/" if group else ""
    return {
        f"{prefix}recall_at_{int(k):0{width}d}": value
        for k, value in recall.items()
        if value is not None
    }


def metrics(evaluation: Mapping[str, Any]) -> dict[str, float]:
    """Recall in percent: ``recall_at_01`` (micro), ``macro/...``, ``world_NAME/...``.

    With them the bounds of the 95% interval, ``low/...`` and ``high/...``, and
    ``views_per_entity`` of a system that has views.
    """
    width = digits(evaluation["cutoffs"])
    groups = {
        "": evaluation["micro"],
        "macro": evaluation["macro"],
        **{f"world_{world}": part["recall"] for world, part in evaluation["worlds"].items()},
    }
    for side, group in enumerate(("low", "high")):
        bounds = evaluation["interval"]["micro"]
        groups[group] = {k: both[side] for k, both in bounds.items()}
    named = [recalls(group, recall, width) for group, recall in groups.items()]
    if evaluation["views_per_entity"] is not None:
        named.append({"views_per_entity": evaluation["views_per_entity"]})
    return {name: value for part in named for name, value in part.items()}


def against(row: Mapping[str, Any], width: int) -> tuple[dict[str, float], dict[str, str]]:
    """How a table's row stands to published numbers.

    Returns
    -------
    Metrics: ``paper/recall_at_64``, what is published, and ``difference/recall_at_64``, ours
    minus it in points. Tags: ``verdict_at_64``. Those on the released README's numbers are called
    ``readme/...``, ``readme_difference/...`` and ``readme_verdict_...``.
    """
    numbers: dict[str, float] = {}
    verdicts: dict[str, str] = {}
    for reference, prefix in (("paper", ""), ("readme", "readme_")):
        for group in (reference, f"{prefix}difference"):
            numbers |= recalls(group, row.get(group) or {}, width)
        for k, verdict in (row.get(f"{prefix}verdict") or {}).items():
            if verdict is not None:
                verdicts[f"{prefix}verdict_at_{int(k):0{width}d}"] = verdict
    return numbers, verdicts


def digits(cutoffs: Iterable[int]) -> int:
    """Digits of the largest cutoff, to which the others are padded."""
    return len(str(max(cutoffs)))


def tags(evaluation: Mapping[str, Any], method: str) -> dict[str, str]:
    """Names by which a run is found, beside its key; ``precision`` if it is not all in fp32."""
    return {
        **precision(evaluation["settings"]),
        "method": method,
        "system": evaluation["system"],
        "dataset": evaluation["dataset"],
        "data_fingerprint": evaluation["fingerprint"],
        "mentions": str(evaluation["mentions"]),
        "config_hash": short_hash(evaluation["settings"]),
    }


def precision(settings: Mapping[str, Any]) -> dict[str, str]:
    """The tag ``precision`` of a row that is not all in fp32.

    >>> precision({"model": {"precision": "bf16"}, "precision": "bf16"})
    {'precision': 'training bf16, encoding bf16'}
    """
    found = reduced_precision(settings)
    return {"precision": in_words(found)} if found else {}


def worlds_csv(evaluation: Mapping[str, Any]) -> str:
    """Recall by world as CSV, in percent with two decimals."""
    cutoffs = [str(k) for k in evaluation["cutoffs"]]
    lines = [",".join(["world", "mentions", *(f"R@{k}" for k in cutoffs)])]
    for world, part in evaluation["worlds"].items():
        shares = [percent(part["hits"][k], part["mentions"]) for k in cutoffs]
        lines.append(",".join([world, str(part["mentions"]), *shares]))
    return "\n".join(lines) + "\n"
