"""Our BERT against the library's: outputs, gradients, and what it refuses."""

import json

import pytest
import torch
from transformers import BertModel

from muver.io.errors import InputError
from muver.retriever.encoders import bert
from muver.retriever.encoders.bert import Bert, BertConfig, attend, dropout
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.model import load_tower

SIZES = {
    "vocab_size": 40, "hidden_size": 12, "num_hidden_layers": 3, "num_attention_heads": 3,
    "intermediate_size": 20, "max_position_embeddings": 16, "initializer_range": 0.3,
    "hidden_dropout_prob": 0.3, "attention_probs_dropout_prob": 0.3,
}  # fmt: skip
SEQUENCES = [[5, 9, 6], [5, 30, 31, 32, 6], [5, 6], [5, 12, 6], [5, 1, 2, 0, 4, 6, 7]]


@pytest.fixture(params=["gelu", "gelu_new", "relu"])
def both(request, tmp_path):
    """A tower of ours, and the library's of the same weights, read from what ours wrote."""
    torch.manual_seed(4)
    ours = Bert(BertConfig(**SIZES, hidden_act=request.param)).eval()
    with torch.no_grad():
        for weight in ours.parameters():  # norms and biases too
            weight.add_(0.1 * torch.randn_like(weight))
    ours.save(tmp_path)
    theirs, report = BertModel.from_pretrained(
        tmp_path, add_pooling_layer=False, output_loading_info=True
    )
    assert not report["missing_keys"] and not report["unexpected_keys"]
    return ours, theirs.eval()


def padded(length=None):
    length = length or max(map(len, SEQUENCES))
    ids = torch.tensor([ids + [0] * (length - len(ids)) for ids in SEQUENCES])
    mask = torch.tensor([[1] * len(ids) + [0] * (length - len(ids)) for ids in SEQUENCES])
    return ids, mask


def by_the_library(model, length=None):
    ids, mask = padded(length)
    return model(input_ids=ids, attention_mask=mask).last_hidden_state


def test_states_are_the_library_s(both):
    ours, theirs = both
    batch = pack(SEQUENCES)
    expected = by_the_library(theirs) * batch.mask[:, :, None]
    close = {"rtol": 0, "atol": 1e-5}
    torch.testing.assert_close(batch.unpack(ours.states(batch)), expected, **close)
    torch.testing.assert_close(ours.first_states(batch), expected[:, 0], **close)
    alone = [ours.first_states(pack([ids]))[0] for ids in SEQUENCES]
    torch.testing.assert_close(torch.stack(alone), expected[:, 0], **close)


def test_states_of_padding_are_the_library_s(both):
    ours, theirs = both
    batch = pack(SEQUENCES, pad_to=9)
    expected = by_the_library(theirs, 9)
    found = batch.unpack(ours.states(batch))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
    firsts = ours.first_states(batch)
    torch.testing.assert_close(firsts, expected[:, 0], rtol=0, atol=1e-5)


@pytest.mark.parametrize("precision, tolerance", [("fp32", 1e-5), ("bf16", 0.05)])
@pytest.mark.parametrize("first", [True, False])
def test_a_gpu_s_way_gives_the_same(both, monkeypatch, first, precision, tolerance):
    """All lengths at once, here without a GPU's kernel: states and gradients, of 64 tokens, since
    only a processor adds rows up to that.
    """
    ours, _ = both
    batch = pack(
        [[5, *[7 + n] * (length - 2), 6] for n, length in enumerate((16, 15, 3, 16, 2, 12))]
    )
    results = []
    for at_once in (False, True):
        monkeypatch.setattr(bert, "all_at_once", lambda *_, at_once=at_once: at_once)
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            states = ours.first_states(batch) if first else ours.states(batch)
        weights = torch.linspace(-1, 1, states.numel()).view(states.shape)
        grads = torch.autograd.grad((states * weights).sum(), ours.parameters(), allow_unused=True)
        results.append([states, *(grad for grad in grads if grad is not None)])
    assert len(results[0]) > 10
    for ours, expected in zip(*results, strict=True):
        close = tolerance * max(1.0, float(expected.detach().abs().max()))
        torch.testing.assert_close(ours, expected, rtol=0, atol=close)


