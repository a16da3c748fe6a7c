"""Tables 4 and 5: what the dataset holds, and counted parameters."""

import json

import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.reproduction.tables.pages import page_of
from muver.reproduction.tables.records import Numbers
from muver.reproduction.tables.stage import build_data, build_models
from muver.retriever.corpus.sources import WorldCounts
from muver.retriever.corpus.statistics import Counts
from muver.retriever.encoders.bert import Bert, BertConfig

COUNTS = Counts(
    dataset="tiny",
    fingerprint="f00d",
    identified_as=None,
    worlds={
        "starwars": WorldCounts("train", 7, 5),
        "muppets": WorldCounts("val", 4, 2, without_text=1),
        "lego": WorldCounts("test", 3, 2),
        "atlantis": WorldCounts("test", 6, 0),
    },
    mentions={"train": 5, "val": 2, "test": 2},
    entities={"train": 7, "val": 4, "test": 9},
)
ZESHEL = replace(
    COUNTS,
    dataset="mine",
    identified_as="zeshel",
    mentions={"train": 49275, "val": 10000, "test": 10000},
    entities={"train": 332632, "val": 89549, "test": 70139},
)


def table_of(folder, counts):
    write_json(folder / "counts.json", counts)
    return build_data(folder / "counts.json")


def test_rows_by_split(tmp_path):
    table = table_of(tmp_path, COUNTS)
    assert [(row.split, row.mentions, row.entities) for row in table.rows] == [
        ("train", 5, 7), ("val", 2, 4), ("test", 2, 9),
    ]  # fmt: skip
    assert table.rows[2].worlds == {"lego": Numbers(2, 3), "atlantis": Numbers(0, 6)}
    assert all(row.paper is None for row in table.rows)
    assert "made on tiny" in table.note


def test_the_papers_columns(tmp_path):
    main, worlds = page_of(table_of(tmp_path, COUNTS)).sections
    assert main.header == ["Dataset", "Split", "Mention Num", "KB", "Entity Num"]
    assert main.rows[0] == ["tiny", "train", "5", "tiny", "7"]
    assert worlds.rows[-1] == ["test", "atlantis", "0", "6"]
    assert worlds.note.endswith(
        "Without mentions, and so without a number in other tables: atlantis."
    )


def test_the_papers_numbers_on_its_dataset(tmp_path):
    table = table_of(tmp_path, ZESHEL)
    assert [row.kb for row in table.rows] == ["Wikia"] * 3
    beside = page_of(table).sections[1]
    assert beside.heading == "Against the paper"
    assert beside.rows[2] == ["mine", "test", "10000 (equal)", "70140 (not equal)"]


SMALL = {
    "model_type": "bert", "vocab_size": 11, "hidden_size": 4, "num_hidden_layers": 2,
    "num_attention_heads": 2, "intermediate_size": 6, "max_position_embeddings": 5,
}  # fmt: skip
BUILT = BertConfig.from_dict(SMALL)
# Word, position and type embeddings, their norm; of each layer four squares with biases, two norms
# and the two feed-forward matrices with biases.
TOWER = (11 + 5 + 2) * 4 + 8 + 2 * (4 * (16 + 4) + 2 * 8 + 2 * 24 + 6 + 4)
POOLER = 16 + 4


def test_the_count_is_that_of_a_model_with_weights():
    built = Bert(BUILT)
    assert sum(weight.numel() for weight in built.parameters()) == TOWER


@pytest.fixture
def encoder(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(SMALL))
    return tmp_path


def test_rows(encoder):
    table = build_models(encoder)
    base, large, own = table.rows
    # 109,482,240 and 335,141,888 are known for whole BERTs, poolers included.
    assert (base.parameters, base.poolers) == (2 * (109_482_240 - 590_592), 2 * 590_592)
    assert large.parameters + large.poolers == 2 * 335_141_888
    assert (own.parameters, own.poolers, own.paper) == (2 * TOWER, 2 * POOLER, None)
    assert base.paper == 220

    main, beside = page_of(table).sections
    assert main.header[:2] == ["Model", "Number of parameters"]
    assert main.rows[0] == ["MuVER (base)", "217783296", "217.8"]
    assert beside.rows == [["MuVER (base)", "220M", "-2.2M"], ["MuVER (large)", "680M", "-11.8M"]]
    assert "in MuVER (base) they would add 1181184" in main.note


def test_an_encoder_is_not_needed():
    assert len(build_models().rows) == 2


def test_an_encoder_that_is_none(encoder):
    (encoder / "config.json").write_text('{"model_type": "clip"}')
    with pytest.raises(InputError, match="'clip'"):
        build_models(encoder)
    (encoder / "config.json").unlink()
    with pytest.raises(InputError, match=r"config.json: no such file"):
        build_models(encoder)
