"""Read hard negatives for training, check them and cut them to the number asked for."""

from pathlib import Path

from muver.io.errors import InputError
from muver.retriever.corpus.schema import read_mentions, read_negatives


def hard_negatives(
    path: Path, mentions: Path, split: str, per_mention: int
) -> dict[str, list[int]]:
    """The first ``per_mention`` negatives of every mention of a split, by its id.

    ``path`` is a file of `muver stage kb-subset`, in the numbers of the corpus, and ``mentions``
    the corpus' mentions. A mention's own gold must not be among its negatives.
    """
    table = read_negatives(path).select(["mention_id", "negatives"])
    found = dict(zip(*(column.to_pylist() for column in table.columns), strict=True))
    chosen = {}
    corpus = read_mentions(mentions, split).select(["mention_id", "gold"])
    for mention, gold in zip(*(column.to_pylist() for column in corpus.columns), strict=True):
        if mention not in found:
            raise InputError(
                f"{path}: has no line for mention {mention!r} of {mentions}: it belongs to other "
                "mentions. Make both in one `muver stage kb-subset`."
            )
        if gold in found[mention]:
            raise InputError(
                f"{path}: entity {gold} is the gold of mention {mention!r} and among its "
                "negatives. Mine them again."
            )
        chosen[mention] = found[mention][:per_mention]
    return chosen