@pytest.mark.parametrize("first", [True, False])
def test_gradients_are_the_library_s(both, first):
    ours, theirs = both
    batch = pack(SEQUENCES)
    weights = torch.randn(len(SEQUENCES), batch.longest, 12)
    weights = weights[:, :1] if first else weights * batch.mask[:, :, None]
    (by_the_library(theirs)[:, : weights.shape[1]] * weights).sum().backward()
    states = ours.first_states(batch)[:, None] if first else batch.unpack(ours.states(batch))
    (states * weights).sum().backward()
    expected = {name: weight.grad for name, weight in theirs.named_parameters()}
    for name, weight in ours.named_parameters():
        wanted = expected[name]
        torch.testing.assert_close(weight.grad, wanted, rtol=1e-4, atol=1e-4, msg=name)


def test_dropout_only_in_training():
    torch.manual_seed(4)
    model = Bert(BertConfig(**SIZES))
    batch = pack(SEQUENCES)
    assert not torch.equal(model.first_states(batch), model.first_states(batch))
    torch.manual_seed(5)
    one = model.first_states(batch)
    torch.manual_seed(5)
    assert torch.equal(one, model.first_states(batch))
    model.eval()
    assert torch.equal(model.first_states(batch), model.first_states(batch))


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_dropout_by_its_shares_and_scale(share):
    torch.manual_seed(4)
    states = torch.full((7, 30001), 3.0, requires_grad=True)  # no multiple of four numbers
    found = dropout(states, share, training=True)
    kept = found != 0
    torch.testing.assert_close(
        found[kept], torch.full_like(found[kept], 3 / (1 - share)), rtol=1e-4, atol=0
    )
    spread = (share * (1 - share) / kept.numel()) ** 0.5
    assert kept.float().mean().item() == pytest.approx(1 - share, abs=5 * spread)
    pairs = (kept[:, 1:] & kept[:, :-1]).float().mean().item()  # neighbours share a draw
    assert pairs == pytest.approx((1 - share) ** 2, abs=10 * spread)
    found.sum().backward()
    torch.testing.assert_close(states.grad, found.detach() / 3)
    torch.manual_seed(4)
    assert torch.equal(dropout(states, share, training=True), found)
    assert torch.equal(dropout(states, share, training=False), states)
    assert not dropout(states, 1.0, training=True).any()


def test_attention_with_dropout_is_the_library_s_where_none_is_dropped():
    torch.manual_seed(4)
    states = [torch.randn(2, 3, 5, 4) for _ in range(3)]
    mask = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])[:, None, None]
    for own in (None, mask):
        expected = attend(*states, own, 0.0)
        torch.testing.assert_close(attend(*states, own, 1e-9), expected)
    torch.manual_seed(4)
    many = torch.stack([attend(*states, mask, 0.2) for _ in range(4000)])
    torch.testing.assert_close(many.mean(0), expected, rtol=0, atol=0.05)


def test_a_new_one_has_bert_s_initial_weights():
    torch.manual_seed(4)
    model = Bert(BertConfig(**{**SIZES, "hidden_size": 120, "vocab_size": 400}))
    weights = model.state_dict()
    for name, weight in weights.items():
        if name.endswith("bias"):
            assert not weight.any(), name
        elif "LayerNorm" in name:
            assert (weight == 1).all(), name
    spread = weights["embeddings.word_embeddings.weight"].std().item()
    assert spread == pytest.approx(0.3, rel=0.02)


@pytest.mark.parametrize("text", ["[]", '{"num_hidden_layers": 3.5}'])
def test_a_configuration_that_is_none(text, tmp_path):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(InputError, match="config.json"):
        Bert.load(tmp_path)


def test_weights_of_other_sizes(tmp_path):
    Bert(BertConfig(**SIZES)).save(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 4}))
    with pytest.raises(InputError, match="model.safetensors"):
        load_tower(tmp_path)
