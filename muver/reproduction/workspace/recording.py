"""What `muver record` is told of a table: its files, and which logs say how long its rows took."""

from collections.abc import Callable
from typing import Any

from muver.reproduction.workspace.artifact import Artifact
from muver.reproduction.workspace.knowledge_base import KnowledgeBase
from muver.reproduction.workspace.results import Results
from muver.retriever.corpus.sources import find_source

# Kinds whose jobs count towards the time of a row, and what the record calls them.
TIMED = {
    "stores": "encode",
    "merged": "merge",
    "globals": "encode_global",
    "spans": "encode_spans",
}


def record_settings(
    results: Results, table: str, here: Callable[[str], str] = str
) -> dict[str, Any]:
    """Settings from which a table's rows, or the grid's points, are recorded.

    Parameters
    ----------
    here
        Where a file lies on this machine: elsewhere, if it is a storage's copy.
    """
    settings, graph = results.settings, results.graph
    of = ("dataset", "encoder") if settings.preset == "directory" else ("preset",)
    said = {
        "experiment": table,
        "source": _source(results),
        "options": " ".join(["--config", *(f"{key}={getattr(settings, key)}" for key in of)]),
        "out": f"{graph.root}/recorded/{table}.csv",
        **settings.tracking.as_dict(),
    }
    if table == "grid":
        points = graph.grid_points
        took = {one.name: {"train": _benchmark(results, "grid", one)} for one in points}
        own = {"grid": f"{results.folder}/grid.json", "logs": [one.files[0] for one in points]}
    else:
        made, took = results.inputs(table), _benchmarks(results, table)
        own = {
            "table": f"{results.folder}/{table}.json",
            "evaluations": made["evaluations"],
            "runs": made["runs"],
            "artifacts": results.training_logs(table),
            "figures": [f"{results.folder}/figures/table3.svg"] * (table == "table3"),
        }
    return {**said, **_placed({**own, "benchmarks": took}, here)}


def _placed(files: Any, here: Callable[[str], str]) -> Any:
    """Files, however they are nested, where they lie on this machine."""
    if isinstance(files, str):
        return here(files)
    if isinstance(files, list):
        return [_placed(one, here) for one in files]
    return {key: _placed(one, here) for key, one in files.items()}


def _source(results: Results) -> str:
    """Where the dataset comes from: an address, a file or a folder."""
    settings, graph = results.settings, results.graph
    if graph.raw is None:
        return settings.dataset
    if graph.raw.rule == "kilt":
        return graph.linking.source.kilt or find_source("kilt").address
    download = settings.download
    declared = find_source(settings.dataset)
    return download.source or download.url or declared.address or graph.raw.path


def _benchmarks(results: Results, table: str) -> dict[str, dict[str, str]]:
    """The benchmark file of each stage that made a system, by system and stage."""
    graph, found = results.graph, {}
    for evaluation in graph.evaluations(table):
        system, run = evaluation.label, evaluation.inputs["run"].artifact
        own = found.setdefault(system, {})
        own[f"search_{run.set}" if isinstance(graph, KnowledgeBase) else "retrieve"] = run
        own |= {TIMED[one.kind]: one for one in run.parents if one.kind in TIMED}
        if model := graph.settings.systems[system].model:
            own["train"] = graph.model(model)
    return {
        system: {stage: _benchmark(results, one.rule, one) for stage, one in own.items()}
        for system, own in found.items()
    }


def _benchmark(results: Results, phase: str, one: Artifact) -> str:
    """Where Snakemake writes how long the job of an artifact took."""
    return f"{results.logs}/{phase}/{one.id}.benchmark.tsv"
