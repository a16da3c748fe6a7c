"""BLINK's JSON lines, in the spellings that its releases use."""

import pytest

from muver.io.errors import InputError
from muver.retriever.corpus.linking.benchmark import read_blink
from tests.retriever.corpus.linking.conftest import mention, write


@pytest.mark.parametrize(
    "gold, expected",
    [
        ({"Wikipedia_ID": "10", "Wikipedia_title": "Paris"}, (10, "Paris")),
        ({"Wikipedia_ID": 10, "Wikipedia_title": None}, (10, "")),
        ({"label_id": "10", "label": "Paris is a town.", "label_title": "Paris"}, (10, "Paris")),
        ({"label_id": -1, "label": "10", "label_title": " Paris "}, (10, "Paris")),
        ({"Wikipedia_ID": "", "label_title": "Paris"}, (-1, "Paris")),
        ({"Wikipedia_ID": "NIL", "label_id": True, "Wikipedia_title": "P"}, (-1, "P")),
        ({"Wikipedia_ID": "9" * 30, "Wikipedia_title": "P"}, (-1, "P")),
        ({"Wikipedia_ID": "1", "label_id": "2", "Wikipedia_title": "P"}, (1, "P")),
    ],
)
def test_the_gold_entity_by_any_of_its_keys(tmp_path, gold, expected):
    (one,) = read_blink("msnbc", write(tmp_path / "file", [mention("M", **gold)])).mentions
    assert (one.gold_id, one.gold_title) == expected
    assert one[:4] == ("msnbc-1", "left of M", "M", "right .")


def test_query_ids_serve_if_all_differ(tmp_path):
    def ids(*queries):
        lines = [mention("M", Wikipedia_ID="1", query_id=query) for query in queries]
        found = read_blink("msnbc", write(tmp_path / "file", lines))
        return [one.mention_id for one in found.mentions]

    assert ids("a", 7) == ["a", "7"]
    assert ids("a", "a") == ids("a", "") == ids("a", None) == ["msnbc-1", "msnbc-2"]


@pytest.mark.parametrize(
    "lines, message",
    [
        ([mention("M", label="text")], "Wikipedia_ID, label_id"),
        ([mention(" ", Wikipedia_ID="1")], "line 1: 'mention' is empty"),
        ([{"mention": "M"}], "line 1: context_left is missing"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path, lines, message):
    with pytest.raises(InputError, match=message):
        read_blink("msnbc", write(tmp_path / "file", lines))
