"""Reading ZESHEL's format: what is right, and every mistake with its file and line."""

import pytest

from muver.corpus.zeshel import (
    Mention,
    MentionLine,
    context_of,
    read_documents,
    read_mentions,
    split_of_worlds,
)
from muver.io.errors import InputError


def read(dataset):
    raw = dataset.write()
    mentions = read_mentions(raw)
    return mentions, split_of_worlds(raw, mentions)


def test_mentions_in_the_order_of_their_files(dataset):
    mentions, splits = read(dataset)
    assert [mention.split for mention in mentions] == ["train", "val", "test"]
    assert splits == {"alpha": "train", "beta": "val", "gamma": "test"}


def test_world_without_mentions(dataset):
    dataset.documents["delta"] = dataset.documents["alpha"]
    assert read(dataset)[1]["delta"] == "none"


def misspell(dataset):
    dataset.documents["gama"] = dataset.documents.pop("gamma")


def leave_out_a_file(dataset):
    del dataset.mentions["val"]


def empty_a_split(dataset):
    dataset.mentions["val"] = []


def put_a_world_in_two_splits(dataset):
    dataset.mentions["test"].append({**dataset.mentions["train"][0], "mention_id": "other"})


def repeat_an_id(dataset):
    dataset.mentions["test"][0]["mention_id"] = dataset.mentions["train"][0]["mention_id"]


@pytest.mark.parametrize(
    "spoil, words",
    [
        (misspell, r"test.json, line 1.*'gamma'.*Did you mean 'gama'"),
        (leave_out_a_file, r"val\.json: no such file"),
        (empty_a_split, r"val\.json: holds no mentions"),
        (put_a_world_in_two_splits, "test.json, line 2: world 'alpha' is in test, but in train"),
        (repeat_an_id, "test.json, line 1.*repeats .*train.json, line 1"),
    ],
)
def test_mistakes_in_mentions_and_worlds(dataset, spoil, words):
    spoil(dataset)
    with pytest.raises(InputError, match=words):
        read(dataset)


def test_folder_that_is_no_dataset(tmp_path):
    with pytest.raises(InputError, match="mentions: no such folder"):
        read_mentions(tmp_path)


@pytest.mark.parametrize(
    "line, words",
    [
        ('{"document_id": "D9", "title": ', r"alpha.json, line 4: not valid JSON"),
        ("", r"alpha.json, line 4: an empty line"),
        ("[1, 2]", r"alpha.json, line 4: not a JSON object"),
        ('{"document_id": "D9", "titel": "x", "text": "x"}', r"title is missing.*Did.*'titel'"),
        ('{"document_id": 9, "title": "x", "text": "x"}', "document_id is 9, expected text"),
        ('{"document_id": "D9", "title": "x", "text": null}', "text is None, expected text"),
        ('{"document_id": "D9", "title": "\\ud800", "text": "x"}', "line 4: not valid JSON .*surr"),
        ('{"document_id": "D1", "title": "x", "text": "x"}', r"line 4: document id 'D1' .* line 2"),
        ('{"document_id": "D9", "title": "x", "text": "x", "type": 3}', "line 4: type is 3"),
        (
            '{"document_id": "D9", "title": "x", "text": "x", "type": null}',
            "type is None, expected text",
        ),
        ('{"document_id": "D9", "title": " ", "text": ""}', r"line 4: both title and text are em"),
    ],
)
def test_bad_document_lines(dataset, line, words):
    path = dataset.write() / "documents" / "alpha.json"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(InputError, match=words):
        list(read_documents(dataset.root, "alpha"))


def test_document_that_is_not_utf8(dataset):
    path = dataset.write() / "documents" / "alpha.json"
    path.write_bytes(path.read_bytes() + b'{"title": "\xff"}\n')
    with pytest.raises(InputError, match="alpha.json, line 4: not UTF-8"):
        list(read_documents(dataset.root, "alpha"))


def test_world_without_documents(dataset):
    dataset.documents["alpha"] = []
    with pytest.raises(InputError, match="alpha.json: holds no documents"):
        list(read_documents(dataset.write(), "alpha"))


@pytest.mark.parametrize("value", ["3", 3.0, True, None])
def test_index_of_another_type(dataset, value):
    dataset.mentions["train"][0]["start_index"] = value
    with pytest.raises(InputError, match=f"start_index is {value!r}, expected a whole number"):
        read(dataset)


def at(start, end, text):
    line = MentionLine("M", "D0", "D1", text, start, end, "alpha", "")
    return Mention(line, "train", "train.json, line 7")


TEXT = "Ann met the Old King at Noon ."


def test_context_is_lower_case_and_cut_to_the_nearest_tokens():
    assert context_of(at(3, 4, "Old King"), TEXT, 2) == ("met the", "at noon")
    assert context_of(at(3, 4, "Old King"), TEXT, 128) == ("ann met the", "at noon .")


def test_context_at_the_ends():
    assert context_of(at(0, 0, "Ann"), TEXT, 2) == ("", "met the")
    assert context_of(at(7, 7, "."), TEXT, 2) == ("at noon", "")
    assert context_of(at(3, 4, "Old King"), TEXT, 0) == ("", "")


def test_tokens_are_separated_by_single_spaces_and_may_be_empty():
    assert context_of(at(2, 2, "b"), "a  b c", 128) == ("a ", "c")


def test_indices_that_count_a_no_break_space_as_separator():
    assert context_of(at(3, 3, "King"), "Ann met\u00a0Old King .", 128) == ("ann met old", ".")


@pytest.mark.parametrize(
    "start, end, text, words",
    [
        (2, 3, "Old King", "line 7: tokens 2 to 3 of document 'D0' are 'the Old'.*'Old King'"),
        (3, 4, "old king", "are 'Old King', but the mention's text is 'old king'"),
        (7, 8, ". x", "end_index 8 is out of range.*has 8 tokens"),
        (-1, 0, "Ann", "start_index -1"),
        (4, 3, "", "start_index 4 and end_index 3"),
    ],
)
def test_indices_that_do_not_give_the_text(start, end, text, words):
    with pytest.raises(InputError, match=words):
        context_of(at(start, end, text), TEXT, 128)
