"""Training runs: killed and resumed, the checkpoint that is kept, the log."""

import json
import multiprocessing
import os
import signal
from pathlib import Path

import pytest
import torch

import muver
from muver.io.errors import InputError
from muver.io.typed import read
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.encoders_settings import Machine
from muver.retriever.encoders.files import MODEL_FILES
from muver.retriever.training import loop
from muver.retriever.training import run as stage
from muver.retriever.training.data import Dataset
from muver.retriever.training.log import LOG, kept_validation, read_log
from muver.retriever.training.loop import Trainer, fewer_graph_tokens
from muver.retriever.training.objective import InBatch
from muver.retriever.training.optimiser import ReleasedAdamW
from muver.retriever.training.training_settings import EarlyChoice, ModelTraining, Training
from tests import tiny
from tests.retriever.training.conftest import kill_before

TRAINING = {
    "batch_size": 5, "epochs": 2, "learning_rate": 1e-3, "weight_decay": 0.01, "warmup": 0.1,
    "clip_norm": 1.0, "adam_epsilon": 1e-6, "mask_false_negatives": False, "validate_every": 4,
    "validation_cutoff": 3, "checkpoint_every": 3, "chunk_tokens": 200, "graph_tokens": 10_000,
}  # fmt: skip
STEPS = 12  # two worlds of 12 mentions in batches of 5, 5 and 2, twice
PARITY = {"padding_views": True, "average_gradients_over": 2, "optimiser": "adamw_released"}
SETTINGS = {
    "views": tiny.SENTENCE_VIEWS,
    "score": "max",
    "context": {"max_tokens": 32},
    "training": TRAINING,
    "seed": 3,
}


def train(settings: dict, compute: dict, *files, **more) -> None:
    """The stage with settings as they stand in JSON."""
    stage.train_model(read(ModelTraining, settings), read(Machine, compute), *files, **more)


def places(folder: Path) -> dict[str, Path]:
    """Where a training writes."""
    named = {"checkpoints": "checkpoints", "training_log": "log.jsonl", "out": "model"}
    return {option: folder / name for option, name in named.items()}


def run(folder: Path, encoder, corpus, **training) -> dict[str, bytes]:
    """Train and return the model's files."""
    settings = {**SETTINGS, "training": {**TRAINING, **training}}
    train(settings, tiny.COMPUTE, encoder, *corpus, **places(folder))
    return {file: (folder / "model" / file).read_bytes() for file in MODEL_FILES}


def log_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


WAYS = {"best": {}, "last": {"keep": "last"}, "as released": PARITY}


@pytest.fixture(scope="module")
def whole(encoder, corpus, tmp_path_factory):
    """The model's files and the log of a run that was not interrupted, by way of training."""
    folders = {way: tmp_path_factory.mktemp("whole") for way in WAYS}
    return {
        way: (run(folder, encoder, corpus, **WAYS[way]), (folder / "log.jsonl").read_bytes())
        for way, folder in folders.items()
    }


@pytest.fixture(scope="module")
def uninterrupted(whole):
    return whole["best"]


def test_a_run_leaves_a_model_its_log_and_no_checkpoints(encoder, corpus, tmp_path, uninterrupted):
    files = run(tmp_path, encoder, corpus)
    assert files == uninterrupted[0]  # a repeat gives the same bytes
    assert (tmp_path / "log.jsonl").read_bytes() == uninterrupted[1]
    assert list((tmp_path / "checkpoints").iterdir()) == []
    steps = [line for line in log_of(tmp_path) if "loss" in line]
    assert [line["step"] for line in steps] == list(range(1, STEPS + 1))
    assert [line["epoch"] for line in steps] == [1] * 6 + [2] * 6
    recalls = {
        line["step"]: line["validation_recall_at_3"]
        for line in log_of(tmp_path)
        if "validation_recall_at_3" in line
    }
    assert list(recalls) == [4, 8, 12]
    last = log_of(tmp_path)[-1]
    assert last == {
        "best_step": max(recalls, key=recalls.get),
        "best_validation_recall_at_3": max(recalls.values()),
    }
    model = BiEncoder.from_pretrained(tmp_path / "model")
    training = read(Training, TRAINING).as_dict()
    assert model.config.provenance == {"training": training, "seed": 3}
    start = BiEncoder.from_encoder(encoder, model.config)
    assert not torch.equal(
        model.mention_encoder.embeddings.word_embeddings.weight,
        start.mention_encoder.embeddings.word_embeddings.weight,
    )


