"""Compares each part of our pipeline with recordings of the released system."""

from collections import defaultdict
from pathlib import Path

from tests.reference.replay.merging import compare_merging
from tests.reference.replay.pipeline import Replay, load_model
from tests.reference.replay.rankings import compare_rankings
from tests.reference.replay.recording import Recording
from tests.reference.replay.tally import Report, Tally
from tests.reference.replay.tokens import compare_tokens
from tests.reference.replay.training import compare_training
from tests.reference.replay.vectors import compare_embeddings, compare_scores

KINDS = 41


def compare(recording: Recording, encoder: Path) -> Report:
    """What agrees, for each kind of item, with the BERT directory that made the recording."""
    replay = Replay(recording, load_model(encoder, recording.settings))
    report: Report = defaultdict(Tally)
    compare_tokens(replay, report)
    compare_merging(replay, report)
    compare_embeddings(replay, report)
    compare_scores(replay, report)
    compare_rankings(replay, report)
    compare_training(replay, report)  # last: it trains the model
    return report
