"""Looking at an index: what it is, how large, and whether its files are as they were written."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.pruning import size
from muver.kb.index.lock import writing
from muver.kb.index.segments import Opened
from muver.kb.index.snapshot import Snapshot
from muver.kb.index.state import (
    FILE,
    MODEL,
    PREVIOUS,
    PUNKT,
    SEGMENTS,
    Segment,
    State,
    damaged,
    put_state,
    read_state,
)
from muver.retriever.views.files import punkt_fingerprint


def info(snapshot: Snapshot) -> dict[str, Any]:
    """Model, settings, counts and sizes."""
    state = snapshot.state
    removed = sum(len(segment.removed) for segment in state.segments)
    return {
        "folder": str(snapshot.folder),
        "generation": state.generation,
        "fingerprint": state.fingerprint,
        "model": state.model.name if state.model else "bm25",
        "trained": state.model.trained if state.model else None,
        "settings": state.settings.as_dict(),
        "kinds": state.model.kinds if state.model else None,
        "entities": state.entities,
        "views": sum(segment.views for segment in state.segments) if state.model else None,
        "worlds": snapshot.worlds,
        "segments": len(state.segments),
        "removed": removed,
        "bytes": size(snapshot.folder / SEGMENTS),
        "model_bytes": size(snapshot.folder / MODEL) if state.model else 0,
    }


def sizes(info: dict[str, Any]) -> str:
    """How large an index is, in a few words."""
    words = [f"{info['entities']:,} entities"]
    if len(info["worlds"]) != 1:
        words[0] += f" of {len(info['worlds'])} worlds"
    if info["views"] is not None:
        words.append(f"{info['views']:,} views")
    return f"{', '.join(words)}, {info['bytes'] / 1e6:.1f} MB"


def in_terminal(info: dict[str, Any]) -> str:
    """The lines that ``muver index info`` prints."""
    trained = {
        True: ", trained",
        False: ", an encoder that has not been trained to find entities",
        None: "",
    }
    settings = info["settings"]
    lines = {
        "model": info["model"] + trained[info["trained"]],
        "views": info["views"] and f"{info['kinds']}; layers of merged ones: {settings['merge']}",
        "score": info["views"] and _words(settings["aggregate"]),
        "weight of BM25": settings["bm25_weight"],
        "size": sizes(info),
        "worlds": ", ".join(f"{name} {count:,}" for name, count in info["worlds"].items()),
        "generation": info["generation"],
        "segments": f"{info['segments']}, in which {info['removed']} entities have been removed",
        "fingerprint": info["fingerprint"],
    }
    width = max(map(len, lines))
    return "\n".join(f"{name:{width}}  {line}" for name, line in lines.items() if line)


def _words(aggregate: dict[str, Any]) -> str:
    own = dict(aggregate)
    return " ".join([own.pop("kind"), *(f"{key} {value}" for key, value in own.items())])


def verify(folder: Path, name: str = FILE) -> list[str]:
    """What is wrong, a sentence each: segments, model, sentence splitter.

    Parameters
    ----------
    name
        Of the state's file.
    """
    state = read_state(folder, name)
    wrong = [sentence for segment in state.segments for sentence in _segment(folder, segment)]
    return wrong + _model(folder, state)


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
        put_state(folder / FILE, after)
        return after


def _segment(folder: Path, segment: Segment) -> list[str]:
    path = folder / SEGMENTS / segment.name
    try:
        Opened.of(folder / SEGMENTS, segment, wait=True)
    except FileNotFoundError:
        return [str(damaged(path, "no such file"))]
    except InputError as error:
        return [str(error)]
    return []


def _model(folder: Path, state: State) -> list[str]:
    if state.model is None:
        return []
    from muver.retriever.encoders.fingerprint import model_fingerprint

    try:
        found = {MODEL: model_fingerprint(folder / MODEL), PUNKT: punkt_fingerprint(folder / PUNKT)}
    except (InputError, OSError) as error:
        return [str(error)]
    wanted = {MODEL: state.model.fingerprint, PUNKT: state.model.punkt}
    return [
        f"{folder / name}: not what the index was made with. Put that back, or make it again."
        for name, own in wanted.items()
        if found[name] != own
    ]
