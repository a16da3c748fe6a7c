"""The graph of worlds with mentions of their own, as ZESHEL has them.

Vectors lie in a store for each model and set; merging and the other kinds of views extend it.
"""

from functools import cached_property
from pathlib import Path

from muver.io.errors import InputError
from muver.reproduction.settings.entries import rows_named_by
from muver.reproduction.settings.params import Resolved
from muver.reproduction.settings.resolve import is_named
from muver.reproduction.settings.rows import merge_settings, signal_of
from muver.reproduction.workspace.artifact import Artifact, Input
from muver.reproduction.workspace.graph import Graph
from muver.reproduction.workspace.steps import vector_files
from muver.retriever.corpus.sources import SPLITS, find_source

FILES = {
    "entities": "/entities.parquet", "mentions": "/mentions.parquet",
    "sentences": "/sentences.parquet", "counts": "/counts.json",
}  # fmt: skip
OF_INDEX = ("store", "merged", "global_views", "entities")  # of what a run is made of


class Worlds(Graph):
    """Worlds of entities, and mentions in splits that share no world."""

    training_set = "train"

    def __init__(self, settings: Resolved):
        super().__init__(settings)
        self.sets = [settings.retrieve.split]
        tables = [name for name in settings.tables if name != "table2"]
        self.measured = [*tables, *settings.figures]

    @cached_property
    def raw_files(self) -> list[str]:
        """The dataset's files after its folder: of each world, and of each split."""
        documents = [f"/documents/{world}.json" for world in self.worlds]
        return [*documents, *(f"/mentions/{split}.json" for split in SPLITS)]

    @property
    def worlds(self) -> list[str]:
        """Names of all worlds."""
        dataset = self.settings.dataset
        if is_named(dataset):
            return list(find_source(dataset).published.worlds)
        names = sorted(path.stem for path in Path(dataset, "documents").glob("*.json"))
        if not names:
            wrong = "no documents/*.json in it" if Path(dataset).is_dir() else "no such folder"
            raise InputError(
                f"dataset {dataset}: {wrong}. Expected a directory in ZESHEL's "
                "format: documents/<world>.json and mentions/{train,val,test}.json."
            )
        return names

    @property
    def data(self) -> list[Artifact]:
        """The corpus, and its descriptions split into sentences."""
        return [self.corpus, self.segment]

    # From raw files to sentences.

    @cached_property
    def raw(self) -> Artifact | None:
        """The dataset's files; None for a directory of the user's."""
        named = is_named(self.settings.dataset)
        return self.dataset("dataset", self.raw_files) if named else None

    @cached_property
    def corpus(self) -> Artifact:
        """Canonical entities and mentions, and their counts."""
        expected = self.raw.name if self.raw else None
        settings = {**self.settings.corpus.as_dict(), "expected": expected}
        folder = self.raw.path if self.raw else self.settings.dataset
        options = {"name": self.settings.workspace, "raw": folder}
        raw = self.raw or [f"{folder}{suffix}" for suffix in self.raw_files]
        return self.artifact("corpus", "", settings, options=options, raw=raw)

    @cached_property
    def segment(self) -> Artifact:
        """Descriptions split into sentences."""
        asked, inputs = self.settings.segment, self.corpus_files("entities", "counts")
        if asked.punkt == "english" and asked.by != "unicode":
            inputs["english"] = self.artifact(
                "punkt_english", "english", options={"punkt": "english"}, pinned=True
            )
        return self.artifact("segment", "", asked.as_dict(), **inputs)

    def corpus_files(self, *roles: str) -> dict[str, Input]:
        """Files of the corpus by their roles (:data:`FILES`), and the descriptions' sentences."""
        sources = {"sentences": self.segment} if "sentences" in roles else {}
        return {role: sources.get(role, self.corpus)[FILES[role]] for role in roles}

    def texts_to_learn(self) -> dict[str, Input]:
        """All descriptions, whole and in sentences."""
        return self.corpus_files("entities", "counts", "sentences")

    def training_data(self, model: str) -> dict[str, Input]:
        """Mentions of the training worlds, and a model's hard negatives."""
        return {**self.corpus_files("entities", "mentions", "sentences"), **self.negatives(model)}

    def validation_run(self, model: str) -> Input:
        return self.run(self.settings.models[model].negatives.from_, "val")[".parquet"]

    # Vectors.

    def store(self, model: str, name: str) -> Artifact:
        """Vectors of the views of a set's entities, and of its mentions."""
        texts = self.corpus_files("entities", "mentions", "sentences")
        made_of = {"model": self.model(model), **texts}
        return self.artifact("encode", f"{name}/{model}", {"split": name}, **made_of)

    def merged(self, model: str, name: str, search: str) -> Artifact:
        """Merged layers over a store, found by one search."""
        layers = (f"layer{layer}" for layer in range(1, self.settings.merge.layers + 1))
        return self.artifact(
            "merge", f"{name}/{model}-{search}", merge_settings(self.settings, search),
            suffixes=vector_files(*layers), model=self.model(model), store=self.store(model, name),
        )  # fmt: skip

    def globals(self, model: str, name: str) -> Artifact:
        """Global views of a store's entities."""
        return self.artifact(
            "encode_global", f"{name}/{model}", self.settings.global_view.as_dict(),
            model=self.model(model), store=self.store(model, name), **self.corpus_files("entities"),
        )  # fmt: skip

    def signal_texts(self, model: str, name: str) -> Artifact:
        """Vectors of the texts that signals compare, of a set's mentions and their worlds."""
        made_of = {"model": self.model(model), **self.corpus_files("entities", "mentions")}
        return self.artifact("encode_texts", f"{name}/{model}", {"split": name}, **made_of)

    def vectors(self, system: str, name: str) -> dict[str, Artifact]:
        """Folders with the vectors that a row ranks by: of all views, merged ones, global ones."""
        row = self.settings.systems[system]
        folders = {"store": self.store(row.model, name)}
        if row.merge_layers:
            folders["merged"] = self.merged(row.model, name, row.search)
        if row.global_view:
            folders["global_views"] = self.globals(row.model, name)
        return folders

    # Runs and scores.

    def source(self, need: str, system: str, name: str) -> Input:
        row = self.settings.systems[system]
        if need == "model":
            return self.model(row.model)
        if need in FILES:
            return self.corpus_files(need)[need]
        if need in OF_INDEX:
            return self.vectors(system, name)[need]
        on = "val" if need.startswith("validation_") else name
        rows = self.settings.tried.get(system) or rows_named_by(row)
        match need.removeprefix("validation_"):
            case "texts":
                return self.signal_texts(row.model, on)
            case "views":
                viewed = (other for other in rows if signal_of(self.settings, other) != "run")
                return [folder for other in viewed for folder in self.vectors(other, on).values()]
            case "scores":
                rows = [other for other in rows if signal_of(self.settings, other) == "run"]
        return [self.run(other, on)[".parquet"] for other in rows]

    def index(self, system: str) -> Artifact:
        """A row as an index, which has no key in its name."""
        run = self.run(system, self.sets[0])
        inputs = {role: run.inputs[role] for role in OF_INDEX if role in run.inputs}
        inputs["model"] = self.model(self.settings.systems[system].model)
        inputs |= self.corpus_files("sentences")
        inputs |= {"chosen": run[".json"]} if system in self.settings.tried else {}
        return self.artifact("index", system, {**run.settings, **run.free}, pinned=True, **inputs)

    def gold(self, name: str) -> dict[str, Input]:
        """Mentions, the titles that gold is matched by, and the lengths of descriptions."""
        return self.corpus_files(*FILES)
