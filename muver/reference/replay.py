"""Compares all recordings in a folder with our pipeline."""

import sys
import tempfile
from pathlib import Path

from accelerate import Accelerator

from muver.encoders import device
from muver.encoders.biencoder import BiEncoder
from muver.encoders.start import from_directory
from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.progress import logger
from muver.reference.merging import compare_merging
from muver.reference.pipeline import Replay, load_model
from muver.reference.rankings import compare_rankings
from muver.reference.recording import SETTINGS, Recording, find_recordings, read_recording
from muver.reference.report import Report
from muver.reference.tokens import compare_tokens
from muver.reference.training import compare_training
from muver.reference.vectors import compare_embeddings, compare_scores


def compare(folder: Path, encoder: Path, threads: int = 1) -> Report:
    """Replay the recordings in a folder and count what agrees.

    Parameters
    ----------
    folder
        A recording, or a folder of recordings.
    encoder
        The BERT directory that made them.
    threads
        Threads of the encoder; they change the order of sums and so last digits.

    Raises
    ------
    InputError
        If the folder has no recording, or the encoder cannot have made it.
    """
    if threads < 1:
        raise InputError(f"--threads: {threads} is not a number of threads, expected 1 or more.")
    accelerator = device.start("cpu", "fp32", threads)
    recordings = [read_recording(inner) for inner in find_recordings(folder)]
    report = Report()
    with tempfile.TemporaryDirectory() as temporary:
        from_directory(encoder, Path(temporary))
        for recording in recordings:
            logger.info("replaying %s", recording.name)
            model = load_model(Path(temporary), recording.settings)
            _check_encoder(recording, model, encoder)
            _compare_one(recording, model, report, accelerator)
    return report


def replay(folder: Path, encoder: Path, out: Path | None = None, threads: int = 1) -> None:
    """Print what agrees (:func:`compare`); exit with status 1 if anything differs.

    Parameters
    ----------
    out
        JSON file for the report.
    """
    report = compare(folder, encoder, threads)
    print(report.as_text(), end="")
    if out is not None:
        write_json(out, report.as_json())
    if not report.agrees:
        sys.exit(1)


def _compare_one(
    recording: Recording, model: BiEncoder, report: Report, accelerator: Accelerator
) -> None:
    report.recordings.append(recording.name)
    if unknown := sorted(set(recording.settings) - set(SETTINGS)):
        report.notes.append(f"{recording.name}: unused settings: {', '.join(unknown)}.")
    replay = Replay(recording, model)
    compare_tokens(replay, report)
    compare_merging(replay, report)
    compare_embeddings(replay, report)
    compare_scores(replay, report)
    compare_rankings(replay, report)
    compare_training(replay, report, accelerator)  # last: it trains the model


def _check_encoder(recording: Recording, model: BiEncoder, encoder: Path) -> None:
    """Refuse an encoder that does not fit the recorded ids and vectors."""
    config = model.entity_encoder.config
    sequences = [*recording.tokens["contexts"]]
    for entity in recording.entities:
        sequences += entity["views"]
        sequences += [new["ids"] for layer in entity["merged"] for new in layer]
    width = recording.arrays["context"].shape[1]
    greatest, longest = max(map(max, sequences)), max(map(len, sequences))
    for fits, what, limit in (
        (width == model.dimension, f"vectors of length {width}", f"length {model.dimension}"),
        (greatest < config.vocab_size, f"token id {greatest}", f"{config.vocab_size} pieces"),
        (
            longest <= config.max_position_embeddings,
            f"a sequence of {longest} pieces",
            f"{config.max_position_embeddings} positions",
        ),
    ):
        if not fits:
            raise InputError(
                f"{recording.name}: recorded is {what}, but the encoder {encoder} has {limit}. "
                "Pass the encoder that made the recording."
            )
