"""Jobs in tokens and bytes, by hand: 10 entities a split of 2 views, 3 tokens each."""

from pathlib import Path

import pytest
import yaml

from muver.doctor import work
from muver.doctor.rates import Rates, measure
from muver.doctor.sizes import Data, Lengths, data_counts, encoder_sizes, lengths
from muver.settings import resolve
from muver.settings.rows import trained_as
from muver.workspace import Workspace
from muver.workspace.needs import needs_of
from tests import tiny

PARAMS = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())
SPLITS = ("train", "val", "test")
DATA = Data(
    dict.fromkeys(SPLITS, 10), dict.fromkeys(SPLITS, 20), dict.fromkeys(SPLITS, 200), "made"
)
LENGTHS = Lengths(views=2.0, tokens=3.0, training_views=2.0, context=4.0, origin="sample")
SIZES = {
    "vocab_size": 50, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
    "intermediate_size": 16, "max_position_embeddings": 64,
}  # fmt: skip
RATES = Rates({3: 100.0}, {3: 10.0}, 1000.0, "cpu")


@pytest.fixture
def settings(monkeypatch) -> dict:
    monkeypatch.setattr(work, "lengths", lambda *_: LENGTHS)
    return resolve(PARAMS, {"results": ["table6", "grid"]})


@pytest.fixture
def plan(settings, tmp_path) -> dict[tuple[str, str], work.Job]:
    needs = needs_of(settings, settings["results"])
    return {(j.stage, j.name): j for j in work.jobs(settings, needs, DATA, SIZES, tmp_path)}


def test_training(settings, plan):
    job = plan["train", "muver"]
    epochs = settings["training"]["epochs"]
    assert job.trained == 20 * epochs * (4 + 2 * 3)
    assert job.encoded == 10 * 2 * 3 + 20 * 4  # one validation; the batch is kept whole
    assert job.seconds(RATES) == pytest.approx(job.trained / 10 + 140 / 100)
    assert not job.done and job.took is None


def test_grid(settings, plan):
    assert len([key for key in plan if key[0] == "grid"]) == 4


def test_stores(plan):
    encode = plan["encode", "test/muver"]
    assert encode.encoded == 10 * 2 * 3 + 20 * 4
    assert encode.bytes == (20 + 20) * 8 * 4 + 20 * 3 * 4
    merge = plan["merge", "test/muver/distant"]
    # four layers of 20 x 0.4 views, of 4.5, 6, 7.5, 9 tokens
    assert merge.encoded == pytest.approx(8 * (4.5 + 6 + 7.5 + 9))
    assert merge.bytes == pytest.approx(8 * 4 * 8 * 4 + 8 * (4.5 + 6 + 7.5 + 9) * 4)
    retrieve = plan["retrieve", "test/muver"]
    assert retrieve.products == pytest.approx(200 * 2 * (1 + 4 * 0.4))
    assert retrieve.seconds(RATES) == pytest.approx(1.04)


def test_what_is_done_and_how_long_it_took(settings, tmp_path):
    files = Workspace(settings).model_files("muver")
    for file in (*files, "logs/miniwikia/train/muver.benchmark.tsv"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("s\th:m:s\n71.27\t0:01:11\n")
    needs = needs_of(settings, settings["results"])
    found = {j.name: j for j in work.jobs(settings, needs, DATA, SIZES, tmp_path)}
    assert found["muver"].done and found["muver"].took == 71.27
    assert not found["blink_128"].done and found["blink_128"].took is None


def test_memory(settings, tmp_path):
    needs = needs_of(settings, settings["results"])
    # batch of 32 x 10 tokens, (8 x 8 + 2 x 16) x 4 bytes each; 16 bytes a weight
    weights = (50 + 64 + 2) * 8 + 2 * 8 + 4 * (64 + 8) + 2 * 8 * 16 + 16 + 8 + 4 * 8
    expected = 16 * 2 * weights + 320 * 96 * 4
    assert work.training_memory(settings, needs, SIZES, tmp_path) == expected


def test_counts_before_there_are_data(tmp_path):
    made = data_counts(resolve(PARAMS, {}), tmp_path)
    assert made.origin == "as params.yaml asks"
    assert made.entities == {"train": 1500, "val": 250, "test": 500}
    published = data_counts(resolve(PARAMS, {"preset": "zeshel"}), tmp_path)
    assert (published.origin, published.entities["test"]) == ("as published", 70140)
    assert data_counts(resolve(PARAMS, {"dataset": str(tmp_path)}), tmp_path) is None


def test_encoders_that_are_not_here(tmp_path):
    sizes, known = encoder_sizes(resolve(PARAMS, {}), tmp_path)
    assert (sizes["hidden_size"], known) == (128, "the section scratch")
    own = resolve(PARAMS, {"encoder": "nobody/no-such-encoder"})
    sizes, known = encoder_sizes(own, tmp_path)
    assert sizes["hidden_size"] == 768 and "not here" in known


def test_lengths_of_a_sample(tmp_path, corpus, encoder):
    settings = resolve(PARAMS, {})
    model = trained_as(settings, "muver")
    unknown = lengths(settings, model, tmp_path)
    assert (unknown.origin, unknown.tokens, unknown.context) == ("at most", 40, 64)
    workspace = Workspace(settings)
    for path, name in zip(
        corpus, (workspace.entities, workspace.mentions, workspace.sentences), strict=True
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(path)
    (tmp_path / workspace.root / "start").symlink_to(encoder)
    found = lengths(settings, model, tmp_path)
    assert found.origin == "sample"
    assert 1 <= found.views <= 5 and found.tokens <= 40 and found.context <= 64


def test_rates_of_a_small_tower():
    compute = {**tiny.COMPUTE, "training_precision": "fp32"}
    rates = measure(SIZES, compute, [4, 16], 0.05)
    assert set(rates.encoding) == set(rates.training) == {4, 16}
    assert min(*rates.encoding.values(), *rates.training.values(), rates.products) > 0
    assert rates.encode(5) == rates.encoding[4] and rates.train(99) == rates.training[16]
    assert rates.device == "cpu" and 0 < rates.share <= 1


def test_others_on_the_machine_do_not_count(monkeypatch):
    """Of 4 s on the clock 1 s was computed: alone it would have been four times as fast."""
    from muver.doctor import rates

    clock, own = iter([0.0, 4.0]), iter([0.0, 1.0])
    monkeypatch.setattr(rates.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(rates.time, "process_time", lambda: next(own))
    monkeypatch.setattr(rates, "growing", lambda *_: 10.0)
    assert rates._undisturbed(print, 1.0, 1, threads=1) == (40.0, 0.25)
