"""The graph of a dataset: what each run and evaluation is made of, and what is asked for.

What all datasets have in common. :mod:`muver.reproduction.workspace.worlds` and
:mod:`muver.reproduction.workspace.knowledge_base` add their data and the way in which their vectors
lie on disk.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.typed import plain
from muver.reproduction.settings import Resolved, row_settings
from muver.reproduction.settings.entries import (
    Chosen,
    model_of,
)
from muver.reproduction.settings.rows import (
    kind_of,
)
from muver.reproduction.workspace.artifact import Artifact, Input, with_origins
from muver.reproduction.workspace.models import Models
from muver.reproduction.workspace.steps import LOG
from muver.retriever.corpus.sources import find_source
from muver.retriever.retrieval import kinds

# Settings of a run that bound memory or time and move no candidate.
FREE = ("memory_mb", "threads", "gpu")
SOURCE = ("encoder", "weights_sha256")  # say which encoder it is, as its source does


class Graph(Models):
    """Everything that a dataset's settings can ask for, each an artifact."""

    sets: Sequence[str]  # of mentions that tables score
    measured: Sequence[str]  # tables and figures that such data can have and that need runs
    agreement: Mapping[str, float] = {}  # least, with exact search, of a run made with an index

    def __init__(self, settings: Resolved):
        super().__init__(settings)
        for method in ("run", "evaluation"):
            setattr(self, method, cache(getattr(self, method)))

    # What the two kinds of datasets have each in its own way.

    @property
    def indexes(self) -> list[Artifact]:
        """An index of each row that searches a store of views."""
        return []

    @property
    @abstractmethod
    def data(self) -> list[Artifact]:
        """What is made of the data before any model."""

    @abstractmethod
    def retrieval(self, system: str, name: str) -> dict[str, Any]:
        """Settings of a system's run for the mentions of a set."""

    @abstractmethod
    def source(self, need: str, system: str, name: str) -> Input:
        """What a system ranks the mentions of a set with (:class:`retrieval.kinds.Inputs`)."""

    # Runs and scores.

    def run(self, system: str, name: str) -> Artifact:
        """A system's ranked candidates for the mentions of a set."""
        settings = self.retrieval(system, name)
        free = {key: settings.pop(key) for key in FREE if key in settings}
        kind = kind_of(self.settings, system)
        index = getattr(self.settings.systems[system], "index", None)
        needs = kinds.find(kind).needs({**settings, "index": index})
        inputs = {need: self.source(need, system, name) for need in needs}
        run = self.artifact("runs", f"{name}/{system}", "retrieve", settings, free, **inputs)
        return replace(run, machine=self.precision) if kinds.runs_a_model(kind) else run

    def evaluation(self, system: str, name: str) -> Artifact:
        """Scores of a system on a set, and the ranks of the gold entities."""
        run, inputs = self.run(system, name), self.gold(name)
        if weights := self.all_weights(system):
            inputs["identity"] = weights
        model = model_of(self.settings.systems[system])
        if model and isinstance(self.settings.models[model], Chosen):
            inputs["choice"] = self.model(model)[LOG]
        of_row = {"row": row_settings(self.settings, system), **self.agreement}
        settings = plain(self.settings.evaluate) | of_row
        return self.artifact(
            "evaluations", f"{name}/{system}", "evaluate", settings,
            run=run[".parquet"], manifest=run[".json"], **inputs,
        )  # fmt: skip

    def told(self, artifact: Artifact) -> dict[str, Any]:
        """Options of an artifact's command beyond its settings, inputs and outputs."""
        settings = self.settings
        match artifact.rule:
            case "encoder":
                kept = {key: value for key, value in artifact.settings.items() if key not in SOURCE}
                return {"source": settings.encoder, "settings": kept}
            case "choose" | "train_best":
                return {"models": [(model.name, model.path) for model in artifact.inputs["models"]]}
            case "retrieve":
                return {"kind": kind_of(settings, artifact.label)}
            case "evaluate":
                name = settings.dataset if settings.over_kb else settings.workspace
                return {
                    "system": artifact.label,
                    "dataset": name,
                    "name": artifact.set,
                    "trec": True,
                }
        return {}

    def dataset_download(self, what: str) -> dict[str, Any]:
        """What `muver stage download` is told of the dataset: ``what`` it is, and its archive."""
        source = find_source(self.settings.dataset)
        archive = f"{self.root}/download/{source.file}"
        settings = plain(self.settings.download)
        return {what: source.name, "archive": archive, "settings": settings}

    # Settings of the machine.

    @property
    def precision(self) -> dict[str, str]:
        """The setting of the machine that moves vectors."""
        return {"precision": self.settings.compute.precision}

    @property
    def compute(self) -> dict[str, Any]:
        """Those that move nothing."""
        moving = ("precision", "training_precision")
        section = self.settings.compute.as_dict()
        return {key: value for key, value in section.items() if key not in moving}

    @property
    def gpus(self) -> int:
        """GPUs that a job running a model asks for, in each of its processes.

        With ``device: auto`` 1 where this machine has any, with ``cuda`` 1 anywhere: a cluster's
        jobs run on other machines.
        """
        device = self.settings.compute.device
        return int(device == "cuda" or (device == "auto" and Path("/dev/nvidia0").exists()))

    # What is asked for.

    def rows(self, result: str) -> list[str]:
        """Systems of a table or figure, further seeds among them; none of one without runs."""
        if result not in self.measured:
            return []
        if result in self.settings.figures:
            return list(self.settings.figures[result].rows)
        rows = self.settings.tables[result].rows
        repeats = self.settings.repeats[result]
        return rows + [seed for row in rows for seed in repeats.get(row, [])]

    def evaluations(self, result: str) -> list[Artifact]:
        """The evaluations that a table or figure is made of."""
        return [self.evaluation(system, name) for name in self.sets for system in self.rows(result)]

    def asked(self, results: Iterable[str]) -> list[Artifact]:
        """Everything that these tables and figures are made of, every artifact after its inputs."""
        found = [*self.data, self.start]
        for result in results:
            found += self.evaluations(result)
            if result == "grid":
                found += self.grid_points
        return with_origins(found)

    @cached_property
    def declared(self) -> list[Artifact]:
        """Everything that the settings' tables and figures can ask for."""
        return self.asked([*self.measured, "grid"])

    @cached_property
    def by_place(self) -> dict[tuple[str, str], Artifact]:
        """Every artifact that can be made, by kind and id."""
        found = [*self.declared, *self.indexes]
        for model in self.settings.models:
            with suppress(InputError):  # made of other data
                found.append(self.model(model))
        for system in self.settings.systems:
            for name in self.sets:
                with suppress(InputError):
                    found.append(self.evaluation(system, name))
        return {(artifact.kind, artifact.id): artifact for artifact in with_origins(found)}

    def at(self, kind: str, name: str) -> Artifact:
        """The artifact of a kind and an id."""
        try:
            return self.by_place[kind, name]
        except KeyError:
            raise InputError(
                f"{self.root}/{kind}/{name}: not what params.yaml asks for. `snakemake -n` shows "
                "what it asks for; another setting makes files of another name."
            ) from None

    def dataset(self, name: str) -> Artifact:
        """A declared dataset's files; a declared checksum is part of their key."""
        sha256, suffixes = find_source(name).sha256, self.suffixes["raw"]
        if sha256 is None:
            return Artifact(self.root, "raw", name, "download", suffixes, pinned=True)
        return self.artifact("raw", name, "download", {"sha256": sha256})

    def pattern(self, kind: str, suffixes: Sequence[str] | None = None) -> list[str]:
        """Files of a kind as a rule's outputs, with the wildcard ``id``."""
        return [f"{self.root}/{kind}/{{id}}{suffix}" for suffix in suffixes or self.suffixes[kind]]

    def ids(self, kind: str, rule: str) -> list[str]:
        """Of all artifacts of a kind that a rule makes."""
        return [
            artifact.id
            for artifact in self.by_place.values()
            if (artifact.kind, artifact.rule) == (kind, rule)
        ]
