"""BERT over packed sequences: it computes neither padding nor states that nobody reads.

The weights have the names of Hugging Face's ``BertModel`` without its pooling layer, so that either
loads what the other wrote; a test compares their outputs. It is written out here for two reasons:
importing the library takes longer than a stage does on a small model, and the library computes
padded batches and all states of the last layer, where a view needs one.
"""

from collections.abc import Iterable
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from muver.io.errors import InputError
from muver.io.files import atomic_path, write_json
from muver.retriever.encoders.bulk import Packed
from muver.retriever.encoders.linear import Linear, filled
from muver.retriever.encoders.sizes import BertConfig
from muver.retriever.encoders.towers import Tower

ACTIVATIONS = {
    "gelu": F.gelu,
    "gelu_new": lambda states: F.gelu(states, approximate="tanh"),
    "relu": F.relu,
}


class Bert(Tower):
    """A BERT; new weights are normal with ``initializer_range``, biases and padding's vector 0."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.config = config
        self.dimension, self.positions = config.hidden_size, config.max_position_embeddings
        self.embeddings = Embeddings(config)
        self.encoder = nn.ModuleDict(
            {"layer": nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))}
        )
        self.apply(self._initialise)

    def states(self, batch: Packed) -> Tensor:
        """States of the last layer at every token: (tokens, d)."""
        return self._through(self.encoder["layer"], batch)

    def first_states(self, batch: Packed) -> Tensor:
        """States of the last layer at the first token of each sequence: (sequences, d).

        They are in the order given. The last layer computes nothing for the other tokens.
        """
        *layers, last = self.encoder["layer"]
        return last.first(batch.unpack(self._through(layers, batch)), batch.attended)

    def save(self, folder: Path) -> None:
        """Write the library's two files."""
        state = {name: w.detach().cpu().contiguous() for name, w in self.state_dict().items()}
        with atomic_path(folder / "model.safetensors") as temporary:
            temporary.write_bytes(save(state, metadata={"format": "pt"}))
        write_json(folder / "config.json", self.config.as_dict())

    @classmethod
    def load(cls, folder: Path) -> "Bert":
        """Load what :meth:`save` wrote."""
        tower, path = cls.empty(folder), folder / "model.safetensors"
        try:
            tower.load_state_dict(load_file(path))
        except (RuntimeError, SafetensorError) as error:
            raise InputError(f"{path}: its weights cannot be loaded ({error}).") from error
        return tower

    @classmethod
    def empty(cls, folder: Path) -> "Bert":
        """A BERT of the sizes in ``config.json``, with new weights."""
        return cls(BertConfig.from_file(folder / "config.json"))

    def _through(self, layers: Iterable[nn.Module], batch: Packed) -> Tensor:
        hidden = filled(self.embeddings(batch))
        for layer in layers:
            hidden = layer(hidden, batch)
        return hidden[: len(batch.ids)]

    def _initialise(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=self.config.initializer_range)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            nn.init.zeros_(module.weight.data[module.padding_idx])


class Embeddings(nn.Module):
    """Word pieces, positions and the first token type, summed and normalised."""

    def __init__(self, config: BertConfig):
        super().__init__()
        size = config.hidden_size
        # Padding's vector starts at 0 and never gets a gradient, even if padding is attended.
        self.word_embeddings = nn.Embedding(config.vocab_size, size, config.pad_token_id)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, size)
        self.LayerNorm = nn.LayerNorm(size, config.layer_norm_eps)
        self.dropout = config.hidden_dropout_prob

    def forward(self, batch: Packed) -> Tensor:
        """(tokens, d)"""
        hidden = self.word_embeddings(batch.ids) + self.token_type_embeddings.weight[0]
        hidden = self.LayerNorm(hidden + self.position_embeddings(batch.positions))
        return dropout(hidden, self.dropout, self.training)


class Layer(nn.Module):
    """Attention and feed-forward network, each with its residual and norm."""

    def __init__(self, config: BertConfig):
        super().__init__()
        size, inner = config.hidden_size, config.intermediate_size
        self.attention = nn.ModuleDict(
            {"self": SelfAttention(config), "output": Residual(size, config)}
        )
        self.intermediate = nn.ModuleDict({"dense": Linear(size, inner)})
        self.output = Residual(inner, config)
        self.activation = ACTIVATIONS[config.hidden_act]

    def forward(self, hidden: Tensor, batch: Packed) -> Tensor:
        """New (tokens, d) states."""
        return self._feed_forward(self.attention["self"](hidden, batch), hidden)

    def first(self, padded: Tensor, attended: Tensor) -> Tensor:
        """New states at the first of (sequences, length, d) states: (sequences, d).

        ``attended``, (sequences, length), is True at attended positions.
        """
        return self._feed_forward(self.attention["self"].first(padded, attended), padded[:, 0])

    def _feed_forward(self, attended: Tensor, states: Tensor) -> Tensor:
        states = self.attention["output"](attended, states)
        return self.output(self.activation(self.intermediate["dense"](states)), states)


