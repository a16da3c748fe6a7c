"""The canonical tables from a raw folder, and that nothing is written when something is wrong."""

from codecs import BOM_UTF8

import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.retriever.corpus import zeshel
from muver.retriever.corpus.corpus_settings import BuildCorpus
from muver.retriever.corpus.schema import read_entities, read_mentions
from muver.retriever.corpus.sources import WorldCounts
from muver.retriever.corpus.zeshel import Mention, context_of, split_of_worlds


@pytest.fixture
def make(dataset, tmp_path):
    """Write the dataset and build it into ``tmp_path/corpus``; gives the counts."""

    def make(**changes):
        settings = BuildCorpus(**{"context_tokens": 128, **changes})
        folder = tmp_path / "corpus"
        files = [folder / name for name in ("entities.parquet", "mentions.parquet", "counts.json")]
        return zeshel.build_corpus("small", dataset.write(), *files, settings)

    return make


def corpus_files(tmp_path):
    return {path.name: path.read_bytes() for path in (tmp_path / "corpus").glob("*")}


def test_tables(make, dataset, tmp_path):
    dataset.documents["delta"] = [{"document_id": "D0", "title": "", "text": "alone"}]
    counts = make(context_tokens=2)
    entities = read_entities(tmp_path / "corpus" / "entities.parquet")
    assert entities["world"].to_pylist() == (
        ["alpha"] * 3 + ["beta"] * 3 + ["delta"] + ["gamma"] * 3
    )
    assert entities["entity"].to_pylist() == [0, 1, 2, 0, 1, 2, 0, 0, 1, 2]
    assert entities["title"].to_pylist()[:3] == ["Ann", "The Old King", "Untold"]
    assert entities["type"].null_count == len(entities)
    mentions = read_mentions(tmp_path / "corpus" / "mentions.parquet").to_pylist()
    assert mentions[2] == {
        "mention_id": "M-gamma-0",
        "split": "test",
        "world": "gamma",
        "document": "D0",
        "context_left": "met the",
        "mention": "old king",
        "context_right": "at noon",
        "gold": 1,
        "category": "LOW_OVERLAP",
    }
    assert counts.worlds["alpha"] == WorldCounts("train", entities=3, mentions=1, without_text=1)
    assert counts.worlds["delta"] == WorldCounts("none", entities=1, mentions=0, without_text=0)
    assert counts.mentions == {"train": 1, "val": 1, "test": 1}
    assert counts.entities == {"train": 3, "val": 3, "test": 3}
    assert counts.identified_as is None


def test_empty_and_equal_titles_and_empty_texts_are_told(make, dataset, caplog):
    alpha = dataset.documents["alpha"]
    alpha += [{**alpha[2], "document_id": f"D{number}"} for number in (3, 4)]
    dataset.documents["beta"][0]["title"] = " "
    make()
    assert [line.args[1:] for line in caplog.records] == [(5, 3, 0, 2), (3, 1, 1, 0), (3, 1, 0, 0)]


def test_types_where_the_dataset_has_them(make, dataset, tmp_path):
    dataset.documents["beta"][1]["type"] = "monarch"
    make()
    entities = read_entities(tmp_path / "corpus" / "entities.parquet", ["beta"])
    assert entities["type"].to_pylist() == [None, "monarch", None]


def test_mentions_keep_the_order_of_their_file_when_worlds_alternate(make, dataset, tmp_path):
    dataset.documents["zeta"] = dataset.documents["alpha"]
    (first,) = dataset.mentions["train"]
    dataset.mentions["train"] = [
        {**first, "mention_id": f"M{n}", "corpus": ("zeta", "alpha")[n % 2]} for n in range(6)
    ]
    make()
    mentions = read_mentions(tmp_path / "corpus" / "mentions.parquet", "train")
    assert mentions["mention_id"].to_pylist() == [f"M{n}" for n in range(6)]
    assert mentions["world"].to_pylist() == ["zeta", "alpha"] * 3


