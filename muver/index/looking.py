"""Looking at an index: what it is, how large, and whether its files are as they were written."""

from pathlib import Path
from typing import Any

from muver.index.segments import Opened
from muver.index.snapshot import Snapshot
from muver.index.state import MODEL, PUNKT, SEGMENTS, State, read_state
from muver.io.errors import InputError
from muver.io.files import sha256_of
from muver.io.pruning import size


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
        "entities": state.entities,
        "views": sum(segment.views for segment in state.segments) if state.model else None,
        "worlds": snapshot.worlds,
        "segments": len(state.segments),
        "removed": removed,
        "bytes": size(snapshot.folder / SEGMENTS),
        "model_bytes": size(snapshot.folder / MODEL) if state.model else 0,
    }


def verify(folder: Path) -> list[str]:
    """What is wrong, a sentence each: segments, model, sentence splitter."""
    state = read_state(folder)
    wrong = [sentence for segment in state.segments for sentence in _segment(folder, segment)]
    return wrong + _model(folder, state)


def _segment(folder, segment) -> list[str]:
    path = folder / SEGMENTS / segment.name
    if not path.is_file():
        return [f"{path}: no such file."]
    if (found := sha256_of(path)) != segment.sha256:
        return [
            f"{path}: not as it was written: its SHA-256 is {found[:12]}, expected "
            f"{segment.sha256[:12]}."
        ]
    try:
        Opened.of(folder / SEGMENTS, segment)
    except InputError as error:
        return [str(error)]
    return []


def _model(folder: Path, state: State) -> list[str]:
    if state.model is None:
        return []
    from muver.encoders.fingerprint import model_fingerprint
    from muver.views.punkt import fingerprint

    wrong = []
    found = {}
    try:
        found = {MODEL: model_fingerprint(folder / MODEL), PUNKT: fingerprint(folder / PUNKT)}
    except (InputError, OSError) as error:
        return [str(error)]
    wanted = {MODEL: state.model.fingerprint, PUNKT: state.model.punkt}
    for name, own in wanted.items():
        if found[name] != own:
            wrong.append(f"{folder / name}: not what the index was made with.")
    return wrong
