"""What is no recording of the form that can be replayed is refused by file and key."""

import gzip

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.reference.recording import FILES, find_recordings, read_recording
from tests.reference import made


def test_a_folder_or_the_folder_above(original, tmp_path):
    inner = made.write(original, tmp_path / "b")
    made.write(original, tmp_path / "a")
    (tmp_path / "notes").mkdir()
    assert find_recordings(inner) == [inner]
    assert find_recordings(tmp_path) == [tmp_path / "a", inner]


@pytest.mark.parametrize("name, message", [("none", "no such directory"), ("", "no recording in")])
def test_no_recording(tmp_path, name, message):
    with pytest.raises(InputError, match=message):
        find_recordings(tmp_path / name)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file(original, tmp_path, name):
    (made.write(original, tmp_path) / name).unlink()
    with pytest.raises(InputError, match=f"{name} missing; it is of another version"):
        read_recording(tmp_path)


@pytest.mark.parametrize("name", FILES)
def test_a_cut_file(original, tmp_path, name):
    path = made.write(original, tmp_path) / name
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(InputError, match=f"{name}: damaged"):
        read_recording(tmp_path)


def test_a_file_that_is_not_gzipped_json(original, tmp_path):
    path = made.write(original, tmp_path) / "tokens.json.gz"
    path.write_text("{}")
    with pytest.raises(InputError, match="damaged, or not gzipped JSON"):
        read_recording(tmp_path)
    path.write_bytes(gzip.compress(b"{"))
    with pytest.raises(InputError, match="damaged, or not gzipped JSON"):
        read_recording(tmp_path)


@pytest.mark.parametrize(
    "path, message",
    [
        ("inputs/mentions", "missing required field `mentions`"),
        ("tokens/settings/top_k", "missing required field `top_k`"),
        ("tokens/entities/2/merged", "missing required field `merged`"),
        ("tokens/entities/2/sentences", "missing required field `sentences`"),
        ("ranks/ranks/merge4/max", "missing required field `merge4/max`"),
        ("ranks/training/legacy_mask/loss", "missing required field `loss`"),
        ("vectors/scores_merge1", "array 'scores_merge1' is missing"),
    ],
)
def test_a_missing_key(recording, tmp_path, path, message):
    file, _, rest = path.partition("/")
    part = recording[file]
    while rest not in part:
        key, _, rest = rest.partition("/")
        part = part[int(key) if key.isdecimal() else key]
    del part[rest]
    with pytest.raises(InputError, match=f"{file}.*{message}.*; it is of another version"):
        read_recording(made.write(recording, tmp_path))


def no_layers(r):
    for entity in r["tokens"]["entities"]:
        entity["merged"], entity["n_total"] = entity["merged"][:2], entity["n_total"][:2]


def fewer_layers_in_one(r):
    r["tokens"]["entities"][3]["merged"].pop()


def fewer_contexts(r):
    r["tokens"]["contexts"].pop()


def text_for_ids(r):
    r["tokens"]["contexts"][0] = "a river"


def unknown_line(r):
    r["tokens"]["entities"][0]["line"] = 99


def unknown_gold(r):
    r["inputs"]["mentions"][0]["label_id"] = 99


def other_gold(r):
    r["ranks"]["training"]["gold"][0] += 1


def other_offsets(r):
    r["vectors"]["view_offset"][1] += 1


def narrow_scores(r):
    r["vectors"]["scores_plain"] = r["vectors"]["scores_plain"][:, :-1]


def flat_contexts(r):
    r["vectors"]["context"] = r["vectors"]["context"].ravel()


def texts_for_owners(r):
    r["vectors"]["view_entity_plain"] = r["vectors"]["view_entity_plain"].astype(str)


def missing_owner(r):
    owners = r["vectors"]["view_entity_plain"]
    owners[owners == 3] = 2


def not_a_number(r):
    r["vectors"]["views"][1, 2] = np.nan


def short_ranking(r):
    r["ranks"]["ranks"]["plain/max"][1].pop()


def repeated_rank(r):
    line = r["ranks"]["ranks"]["plain/max"][1]
    line[1] = line[0]


def unknown_rank(r):
    r["ranks"]["ranks"]["plain/max"][1][0] = 12


def lopsided_scores(r):
    r["ranks"]["training"]["legacy_mask"]["score_max"][0].pop()


@pytest.mark.parametrize(
    "damage, message",
    [
        (no_layers, "entities.0.merged has 2 layers, expected 4"),
        (fewer_layers_in_one, "entities.3.merged has 3 layers, others 4"),
        (fewer_contexts, "contexts has 5 items, expected 6"),
        (text_for_ids, "Expected `array`, got `str` - at .*contexts"),
        (unknown_line, "entities.0.line: 99, but there are 12 documents"),
        (unknown_gold, "label_id 99: no such entity"),
        (other_gold, "training.gold is not the label_id of its mentions"),
        (other_offsets, "view_offset does not fit the entities"),
        (narrow_scores, r"scores_plain has the shape \(6, 52\), expected \(6, 53\)"),
        (flat_contexts, r"context has the shape \(192,\)"),
        (texts_for_owners, "view_entity_plain is of type"),
        (missing_owner, "view_entity_plain does not name every entity in its order"),
        (not_a_number, "views holds values that are no numbers"),
        (short_ranking, r"ranks plain/max: lists of \[4, 5\] entities"),
        (repeated_rank, "ranks plain/max: a title twice in one list"),
        (unknown_rank, "ranks plain/max: no entity 12"),
        (lopsided_scores, "training.legacy_mask.score_max is not square"),
    ],
)
def test_parts_that_do_not_fit(recording, tmp_path, damage, message):
    damage(recording)
    with pytest.raises(InputError, match=message):
        read_recording(made.write(recording, tmp_path))
