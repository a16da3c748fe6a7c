"""Changes of an index: each is one step, from one state to the next, under the writer's lock.

What is new is written beside what is there; then the state's file is replaced. A process that is
killed before that leaves the old state, and at most a file that nothing names.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import length_hint
from pathlib import Path

import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from muver.io.errors import InputError, disk_errors, quoted
from muver.io.files import folder_beside, synchronise, synchronise_all
from muver.io.progress import Progress
from muver.io.typed import plain
from muver.kb.importing.schema import read_entities
from muver.kb.index import segments
from muver.kb.index.encoding import Encoding, check_model
from muver.kb.index.entity import Entity, checked
from muver.kb.index.index_settings import BY_ENCODER, Making, changed, defaults
from muver.kb.index.segments import check, groups, joined, write_segment
from muver.kb.index.snapshot import Snapshot
from muver.kb.index.state import (
    FILE,
    PREVIOUS,
    SEGMENTS,
    Segment,
    State,
    read_state,
    replace_state,
    write_state,
    writing,
)
from muver.retriever.encoders.hub import check_there

BM25 = "bm25"
# Segments of fewer entities are joined when there are more than so many of them.
SMALL, MOST_SMALL = 512, 16
Source = str | Path | Entity | Iterable[Entity]


@dataclass(frozen=True)
class Change:
    """Numbers of entities that a change added, updated, left as they were, and removed."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0


def create(
    folder: Path,
    source: Source,
    model: str | None,
    settings: Making,
    weights: Mapping[str, float] | None,
) -> None:
    """Make an index; its folder appears when everything is in it."""
    check_possible(folder, model, settings, weights)
    with folder_beside(folder) as temporary:
        kept = loaded = None
        if model not in (None, BM25):
            from muver.kb.index.model import keep

            kept, loaded = keep(model, temporary, settings)
        columns, trained = (kept.columns, kept.trained) if kept else ([], False)
        chosen = changed(defaults(columns, trained, words_alone=model == BM25), weights)
        state = State(settings=settings, weights=chosen, model=kept)
        encoding = Encoding(temporary, state, loaded)  # which need not be read again
        (temporary / SEGMENTS).mkdir()
        write_state(temporary, state)
        put(Snapshot(encoding, state, []), source, overwrite=False)
        with disk_errors(folder, "Nothing was changed."):
            synchronise_all(temporary)
            temporary.replace(folder)
            synchronise(folder.parent)


def check_possible(
    folder: Path, model: str | None, settings: Making, weights: Mapping[str, float] | None
) -> None:
    """Refuse a place for an index where something is, a model that is not there, and settings
    and weights that no such index has.
    """
    check_free(folder)
    settings.check_own()
    names_only = model in (None, BM25)
    known = defaults((), False, words_alone=model == BM25) if names_only else BY_ENCODER
    changed(known, weights)  # refuses weights of no signal
    if not names_only:
        check_there(model)
    elif of_views := plain(settings).keys() - {"words"}:
        raise InputError(
            f"{', '.join(sorted(of_views))}: views are compared by a model. Name one with --model, "
            "or leave that out."
        )


