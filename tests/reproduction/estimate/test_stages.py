"""Each stage's formula by hand: 10 entities of 2 views of 3 tokens, 20 mentions of 4."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from muver.kb.importing.opening import LONGEST_LINE
from muver.reproduction.estimate import stages
from muver.reproduction.estimate.indices import index_sizes
from muver.reproduction.estimate.lengths import Lengths
from muver.reproduction.estimate.rates import Rate, Rates
from muver.reproduction.estimate.sizes import PUBLISHED
from muver.reproduction.estimate.stages import Estimate, Sizes, Work, parameters
from muver.retriever.encoders.bert import Bert
from muver.retriever.encoders.device import BATCH_TOKENS as DEVICE_TOKENS
from muver.retriever.encoders.packing import pack
from muver.retriever.encoders.sizes import BertConfig
from muver.retriever.encoders.stages import kb_part
from muver.retriever.vectors.shards import write_part

ENCODER = BertConfig(
    vocab_size=50,
    hidden_size=8,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=12,
    max_position_embeddings=20,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
# Embeddings 72 * 8 + 16; a layer 4 * 72 + 2 * 96 + 20 + 32 = 532.
WEIGHTS = 592 + 2 * 532
SIZES = Sizes(
    encoder=ENCODER,
    lengths=Lengths(views=2, tokens=3, training_views=2, context=4, laying_out=0.5),
    name="muver",
    entities=10,
    mentions=20,
    pairs=200,
    validation=(10, 20),
    validation_pairs=150,
)
TRAINING = {
    "epochs": 3, "batch_size": 5, "validate_every": 100, "graph_tokens": 1000, "chunk_tokens": 8,
}  # fmt: skip
COMPUTE = {"batch_tokens": 10, "processes": 1, "dtype": "fp16", "memory_mb": 1}
STATES = 10 * (2 * 12 + 3 * 8) * 4
MIB = 2**20


def amount(job: Estimate, kind: str, unit: str) -> float:
    return sum(work.amounts[unit] for work in job.work if work.kind == kind)


def test_weights_are_those_of_a_tower():
    assert WEIGHTS == parameters(ENCODER) == sum(p.numel() for p in Bert(ENCODER).parameters())
    # BERT-large without its pooling layer: 335,141,888 with it, less 1024 * 1024 + 1024.
    assert parameters(PUBLISHED["bert-large-uncased"]) == 335_141_888 - 1_049_600


def test_constants_of_modules_that_load_torch():
    assert stages.BATCH_TOKENS == DEVICE_TOKENS and stages.ENTITIES == kb_part.ENTITIES
    assert list(stages.DTYPE_BYTES) == list(kb_part.DTYPES)


def test_pretraining():
    own = {"steps": 7, "batch_size": 3, "context_tokens": 4}
    job = stages.pretrain(SIZES, own)
    view = (20 - 16) / math.log(20 / 16)  # of 20 positions, the longest drawn between 16 and 20
    assert amount(job, "train", "tokens") == pytest.approx(7 * 3 * (4 + view))
    assert job.memory == pytest.approx(16 * WEIGHTS + 3 * (4 + view) * (64 + 24) * 4 * 2)
    assert job.disk == 4 * WEIGHTS
    assert stages.pretrain(replace(SIZES, gpu=True), own).gpu_memory == job.memory


def test_training():
    job = stages.train(SIZES, {**COMPUTE, "training": TRAINING})
    assert amount(job, "train", "tokens") == 20 * 3 * (4 + 2 * 3)
    assert amount(job, "encode", "tokens") == 10 * 2 * 3 + 20 * 4  # validated once
    assert amount(job, "multiply", "products") == 150 * 2
    som = stages.train(SIZES, {**COMPUTE, "training": TRAINING, "score": "sum_max"})
    assert amount(som, "multiply", "products") == 150 * 3 * 4  # every token with every token
    assert job.memory == 16 * 2 * WEIGHTS + 5 * 10 * (64 + 24) * 4 * 2
    assert (job.disk, job.passing) == (2 * WEIGHTS * 4, 2 * WEIGHTS * 4 * 4)
    point = stages.grid(SIZES, {**COMPUTE, "training": TRAINING})
    assert (point.disk, point.passing) == (0, job.passing)


def test_training_of_large_batches_encodes_them_twice():
    own = {**COMPUTE, "training": {**TRAINING, "graph_tokens": 49}}
    job = stages.train(SIZES, own)
    assert amount(job, "encode", "tokens") == 140 + 600
    assert job.memory == 16 * 2 * WEIGHTS + 8 * (64 + 24) * 4 * 2


def test_training_with_hard_negatives_on_gpus():
    own = {"training": TRAINING, "negatives": {"per_mention": 3}, "processes": 2}
    job = stages.train(replace(SIZES, gpu=True), own)
    assert amount(job, "train", "tokens") == 60 * (4 + 4 * 6)
    assert job.memory == 2 * 2 * WEIGHTS * 4
    assert job.gpu_memory == 16 * 2 * WEIGHTS + 5 * 28 * (64 + 24) * 4 * 2


def kept(encoder: BertConfig, length: int) -> float:
    """Bytes a token that a tower's graph keeps, other than its weights."""
    tower, kept = Bert(encoder).train(), {}
    own = {weight.untyped_storage().data_ptr() for weight in tower.parameters()}

    def keep(tensor):
        memory = tensor.untyped_storage()
        if memory.data_ptr() not in own:
            kept[memory.data_ptr()] = memory.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        states = tower.states(pack([[1] * length] * 4))
    assert states.requires_grad
    return sum(kept.values()) / (4 * length)


