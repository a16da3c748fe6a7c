"""Longer trainings start before shorter ones."""

from pathlib import Path

from muver.reproduction.settings import resolve
from muver.reproduction.settings.file import read_params
from muver.reproduction.workspace import graph_of
from muver.reproduction.workspace.order import priority

PARAMS = read_params(Path(__file__).parents[3] / "params.yaml")


def test_tokens_of_a_mention_and_its_entities():
    graph = graph_of(resolve(PARAMS, {"context": {"max_tokens": 30}, "training": {"epochs": 1}}))
    tokens = {name: priority(graph.model(name)) for name in ("blink_128", "blink_512", "muver")}
    assert tokens == {"blink_128": 30 + 128, "blink_512": 30 + 512, "muver": 30 + 10 * 40}


def test_epochs_and_hard_negatives_count():
    own = {"models": {"muver_wiki": {"training": {"epochs": 2}}}}
    graph = graph_of(resolve(PARAMS, {"preset": "miniwikipedia", **own}))
    context = graph.settings["context"]["max_tokens"]
    assert priority(graph.model("muver_wiki")) == 2 * (context + (1 + 3) * 10 * 40)
    assert priority(graph.model("blink_wiki")) < priority(graph.model("muver_wiki"))


def test_a_point_of_the_grid_is_a_training_of_its_model():
    graph = graph_of(resolve(PARAMS, {}))
    names = graph.settings["grid"]["models"]
    points = len(graph.trials) // len(names)
    assert [priority(one) for one in graph.grid_points] == points * [
        priority(graph.model(name)) for name in names
    ]
