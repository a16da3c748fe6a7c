"""Gradient caching: the gradients of the plain loss, whatever the chunks."""

import copy

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from accelerate import Accelerator

from muver.retriever.encoders.bulk import Packed, batches_by_length, pack
from muver.retriever.training.data import Batch, fill_with_empty_views
from muver.retriever.training.objective import InBatch
from muver.retriever.training.step import backward_through_batch
from tests import tiny

CPU = torch.device("cpu")
EVERYTHING = 10**9
RANDOM = np.random.default_rng(5)
CONTEXTS = [[5, *RANDOM.integers(8, 60, n).tolist(), 6] for n in (9, 4, 12, 7, 4)]
# With a mention of one piece, which two of them begin with.
CONTEXTS = [[*ids[:-5], 1, ids[-4], 2, *ids[-2:]] for ids in CONTEXTS]
VIEWS = [
    [[5, *RANDOM.integers(8, 60, n).tolist(), 6] for n in lengths]
    for lengths in ((6, 3, 8), (5,), (7, 7), (2, 9, 4))
]
ONE_VIEW = [some[:1] for some in VIEWS]
FILLED = [fill_with_empty_views(some, 3, [0] * 24) for some in VIEWS]
GOLD = np.array([0, 2, 1, 3, 2])
WITH_NEGATIVES = np.array([0, 2, 0, 0, 2])  # 1 and 3 are nobody's gold


@pytest.fixture
def accelerator():
    return Accelerator(cpu=True)


@pytest.fixture(params=["max", "sum_max"])
def score(request):
    return request.param


def gradients(model) -> dict[str, torch.Tensor]:
    return {name: weight.grad for name, weight in model.named_parameters()}


def plain_step(model, contexts, views, gold) -> float:
    """The loss as its formula is written: every sequence forward at once, one backward."""
    flat = [ids for some in views for ids in some]
    context_length, view_length = model.config.pad_to
    mention_batch, view_batch = (
        pack(contexts, pad_to=context_length),
        pack(flat, pad_to=view_length),
    )
    mention_mask, view_mask = mention_batch.mask, view_batch.mask
    mentions = model.encode_mentions(mention_batch)
    vectors = model.encode_views(view_batch)
    rows = []
    for i in range(len(contexts)):
        columns, position = [], 0
        for some in views:
            span = slice(position, position + len(some))
            position += len(some)
            if model.config.metric == "l2":
                columns.append((-(vectors[span] - mentions[i]).norm(dim=1)).max())
            elif model.config.score == "max":
                columns.append((vectors[span] @ mentions[i]).max())
            else:
                own = mentions[i][mention_mask[i].bool()]
                others = vectors[span][0][view_mask[span][0].bool()]
                columns.append((own @ others.T).max(dim=1).values.sum())
        rows.append(torch.stack(columns))
    negatives = [column for column in range(len(views)) if column not in gold]
    scores = torch.stack(rows)[:, [*gold, *negatives]]
    loss = F.cross_entropy(scores, torch.arange(len(gold)))
    loss.backward()
    return loss.item()


def cached_step(model, accelerator, views, chunk_tokens, graph_tokens, gold=GOLD) -> float:
    how = (accelerator, chunk_tokens, graph_tokens)
    return float(backward_through_batch(model, InBatch(), Batch(CONTEXTS, views, gold), *how))


def assert_equal_gradients(ours, expected):
    """Equal to float32's tolerance, measured by the greatest gradient."""
    greatest = max(gradient.abs().max().item() for gradient in gradients(expected).values())
    for name, gradient in gradients(expected).items():
        difference = (ours[name] - gradient).abs().max().item()
        assert difference < 1e-4 * greatest, name


