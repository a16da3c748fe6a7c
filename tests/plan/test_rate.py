"""Rates: of the last run that grew, and by the code that the run will use."""

import logging

import pytest

from muver.io.errors import InputError
from muver.plan import rate
from muver.plan.rate import encoding_rate, exact_rate, growing, reading_rate
from muver.plan.settings import check
from tests import tiny
from tests.encoders.stages.wikipedia import make_base

SETTINGS = check({**tiny.COMPUTE, "seconds": 1, "search_memory_mb": 8})
SENTENCES = {"kind": "sentences", "max_tokens": 40, "min_pieces": 1, "title_room": 6}


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
    monkeypatch.setattr(rate, "time", clock)
    return clock


def test_runs_double_until_one_takes_a_third_of_the_time(clock):
    assert growing(clock.work, 9, 10**6) == pytest.approx(256 / 3.56)
    assert clock.amounts == [1, 8, 16, 32, 64, 128, 256]


def test_no_run_is_larger_than_what_there_is(clock):
    assert growing(clock.work, 9, 50) == pytest.approx(50 / 1.5)
    assert clock.amounts == [1, 8, 16, 32, 50]
    assert growing(clock.work, 9, 5) == pytest.approx(5 / 1.05)


@pytest.fixture(scope="module")
def root(tmp_path_factory, encoder):
    folder = tmp_path_factory.mktemp("rates")
    make_base(folder, 20_000)
    tiny.make_model(encoder, views=SENTENCES).save_pretrained(folder / "model")
    return folder


def test_encoding_of_real_views(root, encoder, monkeypatch):
    seen = []
    monkeypatch.setattr(rate, "growing", lambda work, seconds, most: seen.append(work) or 50.0)
    monkeypatch.setattr(rate, "_first_views", _slow(rate._first_views))
    for folder in (root / "model", encoder):
        found = encoding_rate(folder, SENTENCES, root / "kb", SETTINGS)
        # 50 a second to encode, a hundredth of a second each to lay out.
        assert found.value == pytest.approx(1 / (1 / 50 + 0.01))
        assert (found.unit, found.origin) == ("views/s", "measured")
        assert found.of.endswith("of the first entities in " + str(root / "kb") +
                                 ", laying out included, on cpu")  # fmt: skip
        seen[-1](300)  # more than there are views: they come round again


def _slow(first_views):
    def slow(*arguments):
        views, took = first_views(*arguments)
        assert len(views) > 17 and took > 0
        return views, 0.01

    return slow


def test_encoding_of_made_views(root, monkeypatch):
    work = []
    monkeypatch.setattr(rate, "growing", lambda one, seconds, most: work.append(one) or 7.0)
    found = encoding_rate(root / "model", SENTENCES, None, SETTINGS)
    assert (found.value, found.of) == (7.0, "made views of 40 tokens each, on cpu")
    work[0](3)


def test_views_longer_than_the_encoder_s_positions(root):
    with pytest.raises(InputError, match="views.max_tokens is 65, but .* 64 positions"):
        encoding_rate(root / "model", {**SENTENCES, "max_tokens": 65}, None, SETTINGS)


def test_a_base_without_entities(root, tmp_path):
    with pytest.raises(InputError, match="has no parts. `muver kb all` makes them"):
        encoding_rate(root / "model", SENTENCES, tmp_path, SETTINGS)


def test_reading_and_exact_search(root, monkeypatch, caplog):
    caplog.set_level("INFO", "muver")
    dump = root / "raw" / "kilt_knowledgesource.json"
    found = reading_rate(dump, SETTINGS)
    size = dump.stat().st_size / 1e6
    assert found.of == f"the first {size:.0f} MB of {dump}" and found.unit == "MB/s"
    assert found.value > 0 and not list(root.glob("part*"))
    monkeypatch.setattr(rate, "SEARCHED", 300)
    monkeypatch.setattr(rate, "growing", lambda work, seconds, most: work(5) or 20.0)
    found = exact_rate(16, SETTINGS)
    assert (found.value, found.unit) == (6000.0, "products/s")
    assert found.of == "300 made views of 16 dimensions"
    assert "exact search" not in caplog.text and rate.logger.level == logging.INFO
