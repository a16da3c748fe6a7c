"""Memory of a training step: reused on a CPU, reduced if a GPU has too little."""

import ctypes
from collections.abc import Sequence

import torch

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.retriever.views.layout import Ids

MMAP_MAX, TRIM_THRESHOLD = -4, -1  # options of mallopt, from the GNU C library's malloc.h


def keep_freed_memory() -> None:
    """Let this process keep the memory of freed tensors for new ones.

    The GNU C library returns large blocks to the kernel, which clears every page before handing it
    out again. As a training step frees all that it computed, a tenth to a half of its processor
    time went there. The price is up to a third more memory, in gaps between blocks of different
    sizes. Other C libraries are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(MMAP_MAX, 0)
        mallopt(TRIM_THRESHOLD, -1)


def fewer_graph_tokens(
    sequences: Sequence[Ids], chunk_tokens: int, graph_tokens: int, processes: int
) -> int:
    """The smaller ``graph_tokens`` with which to retry a step that did not fit into memory.

    Batches above this bound are encoded twice, in chunks, instead of keeping their activations; the
    gradients stay the same (:mod:`muver.retriever.training.caching`). If the batch was encoded in
    chunks already, an error says what to set: smaller chunks would draw other dropout masks, so
    that choice is left to a person.

    Parameters
    ----------
    sequences
        Contexts and views of the batch that did not fit.
    processes
        How many processes train together. One of several cannot repeat a step alone.
    """
    torch.cuda.empty_cache()
    tokens = sum(map(len, sequences))
    longest = max(map(len, sequences))
    if processes > 1:
        raise InputError(
            f"out of the GPU's memory in a training step. Lower training.graph_tokens (now "
            f"{graph_tokens}; 0 keeps no activations), and then training.chunk_tokens (now "
            f"{chunk_tokens})."
        )
    if tokens <= graph_tokens:
        logger.warning(
            "out of the GPU's memory with the activations of %d tokens: larger batches than %d "
            "tokens are encoded twice from here on, with the same gradients "
            "(training.graph_tokens: %d would start with that)",
            tokens, tokens // 2, tokens // 2,
        )  # fmt: skip
        return tokens // 2
    if chunk_tokens > longest:
        raise InputError(
            "out of the GPU's memory in a training step. Set training.chunk_tokens, now "
            f"{chunk_tokens}, to {max(chunk_tokens // 2, longest)}: no pass has more tokens then. "
            "The loss is still that of the whole batch; dropout falls on other places."
        )
    raise InputError(
        f"the GPU's memory does not hold a training step in passes of one sequence ({longest} "
        "tokens). End what else runs on the GPU, or set compute.device to cpu."
    )
