"""Training runs: killed and resumed, the best checkpoint, the log."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from muver.encoders import device
from muver.encoders.biencoder import BiEncoder
from muver.encoders.files import MODEL_FILES
from muver.training import loop
from muver.training.checkpoint import Checkpoints
from muver.training.loop import Trainer
from muver.training.run import train
from muver.views.worlds import load_worlds
from tests import tiny

TRAINING = {
    "batch_size": 5,
    "epochs": 2,
    "learning_rate": 1e-3,
    "weight_decay": 0.01,
    "warmup": 0.1,
    "clip_norm": 1.0,
    "adam_epsilon": 1e-6,
    "mask_false_negatives": False,
    "validate_every": 4,
    "validation_cutoff": 3,
    "checkpoint_every": 3,
    "chunk_tokens": 200,
    "graph_tokens": 10_000,
}
STEPS = 12  # two worlds of 12 mentions in batches of 5, 5 and 2, twice
SETTINGS = {
    "views": tiny.SENTENCE_VIEWS,
    "score": "max",
    "context": {"max_tokens": 32},
    "training": TRAINING,
    "seed": 3,
}


def run(folder: Path, encoder, corpus, **training) -> dict[str, bytes]:
    """Train and return the model's files."""
    train(
        {**SETTINGS, "training": {**TRAINING, **training}},
        tiny.COMPUTE,
        encoder,
        *corpus,
        checkpoints=folder / "checkpoints",
        training_log=folder / "log.jsonl",
        out=folder / "model",
    )
    return {file: (folder / "model" / file).read_bytes() for file in MODEL_FILES}


def log_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def without_speed(lines: list[dict]) -> list[dict]:
    return [{k: v for k, v in line.items() if k != "mentions_per_second"} for line in lines]


class Killed(Exception):
    pass


def kill_before(monkeypatch, step: int) -> None:
    """Let the run die at the start of a step, counted from 1 in this process."""
    original, calls = loop.backward_through_batch, []

    def dying(*args):
        calls.append(args)
        if len(calls) == step:
            raise Killed
        return original(*args)

    monkeypatch.setattr(loop, "backward_through_batch", dying)


