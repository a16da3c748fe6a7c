"""A job's file has what its command takes."""

import pytest

from muver.commands import COMMANDS, STAGE
from muver.options import NEEDED, _flag, parameters
from muver.reproduction.workspace.jobs import job_of
from muver.reproduction.workspace.steps import BY_RULE
from tests.reproduction.settings import graph


@pytest.mark.parametrize("preset", ["miniwikia", "miniwikipedia", "realworlds", "zeshel"])
def test_every_job_that_settings_declare_is_one_its_command_takes(preset):
    made = graph(preset=preset)
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
