"""Table 6 as data."""

import pytest

from muver.io.typed import read
from muver.reproduction.tables.domains import build, page
from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.settings import Domains
from tests.blank import jsonable
from tests.reproduction.tables.conftest import ZESHEL

ROWS = [
    {"method": "BLINK (128 tokens)", "system": "blink_128"},
    {"method": "MuVER", "system": "muver"},
]


@pytest.fixture
def table(evaluation, write):
    def make(**replaced):
        made = [
            evaluation("blink_128", (1, 2), (1, 3), **replaced),
            evaluation("muver", (4, 8), (0, 3), **replaced),
        ]
        settings = read(Domains, {"rows": ROWS, "contrasts": [["muver", "blink_128"]]})
        return build("table6", "By domain", settings, TableFiles(write(*made)))

    return make


def test_a_row_a_domain_and_method_then_the_means(table):
    rows = table().rows
    assert [(row.domain, row.system) for row in rows] == [
        ("lego", "blink_128"), ("lego", "muver"), ("yugioh", "blink_128"), ("yugioh", "muver"),
        ("macro mean", "blink_128"), ("macro mean", "muver"),
    ]  # fmt: skip
    assert rows[1].part.micro == {1: 50.0, 64: 100.0}
    assert (rows[2].part.mentions, rows[2].part.hits) == (3, {1: 1, 64: 3})
    low, high = rows[0].part.interval.micro[64]
    assert 0 <= low <= 25 <= high <= 100


def test_the_mean_counts_domains_alike(table, evaluation):
    rows = table().rows
    mean = rows[4].part
    assert mean.micro[1] == mean.macro[1] == pytest.approx((100 / 8 + 100 / 3) / 2)
    assert mean.hits == {}
    scores = evaluation("blink_128", (1, 2), (1, 3))
    assert jsonable(mean.interval)["micro"] == scores["interval"]["macro"]
    assert rows[0].row_key == rows[2].row_key == rows[4].row_key


def test_the_note_explains_the_mean_in_a_sentence_of_its_own(table):
    """A page of several tables says what they share once, sentence by sentence."""
    assert ". Macro mean: " in page(table()).sections[0].note


def test_paper_by_domain(table):
    assert not any(row.part.paper for row in table().rows)
    rows = table(**ZESHEL).rows
    assert rows[0].part.paper[64].difference == pytest.approx(25 - 91.83)
    assert rows[0].part.paper[64].verdict == "not reproduced"
    assert rows[1].part.paper[64].difference == pytest.approx(100 - 93.74)
    assert not rows[4].part.paper  # it has no means