def test_a_row_group_never_spans_worlds(make, tmp_path, monkeypatch):
    monkeypatch.setattr(zeshel, "ROWS_A_GROUP", 2)
    make()
    file = pq.ParquetFile(tmp_path / "corpus" / "entities.parquet")
    groups = [file.read_row_group(number)["entity"] for number in range(file.num_row_groups)]
    assert [group.to_pylist() for group in groups] == [[0, 1], [2]] * 3


def test_same_bytes_twice_and_a_fingerprint_of_the_contents(make, dataset, tmp_path):
    fingerprint = make().fingerprint
    first = corpus_files(tmp_path)
    assert make().fingerprint == fingerprint
    assert corpus_files(tmp_path) == first
    dataset.documents["beta"][2]["title"] = "Other"
    assert make().fingerprint != fingerprint


@pytest.mark.parametrize(
    "mention, settings, words",
    [
        ({"context_document_id": "D7"}, {}, "train.json, line 1: .*context_document_id 'D7'"),
        ({"label_document_id": "D7"}, {}, "train.json, line 1: .*label_document_id 'D7'"),
        ({"start_index": 2}, {}, "train.json, line 1"),
        ({}, {"expected": "zeshel"}, "starwars entities None .published 87056.*mentions 1 .*49275"),
        ({}, {"expected": "zeschel"}, "Did you mean 'zeshel'"),
    ],
)
def test_a_mistake_leaves_the_old_files(make, dataset, tmp_path, mention, settings, words):
    make()
    before = corpus_files(tmp_path)
    dataset.mentions["train"][0] |= mention
    with pytest.raises(InputError, match=words):
        make(**settings)
    assert corpus_files(tmp_path) == before


def read(dataset):
    raw = dataset.write()
    mentions = zeshel.read_mentions(raw)
    return mentions, split_of_worlds(raw, mentions)


def test_a_byte_order_mark_is_passed_over(dataset):
    expected = read(dataset)
    for path in dataset.root.rglob("*.json"):
        path.write_bytes(BOM_UTF8 + path.read_bytes())
    mentions = zeshel.read_mentions(dataset.root)
    assert (mentions, split_of_worlds(dataset.root, mentions)) == expected


