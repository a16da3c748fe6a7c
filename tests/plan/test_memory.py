"""Memory of reading and encoding, by hand; weights against real towers."""

import pytest

from muver.encoders.bert import Bert, BertConfig
from muver.plan.memory import batch_tokens, encoding_memory, parameters, reading_memory
from muver.plan.settings import DEFAULTS, check
from muver.plan.storage import Base

ENCODER = {
    "vocab_size": 50,
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "intermediate_size": 12,
    "max_position_embeddings": 20,
}


def test_weights_are_those_of_a_tower():
    tower = Bert(BertConfig(**ENCODER, num_attention_heads=2))
    assert parameters(ENCODER) == sum(weight.numel() for weight in tower.parameters())
    # BERT-large without its pooling layer: 335,141,888 with it, less 1024 * 1024 + 1024.
    assert parameters(DEFAULTS["encoder"]) == 335_141_888 - 1_049_600


def test_reading_by_hand():
    few, many = Base(1000, 0, 0, ""), Base(10**8, 0, 0, "")
    settings = check({"workers": 2, "line_bytes": 1000})
    assert reading_memory(few, settings) == 2 * (3000 + 8 * 2**22)
    assert reading_memory(many, settings) == 48 * 10**8


def test_encoding_by_hand():
    settings = check(
        {
            "encoder": ENCODER,
            "dump_bytes": 1000,
            "part_bytes": 100,
            "batch_tokens": 10,
            "dtype": "fp16",
        }
    )
    base = Base(8192, 0, 0, "")
    # Embeddings 72 * 8 + 16; a layer 4 * 72 + 2 * 96 + 20 + 32 = 532.
    weights = 592 + 2 * 532
    part = 20_000 // 10 * 8 * 2
    block = 10_000 * 8 * 4
    states = 10 * (24 + 24) * 4
    main, gpu = encoding_memory(20_000, base, settings, gpu=False)
    assert (main, gpu) == (12 * weights + part + block + states, 0)
    main, gpu = encoding_memory(20_000, base, settings, gpu=True)
    assert (main, gpu) == (12 * weights + part + block, 8 * weights + states)
    # A part cannot be more than all, nor a block.
    whole = {**settings, "part_bytes": 5000}
    small = encoding_memory(20, Base(10, 0, 0, ""), whole, gpu=False)[0]
    assert small == 12 * weights + 20 * 8 * 2 + 20 * 8 * 4 + states


@pytest.mark.parametrize(("gpu", "tokens"), [(False, 2048), (True, 131072)])
def test_batches(gpu, tokens):
    assert batch_tokens("auto", gpu) == tokens and batch_tokens(99, gpu) == 99
