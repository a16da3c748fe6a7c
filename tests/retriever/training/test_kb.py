"""Training over a knowledge base: subset with hard negatives, from a model, to a model."""

import json

import pytest

from muver.cli import main
from muver.retriever.corpus.corpus_settings import Subset
from muver.retriever.corpus.linking.subset import write_subset
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.retrieval.negatives import mine
from muver.retriever.retrieval.retrieval_settings import Mining
from muver.retriever.training import loop
from tests import tiny
from tests.knowledge_base import PAGES, make_kb, write_linked, write_linked_run
from tests.retriever.training.test_loop import SETTINGS, TRAINING

VIEWS = {**tiny.SENTENCE_VIEWS, "min_pieces": 1, "training_views": 5}
RUN = {
    "train-0": [(6, 9.0), (2, 8.0), (0, 7.0), (3, 1.0)],
    "train-1": [(4, 3.0), (2, 2.0)],
    "train-2": [(0, 1.0)],
    "train-3": [(7, 2.0), (6, 1.0), (1, 0.5)],
}


@pytest.fixture
def data(tmp_path):
    """Training mentions with golds 2, 4, none, 2 of the base, two negatives each at most."""
    kb = make_kb(tmp_path)
    training = write_linked(tmp_path / "train.parquet", "train", [2, 4, None, 2])
    validation = write_linked(tmp_path / "val.parquet", "val", [5, 2, 4])
    run, _ = write_linked_run(tmp_path, kb, training, RUN)
    out = tmp_path / "negatives.parquet", tmp_path / "negatives.json"
    mine(run, training, *out, Mining(per_mention=2), kb)
    write_subset(kb, training, validation, out[0], tmp_path / "data", Subset(further=0, seed=0))
    return tmp_path / "data"


def test_from_a_base_to_a_model_that_went_on_from_another(encoder, data, tmp_path, monkeypatch):
    original, seen = loop.backward_through_batch, []

    def watching(model, objective, batch, *how):
        golds = len(set(batch.gold.tolist()))
        seen.append((sorted(map(len, batch.views)), golds, len(batch.contexts)))
        return original(model, objective, batch, *how)

    monkeypatch.setattr(loop, "backward_through_batch", watching)
    names = ("entities", "mentions", "sentences")
    tables = [f"--{name}={data / name}.parquet" for name in names]

    def train(name, start, settings, *more):
        folder = tmp_path / name
        settings = {**SETTINGS, "training": {**TRAINING, "epochs": 1}, **settings}
        arguments = [
            "stage", "train", "--settings", json.dumps(settings),
            "--compute", json.dumps(tiny.COMPUTE),
            f"--start={start}", *tables, f"--checkpoints={folder / 'checkpoints'}",
            f"--training-log={folder / 'log.jsonl'}", f"--out={folder / 'model'}", *more,
        ]  # fmt: skip
        assert main(arguments) == 0
        return folder

    blink = train("blink", encoder, {"views": {"kind": "prefix", "max_tokens": 30}})
    muver = train(
        "muver", blink / "model",
        {"views": VIEWS, "start": {"blink": {}}, "negatives": {"per_mention": 2, "run": {}}},
        f"--negatives={data / 'negatives.parquet'}",
    )  # fmt: skip
    # Golds 2 and 4; negatives 6 and 0 of mention 0, 2 of mention 1, 7 and 6 of mention 3.
    assert seen == [
        ([1, 1], 2, 3),
        (sorted(len(PAGES[number][1]) for number in (2, 4, 6, 0, 7)), 2, 3),
    ]
    lines = list(map(json.loads, (muver / "log.jsonl").read_text().splitlines()))
    assert "validation_recall_at_3" in lines[1] and lines[-1]["best_step"] == 1
    found = BiEncoder.from_pretrained(muver / "model").config
    assert found.views.as_dict() == VIEWS and found.provenance["start"] == {"blink": {}}
