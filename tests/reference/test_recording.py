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
    whole = path.read_bytes()
    for content in (whole[:-50], b"{}", gzip.compress(b"{")):
        path.write_bytes(content)
        with pytest.raises(InputError, match=f"{name}: damaged"):
            read_recording(tmp_path)


def found_at(recording, path):
    """What holds the part that a dotted path leads to, and the part's key."""
    *keys, last = (int(key) if key.isdecimal() else key for key in path.split("."))
    for key in keys:
        recording = recording[key]
    return recording, last


@pytest.mark.parametrize(
    "path",
    [
        "inputs.mentions",
        "tokens.settings.top_k",
        "tokens.entities.2.merged",
        "tokens.entities.2.sentences",
        "ranks.ranks.merge4/max",
        "ranks.training.legacy_mask.loss",
        "vectors.scores_merge1",
    ],
)
def test_a_missing_key(recording, tmp_path, path):
    part, key = found_at(recording, path)
    del part[key]
    file = path.partition(".")[0]
    with pytest.raises(InputError, match=f"{file}.*{key}.*another version"):
        read_recording(made.write(recording, tmp_path))


def with_two_layers(entities):
    return [{**one, "merged": one["merged"][:2], "n_total": one["n_total"][:2]} for one in entities]


@pytest.mark.parametrize(
    "path, change, message",
    [
        ("tokens.entities", with_two_layers, "entities.0.merged has 2 layers"),
        ("tokens.entities.3.merged", lambda layers: layers[:-1], "entities.3.merged has 3 layers"),
        ("tokens.contexts", lambda contexts: contexts[:-1], "contexts has 5 items"),
        ("tokens.contexts.0", lambda _: "a river", "Expected `array`, got `str` - at .*contexts"),
        ("tokens.entities.0.line", lambda _: 99, "entities.0.line: 99"),
        ("inputs.mentions.0.label_id", lambda _: 99, "label_id 99"),
        ("ranks.training.gold.0", lambda gold: gold + 1, "training.gold"),
        ("vectors.view_offset.1", lambda offset: offset + 1, "view_offset"),
        ("vectors.scores_plain", lambda scores: scores[:, :-1], "scores_plain .*6, 52.*6, 53"),
        ("vectors.context", np.ravel, "context has the shape .192,"),
        ("vectors.view_entity_plain", lambda owners: owners.astype(str), "plain is of type"),
        ("vectors.view_entity_plain", lambda one: np.where(one == 3, 2, one), "every entity"),
        ("vectors.views.1.2", lambda _: np.nan, "views holds values that are no numbers"),
        ("ranks.ranks.plain/max.1", lambda line: line[:-1], "plain/max: lists of .4, 5."),
        ("ranks.ranks.plain/max.1", lambda line: [line[0], *line[:-1]], "plain/max: a title twice"),
        ("ranks.ranks.plain/max.1.0", lambda _: 12, "plain/max: no entity 12"),
        ("ranks.training.legacy_mask.score_max.0", lambda row: row[:-1], "score_max .*square"),
    ],
)
def test_parts_that_do_not_fit(recording, tmp_path, path, change, message):
    part, key = found_at(recording, path)
    part[key] = change(part[key])
    with pytest.raises(InputError, match=message):
        read_recording(made.write(recording, tmp_path))
