"""Measures Table 3's settings of merging: each from scratch, against two passes for all."""

from dataclasses import dataclass, replace

import numpy as np
import torch

from benchmarks import baseline
from benchmarks.data import Case
from benchmarks.options import Options
from benchmarks.ours import Tower
from benchmarks.timing import clock
from muver.retriever.views.layout import Ids
from muver.retriever.views.merging import NewViews

LAYERS = 4
SETTINGS = [("distant", 0), *((pairs, n) for pairs in ("distant", "close") for n in range(1, 5))]
Setting = tuple[str, int]


@dataclass(frozen=True)
class Ours:
    """Our side in one precision: seconds of each repetition, and the results of the last call.

    Attributes
    ----------
    encoding, merging
        Seconds for the original views, and for all layers of "distant" and of "close".
    originals, merged
        Vectors of the original views, new views by pairs.
    """

    encoding: np.ndarray
    merging: dict[str, np.ndarray]
    originals: np.ndarray
    merged: dict[str, list[NewViews]]

    @property
    def seconds(self) -> np.ndarray:
        """Of the whole sweep."""
        return self.encoding + sum(self.merging.values())


@dataclass(frozen=True)
class Sweep:
    """Both sides: seconds of each repetition, and the results of the last call.

    Attributes
    ----------
    plain
        Baseline: seconds of each setting, encoding of the original views included.
    plain_merging
        Baseline: seconds of merging alone, by setting.
    plain_originals, plain_merged
        Baseline: vectors of the original views by entity, new views by pairs and entity.
    ours
        By precision, fp32 first.
    """

    entities: list[list[Ids]]
    plain: dict[Setting, np.ndarray]
    plain_merging: dict[Setting, np.ndarray]
    plain_originals: list[torch.Tensor]
    plain_merged: dict[str, list[baseline.Merged]]
    ours: dict[str, Ours]

    @property
    def views(self) -> int:
        """Original views."""
        return sum(map(len, self.entities))


def measure(case: Case, options: Options) -> Sweep:
    """Both sides in turn on the same entities: the baseline in fp32, ours in each precision."""
    entities = case.sample(options.merged_entities)
    model = baseline.library_model(case.model.entity_encoder, options.device)
    towers = {
        precision: Tower(case, options.device, precision, options.batch_tokens)
        for precision in dict.fromkeys(("fp32", *options.precisions))
    }
    marks = baseline.Marks(case.markers.eos[0], case.markers.title_end)
    encode: dict[Setting, list[float]] = {setting: [] for setting in SETTINGS}
    merge: dict[Setting, list[float]] = {setting: [] for setting in SETTINGS}
    ours: dict[str, list[Ours]] = {precision: [] for precision in towers}
    expected: dict[str, list[baseline.Merged]] = {}
    baseline.encode_entity(model, entities[0])  # warm up
    for tower in towers.values():
        tower.views(_flat(entities)[:100])
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
        for precision, tower in towers.items():
            ours[precision].append(_our_sweep(tower, entities))
    merging = {setting: np.array(times) for setting, times in merge.items()}
    return Sweep(
        entities,
        {s: np.array(times) + merging[s] for s, times in encode.items()},
        merging,
        originals,
        expected,
        {precision: _together(runs) for precision, runs in ours.items()},
    )


def _our_sweep(tower: Tower, entities: list[list[Ids]]) -> Ours:
    """The original views once, and all layers of each kind of pairs."""
    encoding, originals = clock(lambda: tower.views(_flat(entities)))
    timed = {
        pairs: clock(lambda pairs=pairs: tower.merge(entities, originals, LAYERS, pairs))
        for pairs in ("distant", "close")
    }
    return Ours(
        np.array([encoding]),
        {pairs: np.array([seconds]) for pairs, (seconds, _) in timed.items()},
        originals,
        {pairs: merged for pairs, (_, merged) in timed.items()},
    )


def _together(runs: list[Ours]) -> Ours:
    """The last of some runs, with the seconds of all."""
    last = runs[-1]
    return replace(
        last,
        encoding=np.concatenate([run.encoding for run in runs]),
        merging={p: np.concatenate([run.merging[p] for run in runs]) for p in last.merging},
    )


def _flat(entities: list[list[Ids]]) -> list[Ids]:
    return [ids for views in entities for ids in views]
