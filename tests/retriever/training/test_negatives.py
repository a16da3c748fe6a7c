"""Training with hard negatives: reading them, their columns in a batch, whole runs."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muver.io.errors import InputError
from muver.io.parquet import table_writer
from muver.retriever.corpus.schema import NEGATIVES
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.files import MODEL_FILES
from tests import tiny
from tests.retriever.training.test_loop import SETTINGS, TRAINING, make_trainer, run, train

NUMBERS = {f"train-{world}-{n}": [(n + 1) % 12, (n + 5) % 12, (n + 7) % 12, (n + 2) % 12]
           for world in ("alder", "birch") for n in range(12)}  # fmt: skip
WITH = {**SETTINGS, "negatives": {"per_mention": 3, "run": {"blink": {"seed": 1}}}}


def write_negatives(path: Path, numbers: dict[str, list[int]]) -> Path:
    rows = [
        {"mention_id": mention, "negatives": some, "ranks": range(1, len(some) + 1),
         "scores": [0.0] * len(some)}
        for mention, some in numbers.items()
    ]  # fmt: skip
    with table_writer(path, NEGATIVES) as writer:
        writer.write_table(pa.Table.from_pylist(rows, NEGATIVES))
    return path


@pytest.fixture
def negatives(tmp_path):
    return write_negatives(tmp_path / "negatives.parquet", NUMBERS)


class Batch:
    """A trainer of one world of 12 entities, each mention's gold and negatives as given."""

    def __init__(self, trainer, golds, negatives):
        rest = 12 - len(golds)
        trainer.worlds[0] = self.world = dataclasses.replace(
            trainer.worlds[0],
            gold=np.array([*golds, *([0] * rest)]),
            negatives=[*negatives, *([[]] * rest)],
        )
        laid_out = trainer._lay_out(range(len(golds)))
        self.contexts, self.views, self.gold, self.candidates = laid_out

    @property
    def entities(self):
        """The columns' entities: no two entities of this world have equal views."""
        first = [[view.ids for view in own[:3]] for own in self.world.views]
        return [first.index(own) for own in self.views]


@pytest.fixture
def trainer(encoder, corpus, tmp_path):
    return make_trainer(encoder, corpus, tmp_path)


def test_columns_of_a_batch_by_hand(trainer):
    """Golds first; 9 was mined twice and is one column, 2 is the gold of a later mention."""
    batch = Batch(trainer, [4, 7, 4, 2], [[9, 2, 1], [4, 9], [], [7, 0]])
    assert batch.entities == [4, 7, 2, 9, 1, 0]
    assert batch.gold.tolist() == [0, 1, 0, 2]
    assert batch.contexts == batch.world.contexts[:4]
    assert batch.candidates == [[0, 3, 2, 4], [1, 0, 3], [0], [2, 1, 5]]


PAIRS = st.lists(
    st.tuples(st.integers(0, 11), st.lists(st.integers(0, 11), max_size=4)), min_size=1, max_size=8
)


@given(PAIRS)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_entity_of_a_batch_is_one_column(trainer, pairs):
    golds = [gold for gold, _ in pairs]
    mined = [[one for one in some if one != gold] for gold, some in pairs]
    batch = Batch(trainer, golds, mined)
    assert len(set(batch.entities)) == len(batch.entities)
    assert set(batch.entities) == set(golds) | {one for some in mined for one in some}
    assert [batch.entities[column] for column in batch.gold] == golds
    assert set(batch.entities[: len(set(golds))]) == set(golds)


def test_empty_views_fill_up_negatives_too(encoder, corpus, tmp_path):
    trainer = make_trainer(encoder, corpus, tmp_path, padding_views=True)
    assert [len(own) for own in Batch(trainer, [0], [[1, 3]]).views] == [3, 3, 3]


def run_with(folder: Path, encoder, corpus, negatives, settings=WITH) -> dict[str, bytes]:
    train(
        settings,
        tiny.COMPUTE,
        encoder,
        *corpus,
        checkpoints=folder / "checkpoints",
        training_log=folder / "log.jsonl",
        out=folder / "model",
        negatives=negatives,
    )
    return {file: (folder / "model" / file).read_bytes() for file in MODEL_FILES}


def losses(folder):
    lines = map(json.loads, (folder / "log.jsonl").read_text().splitlines())
    return [line["loss"] for line in lines if "loss" in line]


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


def test_own_pages_that_no_entity_has_are_refused(encoder, corpus, tmp_path):
    table = pq.read_table(corpus[1])
    place = table.column_names.index("document")
    unknown = pa.array(["elsewhere"] * len(table), pa.string())
    path = tmp_path / "mentions.parquet"
    pq.write_table(table.set_column(place, "document", unknown), path)
    asked = {**SETTINGS, "training": {**TRAINING, "own_page_negatives": True}}
    with pytest.raises(InputError, match="mentions.parquet: no training mention stands on a page"):
        run_with(tmp_path, encoder, (corpus[0], path, corpus[2]), None, asked)
