"""From logs to the grid's three files."""

import json
from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.reproduction.tables.evaluations import row_key
from tests.reproduction.grid.conftest import BASE, LISTS, NAMES, POINTS, write_log


def test_csv(make, tmp_path: Path):
    grid = make()
    keys = [row["row_key"] for row in grid["rows"]]
    assert (tmp_path / "grid.csv").read_text() == (
        "method,learning_rate,weight_decay,warmup,batch_size,R@8,step,chosen,row_key\n"
        f"muver,2e-05,0.01,0,32,62.50,4,false,{keys[0]}\n"
        f"muver,2e-05,0.01,0.1,32,75.00,2,true,{keys[1]}\n"
        f"muver,1e-05,0.01,0,32,75.00,2,false,{keys[2]}\n"
        f"muver,1e-05,0.01,0.1,32,50.00,4,false,{keys[3]}\n"
    )


def test_the_first_of_equals_is_chosen(make, logs: list[Path]):
    assert make()["chosen"] == POINTS[1]
    assert make(logs[::-1])["chosen"] == POINTS[2]


def test_a_points_settings_and_key(make):
    row = make()["rows"][0]
    training = {
        "learning_rate": 2e-5, "epochs": 2, "validation_cutoff": 8,
        "weight_decay": 0.01, "warmup": 0.0, "batch_size": 32,
    }  # fmt: skip
    assert row["settings"] == {"model": {**BASE, "training": training}}
    assert row["row_key"] == row_key(row["settings"], "f00d")


def test_keys_follow_the_encoder_and_the_grids_key_what_points_share(make, tmp_path: Path):
    first = make()
    encoder = tmp_path / "manifest.json"
    encoder.write_text(json.dumps({"identity": {"sha256": "abc"}}))
    other = make(encoder=encoder)
    assert first["rows"][0]["row_key"] != other["rows"][0]["row_key"]
    assert first["row_key"] != other["row_key"]
    training = {**BASE["training"], "learning_rate": 3.0}
    assert make(base={"muver": {**BASE, "training": training}})["row_key"] == first["row_key"]
    assert make(base={"muver": {**BASE, "seed": 2}})["row_key"] != first["row_key"]


def test_the_grids_key_stays_when_points_are_added(make, logs: list[Path]):
    fewer = make(logs[:2], learning_rate=LISTS["learning_rate"][:1])
    assert fewer["row_key"] == make()["row_key"]


def test_means_by_value(make):
    means = make()["means"]
    assert means["learning_rate"] == [
        {"value": 1e-5, "points": 2, "recall": 62.5},
        {"value": 2e-5, "points": 2, "recall": 68.75},
    ]
    assert means["warmup"] == [
        {"value": 0.0, "points": 2, "recall": 68.75},
        {"value": 0.1, "points": 2, "recall": 62.5},
    ]
    assert means["batch_size"] == [{"value": 32, "points": 4, "recall": 65.625}]


def test_of_several_models_the_greatest_sum_is_chosen(make, logs: list[Path], tmp_path: Path):
    """A point's recalls, BLINK's first: 90 + 62.5, 65 + 75, 70 + 75, 80 + 50."""
    recalls = dict(zip(POINTS, (90.0, 65.0, 70.0, 80.0), strict=True))
    others = [
        write_log(tmp_path / "grid" / f"blink_{point}.jsonl", (recall,))
        for point, recall in recalls.items()
    ]
    both = [log for pair in zip(others, logs, strict=True) for log in pair]
    grid = make(both, models=["blink", "muver"], base={"blink": BASE, "muver": BASE})
    assert grid["chosen"] == POINTS[0]
    assert [row["method"] for row in grid["rows"]] == ["blink", "muver"] * 4
    assert [row["chosen"] for row in grid["rows"]] == [True] * 2 + [False] * 6


def test_markdown(make, tmp_path: Path):
    make()
    text = (tmp_path / "grid.md").read_text()
    assert "of several, the one that stands first. The test worlds are not looked at." in text
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert ["muver", "2e-05", "0.01", "0.1", "32", "**75.00**"] in [line[:6] for line in lines]
    assert ["learning_rate", "1e-05", "2", "62.50"] in lines


def test_a_grid_that_is_not_trained_in_fp32_says_so(make, tmp_path: Path):
    make()
    assert "fp32" not in (tmp_path / "grid.md").read_text()
    make(base={"muver": {**BASE, "precision": "bf16"}})
    assert "was reached. Not in fp32: training bf16.\n" in (tmp_path / "grid.md").read_text()


