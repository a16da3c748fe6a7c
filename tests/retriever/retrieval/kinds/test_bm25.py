"""BM25 against the formula written out, and the run it makes."""

import json
import os
from math import log
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.io.parquet import table_of, write_table
from muver.retriever.corpus.schema import ENTITIES, MENTIONS, read_mentions
from muver.retriever.retrieval import rows
from muver.retriever.retrieval.kinds import retrieve
from muver.retriever.retrieval.kinds.bm25 import BM25, query
from muver.retriever.runs.run import read_run

DOCUMENTS = ["red fox red", "fox den", "river"]
SETTINGS = {
    "k1": 1.2, "b": 0.75, "method": "lucene", "query": "mention",
    "split": "test", "k": 64, "match": "title",
}  # fmt: skip


def lucene(frequency: int, containing: int, length: int, k1: float = 1.2, b: float = 0.75) -> float:
    """A word's part in the score of one of three documents of mean length 2."""
    idf = log(1 + (3 - containing + 0.5) / (containing + 0.5))
    return idf * frequency / (frequency + k1 * (1 - b + b * length / 2))


def test_a_gpu_stays_free_where_jax_is_installed(monkeypatch):
    """bm25s calls JAX as it is imported, which takes three quarters of a GPU unless told not to."""
    monkeypatch.delenv("XLA_PYTHON_CLIENT_PREALLOCATE", raising=False)
    BM25(["a word"])
    assert os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false"


def test_scores_are_the_formula():
    found = BM25(DOCUMENTS).scores(["red fox", "Fox, fox!", "river x"])
    expected = [
        [lucene(2, 1, 3) + lucene(1, 2, 3), lucene(1, 2, 2), 0],
        [2 * lucene(1, 2, 3), 2 * lucene(1, 2, 2), 0],
        [0, 0, lucene(1, 1, 1)],
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_unknown_words_and_empty_documents_score_nothing():
    assert not BM25(DOCUMENTS).scores(["wolf", ""]).any()
    assert not BM25(["", "!"]).scores(["red"]).any()
    assert BM25(DOCUMENTS).scores([]).shape == (0, 3)


def test_query_is_the_mention_or_all_of_it():
    mention = {"context_left": "a", "mention": "fox", "context_right": "ran"}
    assert query(mention, "mention") == "fox"
    assert query(mention, "mention_and_context") == "a fox ran"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    titles = {"alps": ["Fox", "Den", "Fox", "Owl"], "dunes": ["Owl", "Asp"]}
    texts = {"alps": ["red", "of a fox", "fox fox fox", ""], "dunes": ["", ""]}
    entities = [
        {"world": world, "entity": n, "document_id": str(n), "title": title, "text": text}
        for world in titles
        for n, (title, text) in enumerate(zip(titles[world], texts[world], strict=True))
    ]
    mentions = [
        (name, split, world, None, "", words, "", 0, "")
        for name, split, world, words in [
            ("a", "train", "alps", "fox"),
            ("b", "test", "dunes", "asp"),
            ("c", "test", "alps", "fox"),
            ("d", "test", "alps", "unheard words"),
        ]
    ]
    write_table(tmp_path / "entities.parquet", pa.Table.from_pylist(entities, ENTITIES))
    write_table(tmp_path / "mentions.parquet", table_of(MENTIONS, zip(*mentions, strict=True)))
    return tmp_path


def ranked(corpus: Path, **settings) -> dict[str, list[int]]:
    """Entities of each mention's candidates, in order."""
    inputs = {name: corpus / f"{name}.parquet" for name in ("entities", "mentions")}
    asked = {**SETTINGS, **settings}
    retrieve("bm25", asked, corpus / "run.parquet", corpus / "run.json", **inputs)
    table = read_run(corpus / "run.parquet", ["b", "c", "d"])
    found: dict[str, list[int]] = {}
    for row in table.to_pylist():
        found.setdefault(row["mention_id"], []).append(row["entity"])
        assert (row["layer"], row["first"], row["last"]) == (-1, -1, -1)
    return found


def test_the_page_of_a_mention_is_left_out(corpus: Path):
    path = corpus / "mentions.parquet"
    table = read_mentions(path)
    place = table.schema.get_field_index("document")
    pages = [None, "1", "0", "elsewhere"]  # of a, b, c and d
    pq.write_table(table.set_column(place, "document", pa.array(pages, pa.string())), path)
    kept, left = ranked(corpus), ranked(corpus, own_page="leave_out")
    assert kept["b"] == [1, 0] and left["b"] == [0]
    # Page 2 has the title of page 0, so both are one candidate.
    assert set(kept["c"]) - set(left["c"]) == {2} and 0 not in left["c"]
    assert kept["d"] == left["d"]
    first = {mention: own[:1] for mention, own in left.items()}
    assert ranked(corpus, own_page="leave_out", k=1) == first


def test_run_merges_titles_and_stays_in_the_world(corpus: Path, monkeypatch):
    # "fox": entity 2 (four of four words) before 0 (one of two) and 1 (one of three: "a" is no
    # word). Entities 0 and 2 share a title; 2, the better, stands for both.
    found = ranked(corpus)
    assert found == {"b": [1, 0], "c": [2, 1, 3], "d": [0, 1, 3]}
    monkeypatch.setattr(rows, "SCORES_HELD", 4)  # one mention of the four entities at a time
    assert ranked(corpus) == found


def test_ties_go_to_the_earlier_entity(corpus: Path):
    # No document has these words: everything ties at 0.
    found = ranked(corpus, match="id", k=3)
    assert found["d"] == [0, 1, 2]
    assert ranked(corpus)["d"] == [0, 1, 3]


def test_manifest_names_all_settings(corpus: Path):
    ranked(corpus, k1=0.9)
    manifest = json.loads((corpus / "run.json").read_text())
    assert manifest["stage"] == "retrieve"
    assert json.dumps(manifest["settings"]) == json.dumps({**SETTINGS, "k1": 0.9})
    assert manifest["counts"] is None  # it has no views


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "lucen"}, "method is 'lucen'. Did you mean 'lucene'"),
        ({"query": "context"}, "query is 'context'"),
        ({"match": "name"}, "match"),
        ({"k1": -1}, "k1 is -1"),
        ({"b": 2}, "b is 2"),
        ({"k": 0}, "k is 0"),
        ({"querry": "mention"}, "unknown key querry. Did you mean 'query'"),
        ({"split": "dev"}, "no mentions in split 'dev'"),
    ],
)
def test_bad_settings_are_refused(corpus: Path, settings, message: str):
    with pytest.raises(InputError, match=message):
        ranked(corpus, **settings)