def test_the_library_trains_as_the_stage_does(encoder, corpus, tmp_path, uninterrupted):
    data = muver.Dataset(*corpus)
    model = muver.train(data, encoder, str(tmp_path / "model"), SETTINGS, tiny.COMPUTE)
    files = {file: (tmp_path / "model" / file).read_bytes() for file in MODEL_FILES}
    assert (files, (tmp_path / "model/training_log.jsonl").read_bytes()) == uninterrupted
    model.save_pretrained(tmp_path / "again")
    weights = "mention_encoder/model.safetensors"
    assert (tmp_path / "again" / weights).read_bytes() == files[weights]
    with pytest.raises(InputError, match="epochs"):
        muver.train(data, encoder, tmp_path, {**SETTINGS, "training": {**TRAINING, "epochs": 0}})


@pytest.mark.parametrize("way, step", [("best", 4), ("last", 6), ("as released", 6)])
def test_a_killed_run_resumes_to_the_same_bytes(
    encoder, corpus, tmp_path, whole, killed, way, step
):
    killed(step, run, tmp_path, encoder, corpus, **WAYS[way])
    assert not (tmp_path / "model").exists()
    if way == "last":
        assert [one.name for one in (tmp_path / "checkpoints").iterdir()] == ["last.pt"]
    files = run(tmp_path, encoder, corpus, **WAYS[way])
    assert (files, (tmp_path / "log.jsonl").read_bytes()) == whole[way]


def run_and_die(*files) -> None:
    """Train in this process, and end it by SIGKILL in the middle of the third checkpoint."""
    save, saved = torch.save, []

    def dying(state, file):
        saved.extend([file.name] if ".last.pt" in file.name else [])
        if len(saved) == 3:
            file.write(b"half of a checkpoint")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        save(state, file)

    torch.save = dying
    run(*files)


def test_a_run_killed_while_it_writes_a_checkpoint(encoder, corpus, tmp_path, uninterrupted):
    fork = multiprocessing.get_context("fork")
    process = fork.Process(target=run_and_die, args=(tmp_path, encoder, corpus))
    process.start()
    process.join(300)
    assert process.exitcode == -signal.SIGKILL
    left = sorted(path.name[:8] for path in (tmp_path / "checkpoints").iterdir())
    assert left == [".last.pt", "best.pt", "last.pt"]
    assert run(tmp_path, encoder, corpus) == uninterrupted[0]
    assert list((tmp_path / "checkpoints").iterdir()) == []


def test_a_killed_run_goes_on_where_it_is_computed_otherwise(
    encoder, corpus, tmp_path, uninterrupted, killed, monkeypatch
):
    killed(8, run, tmp_path, encoder, corpus)
    monkeypatch.setitem(tiny.COMPUTE, "batch_tokens", 100)
    kill_before(monkeypatch, 7)  # six steps are left
    assert run(tmp_path, encoder, corpus) == uninterrupted[0]


def test_checkpoints_of_other_settings_are_not_resumed(encoder, corpus, tmp_path, whole, killed):
    killed(8, run, tmp_path, encoder, corpus)
    assert run(tmp_path, encoder, corpus, **PARITY) == whole["as released"][0]


SEVERAL = {"first": {"pooling": "cls"}, "second": {"pooling": "all"}, "third": {"pooling": "span"}}


