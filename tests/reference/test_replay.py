"""The whole comparison: all agrees, and each damaged item is found under its own kind."""

import numpy as np
import pytest

from muver.retriever.views import merging
from tests.reference import made
from tests.reference.replay import KINDS, compare
from tests.reference.replay.recording import Recording, read_recording

RECORDED = "merged views, from recorded vectors"
CONTEXTS, VIEWS, MERGED = (
    f"embeddings of {what}, components" for what in ("contexts", "views", "merged views")
)
BATCH = "ranks/training/legacy_mask"
STEPS = "ranks/training/trajectory_legacy_mask"


def replayed(recording, encoder):
    return compare(Recording(**recording), encoder)


def differing(report):
    return {kind: tally.first for kind, tally in report.items() if not tally.agrees}


def check_differing(report, expected):
    """Exactly these kinds differ, first where it is said."""
    found = differing(report)
    assert found.keys() == expected.keys(), found
    for kind, place in expected.items():
        assert place in found[kind]


def at(recording, path):
    """The list, dictionary or array that a path leads to, and the last key."""
    *keys, last = (int(key) if key.isdecimal() else key for key in path.split("/"))
    for key in keys:
        recording = recording[key]
    return recording, last


def excused(report):
    return {kind for kind, tally in report.items() if tally.excused}


def test_all_agrees(original, encoder, tmp_path):
    report = compare(read_recording(made.write(original, tmp_path / "made")), encoder)
    assert not differing(report)
    assert not excused(report)
    assert len(report) == KINDS
    compared = {kind: tally.compared for kind, tally in report.items()}
    assert compared["context token ids"] == 6
    assert compared["views per entity"] == 12
    assert compared["merged views, from recorded vectors"] == 8 * 4
    assert compared["embeddings of contexts, components"] == 6 * 32
    assert compared["scores, plain"] == 6 * sum(original["tokens"]["views_per_entity"])
    assert compared["ranking merge4/accumulate, end to end"] == 6 * 9
    assert compared["training, scores"] == 4 * 4
    assert compared["trajectory, loss"] == 3
    assert sum(len(e["merged"][3]) for e in original["tokens"]["entities"]) > 0


# Where numbers are changed, by how much, and the kinds that notice, with the place they name.
# Damages of one recording are noticed by kinds of their own.
DAMAGES = [
    [
        ("tokens/contexts/2/3", 1, {"context token ids": "mention 2, item 3", CONTEXTS: "2"}),
        ("tokens/entities/3/title_ids/0", 1, {"title token ids": "entity line 3, item 0"}),
        (
            "tokens/entities/0/views/0/1",
            1,
            {"view token ids": "entity line 0, item 0", VIEWS: "entity line 0, layer 0, view 0"},
        ),
        (
            "tokens/entities/5/merged/1/0/range/1",
            1,
            {"merged ranges, layer 2": "line 5, layer 2, item 0", RECORDED: "line 5, layer 2"},
        ),
        ("tokens/entities/5/n_total/3", 1, {"views after each layer": "entity line 5, item 3"}),
        (
            "arrays/scores_plain/4/0",
            -3e-4,
            {"scores, plain": "view 0, entity line 0, mention, item 4"},
        ),
        (f"{BATCH}/loss", 1e-3, {"training, loss": "expected"}),
        (f"{STEPS}/2/lr", -1e-5, {"trajectory, learning rate": "step 3"}),
        ("arrays/context/1/3", 5e-5, {}),
    ],
    [
        ("tokens/views_per_entity/9", 1, {"views per entity": "line 9: expected 6, found 5"}),
        (
            "tokens/entities/5/merged/0/1/ids/2",
            1,
            {
                "merged token ids, layer 1": "entity line 5, layer 1, item 1",
                RECORDED: "entity line 5, layer 1, item 1",
                MERGED: "entity line 5, layer 1, view 1",
            },
        ),
        ("arrays/context/1/3", 1e-3, {CONTEXTS: "mention 1, item 3"}),
        (f"{BATCH}/score_max/2/1", 0.01, {"training, scores": "mention 2 of the batch, item 1"}),
        (f"{STEPS}/2/loss", 1e-3, {"trajectory, loss": "step 3"}),
        (f"{BATCH}/loss", 5e-5, {}),
    ],
    [
        ("arrays/views/0/7", 2e-4, {VIEWS: "entity line 0, layer 0, view 0, item 7"}),
        (
            f"{BATCH}/argmax_view/1/1",
            1,
            {"training, winning views": "mention 1 of the batch, item 1"},
        ),
        (f"{BATCH}/grad_norm_ent_layer0_query", 1e-3, {"training, gradient norms": "layer0_query"}),
        ("ranks/training/real_views/1", 1, {"training, views of the gold entities": "item 1"}),
        (f"{STEPS}/1/grad_norm", 1e-2, {"trajectory, gradient norm": "step 2"}),
    ],
]


@pytest.mark.parametrize("damages", DAMAGES)
def test_what_differs_is_named(recording, encoder, damages):
    for path, change, _ in damages:
        part, key = at(recording, path)
        part[key] += change
    expected = {kind: place for _, _, those in damages for kind, place in those.items()}
    check_differing(replayed(recording, encoder), expected)


def test_another_split_differs_and_so_do_its_views(recording, encoder):
    recording["tokens"]["entities"][4]["sentences"][1] = "The wolf slept."
    place = "entity line 4, item 1: expected 'The wolf slept.'"
    expected = {"sentences": place, "view token ids": "entity line 4"}
    check_differing(replayed(recording, encoder), expected)


@pytest.mark.parametrize("name", ["merge1/max", "merge4/accumulate"])
def test_another_order_differs(recording, encoder, name):
    line = recording["ranks"]["ranks"][name][3]
    line[0], line[-1] = line[-1], line[0]
    place = f"mention 3, place 1, entity line: expected {line[0]}, found {line[-1]}"
    kinds = (f"ranking {name}, from recorded scores", f"ranking {name}, end to end")
    check_differing(replayed(recording, encoder), dict.fromkeys(kinds, place))


def test_another_way_at_a_tie_in_merging_is_excused(encoder, monkeypatch):
    """An entity that repeats its sentences, merged from the last of equal pairs on."""

    def last_first(vectors, top_k, pairs="distant", able=None):
        count = int(len(vectors) * top_k)
        distances = np.square(vectors[1:] - vectors[:-1]).sum(axis=1).round(4)
        order = sorted(range(len(distances)), key=lambda n: (-distances[n], -n))
        return sorted(order[:count])

    with monkeypatch.context() as patch:
        patch.setattr(merging, "pairs_to_merge", last_first)
        recording = made.make(encoder)
    assert differing(replayed(recording, encoder))
    recording["tokens"]["entities"][made.REPETITIVE]["smallest_margin"] = 0.0
    report = replayed(recording, encoder)
    assert not differing(report)
    assert {"merged ranges, layer 1", RECORDED, "scores, merge4", "scores, merge1"} < excused(
        report
    )
    assert report["ranking merge4/max, end to end"].compared == 6 * 5
