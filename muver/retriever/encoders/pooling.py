"""Pool the last layer's states into the vector of a context or a view.

MuVER and BLINK take the first position, ``[CLS]``. Partalidou et al. compare means over other
positions; docs/fidelity.md says what of this is public and how we read it. Sentence encoders are
mostly trained with the mean over all positions (:mod:`muver.retriever.encoders.own_pooling`).
"""

import torch
from torch import Tensor

Span = tuple[int | None, int]  # the pieces that open and close it


def pool(
    states: Tensor,
    ids: Tensor,
    mask: Tensor,
    pooling: str,
    ends: tuple[int, ...],
    span: Span,
) -> Tensor:
    """Reduce the (batch, length, d) states of each sequence to one vector: (batch, d).

    ``ids`` and ``mask``, (batch, length), are its pieces, and 1 at attended ones. ``ends`` are what
    the tokenizer puts around a text, ``[CLS]`` and ``[SEP]``; ``span`` opens and closes the mention
    or the title (None: at the first position).
    Poolings are "cls", the first position; "last", the last one; and means: "special" over ends and
    span markers, "span" over the pieces between these markers, "all" over all pieces, "weighted"
    over all with weights 1, 2, 3 ... by position.
    If a mean would be over nothing, the first position is taken.
    """
    if pooling == "cls":
        return states[:, 0]
    if pooling == "last":
        return states[torch.arange(len(states)), mask.sum(dim=1).long() - 1]
    if pooling == "special":
        special = [one for one in (*ends, *span) if one is not None]
        chosen = torch.isin(ids, ids.new_tensor(special))
    elif pooling == "span":
        chosen = _between(ids, *span)
    else:
        chosen = torch.ones_like(ids, dtype=torch.bool)
    chosen = chosen & mask.bool()
    chosen[:, 0] |= ~chosen.any(dim=1)
    if pooling == "weighted":
        chosen = chosen.cumsum(dim=1) * chosen
    weights = (chosen / chosen.sum(dim=1, keepdim=True))[:, :, None]
    return (states.float() * weights).sum(dim=1)


def _between(ids: Tensor, opening: int | None, closing: int) -> Tensor:
    """Positions after the first opening piece and before the first closing piece behind it."""
    if opening is None:
        inside = torch.ones_like(ids, dtype=torch.bool)
    else:
        opens = ids == opening
        inside = (opens.cumsum(dim=1) - opens.long()) > 0
    closed = ((ids == closing) & inside).cumsum(dim=1) > 0
    return inside & ~closed & closed[:, -1:]