class SelfAttention(nn.Module):
    """Attention within each sequence, without a mask: on a GPU for all at once, on a processor for
    a block of equal lengths at a time.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        size = config.hidden_size
        self.query, self.key, self.value = (Linear(size, size) for _ in range(3))
        self.heads, self.dropout = config.num_attention_heads, config.attention_probs_dropout_prob

    def forward(self, hidden: Tensor, batch: Packed) -> Tensor:
        """(tokens, d) to (tokens, d); rows after the batch's own (:func:`filled`) become zeros."""
        share = self.dropout if self.training else 0.0
        projected = (project(hidden) for project in (self.query, self.key, self.value))
        if all_at_once(hidden, batch):
            return attend_packed(
                *(states.unflatten(1, (self.heads, -1)) for states in projected), batch, share
            )
        sizes = [rows * length for rows, length in batch.blocks]
        filler = len(hidden) - sum(sizes)
        mask = None if batch.keys is None else batch.keys[:, None, None, :]
        by_block = (states.split([*sizes, filler])[:-1] for states in projected)
        parts = [
            attend(*(self._heads(states, rows) for states in of_block), mask, share)
            .transpose(1, 2)
            .reshape(-1, hidden.shape[1])
            for (rows, _), *of_block in zip(batch.blocks, *by_block, strict=True)
        ]
        if filler:
            parts.append(parts[0].new_zeros(filler, hidden.shape[1]))
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def first(self, padded: Tensor, attended: Tensor) -> Tensor:
        """Attention of each sequence's first state: (sequences, length, d) to (sequences, d).

        Keys and values are linear in the states, so we apply the keys' weights to the query and the
        values' weights to the mean of the states: once a sequence instead of once a token.
        """
        heads = (self.heads, -1, padded.shape[2])
        queries = self.query(padded[:, 0]).unflatten(1, heads[:2])
        weighted = torch.einsum("shk,hkd->shd", queries, self.key.weight.view(heads))
        biases = torch.einsum("shk,hk->sh", queries, self.key.bias.view(heads[:2]))
        scores = (weighted @ padded.transpose(1, 2) + biases[:, :, None]) * queries.shape[2] ** -0.5
        weights = scores.masked_fill(~attended[:, None], float("-inf")).softmax(2)
        weights = dropout(weights, self.dropout, self.training)
        values = torch.einsum("shd,hkd->shk", weights @ padded, self.value.weight.view(heads))
        # Under dropout the weights do not sum to 1.
        bias = weights.sum(2, keepdim=True) * self.value.bias.view(heads[:2])
        return (values + bias).flatten(1)

    def _heads(self, states: Tensor, rows: int) -> Tensor:
        """(rows * length, d) -> (rows, heads, length, d / heads)"""
        return states.view(rows, -1, self.heads, states.shape[1] // self.heads).transpose(1, 2)


class Residual(nn.Module):
    """A linear layer back to the states' size, whose output is added to them and normalised."""

    def __init__(self, inner: int, config: BertConfig):
        super().__init__()
        self.dense = Linear(inner, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = config.hidden_dropout_prob

    def forward(self, hidden: Tensor, residual: Tensor) -> Tensor:
        """(rows, inner) and (rows, d) -> (rows, d)"""
        hidden = dropout(self.dense(hidden), self.dropout, self.training)
        return self.LayerNorm(hidden + residual)


def attend(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, share: float
) -> Tensor:
    """Attention of (..., queries, d) over (..., keys, d), with dropout of the weights.

    On a processor, torch's own attention is slow with dropout.
    """
    if not share or queries.is_cuda:
        return F.scaled_dot_product_attention(queries, keys, values, mask, share)
    scores = (queries * queries.shape[-1] ** -0.5) @ keys.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = dropout(scores.softmax(-1, dtype=torch.float32), share, training=True)
    return weights.to(values.dtype) @ values


def all_at_once(states: Tensor, batch: Packed) -> bool:
    """Whether sequences of all lengths attend at once, for which GPUs alone have a kernel."""
    return states.is_cuda and batch.keys is None


def attend_packed(
    queries: Tensor, keys: Tensor, values: Tensor, batch: Packed, share: float
) -> Tensor:
    """Attention of (tokens, heads, d / heads) states within each sequence: (tokens, d).

    One of torch's fused kernels takes all lengths at once; a processor has none.
    """
    nested = (
        torch.nested.nested_tensor_from_jagged(
            states, batch.offsets, min_seqlen=batch.blocks[-1][1], max_seqlen=batch.longest
        ).transpose(1, 2)
        for states in (queries, keys, values)
    )
    attended = F.scaled_dot_product_attention(*nested, dropout_p=share)
    return attended.transpose(1, 2).values().flatten(1)


def dropout(states: Tensor, share: float, training: bool) -> Tensor:
    """Zero a share of the numbers and scale up the others, which keeps the expected sum.

    On a processor torch draws number by number, which takes as long as a layer's matrix product.
    Here four numbers share a draw of 64 bits, so ``share`` is rounded to a multiple of 2**-16.
    """
    dropped = round(share * 2**16) if training else 0
    if dropped in (0, 2**16) or states.is_cuda:
        return F.dropout(states, share, training)
    draws = torch.empty(-(-states.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    bits = draws.view(torch.int16)[: states.numel()].view(states.shape)
    # torch multiplies by booleans at half the speed of whole numbers.
    kept = (bits >= dropped - 2**15).view(torch.int8)
    return _Kept.apply(states, kept, 2**16 / (2**16 - dropped))


class _Kept(torch.autograd.Function):
    """Some numbers times a scale, zero in place of the others: (...) float32.

    A byte a number is held for the backward pass, where torch's product would hold four.
    """

    @staticmethod
    def forward(ctx, states, kept, scale):  # type: ignore[no-untyped-def]
        ctx.save_for_backward(kept)
        ctx.scale = scale
        return (states * kept).float().mul_(scale)

    @staticmethod
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        (kept,) = ctx.saved_tensors
        return (gradient * kept).mul_(ctx.scale), None, None
