"""Names under which MLflow holds a row."""

import shlex

from msgspec.structs import replace

from muver.options import setting
from muver.reproduction.tables.records import lines_of
from muver.reproduction.tracking.describe import metrics, note, worlds_csv
from muver.retriever.evaluation.records import Evaluation, Means, World
from muver.retriever.runs.manifest import Chosen
from tests.blank import blank, made_table

INTERVAL = {1: [0.0, 75.0], 64: [100.0, 100.0]}
EVALUATION = blank(
    Evaluation,
    system="muver",
    dataset="tiny",
    set="test",
    fingerprint="f00d",
    chosen=Chosen(setting="temperature", value=0.5, among=[0.5, 1.0], cutoff=16),
    settings={"seed": 1},
    cutoffs=[1, 64],
    mentions=4,
    hits={1: 1, 64: 4},
    micro={1: 25.0, 64: 100.0},
    macro={1: 100 / 6, 64: 100.0},
    interval=Means(micro=INTERVAL, macro=INTERVAL),
    worlds={
        "lego": World(3, hits={1: 1, 64: 3}, recall={1: 100 / 3, 64: 100.0}, interval=INTERVAL),
        "c#/d": World(1, hits={1: 0, 64: 1}, recall={1: 0.0, 64: 100.0}, interval=INTERVAL),
    },
)


LINES = list(lines_of(EVALUATION.scores, row="muver", set="test", protocol="", seed=1, key="muver"))
TABLE = replace(made_table({"system": "muver"}), lines=LINES)


def test_metric_names_are_legal_and_sort_by_cutoff():
    assert metrics(LINES, TABLE) == {
        "all/recall_at_01": 25.0,
        "all/recall_at_64": 100.0,
        "macro/recall_at_01": 16.6667,
        "macro/recall_at_64": 100.0,
        "on_lego/recall_at_01": 33.3333,
        "on_lego/recall_at_64": 100.0,
        "on_c__d/recall_at_01": 0.0,
        "on_c__d/recall_at_64": 100.0,
        "uncertainty_low/recall_at_01": 0.0,
        "uncertainty_low/recall_at_64": 100.0,
        "uncertainty_high/recall_at_01": 75.0,
        "uncertainty_high/recall_at_64": 100.0,
    }


def test_worlds_csv():
    assert worlds_csv(LINES, by_set=False) == (
        "world,mentions,R@1,R@64\nlego,3,33.33,100.00\nc#/d,1,0.00,100.00\n"
    )


def test_the_command_gives_every_setting_in_short_lines_that_a_shell_reads_back():
    rows = {"caption": "One author's rows, " * 9, "rows": ["som", "muver"]}
    given = {"preset": "realworlds", "dataset": "../my data", "tables": {"seeds": rows}}
    text = note("f00d", "results/seeds.csv", given)
    assert max(map(len, text.splitlines())) < 90
    command = shlex.split(text.split("```")[1].replace("\\\n", ""))
    assert command[:5] == ["snakemake", "--cores", "all", "results/seeds.csv", "--config"]
    assert dict(map(setting, command[5:])) == given
