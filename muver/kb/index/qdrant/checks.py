"""Which indexes can be searched in Qdrant."""

from pathlib import Path

from muver.io.errors import InputError
from muver.kb.index.state import State


def check(state: State, folder: Path) -> None:
    """Refuse an index that Qdrant cannot rank."""
    kind = state.settings.aggregate.kind
    if state.model is None:
        why = "ranks by words alone and has no views"
    elif kind != "max":
        why = f"has the aggregate {kind}, and a multivector's score is that of its best view (max)"
    elif state.settings.bm25_weight is not None:
        why = "fuses BM25's scores with the model's, and Qdrant has no words of its entities"
    else:
        return
    raise InputError(f"{folder}: {why}. Ask it without --qdrant, or make an index without that.")
