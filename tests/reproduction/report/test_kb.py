"""The page of Table 2: what it shows of the run made by hand."""

import pytest

from muver.io.files import read_json
from tests.reproduction.report.conftest import page_of
from tests.reproduction.report.made_kb import make_linked
from tests.reproduction.report.pages import data_of, read_page, text_of


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    return make_linked(tmp_path_factory.mktemp("linked"))


@pytest.fixture(scope="module")
def page(places):
    return page_of(places)


def test_a_sound_run(page):
    out, problems = page
    assert problems == [] and data_of(out) is None
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
    text = text_of(page[0])
    for name in ("first", "second"):
        evaluation = read_json(places.evaluation("muver", name))
        assert f"SHA-256 of the run file on {name}: {evaluation['run_sha256']}" in text
        assert f"run on {name}: muver.parquet" in text
    assert "model.views.kind sentences" in text
    assert "set mentions R@1 R@2 R@3 first 2 100.00 100.00 100.00 second 1 0.00 0.00" in text
