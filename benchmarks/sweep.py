"""Measures Table 3's settings of merging: each from scratch, against two passes for all."""

import statistics
from dataclasses import dataclass

import numpy as np
import torch

from benchmarks import baseline
from benchmarks.data import Case
from benchmarks.options import Options
from benchmarks.ours import Tower
from benchmarks.timing import clock
from muver.views.expand import NewViews
from muver.views.layout import Ids

LAYERS = 4
SETTINGS = [("distant", 0), *((pairs, n) for pairs in ("distant", "close") for n in range(1, 5))]
Setting = tuple[str, int]


@dataclass(frozen=True)
class Sweep:
    """Median seconds, and the results of the last call.

    Attributes
    ----------
    plain
        Baseline: seconds of each setting, encoding of the original views included.
    plain_merging
        Baseline: seconds of merging alone, by setting.
    ours_encoding, ours_merging
        Seconds for the original views, and for all layers of "distant" and of "close".
    originals, merged
        Ours: vectors of the original views, new views by pairs.
    expected_originals, expected
        The same of the baseline: by entity, and by pairs and entity.
    """

    entities: list[list[Ids]]
    plain: dict[Setting, float]
    plain_merging: dict[Setting, float]
    ours_encoding: float
    ours_merging: dict[str, float]
    originals: np.ndarray
    merged: dict[str, list[NewViews]]
    expected_originals: list[torch.Tensor]
    expected: dict[str, list[baseline.Merged]]

    @property
    def ours(self) -> float:
        """Seconds of the whole sweep on our side."""
        return self.ours_encoding + sum(self.ours_merging.values())

    @property
    def views(self) -> int:
        """Original views."""
        return sum(map(len, self.entities))


def measure(case: Case, options: Options) -> Sweep:
    """Both sides in turn on the same entities, in fp32."""
    entities = case.sample(options.merged_entities)
    flat = [ids for views in entities for ids in views]
    model = baseline.library_model(case.model.entity_encoder, options.device)
    tower = Tower(case, options.device, "fp32", options.batch_tokens)
    marks = baseline.Marks(case.markers.sep, case.markers.title_end)
    encode: dict[Setting, list[float]] = {setting: [] for setting in SETTINGS}
    merge: dict[Setting, list[float]] = {setting: [] for setting in SETTINGS}
    own: dict[str, list[float]] = {"encoding": [], "distant": [], "close": []}
    expected: dict[str, list[baseline.Merged]] = {}
    merged: dict[str, list[NewViews]] = {}
    baseline.encode_entity(model, entities[0])  # warm up
    tower.views(flat[:100])
    for _ in range(options.repetitions):
        for pairs, layers in SETTINGS:
            took, originals = clock(lambda: [baseline.encode_entity(model, e) for e in entities])
            encode[pairs, layers].append(took)
            took, result = clock(
                lambda originals=originals, pairs=pairs, layers=layers: [
                    baseline.merge_entity(model, views, vectors, layers, pairs == "distant", marks)
                    for views, vectors in zip(entities, originals, strict=True)
                ]
            )
            merge[pairs, layers].append(took)
            if layers == LAYERS:
                expected[pairs] = result
        took, vectors = clock(lambda: tower.views(flat))
        own["encoding"].append(took)
        for pairs in ("distant", "close"):
            took, merged[pairs] = clock(
                lambda vectors=vectors, pairs=pairs: tower.merge(entities, vectors, LAYERS, pairs)
            )
            own[pairs].append(took)
    medians = {name: statistics.median(times) for name, times in own.items()}
    merging = {setting: statistics.median(times) for setting, times in merge.items()}
    return Sweep(
        entities,
        {s: statistics.median(times) + merging[s] for s, times in encode.items()},
        merging,
        medians.pop("encoding"),
        medians,
        vectors,
        merged,
        originals,
        expected,
    )
