"""The graph of a dataset: what each run and evaluation is made of, and what is asked for.

What all datasets have in common. :mod:`muver.reproduction.workspace.worlds` and
:mod:`muver.reproduction.workspace.knowledge_base` add their data and the way in which their vectors
lie on disk.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import product

from muver.io.errors import InputError
from muver.io.typed import plain
from muver.reproduction.settings.entries import Chosen, model_of
from muver.reproduction.settings.rows import (
    kind_of,
    retrieval_settings,
    row_settings,
    search_settings,
)
from muver.reproduction.workspace.artifact import Artifact, Input, with_origins
from muver.reproduction.workspace.models import Models
from muver.reproduction.workspace.steps import KIND, LOG, Step, code
from muver.retriever.corpus.sources import find_source
from muver.retriever.retrieval import kinds

# Settings of a run that bound memory or time and move no candidate.
FREE = ("memory_mb", "threads", "gpu")


class Graph(Models):
    """Everything that a dataset's settings can ask for, each an artifact."""

    sets: Sequence[str]  # of mentions that tables score
    measured: Sequence[str]  # tables and figures that such data can have and that need runs
    agreement: Mapping[str, float] = {}  # least, with exact search, of a run made with an index

    # What the two kinds of datasets have each in its own way.

    @property
    @abstractmethod
    def data(self) -> list[Artifact]:
        """What is made of the data before any model."""

    @abstractmethod
    def source(self, need: str, system: str, name: str) -> Input:
        """What a system ranks the mentions of a set with (:class:`retrieval.kinds.Inputs`)."""

    # Runs and scores.

    def run(self, system: str, name: str) -> Artifact:
        """A system's ranked candidates for the mentions of a set."""
        settings_of = search_settings if self.settings.over_kb else retrieval_settings
        settings = settings_of(self.settings, system, name)
        free = {key: settings.pop(key) for key in FREE if key in settings}
        kind = kind_of(self.settings, system)
        index = getattr(self.settings.systems[system], "index", None)
        needs = kinds.needs(kind, {**settings, "index": index})
        inputs = {need: self.source(need, system, name) for need in needs}
        run = self.artifact(
            "retrieve", f"{name}/{system}", settings, free, {"kind": kind}, **inputs
        )
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
        dataset = self.settings.dataset if self.settings.over_kb else self.settings.workspace
        options = {"system": system, "dataset": dataset, "name": name, "trec": True}
        return self.artifact(
            "evaluate", f"{name}/{system}", settings, options=options,
            run=run[".parquet"], manifest=run[".json"], **inputs,
        )  # fmt: skip

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
        artifacts = [*self.data, self.start]
        for result in results:
            artifacts += self.evaluations(result)
            if result == "grid":
                artifacts += self.grid_points
        return with_origins(artifacts)

    @cached_property
    def declared(self) -> list[Artifact]:
        """Everything that the settings' tables and figures can ask for."""
        return self.asked([*self.measured, "grid"])

    @cached_property
    def by_place(self) -> dict[tuple[str, str], Artifact]:
        """Every artifact that can be made, by kind and id."""
        systems = self.settings.systems
        searched = [system for system in systems if kind_of(self.settings, system) == "views"]
        artifacts = [*self.declared, *map(self.index, searched)]
        others = [(self.model, model) for model in self.settings.models]
        others += [(self.evaluation, *row) for row in product(systems, self.sets)]
        for make, *names in others:
            with suppress(InputError):  # made of other data
                artifacts.append(make(*names))
        return {(artifact.kind, artifact.id): artifact for artifact in with_origins(artifacts)}

    def at(self, kind: str, name: str) -> Artifact:
        """The artifact of a kind and an id."""
        try:
            return self.by_place[kind, name]
        except KeyError:
            raise InputError(
                f"{self.root}/{kind}/{name}: not what params.yaml asks for. `snakemake -n` shows "
                "what it asks for; another setting makes files of another name."
            ) from None

    def code_of(self, artifact: Artifact) -> list[str]:
        """Files of the package that decide an artifact's content."""
        rule = artifact.rule
        if rule == "retrieve":
            rule = f"{KIND}{kind_of(self.settings, artifact.label)}"
        elif rule == "download" and find_source(self.settings.dataset).kind == "worlds":
            rule = "download_worlds"
        return code(rule)

    def dataset(self, what: str, suffixes: Sequence[str]) -> Artifact:
        """The declared dataset's files; a declared checksum is part of their key.

        ``what`` it is to `muver stage download`: a dataset, or files.
        """
        source = find_source(self.settings.dataset)
        checksum = {"sha256": source.sha256} if source.sha256 else {}
        options = {
            what: source.name,
            "archive": f"{self.root}/download/{source.file}",
            "settings": plain(self.settings.download),
        }
        return self.artifact(
            "download", source.name, checksum, options=options, suffixes=suffixes,
            pinned=not checksum,
        )  # fmt: skip

    def made_by(self, step: Step) -> list[Artifact]:
        """All artifacts that a step makes."""
        return [artifact for artifact in self.by_place.values() if artifact.rule == step.rule]
