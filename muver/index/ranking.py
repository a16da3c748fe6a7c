"""From mentions to candidates: ranks the parts of a snapshot, and reads the winners' entities."""

from collections.abc import Sequence

from muver.corpus.clean import clean
from muver.index.making import Machinery
from muver.index.search import Hit, by_views, by_words, fused
from muver.index.snapshot import Place, Snapshot
from muver.index.words import queries
from muver.retrieval.answers import NO_VIEW, Candidate, Mention


def ranked(
    snapshot: Snapshot,
    machinery: Machinery,
    world: str | None,
    mentions: Sequence[Mention],
    k: int,
) -> list[list[Hit]]:
    """The best ``k`` entities of each mention of a world, or of all: by views, words, or both."""
    state, parts = snapshot.state, snapshot.parts
    settings = state.settings
    deep = max(k, settings.depth)
    if state.model is None:
        return by_words(parts, world, queries(mentions, settings.words), k, settings.words)
    vectors = machinery.mentions(mentions)
    scored = settings.scorer, state.model.metric
    if settings.bm25_weight is None:
        return by_views(parts, world, vectors, k, *scored)
    words = by_words(parts, world, queries(mentions, settings.words), deep, settings.words)
    views = by_views(parts, world, vectors, deep, *scored)
    return [
        fused(parts, view, word, settings.bm25_weight, k)
        for view, word in zip(views, words, strict=True)
    ]


def candidate(snapshot: Snapshot, hit: Hit) -> Candidate:
    """A ranked entity, for programs."""
    place = Place(hit.part, hit.row)
    entity = snapshot.entity(place)
    best = (NO_VIEW, -1, -1, "") if hit.view < 0 else view(snapshot, place, hit.view)
    number = sum(map(len, snapshot.parts[: hit.part])) + hit.row
    return Candidate(number, entity.id, entity.title, hit.score, *best, entity.world)


def view(snapshot: Snapshot, place: Place, number: int) -> tuple[int, int, int, str]:
    """Layer, first and last sentence of an entity's view, and these sentences."""
    part, row = snapshot.parts[place.part], place.row
    own = part.batch.column("views").values[int(part.starts[row]) + number].as_py()
    layer, first, last = own["layer"], own["first"], own["last"]
    spans = part.batch.column("sentences")[row].as_py()[max(first, 0) : last + 1]
    text = clean(part.batch.column("description")[row].as_py())
    return layer, first, last, " ".join(text[one["start"] : one["end"]] for one in spans)
