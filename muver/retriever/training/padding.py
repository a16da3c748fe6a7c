"""Empty views in training: a fault of the released code, repeated on request for parity."""

from collections.abc import Sequence

from muver.retriever.views.layout import Ids


def fill_with_empty_views(
    views: Sequence[Ids], count: int, pad_piece: int, max_tokens: int
) -> list[Ids]:
    """Append empty views up to ``count``; more views than that stay.

    The released code laid out every gold entity in ``count`` rows and encoded the empty ones with
    all positions masked, which in the library of its time was the same as none masked. So an empty
    view is ``max_tokens`` pieces ``[PAD]``, all attended. Each is encoded by itself, because each
    has its own dropout.
    """
    empty = [pad_piece] * max_tokens
    return [*views, *(list(empty) for _ in range(count - len(views)))]
