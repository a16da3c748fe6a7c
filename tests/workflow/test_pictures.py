"""Which prediction README shows, and that no picture is large."""

import random
from types import SimpleNamespace

import pytest
from PIL import Image

from tests.scripts import script


@pytest.fixture
def pictures(tmp_path, monkeypatch):
    module = script("pictures")
    monkeypatch.setattr(module, "OUT", tmp_path)
    return module


def test_the_prediction_is_the_clearest_that_only_muver_finds_by_a_later_sentence(
    pictures, monkeypatch
):
    """a leads by 2, b by 3 but by its first sentence, c by 4 but BLINK has it, d by 1."""
    leads = {"a": (5.0, 3.0, 2), "b": (5.0, 2.0, 0), "c": (5.0, 1.0, 2), "d": (5.0, 4.0, 2)}
    tables = {
        ("evaluations", "muver"): [{"mention_id": name, "rank": 1} for name in leads],
        ("evaluations", "blink_128"): [
            {"mention_id": name, "rank": 2 if name == "c" else 20} for name in leads
        ],
        ("runs", "muver"): [
            {"mention_id": name, "score": score, "first": first}
            for name, (best, second, first) in leads.items()
            for score in (best, second)
        ],
    }
    monkeypatch.setattr(pictures, "rows", lambda kind, system: tables[kind, system])
    assert pictures.telling() == "a"


def test_a_picture_that_is_too_large_is_refused(pictures, tmp_path):
    def camera(picture: Image.Image) -> SimpleNamespace:
        picture.save(tmp_path / "shown.png")
        png = (tmp_path / "shown.png").read_bytes()
        return SimpleNamespace(browser=SimpleNamespace(get_screenshot_as_png=lambda: png))

    pictures.Camera.take(camera(Image.new("RGB", (300, 200), "white")), "plain", height=50)
    assert Image.open(tmp_path / "plain.png").size == (300, 50)
    noise = Image.frombytes("RGB", (400, 400), random.Random(0).randbytes(480_000))
    with pytest.raises(SystemExit, match="noise.png is larger than 80,000 bytes"):
        pictures.Camera.take(camera(noise), "noise")