def run_several(folder: Path, encoder, corpus) -> dict[str, bytes]:
    """Train three models for a quarter of the steps, one of them to the end; return its files."""
    some = {name: {**SETTINGS, **own} for name, own in SEVERAL.items()}
    given = read(EarlyChoice, {"best_of": some, "after": 0.25}), read(Machine, tiny.COMPUTE)
    stage.train_best(*given, encoder, *corpus, **places(folder))
    assert not [*(folder / "checkpoints").rglob("*.pt")]
    return {file: (folder / "model" / file).read_bytes() for file in MODEL_FILES}


def test_the_best_of_several_after_a_share_is_trained_on_as_if_alone(
    encoder, corpus, tmp_path, monkeypatch, killed
):
    found = {"first": 3, "second": 7, "third": 7}
    chosen = {**SETTINGS, **SEVERAL["second"]}
    files = (encoder, *corpus, tmp_path / "checkpoints", tmp_path / "log.jsonl")
    with monkeypatch.context() as patch:
        with_hits(patch, 1, 2, 5)
        train(chosen, tiny.COMPUTE, *files, out=tmp_path / "alone")
    alone = {file: (tmp_path / "alone" / file).read_bytes() for file in MODEL_FILES}
    # Fewer than where the share ends: alone, no validation falls due there.
    with monkeypatch.context() as patch:
        with_hits(patch, *found.values(), 1, 2, 5)
        assert run_several(tmp_path, encoder, corpus) == alone
    log = log_of(tmp_path)
    assert [line["step"] for line in log if "validation_recall_at_3" in line] == [3, 4, 8, 12]
    shares = {name: 10.0 * hits for name, hits in found.items()}
    best = {"best_step": 12, "best_validation_recall_at_3": 50.0}
    assert log[-2:] == [best, {"chosen": "second", "validation_recall_at_3_of": shares}]
    # Nine steps make the choice; killed in the third model and after the choice it goes on.
    with monkeypatch.context() as patch:
        with_hits(patch, *found.values(), 1, 2, 5)
        for step in (8, 4):
            killed(step, run_several, tmp_path / "killed", encoder, corpus)
        assert run_several(tmp_path / "killed", encoder, corpus) == alone
    assert (tmp_path / "killed/log.jsonl").read_bytes() == (tmp_path / "log.jsonl").read_bytes()


@pytest.mark.parametrize(("validated", "hits"), [([0.25], [7, 1, 2, 5]), ([], [1, 2, 5])])
def test_a_model_that_is_trained_already_is_only_chosen(
    encoder, corpus, tmp_path, monkeypatch, validated, hits
):
    some = {name: {**SETTINGS, **own} for name, own in SEVERAL.items()}
    given = read(EarlyChoice, {"best_of": some, "after": 0.25}), read(Machine, tiny.COMPUTE)
    trained = tmp_path / "trained"
    with monkeypatch.context() as patch:
        with_hits(patch, *hits)
        files = (encoder, *corpus, trained / "checkpoints", trained / LOG)
        train({**some["second"], "validate_after": validated}, tiny.COMPUTE, *files, out=trained)
    # Without a validation where the share ends, the share is trained for it.
    with monkeypatch.context() as patch:
        with_hits(patch, *([3, 5] if validated else [3, 7, 5]))
        stage.train_best(*given, encoder, *corpus, **places(tmp_path), models=[("second", trained)])
    for file in MODEL_FILES:
        assert (tmp_path / "model" / file).read_bytes() == (trained / file).read_bytes()
    log = log_of(tmp_path)
    assert [line for line in log if "step" in line] == read_log(trained / LOG)
    shares = {"first": 30.0, "second": 70.0, "third": 50.0}
    assert log[-1] == {"chosen": "second", "validation_recall_at_3_of": shares}


def with_hits(monkeypatch, *hits: int) -> None:
    """Let the validations find so many mentions."""
    found = iter(hits)
    monkeypatch.setattr(loop, "count_hits", lambda *_: (next(found), 10))


