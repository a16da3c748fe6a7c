"""The graph of one knowledge base and the sets of mentions linked to it: Table 2.

Vectors lie in parts of the knowledge base, a job each; an index may cover them all.
"""

from functools import cached_property
from pathlib import Path

from muver.io.files import read_json
from muver.io.typed import fields, plain
from muver.reproduction.settings.params import Resolved
from muver.reproduction.settings.rows import (
    index_settings,
    subset_settings,
    towers_of,
)
from muver.reproduction.workspace.artifact import Artifact, Input
from muver.reproduction.workspace.graph import Graph
from muver.retriever.corpus.corpus_settings import BadLines
from muver.retriever.corpus.sources import find_source

PART = (".npy", ".parquet")


class KnowledgeBase(Graph):
    """One knowledge base that every mention may be linked to."""

    measured = ("table2",)

    def __init__(self, settings: Resolved):
        super().__init__(settings)
        self.linking = settings.linking
        self.sets = list(self.linking.test)
        self.training_set = self.linking.train
        self.agreement = {"agreement": self.linking.search.minimum}
        # Dump and sets come in one archive, or from the projects they are of.
        self.of_one_archive = settings.dataset == "miniwikipedia"
        self.origins = ("kilt", "blink_benchmarks")  # the declared sources of dump and sets
        if self.of_one_archive:
            self.origins = ("miniwikipedia", "miniwikipedia")

    @property
    def data(self) -> list[Artifact]:
        """The knowledge base."""
        return [self.kb]

    # From a dump and benchmarks to a knowledge base and linked sets.

    def download(self, source: str) -> Artifact:
        """A file of another project, or the folder of benchmarks, which its checksum pins."""
        name, out = find_source(source).file, f"{self.root}/raw"
        if source == "blink_benchmarks":
            name, out = "benchmarks", f"{out}/benchmarks"
        settings = {"source": getattr(self.linking.source, source)}
        options = {"files": source, "out": out, "settings": settings}
        return self.artifact(source, name, options=options, pinned=True)

    def named_file(self, path: str) -> Input:
        """A file that is named in the settings, which may be BLINK's weights."""
        weights = self.download("blink_biencoder")
        return weights[""] if path == weights.path else path

    @cached_property
    def raw(self) -> Artifact:
        """The dump, and with it the sets where they come in its archive."""
        if not self.of_one_archive:
            return self.download("kilt")
        sets = find_source("miniwikipedia").published.mentions
        files = [find_source("kilt").file, *(f"{name}.jsonl" for name in sets)]
        return self.dataset("files", [f"/{file}" for file in files])

    @cached_property
    def kb(self) -> Artifact:
        """The knowledge base in parts, and what finds an entity by its id or title."""
        expected = self.origins[0] if self.linking.published_counts else None
        settings = {**plain(self.linking.kb), "expected": expected}
        return self.artifact("kb", "", settings, dump=self.raw[self.raw.suffixes[0]])

    @property
    def parts(self) -> list[str]:
        """Names of the knowledge base's parts, once it is made."""
        manifest = Path(f"{self.kb.path}/manifest.json")
        if not manifest.is_file():
            return []
        return [Path(part["file"]).stem for part in read_json(manifest)["parts"]]

    def texts(self, model: str) -> dict[str, Input]:
        """Texts of the entities from another source, where a model's views are made of those."""
        name = towers_of(self.settings, model).views.text
        if not name:
            return {}
        counted = self.linking.published_counts and not self.of_one_archive
        settings = {
            **{key: getattr(self.linking.kb, key) for key in fields(BadLines)},
            "expected": name if counted else None,
        }
        file = self.download(name)
        return {"texts": self.artifact("texts", name, settings, file=file, kb=self.kb)}

    def set_file(self, name: str) -> Input:
        """The file of a set: with the dump, named in params.yaml, or in the benchmarks' archive."""
        if self.of_one_archive:
            return self.raw[f"/{name}.jsonl"]
        file = self.linking.sets[name].file
        return file if Path(file).is_file() else self.download("blink_benchmarks")

    def mentions(self, name: str) -> Artifact:
        """A set's mentions with their gold entities, and the report of the matching."""
        declared, source = self.linking.sets[name], find_source(self.origins[1])
        counted = self.linking.published_counts and name in source.published.mentions
        settings = {
            **plain(self.settings.corpus),
            "match": self.linking.match,
            "expected": source.name if counted else None,
            "format": declared.format or None,
            "part": declared.part or None,
        }
        file, options = self.set_file(name), {"name": name}
        if isinstance(file, Artifact):  # the benchmarks' archive
            options |= {"path": declared.file, "below": file.path}
        return self.artifact("link", name, settings, options=options, file=file, kb=self.kb)

    # Training.

    @cached_property
    def golds(self) -> Artifact:
        """Gold entities of the training mentions with their paragraphs."""
        return self.subset("golds")

    def subset(self, name: str, **further: Input) -> Artifact:
        """The entities and paragraphs of the knowledge base that training reads."""
        return self.artifact(
            "subset", name, subset_settings(self.settings),
            train=self.mentions(self.training_set)[".parquet"],
            val=self.mentions(self.linking.validation)[".parquet"],
            kb=self.kb, **further,
        )  # fmt: skip

    def texts_to_learn(self) -> dict[str, Input]:
        """The gold entities of the training mentions."""
        files = {"entities": "parquet", "counts": "json", "sentences": "parquet"}
        return {role: self.golds[f"/{role}.{end}"] for role, end in files.items()}

    def training_data(self, model: str) -> dict[str, Input]:
        """The subset that a model trains on: its own, or that of the gold entities."""
        negatives = self.negatives(model)
        further = {**negatives, **self.texts(model)}
        subset = self.subset(model, **further) if further else self.golds
        roles = ("entities", "mentions", "sentences", *negatives)
        return {role: subset[f"/{role}.parquet"] for role in roles}

    # Vectors.

    def vectors(self, model: str) -> Artifact:
        """Vectors of the knowledge base's views, part by part, as far as the parts are known."""
        return self.artifact(
            "encode_part", model, {"dtype": self.linking.dtype},
            suffixes=[f"/{part}{end}" for part in self.parts for end in PART],
            model=self.model(model), kb=self.kb, **self.texts(model),
        )  # fmt: skip

    def mention_vectors(self, model: str, name: str) -> Artifact:
        """Vectors of a set's mentions."""
        made_of = {"model": self.model(model), "mentions": self.mentions(name)[".parquet"]}
        return self.artifact("encode_mentions", f"{name}/{model}", **made_of)

    def index(self, model: str, name: str) -> Artifact:
        """An approximate index of a model's vectors, checked against exact search."""
        search, threads = self.linking.search, self.settings.compute.threads
        check = {
            "k": self.settings.retrieve.k,
            "agreement": search.minimum,
            "rescore": search.rescore,
            "most_views": search.most_views,
            "seed": self.settings.seed,
        }
        free = {
            "build": {"threads": threads},
            "check": {"memory_mb": search.memory_mb, "threads": threads},
        }
        settings = {"build": index_settings(self.settings, name), "check": check}
        mentions = self.mention_vectors(model, self.linking.validation)
        made_of = {"vectors": self.vectors(model), "mentions": mentions}
        return self.artifact(
            "ann_index", f"{model}/{name}", settings, free, {"label": name}, **made_of
        )

    # Runs and scores.

    def source(self, need: str, system: str, name: str) -> Input:
        row = self.settings.systems[system]
        if need == "index":
            return self.index(row.model, row.index)
        return {
            "kb": self.kb,
            "vectors": self.vectors(row.model),
            "mentions": self.mentions(name)[".parquet"],
            "mention_vectors": self.mention_vectors(row.model, name),
        }[need]

    def gold(self, name: str) -> dict[str, Input]:
        """A set's mentions with their gold, and how it was found."""
        mentions = self.mentions(name)
        return {"mentions": mentions[".parquet"], "report": mentions[".json"], "kb": self.kb}
