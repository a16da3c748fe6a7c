"""params.yaml as a file, and the schema by which editors check it."""

from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.reproduction.settings.file import home, params_file, read_params
from muver.reproduction.settings.schema import FILE, as_text

PARAMS = Path(__file__).parents[3] / "params.yaml"


@pytest.mark.parametrize(
    "text, message",
    [
        (None, "params.yaml: no such file"),
        ("a: [", "params.yaml, line 2: not YAML"),
        ("a: 1\nb:\n\tc: 2", "params.yaml, line 3: not YAML .*spaces"),
        ("- 1", "params.yaml: expected sections"),
        ("a: 1\nb: 2\na: 3", "lines 1 and 3: the key a stands in the same section twice"),
        ("t:\n  b: {x: 1, y: 2,\n    x: 3}", "lines 2 and 3: the key x stands in the same"),
    ],
)
def test_a_file_that_cannot_be_meant(tmp_path, text, message):
    if text is not None:
        (tmp_path / "params.yaml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_params(tmp_path / "params.yaml")


def test_a_folder_s_own_params_come_before_the_project_s(tmp_path):
    assert params_file(tmp_path) == home() / "params.yaml" == PARAMS
    (tmp_path / "params.yaml").touch()
    assert params_file(tmp_path) == tmp_path / "params.yaml"


def test_the_schema_is_the_types():
    """If this fails: python -m muver.reproduction.settings.schema"""
    assert FILE.read_text(encoding="utf-8") == as_text()
    line = f"# yaml-language-server: $schema={FILE.relative_to(PARAMS.parent).as_posix()}\n"
    assert line in PARAMS.read_text(encoding="utf-8")


def test_the_schema_accepts_the_file_and_refuses_mistakes():
    jsonschema = pytest.importorskip("jsonschema")
    import json

    check = jsonschema.Draft202012Validator(json.loads(as_text()))
    params = read_params(PARAMS)
    assert not list(check.iter_errors(params))
    params["presets"]["zeshel"]["training"] = {"epoch": 1}
    assert list(check.iter_errors(params))