def test_a_log_may_have_a_key_after_its_trial(make, logs: list[Path]):
    keyed = [log.rename(log.with_stem(f"{log.stem}-70cde659")) for log in logs]
    assert [row["system"] for row in make(keyed)["rows"]] == NAMES


def test_logs_and_points_must_agree(make, logs: list[Path], tmp_path: Path):
    with pytest.raises(InputError, match=f"logs: .*{NAMES[3]}"):
        make(logs[:3])
    stranger = write_log(tmp_path / "muver_lr2e-05_wd0.01_wu0_bs31.jsonl", (1.0,))
    with pytest.raises(InputError, match=f"logs: .*{stranger.stem}"):
        make([*logs, stranger])


def test_settings_are_checked(make, tmp_path: Path):
    with pytest.raises(InputError, match=r"models is \[\]"):
        make(models=[])
    with pytest.raises(InputError, match="no validation_recall_at_64"):
        make(base={"muver": {**BASE, "training": {"validation_cutoff": 64}}})
    assert not (tmp_path / "grid.csv").exists()


START = {"learning_rate": 2e-5, "weight_decay": 0.01, "warmup": 0.1, "batch_size": 32, "epochs": 1}
TURNS = {
    "learning_rate": [1e-5, 2e-5, 4e-5], "warmup": [0.1], "epochs": [1, 2],
    "one_at_a_time": True, "start": START,
}  # fmt: skip


def test_each_model_keeps_its_own_value_of_one_at_a_time(make, tmp_path: Path):
    """The rate is at its list's end; epochs are tried once the settings have that rate."""

    def trial(rate: str, epochs: int, recall: float) -> Path:
        name = f"muver_lr{rate}_wd0.01_wu0.1_bs32_ep{epochs}"
        return write_log(tmp_path / f"{name}.jsonl", (recall,))

    rates = [trial("1e-05", 1, 50.0), trial("2e-05", 1, 60.0), trial("4e-05", 1, 70.0)]
    at_start = [*rates, trial("2e-05", 2, 99.0)]
    first = make(at_start, chosen={"muver": START}, **TURNS)
    assert first["chosen"] == "muver_lr4e-05_wd0.01_wu0.1_bs32_ep1"
    assert first["advice"] == (
        "The choices, for the preset's file: "
        "{models: {muver: {training: {learning_rate: 4.0e-05}}}} "
        "muver: learning_rate is at the end of its list. Add 8e-05 to grid.learning_rate. With "
        "these, make the grid again for the rest of muver."
    )
    second = make(
        [*rates, trial("4e-05", 2, 70.0)],
        chosen={"muver": {**START, "learning_rate": 4e-5}},
        **TURNS,
    )
    assert second["chosen"] == first["chosen"]  # of equal epochs the first
    assert [row["chosen"] for row in second["rows"]] == [False, False, True, False]
    assert "{learning_rate: 4.0e-05, epochs: 1}" in second["advice"]
    assert "again" not in second["advice"] and "each model keeps" in second["rule"]
    page = (tmp_path / "grid.md").read_text()
    assert second["advice"] in page and "By value" not in page  # points are of one value each


@pytest.mark.parametrize(
    "key, values, recalls, said",
    [
        ("learning_rate", [1e-5, 2e-5], (2.0, 1.0), "Add 5e-06"),
        ("epochs", [1, 2], (2.0, 1.0), ""),
        ("epochs", [1, 2], (1.0, 2.0), "Add 3"),
        ("epochs", [1, 5], (1.0, 2.0), ""),
    ],
)
def test_a_list_is_widened_where_its_end_is_chosen(make, tmp_path, key, values, recalls, said):
    lists = {"learning_rate": [2e-5], "warmup": [0.1], "epochs": [1], key: values}
    short = {"learning_rate": "lr", "epochs": "ep"}[key]
    logs = []
    for value, recall in zip(values, recalls, strict=True):
        point = {"lr": "2e-05", "ep": "1", short: f"{value}"}
        name = f"muver_lr{point['lr']}_wd0.01_wu0.1_bs32_ep{point['ep']}.jsonl"
        logs.append(write_log(tmp_path / name, (recall,)))
    chosen = {"muver": START}
    table = make(logs, chosen=chosen, start=START, one_at_a_time=True, **lists)
    assert ("end of its list" in table["advice"]) == bool(said) and said in table["advice"]
