"""The whole comparison: all agrees, and each damaged item is found under its own kind."""

import json

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.reference.recording import MERGING
from muver.reference.replay import compare
from muver.views import search
from tests.commands import call
from tests.reference import made

RECORDED = "merged views, from recorded vectors"
CONTEXTS, VIEWS, MERGED = (
    f"embeddings of {what}, components" for what in ("contexts", "views", "merged views")
)
BATCH = "ranks/training/legacy_mask"
STEPS = "ranks/training/trajectory_legacy_mask"


def replayed(recording, encoder, folder):
    return compare(made.write(recording, folder / "made"), encoder)


def run(*arguments):
    call("reference", *arguments)


def differing(report):
    return {tally.kind for tally in report.tallies.values() if not tally.agrees}


def check_differing(report, expected):
    """Exactly these kinds differ, first where it is said."""
    assert differing(report) == set(expected), report.as_text()
    for kind, place in expected.items():
        assert report.tallies[kind].first.startswith("made")
        assert place in report.tallies[kind].first


def at(recording, path):
    """The list, dictionary or array that a path leads to, and the last key."""
    *keys, last = (int(key) if key.isdecimal() else key for key in path.split("/"))
    for key in keys:
        recording = recording[key]
    return recording, last


def excused(report):
    return {tally.kind for tally in report.tallies.values() if tally.excused}


def test_all_agrees(original, encoder, tmp_path):
    report = replayed(original, encoder, tmp_path)
    assert report.agrees, report.as_text()
    assert not excused(report)
    compared = {tally.kind: tally.compared for tally in report.tallies.values()}
    assert compared["context token ids"] == 6
    assert compared["views per entity"] == 12
    assert compared["merged views, from recorded vectors"] == 8 * 4
    assert compared["embeddings of contexts, components"] == 6 * 32
    assert compared["scores, plain"] == 6 * sum(original["tokens"]["views_per_entity"])
    assert compared["ranking merge4/accumulate, end to end"] == 6 * 9
    assert compared["training, scores"] == 4 * 4
    assert compared["trajectory, loss"] == 3
    assert sum(len(e["merged"][3]) for e in original["tokens"]["entities"]) > 0
    assert "v5_mask is not replayed" in report.as_text()


def test_the_command_prints_a_table_and_writes_json(original, encoder, tmp_path, capsys):
    folder = made.write(original, tmp_path / "worlds" / "one").parent
    made.write(original, folder / "two")
    run(folder, "--encoder", encoder, "--out", tmp_path / "report.json")
    assert "All 41 kinds agree." in capsys.readouterr().out
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["recordings"] == ["one", "two"]
    assert report["agrees"] and len(report["kinds"]) == 41
    assert report["kinds"][0] == {
        "kind": "context token ids",
        "compared": 12,
        "agreed": 12,
        "excused": 0,
        "greatest": None,
        "first": None,
        "agrees": True,
    }


def test_the_command_exits_with_1_where_something_differs(recording, encoder, tmp_path, capsys):
    recording["tokens"]["views_per_entity"][9] += 1
    made.write(recording, tmp_path / "made")
    with pytest.raises(SystemExit) as exit:
        run(tmp_path / "made", "--encoder", encoder)
    assert exit.value.code == 1
    out = capsys.readouterr().out
    assert "views per entity: made, entity line 9: expected 6, found 5" in out
    assert "1 of 41 kinds differ." in out


# Where a number is changed, by how much, and the kinds that notice, with the place they name.
DAMAGES = [
    ("tokens/contexts/2/3", 1, {"context token ids": "mention 2, item 3", CONTEXTS: "mention 2"}),
    ("tokens/entities/3/title_ids/0", 1, {"title token ids": "entity line 3, item 0"}),
    (
        "tokens/entities/0/views/0/1",
        1,
        {"view token ids": "entity line 0, item 0", VIEWS: "entity line 0, layer 0, view 0"},
    ),
    ("tokens/views_per_entity/9", 1, {"views per entity": "entity line 9: expected 6, found 5"}),
    (
        "tokens/entities/5/merged/1/0/range/1",
        1,
        {"merged ranges, layer 2": "line 5, layer 2, item 0", RECORDED: "line 5, layer 2"},
    ),
    (
        "tokens/entities/5/merged/0/1/ids/2",
        1,
        {
            "merged token ids, layer 1": "entity line 5, layer 1, item 1",
            RECORDED: "entity line 5, layer 1, item 1",
            MERGED: "entity line 5, layer 1, view 1",
        },
    ),
    ("tokens/entities/5/n_total/3", 1, {"views after each layer": "entity line 5, item 3"}),
    ("vectors/context/1/3", 1e-3, {CONTEXTS: "mention 1, component 3"}),
    ("vectors/context/1/3", 5e-5, {}),
    ("vectors/views/0/7", 2e-4, {VIEWS: "entity line 0, layer 0, view 0, component 7"}),
    ("vectors/scores_plain/4/0", -3e-4, {"scores, plain": "mention 4, entity line 0, view 0"}),
    (f"{BATCH}/loss", 1e-3, {"training, loss": "expected"}),
    (f"{BATCH}/loss", 5e-5, {}),
    (f"{BATCH}/score_max/2/1", 0.01, {"training, scores": "mention 2 of the batch, entity of"}),
    (f"{BATCH}/argmax_view/1/1", 1, {"training, winning views": "mention 1 of the batch"}),
    (f"{BATCH}/grad_norm_ent_layer0_query", 1e-3, {"training, gradient norms": "layer0_query"}),
    ("ranks/training/real_views/1", 1, {"training, views of the gold entities": "item 1"}),
    (f"{STEPS}/2/lr", -1e-5, {"trajectory, learning rate": "step 3"}),
    (f"{STEPS}/2/loss", 1e-3, {"trajectory, loss": "step 3"}),
    (f"{STEPS}/1/grad_norm", 1e-2, {"trajectory, gradient norm": "step 2"}),
]


