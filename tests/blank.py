"""Records of which a test says only what it is about."""

from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from muver.io.typed import Record
from muver.reproduction.tables.records import MEAN, Line, OnSet, Table, TableRow, TableSet
from muver.retriever.evaluation.records import Evaluation, Scores


def blank(kind: type[Record], /, **given: Any) -> Any:
    """A record with these fields; the others are empty."""
    hints = get_type_hints(kind)
    empty = {name: _empty(hints[name]) for name in kind.__struct_fields__ if name not in given}
    return kind(**given, **empty)


def _empty(hint: Any) -> Any:
    if NoneType in get_args(hint):
        return None
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    kind = get_origin(hint) or hint
    return blank(kind) if issubclass(kind, Record) else kind()


def jsonable(record: Record) -> dict[str, Any]:
    """A record as its file has it."""
    return msgspec.to_builtins(record, str_keys=True)


def blank_evaluation(scores: Scores, **given: Any) -> dict[str, Any]:
    """An evaluation with these scores as its file has it, by documents and on a test split."""
    own = {name: getattr(scores, name) for name in scores.__struct_fields__}
    own |= {"set": "test", "resample": "documents", "fingerprint": "f00d", "dataset": "tiny"}
    return {**jsonable(blank(Evaluation, **own)), **given}


def made_table(*rows: dict[str, Any], mentions: int = 200, **given: Any) -> Table:
    """A table of recall on one set, ``test``.

    Beside its fields a row has ``recall`` in percent by cutoff, the same in ``worlds`` by name and
    in further ``seeds`` by system, and ``views`` an entity. Intervals are of 5 points to each side.
    """
    made, lines = [], []
    for row in rows:
        fields = {"method": row["system"], "row_key": row["system"], **row}
        system, key = fields["system"], fields["row_key"]
        seeds = fields.pop("seeds", {})
        recall = {(key, ""): fields.pop("recall", {}), **{(one, ""): seeds[one] for one in seeds}}
        recall[key, MEAN] = recall[key, ""]
        recall |= {(key, name): by_k for name, by_k in fields.pop("worlds", {}).items()}
        lines += [
            blank(
                Line, row=system, set="test", key=of, world=world, k=k, mentions=mentions,
                hits=round(number * mentions / 100), recall=number, low=number - 5, high=number + 5,
            )
            for (of, world), by_k in recall.items()
            for k, number in by_k.items()
        ]  # fmt: skip
        fields["sets"] = {"test": OnSet(fields.pop("views", None), None, None)}
        fields["seeds"] = {system: key, **{one: one for one in seeds}}
        made.append(blank(TableRow, **fields))
    head = {"name": "table1", "dataset": "tiny", "fingerprint": "f0", "rows": made, "lines": lines}
    head |= {"cutoffs": sorted({one.k for one in lines}), "sets": [blank(TableSet, set="test")]}
    return blank(Table, **{**head, **given})