@pytest.mark.parametrize("share, length", [(0.0, 32), (0.1, 32), (0.1, 128)])
def test_states_are_those_that_a_graph_keeps(share, length):
    encoder = replace(
        ENCODER,
        hidden_size=64,
        intermediate_size=256,
        max_position_embeddings=128,
        hidden_dropout_prob=share,
        attention_probs_dropout_prob=share,
    )
    own = {**TRAINING, "batch_size": 1}
    sizes = replace(SIZES, encoder=encoder, lengths=replace(SIZES.lengths, context=length, views=1,
                    training_views=1, tokens=length))  # fmt: skip
    job = stages.train(sizes, {**COMPUTE, "training": own})
    states = (job.memory - 16 * 2 * parameters(encoder)) / (2 * length)
    assert states == pytest.approx(kept(encoder, length), rel=0.1)


def test_stores():
    encode = stages.encode(SIZES, COMPUTE)
    assert amount(encode, "encode", "tokens") == 10 * 2 * 3 + 20 * 4
    assert encode.disk == (20 + 20) * 8 * 4 + 20 * 3 * 4
    assert encode.memory == 3 * 4 * WEIGHTS + 40 * 32 + STATES
    merge = stages.merge(SIZES, {**COMPUTE, "layers": 4, "top_k": 0.4, "max_tokens": 512})
    # four layers of 20 x 0.4 views, of 4.5, 6, 7.5, 9 tokens
    assert amount(merge, "encode", "tokens") == pytest.approx(8 * (4.5 + 6 + 7.5 + 9))
    assert merge.disk == pytest.approx(8 * 4 * 8 * 4 + 8 * (4.5 + 6 + 7.5 + 9) * 4)
    whole = stages.encode_global(SIZES, {**COMPUTE, "max_tokens": 16})
    assert amount(whole, "encode", "tokens") == 160 and whole.disk == 10 * (32 + 64)


def test_retrieval():
    stored = stages.retrieve(replace(SIZES, merged=1.6), COMPUTE)
    assert amount(stored, "multiply", "products") == 200 * 2 * 2.6
    assert stored.memory == MIB + 20 * 32
    tokens = stages.retrieve_tokens(SIZES, COMPUTE)
    assert amount(tokens, "multiply", "products") == 200 * 3 * 4
    assert amount(tokens, "encode", "tokens") == 140


def test_vectors_of_a_knowledge_base(tmp_path):
    job = stages.encode_part(SIZES, COMPUTE)
    assert job.disk == 20 * 8 * 2 + 10
    assert job.memory == 3 * 4 * WEIGHTS + 20 * 8 * 2 + 20 * 8 * 4 + STATES
    assert stages.encode_part(SIZES, {**COMPUTE, "dtype": "fp32"}).disk == 20 * 8 * 4 + 10
    gpu = stages.encode_part(replace(SIZES, gpu=True), COMPUTE)
    assert gpu.memory == job.memory - STATES and gpu.gpu_memory == 8 * WEIGHTS + STATES
    write_part(tmp_path, 0, np.zeros((20, 8), np.float16), np.full(10, 2), "m", "k")
    files = sum(path.stat().st_size - 128 for path in tmp_path.glob("*.npy"))
    assert files == job.disk
    mentions = stages.encode_mentions(SIZES, COMPUTE)
    assert mentions.disk == 20 * 32 and amount(mentions, "encode", "tokens") == 80


def test_reading_a_dump():
    part = stages.kb_part(Sizes(bytes=3e6), {"disk": 7})
    assert (part.memory, part.disk) == (3 * LONGEST_LINE + 8 * 2**22, 7)
    assert part.seconds(Rates({"read": {"": Rate(2.0, "MB")}})) == 1.5
    finish = stages.kb(Sizes(entities=100), {})
    assert (finish.memory, finish.disk) == (4800, 3200)


def test_indices():
    own = {"factory": "hnsw", "search_memory_mb": 1, "threads": 3}
    expected = index_sizes(20, 8, own)
    built, searched = stages.index(SIZES, own), stages.search(SIZES, own)
    assert (built.disk, built.memory, built.note) == (expected.disk, expected.build, "HNSW32")
    assert searched.memory == expected.search + 20 * 32
    rates = Rates({"build": {"muver": Rate(4, "views")}, "search": {"muver": Rate(5, "mentions")}})
    assert (built.seconds(rates), searched.seconds(rates)) == (5, 4)


def test_exact_search_by_either_rate():
    job = stages.search(SIZES, {"search_memory_mb": 1, "threads": 3})
    assert job.memory == MIB + 20 * 32
    for rate in (Rate(200, "products"), Rate(10, "mentions", "given")):
        assert job.seconds(Rates({"search": {"exact": rate}})) == 2


def test_seconds():
    job = Estimate((Work("encode", {"tokens": 30, "views": 10}), Work("read", {"MB": 1})))
    assert job.seconds(Rates({"encode": {"": Rate(3, "tokens")}})) is None
    encode = stages.encode_part(SIZES, COMPUTE)
    # 20 views of 3 tokens, and half a second each to lay them out
    assert encode.seconds(Rates({"encode": {3: Rate(6, "tokens")}})) == 10 + 10
    assert encode.seconds(Rates({"encode": {"muver": Rate(2, "views")}})) == 10 + 10
