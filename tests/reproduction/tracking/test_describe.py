"""Names under which MLflow holds a row."""

import shlex

from muver.options import setting
from muver.reproduction.tracking.describe import note, worlds_csv
from tests.blank import made_table


def test_worlds_csv():
    worlds = {"lego": {1: 100 / 3, 64: 100.0}, "c#/d": {1: 0.0, 64: 100.0}}
    table = made_table({"system": "muver", "worlds": worlds}, mentions=3)
    assert worlds_csv(table, "muver") == (
        "world,mentions,R@1,R@64\nlego,3,33.33,100.00\nc#/d,3,0.00,100.00\n"
    )


def test_the_command_gives_every_setting_in_short_lines_that_a_shell_reads_back():
    rows = {"caption": "One author's rows, " * 9, "rows": ["som", "muver"]}
    given = {"preset": "realworlds", "dataset": "../my data", "tables": {"seeds": rows}}
    text = note("f00d", "results/seeds.csv", given)
    assert max(map(len, text.splitlines())) < 90
    command = shlex.split(text.split("```")[1].replace("\\\n", ""))
    assert command[:5] == ["snakemake", "--cores", "all", "results/seeds.csv", "--config"]
    assert dict(map(setting, command[5:])) == given
