"""A plain baseline that works as the released code does, in our own words.

It encodes one entity at a time, pads rows to 40 tokens, computes all states and attentions, and
runs every setting of merging from scratch. For each mention it takes a softmax over all views of
the world, sorts them all, and walks down the order in Python. docs/fidelity.md describes the
released code. The baseline shares only configuration and weights with :mod:`muver`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
import transformers
from torch import Tensor
from transformers import BertModel

from muver.retriever.encoders.bert import Bert

Ids = list[int]
VIEW_TOKENS, CONTEXT_TOKENS = 40, 128
CHUNK, GROUP = 500, 50  # views, and merged views, encoded at once
SEPARATOR, TITLE_END = 102, 3  # [SEP] and [unused2] in BERT's vocabulary
MERGED_TOKENS = 512
SHOWN, SUMMED = 64, 200  # titles that a walk collects


@dataclass(frozen=True)
class Marks:
    """Ids of the pieces at which views are cut when they are merged."""

    separator: int = SEPARATOR
    title_end: int = TITLE_END


def library_model(tower: Bert, device: str) -> BertModel:
    """The library's BertModel with a tower's weights, and a pooling layer that nothing reads."""
    sizes = {k: v for k, v in tower.config.as_dict().items() if k != "architectures"}
    config = transformers.BertConfig(**sizes, attn_implementation="eager")
    model = BertModel(config)
    missing, unexpected = model.load_state_dict(tower.state_dict(), strict=False)
    if unexpected or any(not name.startswith("pooler.") for name in missing):
        raise ValueError(f"weights do not fit: {missing}, {unexpected}")
    return model.to(device).eval()


def pad(rows: Sequence[Ids], length: int) -> Tensor:
    """(rows, length) ids, zeros behind the end of each row."""
    padded = torch.zeros((len(rows), length), dtype=torch.int64)
    for number, ids in enumerate(rows):
        padded[number, : len(ids)] = torch.tensor(ids)
    return padded


def vectors_of(model: BertModel, ids: Tensor) -> Tensor:
    """States of the last layer at [CLS]: (rows, d); the model also computes all attentions."""
    ids = ids.to(model.device)
    output = model(ids, attention_mask=(ids != 0).long(), output_attentions=True)
    return output.last_hidden_state[:, 0]


@torch.no_grad()
def encode_entity(model: BertModel, views: Sequence[Ids]) -> Tensor:
    """Vectors of one entity's views: (views, d), on the CPU."""
    padded = pad(views, VIEW_TOKENS)
    chunks = [vectors_of(model, chunk).cpu() for chunk in padded.split(CHUNK)]
    return torch.cat(chunks)


@torch.no_grad()
def encode_contexts(model: BertModel, contexts: Sequence[Ids]) -> Tensor:
    """Vectors of mentions: (mentions, d), in batches of 100, all padded to the greatest length."""
    padded = pad(contexts, CONTEXT_TOKENS)
    return torch.cat([vectors_of(model, chunk).cpu() for chunk in padded.split(100)])


@dataclass(frozen=True)
class Merged:
    """What merging adds to an entity: (first, last) of each new view by layer, all vectors."""

    spans: list[list[tuple[int, int]]]
    vectors: list[Tensor]


@torch.no_grad()
def merge_entity(
    model: BertModel,
    views: Sequence[Ids],
    originals: Tensor,
    layers: int,
    distant: bool,
    marks: Marks,
    top_k: float = 0.4,
) -> Merged:
    """Merge the views of one entity, layer after layer.

    Slot i starts as view i. Every layer chooses the int(n * top_k) most distant (or closest)
    neighbouring slots. The left slot of a pair grows to the end that the right slot had before the
    layer, unless it already reaches that far.
    """
    slots, ends = originals.clone(), list(range(len(views)))
    pairs = int(len(views) * top_k)
    merged = Merged([], [])
    for _ in range(layers):
        distances = ((slots[1:] - slots[:-1]) ** 2).sum(dim=1)
        taken = torch.sort(distances, descending=distant).indices[:pairs].tolist()
        new = {slot: ends[slot + 1] for slot in sorted(taken) if ends[slot + 1] > ends[slot]}
        spans = list(new.items())
        merged.spans.append(spans)
        if not spans:
            merged.vectors.append(slots.new_zeros((0, slots.shape[1])))
            continue
        rows = [_union(views, first, last, marks) for first, last in spans]
        parts = []
        for start in range(0, len(rows), GROUP):
            group = rows[start : start + GROUP]
            parts.append(vectors_of(model, pad(group, max(map(len, group)))).cpu())
        vectors = torch.cat(parts)
        merged.vectors.append(vectors)
        for (slot, end), vector in zip(spans, vectors, strict=True):
            slots[slot], ends[slot] = vector, end
    return merged


