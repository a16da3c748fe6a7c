"""How MLflow names and describes a row: parameters, metrics and tags, from its evaluations.

MLflow's pages sort groups of metrics (what stands before the slash) by name, so they are called
such that recall comes first, then training, and uncertainty and the machine's work last: ``all``,
``curves``, ``curves_pretraining``, ``macro``, ``on_WORLD``, ``paper``, ``readme``,
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
from muver.reproduction.tables.cells import Section, cells_by_world
from muver.reproduction.tables.evaluations import data_fingerprint
from muver.reproduction.tables.records import MEAN, Line, Table
from muver.reproduction.tables.render import to_csv
from muver.retriever.evaluation.records import Evaluation, in_words, reduced_precision

VIEWS = "views/per_entity"
OF_SOURCE = {"paper": "", "readme": "readme_"}  # how names of verdicts begin
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


def metric(group: str, k: int, most: int) -> str:
    """The name of recall at a cutoff, which sorts by cutoffs up to ``most``.

    What MLflow does not allow in a name becomes "_".

    >>> metric("on_c#", 8, 64)
    'on_c_/recall_at_08'
    """
    prefix = re.sub(r"[^\w.\- ]", "_", group)
    return f"{prefix}/recall_{_at(k, most)}"


def column(name: str) -> str:
    """A metric as MLflow's searches and lists of runs name it."""
    return f"metrics.`{name}`"


def _at(k: int, most: int) -> str:
    return f"at_{k:0{len(str(most))}d}"


def metrics(
    lines: Sequence[Line], table: Table, end: str = ""
) -> tuple[dict[str, float], dict[str, str]]:
    """The numbers of a row's lines on one set, recall in percent, as docs/reading.md lists them;
    and tags of verdicts: ``verdict_at_64``, ``readme_verdict_at_64``, ``verdict_msnbc_at_100``.

    Published numbers are those of the ``table``. The names of groups end with ``end``: ``_SET``,
    where a table has several sets.
    """
    named, verdicts, most = {}, {}, max(line.k for line in lines)

    def put(group: str, k: int, value: float) -> None:
        named[metric(group, k, most)] = round(value, DECIMALS)

    for line in lines:
        if line.category:
            continue
        if line.world:
            if not end:
                put("macro" if line.world == MEAN else f"on_{line.world}", line.k, line.recall)
            continue
        put(f"on{end}" if end else "all", line.k, line.recall)
        put(f"uncertainty_low{end}", line.k, line.low)
        put(f"uncertainty_high{end}", line.k, line.high)
        # A further seed has no verdict of its own
        own = line.key == table.row(line.row).row_key
        for number in table.judged(line).values() if own else ():
            put(f"{number.source}{end}", line.k, number.recall)
            put(f"{number.source}_difference{end}", line.k, number.difference)
            tag = f"{OF_SOURCE[number.source]}verdict{end}_{_at(line.k, most)}"
            verdicts[tag] = number.verdict
    return named, verdicts


def of_set(evaluation: Evaluation, end: str = "") -> dict[str, float]:
    """How a set was searched: its mentions and index, if there are several, and views."""
    named: dict[str, float] = {}
    if end:
        named |= {f"set{end}/{key}": getattr(evaluation, key) for key in ("mentions", "outside")}
        if evaluation.index is not None:
            named[f"set{end}/index_agreement"] = evaluation.index.agreement
    if evaluation.views_per_entity is not None:
        named[VIEWS] = evaluation.views_per_entity
    return named


def tags(method: str, evaluations: Mapping[str, Evaluation]) -> dict[str, str]:
    """Names by which a row's run is found, beside its key, from its evaluations by set."""
    first = next(iter(evaluations.values()))
    named = {
        **precision(first.settings),
        "method": method,
        "system": first.system,
        "dataset": first.dataset,
        "data_fingerprint": data_fingerprint(evaluations),
        "mentions": str(sum(evaluation.mentions for evaluation in evaluations.values())),
        "config_hash": short_hash(first.settings),
    }
    named |= dict(choice.tag for choice in first.choices)
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
        first, *others = (fill(shlex.quote(setting), **FOLDED) for setting in written(config))
        call += [f"--config {first}", *others]
    command = " \\\n    ".join(call)
    return f"Row `{key}` of `{table}`. To make it again:\n\n```\n{command}\n```"


def worlds_csv(table: Table, key: str) -> str:
    """Recall of a row by world, or over a knowledge base by set, as CSV in percent."""
    lines = [{"world": name, **cells} for name, cells in cells_by_world(table, key)]
    return to_csv(Section.of("", "", lines))
