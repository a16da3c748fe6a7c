"""Table 5: counted parameters."""

import json

import pytest

from muver.io.errors import InputError
from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.parameters import build, page
from muver.reproduction.tables.settings import Parameters
from muver.retriever.encoders.bert import Bert, BertConfig

SMALL = {
    "model_type": "bert", "vocab_size": 11, "hidden_size": 4, "num_hidden_layers": 2,
    "num_attention_heads": 2, "intermediate_size": 6, "max_position_embeddings": 5,
}  # fmt: skip
SIZES = BertConfig.from_dict(SMALL)
# Word, position and type embeddings, their norm; of each layer four squares with biases, two norms
# and the two feed-forward matrices with biases.
TOWER = (11 + 5 + 2) * 4 + 8 + 2 * (4 * (16 + 4) + 2 * 8 + 2 * 24 + 6 + 4)
POOLER = 16 + 4


def test_the_count_is_that_of_a_model_with_weights():
    built = Bert(SIZES)
    assert sum(weight.numel() for weight in built.parameters()) == TOWER


@pytest.fixture
def encoder(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(SMALL))
    return tmp_path


def test_rows(encoder):
    table = build("table5", "Parameters", Parameters(), TableFiles(encoder=encoder))
    base, large, own = table.rows
    # 109,482,240 and 335,141,888 are known for whole BERTs, poolers included.
    assert (base.parameters, base.poolers) == (2 * (109_482_240 - 590_592), 2 * 590_592)
    assert large.parameters + large.poolers == 2 * 335_141_888
    assert (own.parameters, own.poolers, own.paper) == (2 * TOWER, 2 * POOLER, None)
    assert base.paper == 220

    main, beside = page(table).sections
    assert main.header[:2] == ["Model", "Number of parameters"]
    assert main.rows[0] == ["MuVER (base)", "217783296", "217.8"]
    assert beside.rows == [["MuVER (base)", "220M", "-2.2M"], ["MuVER (large)", "680M", "-11.8M"]]
    assert "in MuVER (base) they would add 1181184" in main.note


def test_an_encoder_is_not_needed():
    assert len(build("table5", "Parameters", Parameters(), TableFiles()).rows) == 2


def test_an_encoder_that_is_none(encoder):
    (encoder / "config.json").write_text('{"model_type": "clip"}')
    with pytest.raises(InputError, match="'clip'"):
        build("table5", "Parameters", Parameters(), TableFiles(encoder=encoder))
    (encoder / "config.json").unlink()
    with pytest.raises(InputError, match=r"config.json: no such file"):
        build("table5", "Parameters", Parameters(), TableFiles(encoder=encoder))
