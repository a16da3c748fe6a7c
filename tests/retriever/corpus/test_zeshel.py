"""Reading ZESHEL's format: what is right, and every mistake with its file and line."""

from codecs import BOM_UTF8

import pytest

from muver.io.errors import InputError
from muver.retriever.corpus.zeshel import (
    Mention,
    MentionLine,
    context_of,
    read_documents,
    read_mentions,
    split_of_worlds,
)


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


def test_a_byte_order_mark_is_passed_over(dataset):
    expected = read(dataset)
    for path in dataset.root.rglob("*.json"):
        path.write_bytes(BOM_UTF8 + path.read_bytes())
    mentions = read_mentions(dataset.root)
    assert (mentions, split_of_worlds(dataset.root, mentions)) == expected
    assert [one.document_id for one in read_documents(dataset.root, "alpha")] == ["D0", "D1", "D2"]


def test_folder_that_is_no_dataset(tmp_path):
    with pytest.raises(InputError, match="mentions: no such folder"):
        read_mentions(tmp_path)


@pytest.mark.parametrize(
    "spoil, words",
    [
        (lambda d: d.documents.update(gama=d.documents.pop("gamma")), "test.json, line 1.*'gama'"),
        (
            lambda d: d.mentions.pop("val"),
            "val.json: no such file.*there are: test.json, train.json",
        ),
        (lambda d: d.mentions.update(val=[]), "val.json: .*no mentions"),
        (
            lambda d: d.mentions["test"].append({**d.mentions["train"][0], "mention_id": "other"}),
            "test.json, line 2: world 'alpha'",
        ),
        (
            lambda d: d.mentions["test"][0].update(mention_id="M-alpha-0"),
            "test.json, line 1.*repeats .*train.json, line 1",
        ),
        *(
            (
                lambda d, value=value: d.mentions["train"][0].update(start_index=value),
                f"start_index is {value!r}",
            )
            for value in ("3", 3.0, True, None)
        ),
    ],
)
def test_mistakes_in_mentions_and_worlds(dataset, spoil, words):
    spoil(dataset)
    with pytest.raises(InputError, match=words):
        read(dataset)


@pytest.mark.parametrize(
    "line, words",
    [
        ('{"document_id": "D9", "title": ', "not valid JSON"),
        ('{"title": "\udcff"}', "not UTF-8"),
        ("", "empty line"),
        ("[1, 2]", "not a JSON object"),
        ('{"document_id": "D9", "titel": "x", "text": "x"}', "title is missing.*'titel'"),
        ('{"document_id": 9, "title": "x", "text": "x"}', "document_id is 9"),
        ('{"document_id": "D9", "title": "x", "text": null}', "text is None"),
        ('{"document_id": "D9", "title": "\\ud800", "text": "x"}', "surrogate"),
        ('{"document_id": "D1", "title": "x", "text": "x"}', "'D1' .* line 2"),
        ('{"document_id": "D9", "title": "x", "text": "x", "type": 3}', "type is 3"),
        ('{"document_id": "D9", "title": "x", "text": "x", "type": null}', "type is None"),
        ('{"document_id": "D9", "title": " ", "text": ""}', "title and text are empty"),
    ],
)
def test_bad_document_lines(dataset, line, words):
    path = dataset.write() / "documents" / "alpha.json"
    path.write_text(path.read_text() + line + "\n", errors="surrogateescape")
    with pytest.raises(InputError, match=f"alpha.json, line 4: .*{words}"):
        list(read_documents(dataset.root, "alpha"))


def test_world_without_documents(dataset):
    dataset.documents["alpha"] = []
    with pytest.raises(InputError, match="alpha.json: .*no documents"):
        list(read_documents(dataset.write(), "alpha"))


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
        (2, 3, "Old King", "line 7: .*'the Old'.*'Old King'"),
        (3, 4, "old king", "'Old King'.*'old king'"),
        (7, 8, ". x", "end_index 8 .*8 tokens"),
        (-1, 0, "Ann", "start_index -1"),
        (4, 3, "", "start_index 4 and end_index 3"),
    ],
)
def test_indices_that_do_not_give_the_text(start, end, text, words):
    with pytest.raises(InputError, match=words):
        context_of(at(start, end, text), TEXT, 128)