def test_the_last_state_is_kept_where_it_is_asked_for(encoder, corpus, tmp_path, monkeypatch):
    made = {}
    for keep, hits in (("best", (7, 6, 5)), ("best", (5, 6, 7)), ("last", (7, 6, 5))):
        folder = tmp_path / f"{keep}_{hits[0]}"
        with_hits(monkeypatch, *hits)
        files = run(folder, encoder, corpus, keep=keep)
        made[keep, hits] = {name: some for name, some in files.items() if "safetensors" in name}
        assert list((folder / "checkpoints").iterdir()) == []
    first, last = made["best", (7, 6, 5)], made["best", (5, 6, 7)]
    assert made["last", (7, 6, 5)] == last != first and last
    log = log_of(tmp_path / "last_7")
    validated = [line["validation_recall_at_3"] for line in log if "validation_recall_at_3" in line]
    assert validated == [70, 60, 50]
    assert log[-1] == {"last_step": STEPS, "last_validation_recall_at_3": 50}
    assert kept_validation(tmp_path / "last_7/log.jsonl", 3) == (50, STEPS)
    assert kept_validation(tmp_path / "best_7/log.jsonl", 3) == (70, 4)


def test_half_precision_under_other_settings(encoder, corpus, tmp_path, accelerator_state):
    """The model's precision holds, not the machine's."""
    settings = {
        **SETTINGS,
        "metric": "l2",
        "pooling": "special",
        "training": {**TRAINING, **PARITY, "epochs": 1},
    }
    losses = {}
    for precision in ("fp32", "bf16"):
        accelerator_state._reset_state(True)
        own, machine = {**settings, "precision": precision}, {**tiny.COMPUTE, "precision": "bf16"}
        train(own, machine, encoder, *corpus, **places(tmp_path))
        losses[precision] = [line["loss"] for line in log_of(tmp_path) if "loss" in line]
        made = BiEncoder.from_pretrained(tmp_path / "model").config.provenance
        assert made["precision"] == precision
    assert len(losses["fp32"]) == 6
    assert losses["bf16"] != losses["fp32"]
    assert losses["bf16"] == pytest.approx(losses["fp32"], rel=0.1)


def make_trainer(encoder, corpus, folder, **training) -> Trainer:
    settings = read(ModelTraining, {**SETTINGS, "training": {**TRAINING, **training}})
    how = read(Machine, tiny.COMPUTE), encoder, Dataset(*corpus), folder
    return stage.trainer_of(settings, *how)


@pytest.mark.parametrize("hits, best", [([3, 5, 5], 8), ([0, 0, 0], 4)])
def test_the_best_checkpoint_finds_strictly_more(
    encoder, corpus, tmp_path, monkeypatch, hits, best
):
    with_hits(monkeypatch, *hits)
    run(tmp_path, encoder, corpus)
    assert log_of(tmp_path)[-1] == {
        "best_step": best,
        "best_validation_recall_at_3": 10 * max(hits),
    }


def test_the_last_steps_run_at_a_rate_of_zero(encoder, corpus, tmp_path):
    trainer = make_trainer(encoder, corpus, tmp_path, warmup=0.25)
    # The schedule is laid out for 24 * 2 // 5 = 9 steps, int(.25 * 9) = 2 of them warm-up.
    rates = [line["learning_rate"] for line in trainer.run() if "loss" in line]
    expected = [0, 0.5, 1, *(n / 7 for n in range(6, -1, -1)), 0, 0]
    assert rates == [pytest.approx(1e-3 * factor) for factor in expected]


def test_without_labels_the_towers_stay_as_they_are(encoder, corpus, tmp_path):
    trainer = make_trainer(encoder, corpus, tmp_path, labelled=0)
    before = {name: weight.clone() for name, weight in trainer.model.state_dict().items()}
    (line,) = trainer.run()
    assert line["step"] == 0 and "validation_recall_at_3" in line
    for name, weight in trainer.model.state_dict().items():
        assert torch.equal(weight, before[name])


