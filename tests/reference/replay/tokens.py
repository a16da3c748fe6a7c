"""Compares contexts, titles, sentences and views, the inputs of the encoders."""

from tests.reference.replay.pipeline import Replay
from tests.reference.replay.tally import Report


def compare_tokens(replay: Replay, report: Report) -> None:
    """Compare contexts and sentences from the inputs, and views from the recorded sentences."""
    tokens = replay.recording.tokens
    for mention, both in enumerate(zip(tokens["contexts"], replay.contexts, strict=True)):
        report["context token ids"].equal(f"mention {mention}", *both)
    for entity in tokens["entities"]:
        line, sentences = entity["line"], entity["sentences"]
        where = f"entity line {line}"
        (views,) = replay.lay_out([replay.recording.titles[line]], [sentences])
        report["title token ids"].equal(where, entity["title_ids"], replay.title_ids[line])
        report["sentences"].equal(where, sentences, replay.sentences[line])
        report["view token ids"].equal(where, entity["views"], [view.ids for view in views])
    for line, both in enumerate(zip(tokens["views_per_entity"], replay.views, strict=True)):
        expected, found = both
        report["views per entity"].equal(f"entity line {line}", expected, len(found))
