"""Training with hard negatives: reading them, whole runs."""

from pathlib import Path

import pyarrow as pa
import pytest

from muver.io.errors import InputError
from muver.io.parquet import write_table
from muver.retriever.corpus.schema import NEGATIVES
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.files import MODEL_FILES
from tests import tiny
from tests.retriever.training.test_loop import SETTINGS, log_of, places, run, train

NUMBERS = {f"train-{world}-{n}": [(n + 1) % 12, (n + 5) % 12, (n + 7) % 12, (n + 2) % 12]
           for world in ("alder", "birch") for n in range(12)}  # fmt: skip
WITH = {**SETTINGS, "negatives": {"per_mention": 3, "run": {"blink": {"seed": 1}}}}


def write_negatives(path: Path, numbers: dict[str, list[int]]) -> Path:
    rows = [
        {"mention_id": mention, "negatives": some, "ranks": range(1, len(some) + 1),
         "scores": [0.0] * len(some)}
        for mention, some in numbers.items()
    ]  # fmt: skip
    write_table(path, pa.Table.from_pylist(rows, NEGATIVES))
    return path


@pytest.fixture
def negatives(tmp_path):
    return write_negatives(tmp_path / "negatives.parquet", NUMBERS)


def run_with(folder: Path, encoder, corpus, negatives, settings=WITH) -> dict[str, bytes]:
    train(settings, tiny.COMPUTE, encoder, *corpus, **places(folder), negatives=negatives)
    return {file: (folder / "model" / file).read_bytes() for file in MODEL_FILES}


def losses(folder):
    return [line["loss"] for line in log_of(folder) if "loss" in line]


@pytest.fixture(scope="module")
def whole(encoder, corpus, tmp_path_factory):
    """A run that was not interrupted: its folder and the model's files."""
    folder = tmp_path_factory.mktemp("whole")
    path = write_negatives(folder / "negatives.parquet", NUMBERS)
    return folder, run_with(folder, encoder, corpus, path)


def test_a_run_with_negatives(encoder, corpus, tmp_path, negatives, whole, killed):
    """It is killed and resumed to the same bytes, has greater losses, and its model says so."""
    folder, files = whole
    killed(6, run_with, tmp_path, encoder, corpus, negatives)
    assert run_with(tmp_path, encoder, corpus, negatives) == files
    run(tmp_path / "plain", encoder, corpus)
    assert losses(folder)[0] > losses(tmp_path / "plain")[0]
    made = BiEncoder.from_pretrained(folder / "model").config.provenance
    assert made["seed"] == 3 and made["negatives"].items() >= WITH["negatives"].items()


def test_checkpoints_of_other_negatives_are_not_resumed(
    encoder, corpus, tmp_path, negatives, whole, killed
):
    others = {mention: some[::-1] for mention, some in NUMBERS.items()}
    other = write_negatives(tmp_path / "others" / "negatives.parquet", others)
    killed(8, run_with, tmp_path, encoder, corpus, other)
    assert run_with(tmp_path, encoder, corpus, negatives) == whole[1]


def test_settings_and_files_have_to_agree(encoder, corpus, tmp_path, negatives):
    for asked, path, message in (
        (WITH, None, "--negatives: goes with"),
        (SETTINGS, negatives, "--negatives: goes with"),
    ):
        with pytest.raises(InputError, match=message):
            run_with(tmp_path, encoder, corpus, path, asked)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["negatives.parquet"]
