"""params.yaml as a file, and the schema by which editors check it."""

import copy
import subprocess
from pathlib import Path

import pytest
import yaml

from muver.io.errors import InputError
from muver.reproduction.settings.file import (
    config_of,
    home,
    params_file,
    read_params,
    without_effect,
)
from muver.reproduction.settings.params import Experiment, Preset
from muver.reproduction.settings.resolve import settings_in
from tests.scripts import script

PARAMS = Path(__file__).parents[3] / "params.yaml"
SCHEMA = script("schema")


@pytest.mark.parametrize(
    "text, message",
    [
        (None, "params.yaml: no such file"),
        ("a: [", "params.yaml, line 2: not YAML"),
        ("a: 1\nb:\n\tc: 2", "params.yaml, line 3: not YAML .*spaces"),
        ("a: \x00", "params.yaml: not YAML .*x0000"),
        ("a: 1\nb: 2001-99-99", "params.yaml, line 2: not YAML .month must be"),
        ("a: !!bool x", "params.yaml, line 1: not YAML"),
        pytest.param("a: " + "9" * 5000, "line 1: not YAML .*4300 digits", id="digits"),
        ("a: \udcff", "params.yaml: cannot be read .*, as UTF-8 text"),
        ("- 1", "params.yaml: expected sections"),
        ("a: 1\nb: 2\na: 3", "lines 1 and 3: the key a stands in the same section twice"),
        ("t:\n  b: {x: 1, y: 2,\n    x: 3}", "lines 2 and 3: the key x stands in the same"),
    ],
)
def test_a_file_that_cannot_be_meant(tmp_path, text, message):
    if text is not None:
        (tmp_path / "params.yaml").write_text(text, "utf-8", "surrogateescape")
    with pytest.raises(InputError, match=message):
        read_params(tmp_path / "params.yaml")


def test_a_folder_s_own_params_come_before_the_project_s(tmp_path, caplog):
    caplog.set_level("INFO", "muver")
    assert params_file(tmp_path) == home() / "params.yaml" == PARAMS
    (said,) = caplog.messages
    assert said == f"{tmp_path}/params.yaml: not there, so that the settings are those of {PARAMS}"
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("preset: zeshel\nseed: 3\n")
    without = settings_in(tmp_path, {"seed": 4})
    assert (without.preset, without.seed) == ("zeshel", 4)
    (tmp_path / "params.yaml").touch()
    assert params_file(tmp_path) == tmp_path / "params.yaml"
    assert config_of(tmp_path) == {}


@pytest.mark.parametrize("name", SCHEMA.KINDS)
def test_the_schemas_are_the_types(name):
    """If this fails: python workflow/schema.py"""
    assert (SCHEMA.FOLDER / name).read_text(encoding="utf-8") == SCHEMA.as_text(SCHEMA.KINDS[name])


def test_every_file_names_its_schema():
    root = PARAMS.parent
    kinds = {"presets": "../{}/params", "experiments": "../{}/experiment"}
    named = {file: form for kind, form in kinds.items() for file in (root / kind).glob("*.yaml")}
    for file, form in {PARAMS: "{}/params", **named}.items():
        place = form.format(SCHEMA.FOLDER.relative_to(root).as_posix())
        line = f"# yaml-language-server: $schema={place}.schema.json\n"
        assert line in file.read_text(encoding="utf-8")


def test_the_schemas_accept_the_files_and_refuse_mistakes():
    jsonschema = pytest.importorskip("jsonschema")
    import json

    checks = {
        kind: jsonschema.Draft202012Validator(json.loads(SCHEMA.as_text(kind)))
        for kind in SCHEMA.KINDS.values()
    }
    params = read_params(PARAMS)
    presets, experiments = params.pop("presets"), params.pop("experiments")
    for one in (params, *presets.values()):
        assert not list(checks[Preset].iter_errors(one))
    for one in experiments.values():
        assert not list(checks[Experiment].iter_errors(one))
    assert list(checks[Preset].iter_errors({"training": {"epoch": 1}}))
    assert list(checks[Experiment].iter_errors({"asks": "x"}))


def test_presets_and_experiments_lie_beside_the_file(tmp_path):
    own = tmp_path / "params.yaml"
    own.write_text("preset: mine\n")
    assert read_params(own)["presets"] == read_params(PARAMS)["presets"]  # those that come along
    (tmp_path / "presets").mkdir()
    (tmp_path / "presets/mine.yaml").write_text("seed: 3\n")
    assert read_params(own)["presets"] == {"mine": {"seed": 3}}
    own.write_text("preset: mine\npresets: {mine: {}}\n")
    with pytest.raises(InputError, match="params.yaml: presets is a folder beside it"):
        read_params(own)


SMALL = {"preset": "small", "merge": {"top_k": 0.4}, "training": {"epochs": 20, "batch_size": 128}}
PRESETS = {"small": {"training": {"epochs": 3}}, "other": {"merge": {"top_k": 0.1}}}


def changed(**sections) -> dict:
    params = copy.deepcopy(SMALL)
    for section, values in sections.items():
        params[section] |= values
    return params


def write_presets(folder: Path, presets: dict) -> None:
    (folder / "presets").mkdir(exist_ok=True)
    for name, own in presets.items():
        (folder / f"presets/{name}.yaml").write_text(yaml.safe_dump(own))


@pytest.fixture
def params(tmp_path):
    """A params.yaml that is committed."""
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(SMALL))
    write_presets(tmp_path, PRESETS)
    assert without_effect(path, "small") == []  # no git: nothing to compare with
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return path


def told(params, now, **presets) -> list[str]:
    params.write_text(yaml.safe_dump(now))
    write_presets(params.parent, {**PRESETS, **presets})
    return [sentence.split()[0] for sentence in without_effect(params, "small")]


def test_a_value_that_the_preset_sets_is_told(params):
    assert told(params, changed(training={"epochs": 5, "batch_size": 64})) == ["training.epochs"]
    small = {"training": {"epochs": 3, "warmup": 0.1}}
    assert told(params, changed(training={"warmup": 0.5}), small=small) == ["training.warmup"]


def test_a_value_that_takes_effect_is_not(params):
    for now in (
        SMALL,
        changed(merge={"top_k": 0.2}),  # set by a preset that is not in use
        changed(training={"epochs": 3}),  # what the preset says as well
        changed(training={"batch_size": 64}),
    ):
        assert told(params, now) == []
    assert told(params, SMALL, small={"training": {"epochs": 9}}) == []
