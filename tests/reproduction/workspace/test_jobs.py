"""A job's file has what its command takes."""

import json
from pathlib import Path

import pytest

from muver.cli import main
from muver.commands import COMMANDS, STAGE
from muver.options import NEEDED, _flag, parameters, parser_of, read_job
from muver.reproduction.workspace.jobs import job_of, write_job
from muver.reproduction.workspace.steps import BY_RULE
from tests.reproduction.settings import graph


@pytest.mark.parametrize("preset", ["miniwikia", "miniwikipedia", "realworlds", "zeshel"])
def test_every_job_that_settings_declare_is_one_its_command_takes(preset):
    made = graph(preset=preset, systems={"muver_wiki": {"index": "hnsw"}})
    seen = set()
    for one in made.declared:
        step = BY_RULE[one.rule]
        if (one.rule, tuple(one.settings)) in seen or f"{STAGE}{step.command}" not in COMMANDS:
            continue
        seen.add((one.rule, tuple(one.settings)))
        options = list(parameters(COMMANDS[f"{STAGE}{step.command}"].function()))
        takes = {_flag(name).strip("-") for name, *_ in options}
        needs = {_flag(name).strip("-") for name, _, value, _ in options if value is NEEDED}
        told = job_of(made, one).keys() - {"label"}
        assert needs - {"part"} <= told <= takes, one.name  # a part is told in the command
    assert len(seen) > 5


def test_a_job_whose_file_is_damaged_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    made = graph(preset="miniwikia")
    segment = next(one for one in made.declared if one.rule == "segment")
    path = Path(write_job(made, segment))
    whole = path.read_text()
    path.write_text(whole.replace("miniwikia", "miniwikib", 1))
    assert main(["stage", "segment", "--job", str(path)]) == 2
    assert "is not as it was written" in capsys.readouterr().err
    assert write_job(made, segment) == str(path) and path.read_text() == whole
    own = json.loads(whole)
    del own["sha256"]
    path.write_text(json.dumps(own))
    assert main(["stage", "segment", "--job", str(path)]) == 2  # no data are there
    assert "no such file" in capsys.readouterr().err.lower()
    path.write_text("[]")
    assert main(["stage", "segment", "--job", str(path)]) == 2
    assert f"{path}: expected an object with options." in capsys.readouterr().err


def test_options_of_several_values_are_typed_beside_a_job(tmp_path):
    command, path = COMMANDS["record"], tmp_path / "job.json"
    path.write_text('{"settings": "settings.json"}')
    typed = ["--job", str(path), "--config", "preset=zeshel", "--config", "seed=1", "encoder=x"]
    told = read_job(command, parser_of(command), typed)
    assert told["config"] == [("preset", "zeshel"), ("seed", 1), ("encoder", "x")]
