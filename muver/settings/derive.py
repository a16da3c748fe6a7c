"""Models and systems that follow from those in params.yaml: the sweep's rows, further seeds."""

import copy
from collections.abc import Mapping
from typing import Any


def derive(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Add what the sweep of Table 3 and ``repeat_seeds`` ask for.

    Returns
    -------
    The settings with more ``models`` and ``systems``, with ``tables.table3`` written out, and
    with ``repeats``: for each row of Table 1 its systems of further seeds.
    """
    settings = copy.deepcopy(dict(settings))
    _write_out_the_sweep(settings)
    settings["repeats"] = {
        system: [_with_seed(settings, system, seed) for seed in settings["repeat_seeds"]]
        for system in settings["tables"]["table1"]["rows"]
        if "model" in settings["systems"][system]
    }
    return settings


def _write_out_the_sweep(settings: dict[str, Any]) -> None:
    """Of a system with merged layers in Table 3 make one row a layer and search."""
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
    own = settings["systems"][system]
    name = f"{system}_seed{seed}"
    settings["systems"][name] = {**own, "model": _model_with_seed(settings, own["model"], seed)}
    return name


def _model_with_seed(settings: dict[str, Any], model: str, seed: int) -> str:
    own = settings["models"][model]
    if "checkpoint" in own:
        return model  # nothing is drawn
    name = f"{model}_seed{seed}"
    if "best_of" in own:
        candidates = [_model_with_seed(settings, one, seed) for one in own["best_of"]]
        settings["models"][name] = {"best_of": candidates}
    else:
        settings["models"][name] = {**own, "seed": seed}
    return name
