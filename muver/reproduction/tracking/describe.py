"""How MLflow names and describes a row: parameters, metrics and tags, from its evaluations.

MLflow's pages sort groups of metrics (what stands before the slash) by name, so they are called
such that recall comes first, then training, and uncertainty and the machine's work last: ``all``,
``curves``, ``curves_pretraining``, ``linking``, ``macro``, ``on_WORLD``, ``paper``, ``readme``,
``uncertainty_low``, ``views``, ``work``. Metrics without a group would come after them, those of a
group ``system`` before.
"""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from muver.io.files import short_hash
from muver.io.typed import flat
from muver.reproduction.settings.file import written
from muver.reproduction.tables.keys import data_fingerprint
from muver.reproduction.tables.numbers import percent
from muver.reproduction.tables.records import Measures, Part
from muver.reproduction.tables.render import csv_text
from muver.retriever.evaluation.precision import in_words, reduced_precision
from muver.retriever.evaluation.records import Evaluation, Percent

VIEWS = "views/per_entity"
# A setting on several lines, which YAML reads as one, has its words whole.
FOLDED = {"width": 72, "subsequent_indent": "    ", "break_long_words": False,
          "break_on_hyphens": False}  # fmt: skip
DECIMALS = 4  # of recall: two more than tables have, and no more than MLflow's lists have room for


def parameters(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings as flat names and texts.

    >>> parameters({"retrieve": {"k": 64, "match": "title"}, "layers": [1, 2], "words": None})
    {'retrieve.k': '64', 'retrieve.match': 'title', 'layers': '[1, 2]', 'words': 'null'}
    """
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in flat(settings)
    }


def recalls(group: str, recall: Percent, cutoffs: Sequence[int]) -> dict[str, float]:
    """Numbers under names that sort by cutoff; what MLflow does not allow in one becomes "_".

    >>> recalls("paper", {8: 71.5}, [8, 64])
    {'paper/recall_at_08': 71.5}
    """
    prefix = re.sub(r"[^\w.\- ]", "_", group)
    return {
        f"{prefix}/recall_{_at(k, cutoffs)}": round(value, DECIMALS) for k, value in recall.items()
    }


def columns(evaluation: Evaluation, end: str = "") -> list[str]:
    """Recall over all mentions of a set, as columns of MLflow's list of runs."""
    group = f"on{end}" if end else "all"
    return list(map(column, recalls(group, evaluation.micro, evaluation.cutoffs)))


def column(metric: str) -> str:
    """A metric as MLflow's searches and lists of runs name it."""
    return f"metrics.`{metric}`"


def _at(k: int, cutoffs: Sequence[int]) -> str:
    return f"at_{k:0{len(str(max(cutoffs)))}d}"


def metrics(evaluation: Evaluation, part: Part | None, end: str = "") -> dict[str, float]:
    """The numbers of a row on one set, recall in percent, as docs/reading.md lists them.

    ``part`` is what the table has of the row on this set, None of a further seed. The names of
    groups end with ``end``: ``_SET``, where a table has several sets.
    """
    micro = evaluation.micro
    worlds = {f"on_{world}": one.recall for world, one in evaluation.worlds.items()}
    groups = {f"on{end}": micro} if end else {"all": micro, "macro": evaluation.macro, **worlds}
    for source, judged in part.published.items() if part else ():
        groups[f"{source}{end}"] = {k: one.recall for k, one in judged.items()}
        groups[f"{source}_difference{end}"] = {k: one.difference for k, one in judged.items()}
    for side, name in enumerate(("low", "high")):
        bounds = evaluation.interval.micro.items()
        groups[f"uncertainty_{name}{end}"] = {k: both[side] for k, both in bounds}
    named: dict[str, float] = {}
    for group, recall in groups.items():
        named |= recalls(group, recall, evaluation.cutoffs)
    if end:
        named |= {f"set{end}/{key}": getattr(evaluation, key) for key in ("mentions", "outside")}
        if evaluation.index is not None:
            named[f"set{end}/index_agreement"] = evaluation.index.agreement
    if evaluation.views_per_entity is not None:
        named[VIEWS] = evaluation.views_per_entity
    return named


def linked(measures: Measures) -> dict[str, float]:
    """The shares of a row of entity linking in percent, such as ``linking/normalised``."""
    return {f"linking/{name}": round(one.percent, DECIMALS) for name, one in measures.items()}


def verdicts(part: Part | None, cutoffs: Sequence[int], end: str = "") -> dict[str, str]:
    """Tags such as ``verdict_at_64``, ``readme_verdict_at_64`` or ``verdict_msnbc_at_100``."""
    return {
        f"{'' if source == 'paper' else 'readme_'}verdict{end}_{_at(k, cutoffs)}": one.verdict
        for source, judged in (part.published.items() if part else ())
        for k, one in judged.items()
    }


def tags(method: str, evaluations: Mapping[str, Evaluation]) -> dict[str, str]:
    """Names by which a row's run is found, beside its key, from its evaluations by set."""
    first = next(iter(evaluations.values()))
    named = {
        **precision(first.settings),
        "method": method,
        "system": first.system,
        "dataset": first.dataset,
        "data_fingerprint": data_fingerprint(evaluations),
        "mentions": str(sum(one.mentions for one in evaluations.values())),
        "config_hash": short_hash(first.settings),
    }
    named |= dict(one.tag for one in first.choices)
    if first.kb is not None:
        named |= {
            "sets": ", ".join(evaluations),
            "model_fingerprint": first.model,
            "index": first.index.factory if first.index else "exact",
        }
    return named


def precision(settings: Mapping[str, Any]) -> dict[str, str]:
    """The tag ``precision`` of a row that is not all in fp32.

    >>> precision({"model": {"precision": "bf16"}, "precision": "bf16"})
    {'precision': 'training bf16, encoding bf16'}
    """
    reduced = reduced_precision(settings)
    return {"precision": in_words(reduced)} if reduced else {}


def note(key: str, table: str, config: Mapping[str, Any], files: Sequence[str] = ()) -> str:
    """The description of a row's run: where it stands, and the command that makes it again.

    Without ``files``, which make the row alone, it makes the whole table. Its lines are short, as a
    long one would push what stands beside it out of MLflow's page. ``config`` are its settings.
    """
    call = ["snakemake --cores all", *(files or [table])]
    if config:
        first, *others = (fill(shlex.quote(one), **FOLDED) for one in written(config))
        call += [f"--config {first}", *others]
    command = " \\\n    ".join(call)
    return f"Row `{key}` of `{table}`. To make it again:\n\n```\n{command}\n```"


def worlds_csv(evaluations: Mapping[str, Evaluation]) -> str:
    """Recall by world, or by set of a knowledge base, as CSV in percent with two decimals."""
    first = next(iter(evaluations.values()))
    header, lines = ["world", "mentions", *(f"R@{k}" for k in first.cutoffs)], []
    for world, part in (first.worlds if first.kb is None else evaluations).items():
        shares = [percent(part.hits[k], part.mentions) for k in first.cutoffs]
        lines.append([world, str(part.mentions), *shares])
    return csv_text(header, lines)
