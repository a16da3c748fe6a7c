"""Sizes of encoders that are not loaded."""

import pytest

from muver.retriever.encoders.sizes import BertConfig, is_packed


def test_sizes_by_the_names_of_other_encoders():
    distilbert = {"model_type": "distilbert", "dim": 48, "n_layers": 3, "n_heads": 4,
                  "hidden_dim": 96, "activation": "gelu", "vocab_size": 50}  # fmt: skip
    assert BertConfig.from_dict(distilbert) == BertConfig(50, 48, 3, 4, 96)
    assert BertConfig.from_dict(
        {"d_model": 32, "hidden_act": "silu", "vocab_size": None}
    ) == BertConfig(hidden_size=32)


@pytest.mark.parametrize(
    "config, packed",
    [
        ({"model_type": "bert", "position_embedding_type": "absolute"}, True),
        ({"model_type": "roberta"}, False),
        ({"model_type": "bert", "hidden_act": "silu"}, False),
        ({"model_type": "bert", "position_embedding_type": "relative_key"}, False),
        ({"model_type": "bert", "is_decoder": True}, False),
        ({"model_type": "bert", "dense": [{"out_features": 8}]}, False),
    ],
)
def test_which_encoders_ours_computes(config, packed):
    assert is_packed(config) is packed