CASES = {  # views, gold, and what the model has besides the default
    "max": (VIEWS, GOLD, {}),
    "token vectors": (ONE_VIEW, GOLD, {"score": "sum_max"}),
    "empty views": (FILLED, GOLD, {}),
    "l2": (VIEWS, GOLD, {"metric": "l2"}),
    "l2 of empty views": (FILLED, GOLD, {"metric": "l2", "pooling": "special"}),
    "titles": (FILLED, GOLD, {"pooling": "span"}),
    "all pieces": (VIEWS, GOLD, {"pooling": "all"}),
    "of one length": (VIEWS, GOLD, {"pooling": "all", "scale": 20}),
    "of one length, l2": (FILLED, GOLD, {"metric": "l2", "scale": 20}),
    "token vectors of one length": (ONE_VIEW, GOLD, {"score": "sum_max", "scale": 20}),
    "padding": (ONE_VIEW, GOLD, {"score": "sum_max", "padding": True}),
    "negatives": (VIEWS, WITH_NEGATIVES, {}),
    "negatives, token vectors": (ONE_VIEW, WITH_NEGATIVES, {"score": "sum_max"}),
}


@pytest.mark.parametrize("case", CASES)
def test_gradients_are_those_of_the_plain_loss(encoder, accelerator, case):
    views, gold, more = CASES[case]
    plain = tiny.make_model(encoder, **more)
    untouched = copy.deepcopy(plain)
    expected = plain_step(plain, CONTEXTS, views, gold)
    for chunk_tokens, graph_tokens in ((1, 0), (25, 0), (25, EVERYTHING), (EVERYTHING,) * 2):
        ours = copy.deepcopy(untouched)
        loss = cached_step(ours, accelerator, views, chunk_tokens, graph_tokens, gold)
        assert loss == pytest.approx(expected, rel=1e-5)
        assert_equal_gradients(gradients(ours), plain)


class OneChunkAtATime(torch.nn.Module):
    """A model whose towers forward in the same chunks as ours, so that dropout falls alike."""

    def __init__(self, model, chunk_tokens):
        super().__init__()
        self.model, self.config, self.chunk_tokens = model, model.config, chunk_tokens

    def encode_mentions(self, batch):
        return self._encode(self.model.encode_mentions, batch)

    def encode_views(self, batch):
        return self._encode(self.model.encode_views, batch)

    def _encode(self, encode, batch: Packed):
        lengths = batch.mask.sum(1).tolist()
        ids = batch.unpack(batch.ids).tolist()
        parts = [
            (row, encode(pack([ids[row][: lengths[row]]]))[0])
            for rows in batches_by_length(lengths, self.chunk_tokens)
            for row in rows.tolist()
        ]
        ordered = [part for _, part in sorted(parts, key=lambda pair: pair[0])]
        return torch.nn.utils.rnn.pad_sequence(ordered, batch_first=True)


def test_gradients_are_those_of_the_plain_loss_with_dropout(encoder, accelerator, score):
    views = VIEWS if score == "max" else ONE_VIEW
    plain = tiny.make_model(encoder, score, dropout=True)
    kept, recomputed = copy.deepcopy(plain), copy.deepcopy(plain)
    torch.manual_seed(11)
    expected = plain_step(OneChunkAtATime(plain, 1), CONTEXTS, views, GOLD)
    for model, graph_tokens in ((kept, EVERYTHING), (recomputed, 0)):
        torch.manual_seed(11)
        assert cached_step(model, accelerator, views, 1, graph_tokens) == pytest.approx(
            expected, rel=1e-5
        )
        assert_equal_gradients(gradients(model), plain)
    torch.manual_seed(12)
    other = tiny.make_model(encoder, score, dropout=True)
    assert cached_step(other, accelerator, views, 1, 0) != pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("case", ["max", "l2 of empty views", "padding", "of one length"])
def test_half_precision_with_several_chunks(encoder, accelerator_state, case):
    """Under autocast the weights are cast once and shared by the chunks' graphs."""
    half = Accelerator(cpu=True, mixed_precision="bf16")
    views, gold, more = CASES[case]
    exact = tiny.make_model(encoder, **more)
    both = copy.deepcopy(exact), copy.deepcopy(exact)
    expected = plain_step(exact, CONTEXTS, views, gold)
    for ours, graph_tokens in zip(both, (0, EVERYTHING), strict=True):
        assert cached_step(ours, half, views, 25, graph_tokens) == pytest.approx(expected, rel=0.05)
        norm, wanted = (
            torch.cat([g.flatten() for g in gradients(m).values()]).norm() for m in (ours, exact)
        )
        assert norm.item() == pytest.approx(wanted.item(), rel=0.2)
