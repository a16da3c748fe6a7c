"""What follows from the entries of params.yaml: a sweep's rows, further seeds, tried values."""

import copy
from collections.abc import Mapping
from typing import Any

from muver.reproduction.settings.knowledge_base import has_knowledge_base
from muver.reproduction.settings.rows import row_settings
from muver.retriever.retrieval.settings import open_choice


def derive(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Add what the sweep of Table 3, ``repeat_seeds`` and aggregates with several values ask for.

    Returns
    -------
    The settings with the ``models``, ``systems`` and ``aggregates`` that these need. The rows of
    ``tables.table3`` are written out; a row that equals another of its table under a second name
    is left out. Two sections are new:

    ``repeats``
        by table and trained row, the systems with the further seeds;
    ``tried``
        by system whose aggregate has several values, a system for each value.
    """
    settings = copy.deepcopy(dict(settings))
    _write_out_the_sweep(settings)
    if not has_knowledge_base(settings):
        for table in settings["tables"].values():
            table["rows"] = _distinct(settings, table["rows"])
    settings["repeats"] = {
        name: {
            system: [_with_seed(settings, system, seed) for seed in seeds]
            for system in settings["tables"][name]["rows"]
            if "model" in settings["systems"][system]
        }
        for name, seeds in further_seeds(settings).items()
    }
    settings["tried"] = {
        system: found for system in list(settings["systems"]) if (found := _tried(settings, system))
    }
    return settings


def further_seeds(settings: Mapping[str, Any]) -> dict[str, list[int]]:
    """Further seeds of each table's rows; those of Table 1 are the top-level ``repeat_seeds``."""
    own = {name: table.get("repeat_seeds", []) for name, table in settings["tables"].items()}
    return own | {"table1": settings["repeat_seeds"]}


def _distinct(settings: dict[str, Any], rows: list[str]) -> list[str]:
    """The rows that differ from those before them by more than their name."""
    made = [{**row_settings(settings, row), "system": None} for row in rows]
    return [row for n, row in enumerate(rows) if made[n] not in made[:n]]


def _tried(settings: dict[str, Any], system: str) -> list[str]:
    own = settings["systems"][system]
    if "model" not in own or "retriever" in own:
        return []
    name = own.get("aggregate", settings["aggregate"])
    choice = open_choice(settings["aggregates"][name])
    found = []
    for value in settings["aggregates"][name][choice] if choice else []:
        end = f"_{value}".replace(".", "_")  # a dot would begin a file's suffix
        settings["aggregates"][name + end] = {**settings["aggregates"][name], choice: value}
        settings["systems"][system + end] = {**own, "aggregate": name + end}
        found.append(system + end)
    return found


def _write_out_the_sweep(settings: dict[str, Any]) -> None:
    """Make one row a layer and search of each system of Table 3 that merges."""
    rows: list[str] = []
    for name in settings["tables"]["table3"]["rows"]:
        system = settings["systems"][name]
        layers = system.get("merge_layers", 0)
        rows += [] if layers else [name]
        for search in settings["sweep"]["searches"] if layers else []:
            for layer in range(1, layers + 1):
                if (layer, search) == (layers, system.get("search", "distant")):
                    rows.append(name)  # the row itself, under its own name and key
                    continue
                swept = f"{name}_{search}_{layer}"
                settings["systems"][swept] = {
                    **system, "merge_layers": layer, "search": search, "sweep_of": name,
                }  # fmt: skip
                rows.append(swept)
    settings["tables"]["table3"]["rows"] = rows


def _with_seed(settings: dict[str, Any], system: str, seed: int) -> str:
    """The row with a model of this seed, and with it the rows whose runs it is made of."""
    made = dict(settings["systems"][system])
    if not made.keys() & {"model", "fuse", "from"}:
        return system  # nothing is drawn
    if "model" in made:
        made["model"] = _model_with_seed(settings, made["model"], seed)
    if "fuse" in made:
        made["fuse"] = [_with_seed(settings, part, seed) for part in made["fuse"]]
    if "from" in made:
        made["from"] = _with_seed(settings, made["from"], seed)
    name = f"{system}_seed{seed}"
    settings["systems"][name] = made
    return name


def _model_with_seed(settings: dict[str, Any], model: str, seed: int) -> str:
    """The model trained again, and with it what it starts from and what finds its negatives."""
    own = settings["models"][model]
    if "checkpoint" in own:
        return model  # nothing is drawn
    name = f"{model}_seed{seed}"
    if "best_of" in own:
        candidates = [_model_with_seed(settings, one, seed) for one in own["best_of"]]
        settings["models"][name] = {"best_of": candidates}
        return name
    made = {**own, "seed": seed}
    if "start" in own:
        made["start"] = _model_with_seed(settings, own["start"], seed)
    if "negatives" in own:
        found_by = _with_seed(settings, own["negatives"]["from"], seed)
        made["negatives"] = {**own["negatives"], "from": found_by}
    settings["models"][name] = made
    return name