@pytest.mark.parametrize("path, change, expected", DAMAGES)
def test_what_differs_is_named(recording, encoder, tmp_path, path, change, expected):
    part, key = at(recording, path)
    part[key] += change
    check_differing(replayed(recording, encoder, tmp_path), expected)


def test_another_split_differs_and_so_do_its_views(recording, encoder, tmp_path):
    recording["tokens"]["entities"][4]["sentences"][1] = "The wolf slept."
    place = "entity line 4, item 1: expected 'The wolf slept.'"
    expected = {"sentences": place, "view token ids": "entity line 4"}
    report = replayed(recording, encoder, tmp_path)
    check_differing(report, expected)
    assert "splits sentences with an untrained Punkt" in report.as_text()


@pytest.mark.parametrize("name", ["merge1/max", "merge4/accumulate"])
def test_another_order_differs(recording, encoder, tmp_path, name):
    line = recording["ranks"]["ranks"][name][3]
    line[0], line[-1] = line[-1], line[0]
    place = f"mention 3, place 1, entity line: expected {line[0]}, found {line[-1]}"
    kinds = (f"ranking {name}, from recorded scores", f"ranking {name}, end to end")
    check_differing(replayed(recording, encoder, tmp_path), dict.fromkeys(kinds, place))


def test_only_a_true_tie_excuses_another_order(recording, encoder, tmp_path):
    """Two candidates with the same views may stand either way round, in either list."""
    first, second = made.TWINS
    swap = {first: second, second: first}
    for (
        name
    ) in MERGING:  # equal vectors may differ in their last digits, by their place in a product
        scores, owners = (
            recording["vectors"][f"{kind}_{name}"] for kind in ("scores", "view_entity")
        )
        scores[:, owners == second] = scores[:, owners == first]
    for lists in recording["ranks"]["ranks"].values():
        for line in lists:
            line[:] = [swap.get(entity, entity) for entity in line]
    report = replayed(recording, encoder, tmp_path)
    assert report.agrees, report.as_text()
    rankings = {kind for kind in report.tallies if kind.startswith("ranking")}
    assert excused(report) == rankings
    assert "differ by at most" not in report.as_text()


def test_another_way_at_a_tie_in_merging_is_excused(encoder, tmp_path, monkeypatch):
    """An entity that repeats its sentences, merged from the last of equal pairs on."""

    def last_first(vectors, top_k, pairs="distant", able=None):
        count = int(len(vectors) * top_k)
        distances = np.square(vectors[1:] - vectors[:-1]).sum(axis=1).round(4)
        order = sorted(range(len(distances)), key=lambda n: (-distances[n], -n))
        return sorted(order[:count])

    with monkeypatch.context() as patch:
        patch.setattr(search, "pairs_to_merge", last_first)
        recording = made.make(encoder)
    assert not replayed(recording, encoder, tmp_path).agrees
    recording["tokens"]["entities"][made.REPETITIVE]["smallest_margin"] = 0.0
    report = replayed(recording, encoder, tmp_path)
    assert report.agrees, report.as_text()
    assert {"merged ranges, layer 1", RECORDED, "scores, merge4", "scores, merge1"} < excused(
        report
    )
    assert "chose otherwise than recorded in entity lines 6." in report.as_text()
    ranking = report.tallies["ranking merge4/max, end to end"]
    assert ranking.compared == 6 * 5


def test_an_empty_view_that_wins(recording, encoder, tmp_path):
    """It is the same view as any other empty one, and the comparison says that it is coarser."""
    recording["ranks"]["training"]["legacy_mask"]["argmax_view"][0][0] = 9
    report = replayed(recording, encoder, tmp_path)
    assert differing(report) == {"training, winning views"}
    assert "exact to 0.001 only" in report.as_text()


def test_settings_that_are_not_known_are_said(recording, encoder, tmp_path):
    recording["tokens"]["settings"]["splitter"] = "none"
    assert "unused settings: splitter" in replayed(recording, encoder, tmp_path).as_text()


def test_settings_of_the_recording_are_used(recording, encoder, tmp_path):
    recording["tokens"]["settings"]["max_seq_len"] = 27
    assert "context token ids" in differing(replayed(recording, encoder, tmp_path))


@pytest.mark.parametrize(
    "path, message",
    [
        ("tokens/contexts/0/1", "recorded is token id 9999, but the encoder"),
        ("tokens/settings/max_seq_len", "context.max_tokens is 9999, but the encoder has"),
    ],
)
def test_another_encoder_is_refused(recording, encoder, tmp_path, path, message):
    part, key = at(recording, path)
    part[key] = 9999
    with pytest.raises(InputError, match=message):
        replayed(recording, encoder, tmp_path)


def test_vectors_of_another_length_are_refused(recording, encoder, tmp_path):
    for name in ("context", "views"):
        recording["vectors"][name] = recording["vectors"][name][:, :16]
    with pytest.raises(InputError, match="vectors of length 16, but the encoder .* has length 32"):
        replayed(recording, encoder, tmp_path)


def test_threads_have_to_be_some(original, encoder, tmp_path):
    with pytest.raises(InputError, match="--threads: 0 is not a number of threads"):
        compare(made.write(original, tmp_path), encoder, threads=0)
