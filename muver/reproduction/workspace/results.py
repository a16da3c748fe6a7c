"""The tables and figures of a dataset: which there are, and what their rules are given."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from muver.io.errors import InputError, choices
from muver.reproduction.settings.naming import method_of, note_of
from muver.reproduction.settings.rows import models_of, training_settings
from muver.reproduction.workspace.artifact import Artifact
from muver.reproduction.workspace.graph import Graph
from muver.reproduction.workspace.steps import TIMED
from muver.retriever.corpus.sources import find_source

BUILT = ("table3", "table4", "table5", "grid")  # have rules of their own, as figures have

# Kinds of what the page reads of all that was made: runs with their vectors, and the data.
SHOWN = (
    "evaluations", "runs", "corpus", "segment", "mentions", "kb", "stores", "merged", "globals",
)  # fmt: skip


class Result(NamedTuple):
    """How a result is made."""

    commands: list[str]  # the first one makes it
    read: Mapping[str, str | list[str]]  # files, by the names of the rule's inputs
    options: Mapping[str, Any]  # the first command's options
    files: list[str]


class Results:
    """The results that a graph's settings can ask for."""

    def __init__(self, graph: Graph):
        self.graph, self.settings = graph, graph.settings
        name, listed = graph.settings.workspace, graph.settings.results
        figures = graph.settings.figures
        self.folder, self.logs, self.numbers = f"results/{name}", f"logs/{name}", f"metrics/{name}"
        # Tables that compare rows, and those of them whose costs are told.
        self.compared = [table for table in graph.measured if table not in (*BUILT, *figures)]
        self.costed = [table for table in self.compared if graph.settings.tables[table].costs]
        # All that can be asked for as ``results/NAME.csv``.
        of_worlds = [] if graph.settings.over_kb else [*BUILT, *figures]
        self.names = [*self.compared, *of_worlds]
        # What MLflow can get: Table 6 has the rows of Table 1.
        of_rows = [*self.compared, "table3", "grid"]
        self.recordable = [table for table in of_rows if table != "table6"]
        # Of the list those with rows or points, that MLflow gets, and that `dvc plots` draws.
        self.measured = [table for table in listed if table in of_rows]
        self.recorded = [table for table in self.measured if table in self.recordable]
        self.drawn = [table for table in self.recorded if table != "grid"]
        self.drawn += [table for table in listed if table in figures]
        # A file of numbers for each row, for `dvc metrics`, and one of points for each plot.
        self.metrics = [
            f"{self.numbers}/{table}/{row}.json"
            for table in self.measured
            for row in (graph.trials if table == "grid" else self.settings.tables[table].rows)
        ]
        self.plots = [f"{self.folder}/plots/{table}.csv" for table in self.drawn]
        # What is made of all results: DVC's files, if there are any, and the page.
        self.further = ["metrics"] * bool(self.metrics or self.plots) + ["report"]

    def refuse(self, name: str) -> NoReturn:
        """Raise the error of a table that the dataset has not: what there is."""
        dataset = self.settings.dataset
        if name == "table2":
            raise InputError(
                f"results/table2.csv: not made of the dataset {dataset}. Ask for it with --config "
                "preset=miniwikipedia (anywhere, in minutes) or --config preset=wikipedia."
            )
        raise InputError(
            f"results/{name}.csv: the dataset {dataset} has no table of this name."
            f"{choices(name, sorted(self.names))}"
        )

    def is_drawn(self, name: str) -> bool:
        """Whether a table has a drawing beside it."""
        figure = name in self.compared and self.settings.tables[name].figure
        return name == "table3" or bool(figure)

    def result(self, name: str) -> Result:
        """How a table, a figure, the page or DVC's numbers are made."""
        folder, graph, listed = self.folder, self.graph, self.settings.results
        if name == "metrics":
            of = {"tables": self.measured, "curves": self.drawn}
            read = {key: [f"{folder}/{table}.json" for table in of[key]] for key in of}
            options = {**read, "metrics": self.numbers, "plots": f"{folder}/plots"}
            return Result(["stage metrics"], read, options, self.metrics + self.plots)
        if name == "report":
            shown = [artifact for artifact in graph.asked(listed) if artifact.kind in SHOWN]
            read = {"tables": [f"{folder}/{table}.csv" for table in listed]}
            read["made"] = [file for artifact in shown for file in artifact.files]
            options = {"results": folder, "workspace": f"{graph.root}/current",
                    "out": f"{folder}/report.html", "settings": {"results": listed}}  # fmt: skip
            return Result(["report"], read, options, [options["out"]])
        figure, drawing = self.settings.figures.get(name), self.is_drawn(name)
        ends = ("csv", "json") if figure else ("csv", "html", "md", "json", "tex")
        files = [f"{folder}/{name}.{end}" for end in ends]
        if figure or drawing:
            files += [f"{folder}/figures/{name}.{end}" for end in ("svg", "png")]
        options = {"name": name, "out": files[0]}
        if name == "grid":
            logs = [point.files[0] for point in graph.grid_points]
            start = graph.weights(self.settings.grid.models[0]).path
            read = {"logs": logs, "encoder": start, **self.counts}
            options = {**read, "out": files[0], "settings": self._of_grid()}
            return Result(["stage grid"], read, options, files)
        if name in ("table4", "table5"):
            read = self.counts if name == "table4" else {"encoder": graph.encoder.files}
            of = self.counts if name == "table4" else {"encoder": graph.encoder.path}
            options |= {**of, "evaluations": [], "settings": {}}
            return Result(["stage table"], read, options, files)
        read = self.inputs(name)
        options["evaluations"] = read["evaluations"]
        if figure:
            rows = [{"method": method_of(self.settings, row), "system": row} for row in figure.rows]
            settings = {**figure.as_dict(), "rows": rows}
            options |= {"figures": f"{folder}/figures", "settings": settings}
            return Result(["stage figure"], read, options, files)
        data = self.counts
        if self.settings.tables[name].categories:
            data["mentions"] = graph.corpus["/mentions.parquet"].path
        options |= {**data, "settings": self.of_table(name)}
        commands = ["stage table", *["stage figure"] * drawing]
        return Result(commands, {**read, **data}, options, files)

    @property
    def counts(self) -> dict[str, str]:
        """The counts of a corpus of worlds; a knowledge base has none."""
        return {} if self.settings.over_kb else {"counts": self.graph.corpus.files[2]}

    # What their commands are given.

    def _of_grid(self) -> dict[str, Any]:
        grid = self.settings.grid
        base = {model: training_settings(self.settings, model) for model in grid.models}
        start = self.settings.training.as_dict() if grid.one_at_a_time else {}
        return {
            "grid": grid.as_dict(), "trials": self.graph.trials, "base": base, "start": start,
        }  # fmt: skip

    def of_table(self, name: str) -> dict[str, Any]:
        """Settings of a table of rows."""
        table, of_sweep = self.settings.tables[name], name == "table3"
        return {
            "rows": [self._row(name, system) for system in table.rows],
            "contrasts": [] if of_sweep else self.settings.contrasts,
            "against": table.against if table.against in table.rows else None,
            "caption": table.caption or None,
            "figure": table.figure or "vectors",
            "categories": table.categories,
            "cutoff": self.settings.sweep.cutoff if of_sweep else None,
            "sets": self.graph.sets,
        }

    def _row(self, table: str, system: str) -> dict[str, Any]:
        row = {
            "method": method_of(self.settings, system),
            "system": system,
            "note": note_of(self.settings, system),
            "repeats": self.settings.repeats[table].get(system, []),
        }
        layers = getattr(self.settings.systems[system], "merge_layers", 0)
        if table == "table3" and layers:
            search, of = self.settings.systems[system].search, self.settings.sweep_of.get(system)
            row |= {"merge_layers": layers, "search": search, "sweep_of": of}
        return row

    def drawing(self, name: str) -> dict[str, Any]:
        """The options of the command that draws a table."""
        table = f"{self.folder}/{name}.json"
        return {"name": name, "table": table, "figures": f"{self.folder}/figures"}

    def inputs(self, name: str) -> dict[str, list[str]]:
        """What a result of rows is made of: scores and gold ranks.

        For MLflow also runs and training logs.
        """
        evaluations = self.graph.evaluations(name)
        return {
            "evaluations": [evaluation.files[0] for evaluation in evaluations],
            "ranks": [evaluation.files[1] for evaluation in evaluations],
            "runs": [evaluation.input_files["run"] for evaluation in evaluations],
            "logs": sorted({log for logs in self.training_logs(name).values() for log in logs}),
        }

    def training_logs(self, table: str) -> dict[str, list[str]]:
        """Each model's training log by system, and its encoder's if that was trained."""
        logs_of = {}
        for system in self.graph.rows(table):
            logs = []
            for model in models_of(self.settings, system):
                start = self.graph.weights(model).artifact
                logs.append(self.graph.model(model).files[-1])
                logs += [start.files[-1]] if start.kind == "pretrained" else []
            if logs:
                logs_of[system] = list(dict.fromkeys(logs))
        return logs_of

    def recording(self, table: str) -> dict[str, Any]:
        """Settings from which a table's rows, or the grid's points, are recorded."""
        if table == "grid":
            points = self.graph.grid_points
            took = {point.name: {"train": self._benchmark(point)} for point in points}
            made_of = {"logs": [point.files[0] for point in points]}
        else:
            read, took = self.inputs(table), self._benchmarks(table)
            made_of = {
                "evaluations": list(map(list, zip(read["evaluations"], read["runs"], strict=True))),
                "artifacts": self.training_logs(table),
                "figures": [f"{self.folder}/figures/{table}.svg"] * self.is_drawn(table),
            }
        return {
            "experiment": table,
            "source": self._source,
            "out": f"{self.graph.root}/recorded/{table}.csv",
            **self.settings.tracking.as_dict(),
            "table": f"{self.folder}/{table}.json",
            **made_of,
            "benchmarks": took,
        }

    @property
    def _source(self) -> str:
        """Where the dataset comes from: an address, a file or a folder."""
        settings, raw = self.settings, self.graph.raw
        if raw is None:
            return settings.dataset
        if raw.rule == "kilt":
            return settings.linking.source.kilt or find_source("kilt").address
        download, declared = settings.download, find_source(settings.dataset)
        return download.source or download.url or declared.address or raw.path

    def costs(self, table: str) -> dict[str, Any]:
        """The options of the command that writes what each row of a table costs, its first seed."""
        rows, first = [], self.settings.tables[table].rows
        for evaluation in self.graph.evaluations(table):
            if evaluation.label not in first:
                continue
            run = evaluation.inputs["run"].artifact
            rows.append({
                "method": method_of(self.settings, run.label),
                "evaluation": evaluation.files[0],
                "manifest": run[".json"].path,
                "trainings": list(map(self._benchmark, self._trainings(run.label))),
                "ranking": self._benchmark(run),
            })  # fmt: skip
        caption = f"What each row of {table} costs on this machine, {self.settings.workspace}"
        out = f"{self.folder}/{table}_costs.csv"
        return {"out": out, "settings": {"caption": caption, "rows": rows}}

    def _benchmarks(self, table: str) -> dict[str, dict[str, str]]:
        """The benchmark file of each stage that made a system, by system and stage."""
        files = {}
        for evaluation in self.graph.evaluations(table):
            system, run = evaluation.label, evaluation.inputs["run"].artifact
            encoded = [a for a in run.parents if a.kind in TIMED and a.set == run.set]
            stages = [
                (f"search_{run.set}" if self.settings.over_kb else "retrieve", run),
                *((TIMED[artifact.kind], artifact) for artifact in encoded),
                *(("train", artifact) for artifact in self._trainings(system)),
            ]
            times = Counter[str]()
            for stage, artifact in stages:
                times[stage] += 1
                name = stage if times[stage] == 1 else f"{stage}_{times[stage]}"
                files.setdefault(system, {})[name] = self._benchmark(artifact)
        return files

    def _trainings(self, system: str) -> list[Artifact]:
        """The jobs that trained a row's models, none that chose one or trained on no label."""
        models = map(self.graph.model, models_of(self.settings, system))
        return [
            model
            for model in models
            if model.rule != "choose" and model.settings.get("training", {}).get("labelled") != 0
        ]

    def _benchmark(self, artifact: Artifact) -> str:
        """Where Snakemake writes how long the job of an artifact took."""
        phase = "grid" if artifact.kind == "grid" else artifact.rule
        return f"{self.logs}/{phase}/{artifact.id}.benchmark.tsv"


def not_recorded(folder: Path) -> dict[tuple[Path, int], str]:
    """Why tables could not be recorded, by message and its time. As a clock may be set back, a time
    only tells a message from an older one of the same table.
    """
    return {
        (failure, failure.stat().st_mtime_ns): f"{failure.stem}: {failure.read_text().strip()}"
        for failure in sorted(folder.glob("*.failed"))
    }
