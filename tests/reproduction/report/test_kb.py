"""The page of Table 2: what it shows of the run made by hand, and what it says of changed files."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from muver.io.files import read_json
from muver.reproduction.report import collection
from muver.reproduction.report.results import RunFiles
from tests.knowledge_base import PAGES
from tests.reproduction.report.conftest import copy_of, page_of
from tests.reproduction.report.made_kb import RANKED, RANKS, change_linked
from tests.reproduction.report.pages import data_of, read_page, text_of

Page = Callable[..., tuple[Path, list[str]]]


@pytest.fixture
def places(linked: RunFiles, tmp_path: Path) -> RunFiles:
    """A copy that a test may change."""
    return copy_of(linked, tmp_path / "project")


@pytest.fixture
def page(places: RunFiles) -> Page:
    """Make the page of the run as it is now; its path and problems."""
    return partial(page_of, places)


def test_the_page_of_a_sound_run(page):
    out, problems = page()
    assert problems == []
    text = text_of(out)
    assert "muver: results on tinypedia" in text
    assert "its 8 entities as candidates. first 2 mentions (outside: 1)" in text
    assert "first 3 2 1 0" in text  # mentions in all, In-KB, outside, by title
    assert "MuVER first 2.50 IVF4,SQ8, nprobe 16 0.9990 0.9980 3 5" in text
    assert "BLINK first 1.00 exact" in text
    assert "Paired tests against BLINK" in text
    assert "Figures" not in text and "figures" not in read_page(out).ids
    key = read_json(out.with_name("table2.json"))["rows"][1]["row_key"]
    assert f"row-{key}" in read_page(out).ids
    source = out.read_text(encoding="utf-8")
    assert '<b class="best">50.00</b>' not in source  # BLINK's of first, where MuVER has 100
    assert '<b class="best">100.00</b>' in source


def test_what_stands_behind_a_row(page, places):
    text = text_of(page()[0])
    for name in ("first", "second"):
        evaluation = read_json(places.evaluation("muver", name))
        assert f"SHA-256 of the run file on {name}: {evaluation['run_sha256']}" in text
        assert f"run on {name}: muver.parquet" in text
    assert "model.views.kind sentences" in text
    assert "set mentions R@1 R@2 R@3 first 2 100.00 100.00 100.00 second 1 0.00 0.00" in text


def test_predictions(page):
    data = data_of(page()[0])
    assert (data["unit"], data["grouped_by"]) == ("paragraph", "Set")
    assert data["groups"] == ["first", "second"]
    assert data["mentions"]["id"] == ["first-0", "first-2", "second-0"]  # In-KB
    assert data["mentions"]["group"] == [0, 0, 1]
    entities = data["entities"]
    golds = [entities["title"][n] for n in data["mentions"]["gold"]]
    assert golds == ["Paris", "Rome", "Cairo"]
    for title, text in zip(entities["title"], entities["text"], strict=True):
        assert text == dict(PAGES)[title]
    for row in data["rows"]:
        assert row["rank"] == RANKS[row["system"]]
        shown = zip(row["entity"], row["first"], strict=True)
        expected = [
            (PAGES[entity][0], paragraph)
            for mention in data["mentions"]["id"]
            for entity, paragraph in RANKED[row["system"]][mention]
        ]
        assert [(entities["title"][n], first) for n, first in shown] == expected
    assert [row["views"]["kind"] for row in data["rows"]] == ["prefix", "sentences"]


def test_of_a_large_base_few_mentions_and_parts_are_read(page, places, monkeypatch):
    parts = sorted((places.workspace / "kb").glob("part-*.parquet"))
    sizes = {path.name: path.stat().st_size for path in parts}
    assert len(parts) > 1
    monkeypatch.setattr(collection, "LARGE", 7)
    monkeypatch.setattr(collection, "BYTES_READ", max(sizes.values()))
    out, problems = page(candidates=3)
    data = data_of(out)
    assert problems == []
    assert data["mentions"]["id"] == ["first-0"] and data["total"] == 3  # 7 // (3 * 2 + 1)
    texts = data["entities"]["text"]
    assert None in texts and any(texts)
    assert [number is None for number in data["entities"]["sentences"]] == [
        text is None for text in texts
    ]
    assert set(data["entities"]["title"]) == {"Paris", "Oslo", "Lima", "Rome"}


def test_ranks_are_those_of_the_run(page, places):
    change_linked(places, "muver", "first")
    out, problems = page()
    assert problems == [] and data_of(out)["rows"][1]["rank"] == [2, 1, 3]


def test_a_missing_base_leaves_the_rows(page, places):
    shutil.rmtree(places.kb)
    out, (problem,) = page()
    assert problem.startswith("The predictions cannot be shown: kb/manifest.json: no such file.")
    assert "model.views.kind sentences" in text_of(out)
