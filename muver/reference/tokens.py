"""Compares contexts, titles, sentences and views, the inputs of the encoders."""

from muver.reference.pipeline import Replay
from muver.reference.report import Report


def compare_tokens(replay: Replay, report: Report) -> None:
    """Compare contexts and sentences from the inputs, and views from the recorded sentences."""
    recording, name = replay.recording, replay.recording.name
    contexts = report.tally("context token ids")
    for number, (expected, found) in enumerate(
        zip(recording.tokens["contexts"], replay.contexts, strict=True)
    ):
        contexts.equal(f"{name}, mention {number}", expected, found)
    lines = [entity["line"] for entity in recording.entities]
    views = replay.lay_out(
        [recording.titles[line] for line in lines],
        [entity["sentences"] for entity in recording.entities],
    )
    for entity, own in zip(recording.entities, views, strict=True):
        line = entity["line"]
        where = f"{name}, entity line {line}"
        report.tally("title token ids").equal(where, entity["title_ids"], replay.title_ids[line])
        report.tally("sentences").equal(where, entity["sentences"], replay.sentences[line])
        report.tally("view token ids").equal(where, entity["views"], [view.ids for view in own])
    if not report.tally("sentences").agrees:
        report.notes.append(
            f"{name}: the replay splits sentences with an untrained Punkt, as the known recordings "
            "do; a recording with other sentences cannot be replayed end to end."
        )
    counts = report.tally("views per entity")
    for line, expected in enumerate(recording.tokens["views_per_entity"]):
        counts.equal(f"{name}, entity line {line}", expected, len(replay.views[line]))
