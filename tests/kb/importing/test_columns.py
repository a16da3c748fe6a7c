"""Which column is which."""

import pytest

from muver.io.errors import InputError
from muver.kb.importing.columns import as_text, find_columns, names_in


def test_usual_names_are_known_and_capitals_do_not_matter():
    assert find_columns(["QID", "Label", "definition", "Type", "price"], {}, "f") == {
        "id": "QID", "title": "Label", "description": "definition", "world": "Type",
    }  # fmt: skip


def test_a_column_that_is_named_is_used_for_nothing_else():
    columns = find_columns(["name", "title", "id"], {"description": "title"}, "f")
    assert columns == {"id": "id", "title": "name", "description": "title"}


@pytest.mark.parametrize(
    ("found", "given", "said"),
    [
        (["id", "titel"], {}, "no column for the title.* Did you mean 'titel'.*It has: id, titel"),
        (["key", "title"], {}, "no column for the id.*--map id=COLUMN"),
        (["id", "name"], {"title": "nome"}, "no column 'nome'. Did you mean 'name'"),
        (["id", "name"], {"titel": "name"}, "--map titel=name.*Did you mean 'title'"),
    ],
)
def test_a_column_that_is_not_there(found, given, said):
    with pytest.raises(InputError, match=said):
        find_columns(found, given, "f")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (float("nan"), ""),
        (7, "7"),
        (True, "true"),
        (["one", "two"], "one\ntwo"),
        ({"a": [1]}, '{"a":[1]}'),
    ],
)
def test_values_as_text(value, text):
    assert as_text(value) == text


def test_aliases_of_a_cell():
    assert names_in("a|b", "|") == ["a", "b"]
    assert names_in("a;b", ";") == ["a", "b"]
    assert names_in(["a", "b|c"], "|") == ["a", "b|c"]
    assert names_in("[not JSON", "|") == ["[not JSON"]
