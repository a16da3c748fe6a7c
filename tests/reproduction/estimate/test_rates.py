"""Rates: of the last run that grew, by the code that the run will use, of an idle machine."""

import logging

import pytest

from muver.reproduction.estimate import rates
from muver.reproduction.estimate.rates import (
    Rate,
    Rates,
    exact_search,
    growing,
    measure,
    undisturbed,
)
from muver.retriever.encoders.sizes import BertConfig
from tests import tiny
from tests.knowledge_base import line

SIZES = BertConfig(
    vocab_size=50, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
)


class Clock:
    """Work of a second to begin with and a hundredth a unit."""

    def __init__(self):
        self.now, self.amounts = 0.0, []

    def perf_counter(self):
        return self.now

    def work(self, amount):
        self.amounts.append(amount)
        self.now += 1 + amount / 100


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(rates, "time", clock)
    return clock


def test_runs_double_until_one_takes_a_third_of_the_time(clock):
    assert growing(clock.work, 9, 10**6) == pytest.approx(256 / 3.56)
    assert clock.amounts == [1, 8, 16, 32, 64, 128, 256]


def test_no_run_is_larger_than_what_there_is(clock):
    assert growing(clock.work, 9, 50) == pytest.approx(50 / 1.5)
    assert clock.amounts == [1, 8, 16, 32, 50]
    assert growing(clock.work, 9, 5) == pytest.approx(5 / 1.05)


def test_time_of_others_on_the_machine_does_not_count(monkeypatch):
    """Of 4 s on the clock 1 s was computed: alone it would have been four times as fast."""
    clock, own = iter([0.0, 4.0]), iter([0.0, 1.0])
    monkeypatch.setattr(rates.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(rates.time, "process_time", lambda: next(own))
    monkeypatch.setattr(rates, "growing", lambda *_: 10.0)
    assert undisturbed(print, 1.0, 1, threads=1) == (40.0, 0.25)


def test_rates_of_a_small_tower(tmp_path, monkeypatch):
    monkeypatch.setattr(rates, "SEARCHED", 300)
    dump = tmp_path / "dump.json"
    dump.write_bytes(line(1, "Ann", "text"))
    compute = {**tiny.COMPUTE, "training_precision": "fp32"}
    found = measure(SIZES, compute, [4, 16], 0.05, dump)
    assert set(found.known["encode"]) == set(found.known["train"]) == {4, 16}
    assert {"read", "multiply", "search"} < set(found.known)
    assert all(rate.value > 0 for own in found.known.values() for rate in own.values())
    assert found.device == "cpu" and 0 < found.share <= 1
    assert [path.name for path in tmp_path.iterdir()] == ["dump.json"]


def test_exact_search_leaves_no_lines(monkeypatch, caplog):
    caplog.set_level("INFO", "muver")
    monkeypatch.setattr(rates, "SEARCHED", 300)
    with exact_search(16, 1) as search:
        assert search(5).entities.shape == (5, 100)
    assert "exact search" not in caplog.text and rates.logger.level == logging.INFO


def test_the_nearest_length_and_given_names_first():
    tokens = {4: Rate(400, "tokens"), 16: Rate(160, "tokens")}
    known = Rates({"encode": tokens}).given({"encode": {"muver": Rate(3, "views", "given")}})
    assert known.of("encode", "muver", 4) == Rate(3, "views", "given")
    assert known.of("encode", "blink", 5) == tokens[4]
    assert known.of("encode", length=99) == tokens[16]
    assert known.of("read") is None and known.of("search", "hnsw") is None
