"""Find a benchmark's gold entities in a knowledge base."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from muver.retriever.corpus.kilt.lookup import NONE, KnowledgeBase
from muver.retriever.corpus.kilt.titles import normal_title
from muver.retriever.corpus.linking.benchmark import LinkedMention

KINDS = ("id", "title", "none")


class Match(NamedTuple):
    """A mention's entity (None if outside the base), how it was found, its title in the base."""

    entity: int | None
    kind: str
    title: str


def match(mentions: Sequence[LinkedMention], base: KnowledgeBase, by: str) -> list[Match]:
    """Find gold entities by Wikipedia id and, for ``id_or_title``, by title (`normal_title`).

    The base may lack an id because the page was merged, moved or written after the dump; an entity
    of that title may still be there. The paper's BLINK numbers are matched by id alone.
    """
    gold = base.by_id([mention.gold_id for mention in mentions])
    kinds = np.where(gold == NONE, "none", "id").tolist()
    if by == "id_or_title":
        rest = [at for at in np.flatnonzero(gold == NONE) if normal_title(mentions[at].gold_title)]
        gold[rest] = base.by_title([mentions[at].gold_title for at in rest])
        for at in rest:
            kinds[at] = "none" if gold[at] == NONE else "title"
    titles = iter(base.titles(gold[gold != NONE]))
    return [
        Match(None, kind, "") if entity == NONE else Match(entity, kind, next(titles))
        for entity, kind in zip(gold.tolist(), kinds, strict=True)
    ]


def report(
    mentions: Sequence[LinkedMention], matches: Sequence[Match], shown: int
) -> dict[str, Any]:
    """Counts by kind of match, and the first ``shown`` mentions of each kind worth a look.

    ``other_title`` counts mentions whose id has another title in the base than in the benchmark.
    """
    pairs = list(zip(mentions, matches, strict=True))
    counts = {kind: sum(one.kind == kind for one in matches) for kind in KINDS}
    others = [
        (mention, found)
        for mention, found in pairs
        if found.kind == "id"
        and mention.gold_title
        and normal_title(mention.gold_title) != normal_title(found.title)
    ]
    return {
        "mentions": len(mentions),
        "in_kb": counts["id"] + counts["title"],
        "matched": counts,
        "other_title": len(others),
        "title_only": _examples((pair for pair in pairs if pair[1].kind == "title"), shown),
        "outside": _examples((pair for pair in pairs if pair[1].kind == "none"), shown),
        "with_other_title": _examples(others, shown),
    }


def _examples(pairs: Iterable[tuple[LinkedMention, Match]], shown: int) -> list[dict[str, Any]]:
    return [
        {
            "mention_id": mention.mention_id,
            "mention": mention.text,
            "gold_id": None if mention.gold_id < 0 else mention.gold_id,
            "gold_title": mention.gold_title or None,
            "entity": found.entity,
            "title_in_kb": found.title or None,
        }
        for mention, found in islice(pairs, shown)
    ]