@pytest.mark.parametrize(
    "spoil, words",
    [
        (lambda d: d.documents.update(gama=d.documents.pop("gamma")), "test.json, line 1.*'gama'"),
        (lambda d: d.mentions.pop("val"), "val.json: no such file"),
        (lambda d: d.mentions.update(val=[]), "val.json: .*no mentions"),
        (
            lambda d: d.mentions["test"].append({**d.mentions["train"][0], "mention_id": "other"}),
            "test.json, line 2: corpus 'alpha'",
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
        ('"document_id": "D9"}', "not valid JSON"),  # the second line of an object over several
        ('{"document_id": "D9", "title": 1, "title": "x", "text": "x"}', "a key comes twice"),
        ('{"x": ' + "[" * 5000, "nested"),
        ('{"title": "\udcff"}', "not UTF-8"),
        (" ", "empty line"),
        ("[1, 2]", "not a JSON object"),
        ('{"document_id": "D9", "titel": "x", "text": "x"}', "title is missing.*'titel'"),
        ('{"document_id": 9.5, "title": "x", "text": "x"}', "document_id is 9.5"),
        ('{"document_id": "D9", "title": "x", "text": null}', "text is None"),
        ('{"document_id": "D9", "title": "\\ud800", "text": "x"}', "surrogate"),
        ('{"document_id": "D1", "title": "x", "text": "x"}', "'D1' .* line 2"),
        ('{"document_id": "D9", "title": "x", "text": "x", "type": 3}', "type is 3"),
        ('{"document_id": "D9", "title": " ", "text": ""}', "title and text are empty"),
    ],
)
def test_bad_document_lines(make, dataset, line, words):
    dataset.last = line
    with pytest.raises(InputError, match=f"alpha.json, line 4: .*{words}"):
        make()


def test_ids_may_be_whole_numbers(make, dataset, tmp_path):
    lines = [*dataset.documents.values(), *dataset.mentions.values()]
    for line in (line for group in lines for line in group):
        line |= {key: int(line[key][1:]) for key in line if key.endswith("document_id")}
    dataset.mentions["train"][0]["mention_id"] = 7
    make()
    entities = read_entities(tmp_path / "corpus" / "entities.parquet")
    mentions = read_mentions(tmp_path / "corpus" / "mentions.parquet")
    assert entities["document_id"].to_pylist() == ["0", "1", "2"] * 3
    assert mentions["mention_id"][0].as_py() == "7" and mentions["gold"].to_pylist() == [1, 1, 1]


def test_the_first_mistakes_each_with_its_line_and_key(dataset):
    assert zeshel.mistakes(dataset.write(), 10) == []
    first = dataset.mentions["train"][0]
    dataset.mentions["train"] += [
        {**first, "mention_id": "भ1", "start_index": 90},
        {**first, "mention_id": "β2", "label_document_id": "Ω"},
        {**first, "mention_id": "三3", "end_index": "2"},
        {**first},
        {**first, "mention_id": "4", "corpus": "gama"},
    ]
    dataset.documents["beta"] += [{"document_id": "x", "title": "t"}]
    raw = dataset.write()
    found = zeshel.mistakes(raw, 10)
    train = f"{raw / 'mentions' / 'train.json'}, line"
    last = len(dataset.mentions["train"])
    told = [
        (f"{train} {last - 2}: ", "end_index is '2'"),
        (f"{train} {last - 1}: ", "mention_id 'M-alpha-0' repeats"),
        (f"{train} {last}: ", "its corpus, the world 'gama'"),
        (f"{train} {last - 4}: ", "start_index 90"),
        (f"{train} {last - 3}: ", "label_document_id 'Ω' is not in"),
        (f"{raw / 'documents' / 'beta.json'}, line 4: ", "text is missing"),
    ]
    assert len(found) == len(told)
    for mistake, (begin, says) in zip(found, told, strict=True):
        assert mistake.startswith(begin) and says in mistake
    assert zeshel.mistakes(raw, 2) == found[:2]


def test_world_without_documents(make, dataset):
    dataset.documents["alpha"] = []
    with pytest.raises(InputError, match="alpha.json: .*no documents"):
        make()


def at(start, end, text):
    line = ("M", "D0", "D1", text, start, end, "alpha", "")
    return Mention(*line, "train", "train.json, line 7")


TEXT = "Ann met the Old King at Noon ."


@pytest.mark.parametrize(
    "mention, text, tokens, context",
    [
        ((3, 4, "Old King"), TEXT, 2, ("met the", "at noon")),
        ((3, 4, "Old King"), TEXT, 128, ("ann met the", "at noon .")),
        ((0, 0, "Ann"), TEXT, 2, ("", "met the")),
        ((7, 7, "."), TEXT, 2, ("at noon", "")),
        ((3, 4, "Old King"), TEXT, 0, ("", "")),
        ((2, 2, "b"), "a  b c", 128, ("a ", "c")),  # a token may be empty
        # Indices that count a no-break space as separator.
        ((3, 3, "King"), "Ann met\u00a0Old King .", 128, ("ann met old", ".")),
    ],
)
def test_context_is_lower_case_and_cut_to_the_nearest_tokens(mention, text, tokens, context):
    assert context_of(at(*mention), text, tokens) == context


@pytest.mark.parametrize(
    "start, end, text",
    [(2, 3, "Old King"), (3, 4, "old king"), (7, 8, ". x"), (-1, 0, "Ann"), (4, 3, "")],
)
def test_indices_that_do_not_give_the_text(start, end, text):
    with pytest.raises(InputError, match=f"line 7: start_index {start} to end_index {end}"):
        context_of(at(start, end, text), TEXT, 128)


@pytest.mark.parametrize("word", ["iron", "слово", "銀"])
@pytest.mark.parametrize("start, end, text", [(1, 10**9, "Old"), (1, 2, "Old" * 10**5)])
def test_a_mistake_quotes_no_more_than_the_beginning(word, start, end, text):
    with pytest.raises(InputError, match=f"line 7: start_index {start} to end_index {end}") as told:
        context_of(at(start, end, text), f"{word} " * 10**5, 128)
    assert len(str(told.value)) < 500 and f"are '{word} {word}" in str(told.value)
