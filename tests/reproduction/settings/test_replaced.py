"""Changes that a preset undoes are told, all others are not."""

import copy
import subprocess

import pytest
import yaml

from muver.reproduction.settings.replaced import replaced_changes, without_effect

PARAMS = {
    "preset": "small",
    "merge": {"top_k": 0.4},
    "training": {"epochs": 20, "batch_size": 128},
    "presets": {"small": {"training": {"epochs": 3}}, "other": {"merge": {"top_k": 0.1}}},
}


def changed(**sections) -> dict:
    params = copy.deepcopy(PARAMS)
    for section, values in sections.items():
        params[section] |= values
    return params


def test_a_value_that_the_preset_sets_is_told():
    now = changed(training={"epochs": 5, "batch_size": 64})
    assert list(replaced_changes(PARAMS, now, "small")) == [("training.epochs", 5, 3)]


@pytest.mark.parametrize(
    "now",
    [
        PARAMS,
        changed(merge={"top_k": 0.2}),  # set by a preset that is not in use
        changed(training={"epochs": 3}),  # what the preset says as well
        changed(training={"batch_size": 64}),
        changed(presets={"small": {"training": {"epochs": 9}}}),
    ],
)
def test_a_value_that_takes_effect_is_not(now):
    assert list(replaced_changes(PARAMS, now, "small")) == []


def test_a_key_that_is_new_counts_as_changed():
    now = changed(training={"warmup": 0.5}, presets={"small": {"training": {"warmup": 0.1}}})
    assert list(replaced_changes(PARAMS, now, "small")) == [("training.warmup", 0.5, 0.1)]


def test_it_is_told_against_the_commit(tmp_path):
    params = tmp_path / "params.yaml"
    params.write_text(yaml.safe_dump(PARAMS))
    assert without_effect(params, "small") == []  # no git: nothing to compare with
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert without_effect(params, "small") == []
    params.write_text(yaml.safe_dump(changed(training={"epochs": 5})))
    assert without_effect(params, "small") == [
        "training.epochs was changed to 5, which has no effect: the preset small sets 3. "
        "Change presets.small.training.epochs instead."
    ]
    assert without_effect(params, "other") == []
