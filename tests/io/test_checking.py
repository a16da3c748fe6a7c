"""Settings that do not exist, or have no such value."""

import pytest

from muver.io.checking import check_choices, check_whole, with_defaults
from muver.io.errors import InputError

CHOICES = {"match": ("title", "id"), "stopwords": (None, "en")}


def test_defaults_are_laid_under_what_is_given():
    assert with_defaults({"k": 3}, {"k": 64, "match": "title"}) == {"k": 3, "match": "title"}
    with pytest.raises(InputError, match="unknown key 'mach'. Did you mean 'match'"):
        with_defaults({"mach": "id"}, {"match": "title"})


@pytest.mark.parametrize("settings", [{}, {"match": "id"}, {"stopwords": None, "k": "any"}])
def test_values_that_are_allowed(settings):
    check_choices(settings, CHOICES)


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"match": "titel"}, "match is 'titel', expected one of 'title', 'id'. Did you mean 't"),
        ({"match": None}, "match is None, expected one of 'title', 'id'.$"),
        ({"stopwords": "de"}, "stopwords is 'de', expected one of None, 'en'."),
    ],
)
def test_values_that_are_not(settings, words):
    with pytest.raises(InputError, match=words):
        check_choices(settings, CHOICES)


def test_whole_numbers():
    check_whole({"k": 1, "match": "id"}, {"k": 1, "layers": 0})  # layers are not among them
    for value in (0, -1, True, 1.0, "1", None):
        with pytest.raises(InputError, match=f"k is {value!r}, expected a whole number, at least"):
            check_whole({"k": value}, {"k": 1})
