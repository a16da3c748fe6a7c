"""A second stage: the first candidates of another row's run, ranked again by a cross-encoder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.io.typed import Count
from muver.io.typed import Settings as Base
from muver.retriever.encoders.encoders_settings import Machine
from muver.retriever.retrieval.retrieval_settings import Run


class Section(Base):
    """Section ``rerank`` of params.yaml: how many candidates are ranked again."""

    depth: Count = 64


class Settings(Run, kw_only=True):
    """The section, and what every run has."""

    depth: Count


def retrieve(
    settings: Settings,
    run: Path,
    *,
    entities: Path,
    mentions: Path,
    sentences: Path,
    model: Path,
    runs: Sequence[Path],
    compute: Machine,
) -> dict[str, Any]:
    """Rank the first candidates of each mention again, and leave the others behind them.

    Of equal scores the first stage's order decides. A candidate keeps the view that found it. The
    others' scores go on downwards from the lowest one in steps of 1.
    """
    import pyarrow as pa

    from muver.io.errors import InputError
    from muver.io.parquet import write_table
    from muver.retriever.encoders.cross import CrossEncoder
    from muver.retriever.encoders.encode import LoadedModel
    from muver.retriever.runs.run import by_mention, read_run
    from muver.retriever.views.worlds import load_worlds

    loaded = LoadedModel(CrossEncoder, model, compute)
    cross = loaded.model
    (first,) = runs
    earlier = dict(by_mention(read_run(first)))
    ranked: dict[str, pa.Table] = {}
    texts = (entities, mentions, sentences, settings.split)
    for world in load_worlds(*texts, cross.config, cross.pieces):
        if missing := [mention for mention in world.mention_ids if mention not in earlier]:
            raise InputError(f"{first}: has no candidates of mention {missing[0]!r}.")
        tables = [earlier[mention].slice(0, settings.k) for mention in world.mention_ids]
        again = [table["entity"].to_numpy()[: settings.depth] for table in tables]
        with loaded.autocast():
            label = f"pairs of {world.name}"
            scores = cross.scores_in(world, again, loaded.batch_tokens, label)
        each = zip(world.mention_ids, tables, scores, strict=True)
        ranked |= {mention: reordered(table, numbers) for mention, table, numbers in each}
    write_table(run, pa.concat_tables(ranked[mention] for mention in earlier).combine_chunks())
    return {"counts": None}


def reordered(table: Any, scores: Any) -> Any:
    """One mention's rows of a run with the first ones ordered by their (some,) new scores."""
    import numpy as np
    import pyarrow as pa

    from muver.io.parquet import with_columns

    order = np.argsort(-scores, kind="stable")
    behind = np.arange(len(scores), len(table))
    lowest = scores.min() - np.arange(1, 1 + len(behind))
    columns = {
        "rank": table["rank"],
        "score": pa.array(np.concatenate([scores[order], lowest]), pa.float32()),
    }
    return with_columns(table.take(np.concatenate([order, behind])), columns)