@pytest.fixture(scope="module")
def uninterrupted(encoder, corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted")
    return run(folder, encoder, corpus), log_of(folder)


def test_a_run_leaves_a_model_its_log_and_no_checkpoints(encoder, corpus, tmp_path, uninterrupted):
    files = run(tmp_path, encoder, corpus)
    assert files == uninterrupted[0]  # a repeat gives the same bytes
    assert list((tmp_path / "checkpoints").iterdir()) == []
    steps = [line for line in log_of(tmp_path) if "loss" in line]
    assert [line["step"] for line in steps] == list(range(1, STEPS + 1))
    assert [line["epoch"] for line in steps] == [1] * 6 + [2] * 6
    recalls = [line for line in log_of(tmp_path) if "validation_recall_at_3" in line]
    assert [line["step"] for line in recalls] == [4, 8, 12]
    model = BiEncoder.from_pretrained(tmp_path / "model")
    assert model.config.provenance == {"training": TRAINING, "seed": 3}
    start = BiEncoder.from_encoder(encoder, model.config)
    assert not torch.equal(
        model.mention_encoder.embeddings.word_embeddings.weight,
        start.mention_encoder.embeddings.word_embeddings.weight,
    )


@pytest.mark.parametrize("step", [2, 4, 6, 12])
def test_a_killed_run_resumes_to_the_same_bytes(
    encoder, corpus, tmp_path, uninterrupted, monkeypatch, step
):
    with monkeypatch.context() as patch, pytest.raises(Killed):
        kill_before(patch, step)
        run(tmp_path, encoder, corpus)
    assert not (tmp_path / "model").exists()
    files = run(tmp_path, encoder, corpus)
    assert files == uninterrupted[0]
    assert without_speed(log_of(tmp_path)) == without_speed(uninterrupted[1])


def test_a_run_killed_twice_and_after_its_last_step(
    encoder, corpus, tmp_path, uninterrupted, monkeypatch
):
    for step in (5, 4):
        with monkeypatch.context() as patch, pytest.raises(Killed):
            kill_before(patch, step)
            run(tmp_path, encoder, corpus)
    with monkeypatch.context() as patch, pytest.raises(Killed):

        def dying(*_):
            raise Killed

        patch.setattr(BiEncoder, "save_pretrained", dying)
        run(tmp_path, encoder, corpus)
    with monkeypatch.context() as patch:
        kill_before(patch, 1)  # nothing is left to train
        assert run(tmp_path, encoder, corpus) == uninterrupted[0]


SIGKILLED = """
import os, signal, sys
from pathlib import Path
from tests.training import test_loop
from muver.training import checkpoint

save, saved = checkpoint.torch.save, []

def dying(state, file):
    saved.append(file)
    if len(saved) == 4:
        file.write(b"half of a checkpoint")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    save(state, file)

checkpoint.torch.save = dying
folder, encoder, *corpus = map(Path, sys.argv[1:])
test_loop.run(folder, encoder, corpus)
"""


def test_a_run_killed_while_it_writes_a_checkpoint(encoder, corpus, tmp_path, uninterrupted):
    paths = [str(path) for path in (tmp_path, encoder, *corpus)]
    done = subprocess.run(
        [sys.executable, "-c", SIGKILLED, *paths],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    left = sorted(path.name[:8] for path in (tmp_path / "checkpoints").iterdir())
    assert left == [".last.pt", "best.pt", "last.pt"]
    assert run(tmp_path, encoder, corpus) == uninterrupted[0]
    assert list((tmp_path / "checkpoints").iterdir()) == []


def test_checkpoints_of_other_settings_are_not_resumed(encoder, corpus, tmp_path, monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(Killed):
        kill_before(patch, 8)
        run(tmp_path / "one", encoder, corpus)
    resumed = run(tmp_path / "one", encoder, corpus, learning_rate=2e-3)
    assert resumed == run(tmp_path / "two", encoder, corpus, learning_rate=2e-3)


def make_trainer(encoder, corpus, folder, **training) -> Trainer:
    model = tiny.make_model(encoder)
    worlds = [load_worlds(*corpus, split, model.config, model.pieces) for split in ("train", "val")]
    return Trainer(
        model,
        *worlds,
        {**TRAINING, **training},
        3,
        device.start(tiny.COMPUTE),
        Checkpoints(folder, "key"),
    )


@pytest.mark.parametrize(
    "hits, best", [([3, 5, 5], 8), ([0, 0, 0], 4), ([5, 3, 4], 4), ([1, 2, 3], 12)]
)
def test_the_best_checkpoint_finds_strictly_more(
    encoder, corpus, tmp_path, monkeypatch, hits, best
):
    found, states = iter(hits), {}
    trainer = make_trainer(encoder, corpus, tmp_path)

    def count(model, *_):
        weight = model.mention_encoder.embeddings.word_embeddings.weight
        states[trainer.step] = weight.detach().clone()
        return next(found), 12

    monkeypatch.setattr(loop, "count_hits", count)
    log = trainer.run()
    assert Checkpoints(tmp_path, "key").load("best")["step"] == best
    ours = trainer.model.mention_encoder.embeddings.word_embeddings.weight
    assert torch.equal(ours, states[best])
    recalls = [line["validation_recall_at_3"] for line in log if "loss" not in line]
    assert recalls == [pytest.approx(100 * h / 12) for h in hits]


def test_the_last_steps_run_at_a_rate_of_zero(encoder, corpus, tmp_path):
    trainer = make_trainer(encoder, corpus, tmp_path, warmup=0.25)
    # The schedule is laid out for 24 * 2 // 5 = 9 steps, int(.25 * 9) = 2 of them warm-up.
    rates = [line["learning_rate"] for line in trainer.run() if "loss" in line]
    expected = [0, 0.5, 1, *(n / 7 for n in range(6, -1, -1)), 0, 0]
    assert rates == [pytest.approx(1e-3 * factor) for factor in expected]


def test_a_batch_has_each_gold_once_with_its_first_views(encoder, corpus, tmp_path, monkeypatch):
    trainer = make_trainer(encoder, corpus, tmp_path, epochs=1)
    trainer.worlds = [  # two mentions an entity
        dataclasses.replace(world, gold=world.gold // 2 * 2) for world in trainer.worlds
    ]
    original, seen = loop.backward_through_batch, []

    def watching(model, contexts, views, gold, *rest):
        seen.append((contexts, views, gold))
        return original(model, contexts, views, gold, *rest)

    monkeypatch.setattr(loop, "backward_through_batch", watching)
    trainer.run()
    assert sum(len(contexts) for contexts, _, _ in seen) == 24
    assert any(len(views) < len(contexts) for contexts, views, _ in seen)
    assert max(len(some) for _, views, _ in seen for some in views) == 3  # training_views
    for contexts, views, gold in seen:
        (world,) = (w for w in trainer.worlds if contexts[0] in w.contexts)
        assert sorted(set(gold.tolist())) == list(range(len(views)))
        for ids, column in zip(contexts, gold, strict=True):
            own = world.views[world.gold[world.contexts.index(ids)]]
            assert views[column] == [view.ids for view in own[:3]]