def test_steps_are_as_the_settings_say(encoder, corpus, tmp_path):
    given = {"clip_norm": 0.5, "optimiser": "adamw_released", "mask_false_negatives": True}
    trainer = make_trainer(encoder, corpus, tmp_path, **given)
    assert type(trainer.optimiser) is ReleasedAdamW
    assert trainer.objective == InBatch(mask_false_negatives=True)
    first, second = ([one.tolist() for one in trainer.data.batches(epoch)] for epoch in (1, 2))
    assert first != second
    trainer.train_on(trainer.data.batches(1)[0], 1)
    gradients = [one.grad for one in trainer.model.parameters() if one.grad is not None]
    clipped = sum(one.square().sum() for one in gradients).sqrt()
    assert clipped < 0.501 < trainer.log[0]["gradient_norm"]


def test_averaged_gradients_are_a_part_of_the_plain_ones(encoder, corpus, tmp_path):
    norms = []
    for number, devices in enumerate((1, 4)):
        trainer = make_trainer(
            encoder, corpus, tmp_path / str(number), average_gradients_over=devices, clip_norm=1e9
        )
        trainer.train_on(trainer.data.batches(1)[0], 1)
        weights = {n: w.grad.clone() for n, w in trainer.model.named_parameters()}
        norms.append((weights, float(trainer.log[0]["gradient_norm"])))
    (plain, norm), (averaged, part) = norms
    assert part == pytest.approx(norm / 4, rel=1e-5)
    for name, gradient in plain.items():
        torch.testing.assert_close(averaged[name], gradient / 4)


def test_a_gpu_too_small_for_the_activations_trains_the_same(
    encoder, corpus, tmp_path, uninterrupted, monkeypatch, caplog
):
    """One that holds the activations of 150 tokens, and runs out with gradients half made."""
    original, tried = loop.backward_through_batch, []

    def on_a_small_gpu(model, objective, batch, *how):
        tokens = sum(map(len, [*batch.contexts, *(ids for own in batch.views for ids in own)]))
        kept = tokens <= how[-1]
        tried.append(kept)
        loss = original(model, objective, batch, *how)
        if kept and tokens > 150:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return loss

    monkeypatch.setattr(loop, "backward_through_batch", on_a_small_gpu)
    with caplog.at_level("WARNING", logger="muver"):
        files = run(tmp_path, encoder, corpus)
    assert files == uninterrupted[0]
    assert (tmp_path / "log.jsonl").read_bytes() == uninterrupted[1]
    assert len(tried) == STEPS + len(caplog.records) and len(caplog.records) >= 1
    assert "encoded twice from here on, which changes no loss" in caplog.messages[0]


BATCH = [[1] * 30, [1] * 50, [1] * 20]  # 100 tokens


def test_a_batch_whose_activations_do_not_fit_is_encoded_twice(caplog):
    with caplog.at_level("WARNING", logger="muver"):
        assert fewer_graph_tokens(BATCH, 60, 1000, 1) == 50
        assert fewer_graph_tokens(BATCH, 60, 100, 1) == 50
    assert [record.args for record in caplog.records] == [(100, 50, 50)] * 2


@pytest.mark.parametrize("graph_tokens, processes", [(99, 1), (0, 1), (1000, 2)])
def test_what_is_asked_for_where_a_step_cannot_be_repeated(graph_tokens, processes):
    said = f"graph_tokens .now {graph_tokens};.*chunk_tokens .now 60, at least .* 50"
    with pytest.raises(InputError, match=said):
        fewer_graph_tokens(BATCH, 60, graph_tokens, processes)


def test_a_damaged_checkpoint_is_told_at_the_start(encoder, corpus, tmp_path, killed):
    killed(8, run, tmp_path, encoder, corpus)
    for name in ("last", "best"):
        path = tmp_path / "checkpoints" / f"{name}.pt"
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(InputError, match=rf"{name}\.pt: damaged.*Delete .*checkpoints"):
            run(tmp_path, encoder, corpus)
        path.write_bytes(whole)


def test_a_training_that_diverges_ends_with_its_step(encoder, corpus, tmp_path):
    with pytest.raises(InputError, match=r"step 2: the loss is nan .*learning_rate .now 1e\+30"):
        run(tmp_path, encoder, corpus, learning_rate=1e30, warmup=0.0)
    assert not (tmp_path / "model").exists()
