"""What MLflow is told of a row: parameters, metrics, tags and a note, from its evaluation."""

import json
import re
from collections.abc import Mapping
from typing import Any

from muver.files import short_hash
from muver.tables.interval import percent

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


def metrics(evaluation: Mapping[str, Any]) -> dict[str, float]:
    """Recall in percent: ``recall_at_01`` (micro), ``macro/...``, ``world_NAME/...``.

    Cutoffs are padded with zeros so that names sort by them; the UI groups by what stands before
    the slash. A character of a world's name that MLflow does not allow becomes "_".
    """
    width = len(str(max(evaluation["cutoffs"])))
    named = {}
    groups = {"": evaluation["micro"], "macro/": evaluation["macro"]}
    for world, part in evaluation["worlds"].items():
        allowed = re.sub(r"[^\w.\- ]", "_", world)
        groups[f"world_{allowed}/"] = part["recall"]
    for prefix, recall in groups.items():
        for k, value in recall.items():
            named[f"{prefix}recall_at_{int(k):0{width}d}"] = value
    return named


def tags(evaluation: Mapping[str, Any], method: str, key: str) -> dict[str, str]:
    """Names by which a run is found."""
    return {
        "row_key": key,
        "method": method,
        "system": evaluation["system"],
        "dataset": evaluation["dataset"],
        "data_fingerprint": evaluation["fingerprint"],
        "mentions": str(evaluation["mentions"]),
        "config_hash": short_hash(evaluation["settings"]),
    }


def note(evaluation: Mapping[str, Any], method: str, key: str, table: str) -> str:
    """The run's description: the row with its worlds, and how to make it again.

    Parameters
    ----------
    table
        Path of the table's CSV, as the workflow names it.
    """
    cutoffs = [str(k) for k in evaluation["cutoffs"]]
    header = ["recall in percent", "mentions", *(f"R@{k}" for k in cutoffs)]
    lines = [header, ["---", *["--:"] * (len(header) - 1)]]
    parts = {"**all mentions**": evaluation, **evaluation["worlds"]}
    for name, part in parts.items():
        shares = [percent(part["hits"][k], part["mentions"]) for k in cutoffs]
        lines.append([name, str(part["mentions"]), *shares])
    means = [f"{evaluation['macro'][k]:.2f}" for k in cutoffs]
    lines.append(["mean of worlds", "", *means])
    grid = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return (
        f"**{method}** on {evaluation['dataset']}: row `{key}` of `{table}`.\n\n{grid}\n\n"
        f"To make it again, with the parameters of this run in params.yaml: "
        f"`snakemake --cores all {table}`. The same settings, seed and data give the same key."
    )


def worlds_csv(evaluation: Mapping[str, Any]) -> str:
    """Recall by world as CSV, in percent with two decimals."""
    cutoffs = [str(k) for k in evaluation["cutoffs"]]
    lines = [",".join(["world", "mentions", *(f"R@{k}" for k in cutoffs)])]
    for world, part in evaluation["worlds"].items():
        shares = [percent(part["hits"][k], part["mentions"]) for k in cutoffs]
        lines.append(",".join([world, str(part["mentions"]), *shares]))
    return "\n".join(lines) + "\n"