def _union(views: Sequence[Ids], first: int, last: int, marks: Marks) -> Ids:
    """The first view, then the text after the title of each further one."""
    ids = list(views[first])
    ids = ids[: ids.index(marks.separator)]
    for view in views[first + 1 : last + 1]:
        if marks.title_end in view:
            rest = view[view.index(marks.title_end) + 1 :]
            ids += rest[: rest.index(marks.separator)]
    return [*ids[: MERGED_TOKENS - 1], marks.separator]


@dataclass(frozen=True)
class Walk:
    """Ranked titles of a mention, and their values: raw scores, or sums of probabilities."""

    titles: list[str]
    values: list[float]


@torch.no_grad()
def rank_mentions(
    mentions: Tensor, views: Tensor, titles: Sequence[str], accumulate: bool
) -> list[Walk]:
    """Rank titles for one mention after another.

    Parameters
    ----------
    mentions, views : (mentions, d), (views, d)
    titles
        Of each view.
    accumulate
        Sum the probabilities of a title's views until 200 titles are found; else stop at 64. A
        walk also ends with the world's last view.
    """
    walks = []
    for mention in mentions:
        scores = views @ mention
        probabilities, order = torch.sort(F.softmax(scores, dim=0), descending=True)
        if accumulate:
            walks.append(_sums(order.tolist(), probabilities.tolist(), titles))
        else:
            walks.append(_firsts(order.tolist(), scores, titles))
    return walks


def _firsts(order: Sequence[int], scores: Tensor, titles: Sequence[str]) -> Walk:
    found: dict[str, int] = {}
    for view in order:
        if titles[view] not in found:
            found[titles[view]] = view
            if len(found) == SHOWN:
                break
    return Walk(list(found), scores[list(found.values())].tolist())


def _sums(order: Sequence[int], probabilities: Sequence[float], titles: Sequence[str]) -> Walk:
    sums: dict[str, float] = {}
    for view, probability in zip(order, probabilities, strict=True):
        title = titles[view]
        sums[title] = sums.get(title, 0.0) + probability
        if len(sums) == SUMMED:
            break
    ranked = sorted(sums.items(), key=lambda item: -item[1])[:SHOWN]
    return Walk([title for title, _ in ranked], [value for _, value in ranked])


def batch_loss(
    mention_model: BertModel,
    entity_model: BertModel,
    contexts: Sequence[Ids],
    views: Sequence[Sequence[Ids]],
    rows: int = 10,
    empty_take_part: bool = True,
) -> Tensor:
    """Loss of a batch with ``rows`` rows per gold entity; empty rows are zeros.

    Parameters
    ----------
    views
        Views of each mention's gold entity, repeated as often as it is gold.
    empty_take_part
        As released, empty rows take part in the maximum.
    """
    filled = [[*some[:rows], *([[]] * (rows - len(some)))] for some in views]
    flat = pad([ids for some in filled for ids in some], VIEW_TOKENS)
    mention_vectors = vectors_of(mention_model, pad(contexts, CONTEXT_TOKENS))
    view_vectors = torch.cat([vectors_of(entity_model, chunk) for chunk in flat.split(CHUNK)])
    scores = (mention_vectors @ view_vectors.T).view(len(contexts), len(views), rows)
    if not empty_take_part:
        empty = (flat[:, 0] == 0).view(len(views), rows).to(scores.device)
        scores = scores.masked_fill(empty, float("-inf"))
    gold = torch.arange(len(contexts), device=scores.device)
    return F.cross_entropy(scores.max(dim=2).values, gold)
