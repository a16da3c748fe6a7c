"""The canonical tables from a raw folder, and that nothing is written when something is wrong."""

import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.retriever.corpus import build
from muver.retriever.corpus.schema import read_entities, read_mentions
from muver.retriever.corpus.settings import BuildCorpus
from muver.retriever.corpus.statistics import WorldCounts


@pytest.fixture
def make(dataset, tmp_path):
    """Write the dataset and build it into ``tmp_path/corpus``; gives the counts."""

    def make(**changes):
        settings = BuildCorpus(**{"context_tokens": 128, **changes})
        folder = tmp_path / "corpus"
        files = [folder / name for name in ("entities.parquet", "mentions.parquet", "counts.json")]
        return build.build_corpus("small", dataset.write(), *files, settings)

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


def test_empty_descriptions_and_equal_titles_are_told(make, dataset, caplog):
    alpha = dataset.documents["alpha"]
    alpha += [{**alpha[2], "document_id": f"D{number}"} for number in (3, 4)]
    make()
    assert [line.getMessage().partition(";")[0] for line in caplog.records] == [
        "documents/alpha.json: 3 of 5 descriptions are empty",
        "documents/alpha.json: 2 of 5 entities have the title of one before",
        "documents/beta.json: 1 of 3 descriptions are empty",
        "documents/gamma.json: 1 of 3 descriptions are empty",
    ]


def test_types_where_the_dataset_has_them(make, dataset, tmp_path):
    dataset.documents["beta"][1]["type"] = "monarch"
    make()
    entities = read_entities(tmp_path / "corpus" / "entities.parquet", ["beta"])
    assert entities["type"].to_pylist() == [None, "monarch", None]


def test_readers_select(make, tmp_path):
    make()
    folder = tmp_path / "corpus"
    assert set(read_entities(folder / "entities.parquet", ["beta"])["world"].to_pylist()) == {
        "beta"
    }
    assert read_mentions(folder / "mentions.parquet", "val").num_rows == 1


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
    monkeypatch.setattr(build, "ROWS_A_GROUP", 2)
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
        ({"context_document_id": "D7"}, {}, "train.json, line 1: .*context document 'D7'"),
        ({"label_document_id": "D7"}, {}, "train.json, line 1: .*gold document 'D7'"),
        ({"start_index": 2}, {}, "train.json, line 1"),
        ({}, {"expected": "zeshel"}, "starwars is missing.*train mentions 1 .*49275"),
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
