"""Whether the files of an index are as they were written, and the way back where they are not."""

from pathlib import Path

from msgspec.structs import replace

from muver.io.errors import InputError
from muver.kb.index.segments import check
from muver.kb.index.state import (
    FILE,
    MODEL,
    PREVIOUS,
    PUNKT,
    SEGMENTS,
    State,
    read_state,
    replace_state,
    writing,
)
from muver.retriever.views.files import punkt_fingerprint


def verify(folder: Path, name: str = FILE) -> list[str]:
    """What is wrong with the segments, the model and the splitter, a sentence each; ``name`` is of
    the state's file.
    """
    state = read_state(folder, name)
    wrong = []
    for segment in state.segments:
        try:
            check(folder / SEGMENTS, segment)
        except InputError as error:
            wrong.append(str(error))
    if state.model is None:
        return wrong
    from muver.retriever.encoders.fingerprint import model_fingerprint

    try:
        made = {MODEL: model_fingerprint(folder / MODEL), PUNKT: punkt_fingerprint(folder / PUNKT)}
    except (InputError, OSError) as error:
        return [*wrong, str(error)]
    wanted = {MODEL: state.model.fingerprint, PUNKT: state.model.punkt}
    return wrong + [
        f"{folder / name}: not what the index was made with. Put that back, or make it again."
        for name in wanted
        if made[name] != wanted[name]
    ]


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
