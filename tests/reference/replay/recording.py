"""Reads a recording of the released system."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

MERGING = {"plain": 0, "merge1": 1, "merge4": 4}  # layers of merging by name
PARTS = ("inputs", "tokens", "ranks")


@dataclass(frozen=True)
class Recording:
    """Inputs and outputs of the released system for one world.

    An entity is its index in the world's documents everywhere.

    Attributes
    ----------
    inputs
        ``documents`` (title, text) and ``mentions`` (context_left, mention, context_right,
        label_id: the gold entity).
    tokens
        ``settings`` (max_cand_len and max_seq_len in pieces, top_k: the share of pairs that a layer
        merges), ``contexts`` (ids by mention), ``views_per_entity``, and ``entities``, of some:
        line, title_ids, sentences, views (ids), merged (for each layer the new views, with the
        ``range`` of original views and the ``ids``), n_total (views after each layer), and
        smallest_margin (how near merging was to a tie).
    ranks
        ``ranks``: each mention's entities by rank, under names such as ``merge1/accumulate``;
        ``training``: a batch (mentions, gold, real_views), its ``legacy_mask`` (loss, score_max,
        argmax_view, gradient norms) and ``trajectory_legacy_mask`` (lr, loss, grad_norm by step).
    arrays
        ``context`` (mentions, d), ``views`` (views, d) of the recorded entities with those of one
        from ``view_offset`` (entities,) on, and for each name in ``MERGING`` ``scores_*``
        (mentions, views of the world) with the entities ``view_entity_*`` of the columns.
    """

    inputs: dict[str, Any]
    tokens: dict[str, Any]
    ranks: dict[str, Any]
    arrays: dict[str, np.ndarray]

    @property
    def settings(self) -> dict[str, Any]:
        """What the released system ran with."""
        return self.tokens["settings"]

    @property
    def entities(self) -> list[dict[str, Any]]:
        """The entities whose tokens, merging and vectors were recorded."""
        return self.tokens["entities"]

    @property
    def titles(self) -> list[str]:
        """Title of every entity of the world."""
        return [document["title"] for document in self.inputs["documents"]]


def read_recording(folder: Path) -> Recording:
    """Read a folder of three gzipped JSON files and ``vectors.npz``."""
    files = [(folder / f"{name}.json.gz").read_bytes() for name in PARTS]
    with np.load(folder / "vectors.npz") as arrays:
        return Recording(*(json.loads(gzip.decompress(file)) for file in files), dict(arrays))