def check_free(folder: Path) -> None:
    """Refuse a place for an index where something is."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            f"{folder}: is there already. Remove it or choose another place; `muver index update` "
            "brings in entities that have changed."
        )


def put(snapshot: Snapshot, source: Source, overwrite: bool) -> Change:
    """Bring entities into the newest state, all or none; ``overwrite`` replaces those of an id."""
    counts: Counter[str] = Counter()
    gone: list[int] = []

    def taken() -> Iterator[Entity]:
        for entity, number in _with_numbers(snapshot, source):
            if number is None:
                counts["added"] += 1
            elif snapshot.content(number) == entity.content:
                counts["unchanged"] += 1
                continue
            elif not overwrite:
                raise InputError(
                    f"id {quoted(entity.id)} of world {quoted(entity.world)} is there already, "
                    "with another text. Use update to replace it."
                )
            else:
                counts["updated"] += 1
                gone.append(number)
            yield entity

    kb = isinstance(source, str | Path)
    total = read_entities(source, []).num_rows if kb else length_hint(source)
    new = write_new(snapshot, taken(), total)
    if new:
        write_state(snapshot.folder, _tidied(snapshot, [*_without(snapshot, gone), *new]))
    return Change(**counts)


def remove(snapshot: Snapshot, ids: Sequence[str], world: str | None) -> Change:
    """Take entities out of the newest state, all or, if one is not there, none."""
    numbers = {snapshot.number(id, world) for id in ids}
    if numbers:
        write_state(snapshot.folder, snapshot.state.after(_without(snapshot, numbers)))
    return Change(removed=len(numbers))


def compact(snapshot: Snapshot) -> None:
    """Bring all entities into one segment and remove files that no state names.

    Readers of an older state keep the files that they have mapped.
    """
    state, folder = snapshot.state, snapshot.folder
    if len(state.segments) > 1 or any(segment.removed for segment in state.segments):
        state = state.after(_rewritten(snapshot, state.segments, _name(state)))
        write_state(folder, state)
    kept = {segment.name for segment in state.segments}
    (folder / PREVIOUS).unlink(missing_ok=True)  # it names files that go now
    for path in (folder / SEGMENTS).iterdir():
        if path.name not in kept:
            path.unlink()


def verify(folder: Path, name: str = FILE) -> list[str]:
    """What is wrong with the segments and the model, a sentence each; ``name`` is of the state's
    file.
    """
    state = read_state(folder, name)
    checks = [partial(check, folder / SEGMENTS, segment) for segment in state.segments]
    checks += [partial(check_model, folder, state)] if state.model else []
    wrong = []
    for run_check in checks:
        try:
            run_check()
        except InputError as error:
            wrong.append(str(error))
    return wrong


def repair(folder: Path) -> State | None:
    """Go back to before the last change of an index that is damaged; None if it is not."""
    if not (folder / PREVIOUS).is_file():
        read_state(folder)  # refuses what is no index
    with writing(folder):
        try:
            wrong = verify(folder)
        except InputError as error:
            wrong = [str(error)]
        if not wrong:
            return None
        if not (folder / PREVIOUS).is_file() or verify(folder, PREVIOUS):
            raise InputError("\n".join([*wrong, f"{folder}: no whole state before that."]))
        before = read_state(folder, PREVIOUS)
        # Later than the damaged one, which the service and others may have seen.
        after = replace(before, generation=before.generation + 2)
        replace_state(folder / FILE, after)
        return after


def write_new(snapshot: Snapshot, entities: Iterator[Entity], total: int) -> list[Segment]:
    """Encode ``total`` entities or fewer and write them as a segment, none if there are none;
    memory does not grow with them.
    """
    progress = Progress("encoding", total, "entities")

    def encoded() -> Iterator[dict[str, pa.Array]]:
        for group in groups(entities):
            yield snapshot.encoding.columns(group)
            progress.advance(len(group))
        progress.finish()

    state = snapshot.state
    return write_segment(snapshot.folder, _name(state), state.model, encoded())


def _with_numbers(snapshot: Snapshot, source: Source) -> Iterator[tuple[Entity, int | None]]:
    """Entities, each with its number in the index if it has one; an id may not come twice."""
    seen: set[int] = set()
    entities = checked(source, snapshot.worlds)
    while group := list(islice(entities, segments.ENTITIES_A_PART)):
        numbers = snapshot.find(entity.key for entity in group)
        for entity in group:
            if entity.key in seen:
                raise InputError(
                    f"id {quoted(entity.id)} comes twice in world {quoted(entity.world)}. Ids must "
                    "differ within a world. Leave one of the two out."
                )
            seen.add(entity.key)
            yield entity, numbers.get(entity.key)


def _without(snapshot: Snapshot, numbers: Iterable[int]) -> list[Segment]:
    """The segments of a snapshot when these entities are gone; those without any are left out."""
    live = np.concatenate([np.zeros(0, bool), *(part.live for part in snapshot.parts)])
    live[list(numbers)] = False
    segments, first = [], 0
    for segment in snapshot.state.segments:
        gone = np.flatnonzero(~live[first : first + segment.entities])
        first += segment.entities
        if len(gone) < segment.entities:
            segments.append(replace(segment, removed=gone.tolist()))
    return segments


def _tidied(snapshot: Snapshot, segments: list[Segment]) -> State:
    """The next state; where it has many small segments these are joined first."""
    after = snapshot.state.after(segments)
    small = [segment for segment in segments if segment.live < SMALL]
    if len(small) <= MOST_SMALL:
        return after
    name = f"{after.generation:06d}-joined.arrow"
    new = _rewritten(Snapshot.of(snapshot.folder, after, snapshot), small, name)
    return replace(after, segments=[segment for segment in segments if segment not in small] + new)


def _rewritten(snapshot: Snapshot, segments: Sequence[Segment], name: str) -> list[Segment]:
    """Write what is there of some segments as one; none if nothing is."""
    state, parts = snapshot.state, []
    for segment, of_segment in zip(state.segments, snapshot.parts_of, strict=True):
        if segment in segments:
            check(snapshot.folder / SEGMENTS, segment)  # what is copied gets a new checksum
            parts += of_segment
    return write_segment(snapshot.folder, name, state.model, joined(parts))


def _name(state: State) -> str:
    """Of the file that the next change writes."""
    return f"{state.generation + 1:06d}.arrow"
