"""Records of which a test says only what it is about."""

from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from muver.io.typed import Record
from muver.retriever.evaluation.records import Evaluation, Scores


def blank(kind: type[Record], **given: Any) -> Any:
    """A record with these fields; the others are empty."""
    hints = get_type_hints(kind)
    return kind(**{name: given.get(name, _empty(hints[name])) for name in kind.__struct_fields__})


def _empty(hint: Any) -> Any:
    if NoneType in get_args(hint):
        return None
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
