"""The jobs of a run, each with its estimate; what of them is done, and how long that took.

Listed are the jobs that run a model, search, or read a dump. Everything is projected from counts
and lengths; only what a finished job took (Snakemake's benchmark files) is measured.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

from muver.corpus.settings import LINE_BYTES
from muver.encoders.sizes import BertConfig
from muver.estimate.rates import Rates
from muver.estimate.sizes import (
    AT_MOST,
    Base,
    Lengths,
    base_lengths,
    base_sizes,
    encoder_sizes,
    world_counts,
    world_lengths,
)
from muver.estimate.stages import STATES, Estimate, Sizes, estimate
from muver.grid.points import points
from muver.settings.linked import is_linked
from muver.settings.rows import miner, model_settings, trained_as
from muver.workspace import LinkedWorkspace, Workspace
from muver.workspace.needs import needs_of

Settings = dict[str, Any]
COUNTED = {  # by the origin of a base's sizes
    "measured": "of the knowledge base",
    "projected": "projected from the parts made",
    "at most": "as published or asked for",
}


@dataclass(frozen=True)
class Job:
    """Jobs of one stage that are alike: mostly one; of a knowledge base's parts as many.

    Attributes
    ----------
    name
        Of the model, split or system.
    estimate
        Of one of them.
    count, done
        How many there are, and of how many the files are there (Snakemake knows whether they are
        up to date).
    took
        Seconds of those done, as far as their benchmarks say so.
    origin
        Of the bytes: "given", "measured", "projected" or "at most".
    """

    stage: str
    name: str
    estimate: Estimate
    count: int = 1
    done: int = 0
    took: tuple[float, ...] = ()
    origin: str = "projected"

    @property
    def disk(self) -> float:
        """Bytes that all of them leave."""
        return self.estimate.disk * self.count

    def seconds_left(self, rates: Rates) -> float | None:
        """Of those that are not done, one after another; None if a rate is not known."""
        one = self.estimate.seconds(rates)
        return None if one is None else one * (self.count - self.done)


@dataclass(frozen=True)
class Given:
    """What is asked for in place of what lies in the workspace; None: that.

    Attributes
    ----------
    indices
        Types of indices that are built and searched for every model, beside those of the rows.
    lists, training_views
        Of these, as `muver ann-build` takes them.
    """

    model: Path | None = None
    kb: Path | None = None
    dump: Path | None = None
    entities: int | None = None
    dump_bytes: int | None = None
    indices: Sequence[str] = ()
    lists: int | None = None
    training_views: int | None = None


@dataclass(frozen=True)
class Run:
    """All jobs, in the workflow's order, and what they were estimated from.

    Attributes
    ----------
    counts
        Where the counts are known from; None if nobody knows them, and then there are no jobs.
    lengths
        Where the lengths are known from.
    base
        Of a knowledge base.
    """

    jobs: list[Job]
    encoder: BertConfig
    encoder_from: str
    counts: str | None
    lengths: str
    base: Base | None = None


def list_jobs(settings: Settings, folder: Path, gpu: bool, given: Given | None = None) -> Run:
    """The jobs of a project's folder.

    Parameters
    ----------
    settings
        As :func:`muver.settings.resolve` gives them.
    gpu
        Whether jobs that run a model have one.
    """
    given = given or Given()
    encoder, known = encoder_sizes(settings, folder)
    if given.model is not None:
        own = given.model / "entity_encoder"
        path = own if own.is_dir() else given.model
        encoder, known = BertConfig.from_file(path / "config.json"), str(given.model)
    kind = _Linked if is_linked(settings) else _Worlds
    lister = kind(settings, folder, encoder, gpu, given)
    jobs = list(lister.jobs())
    return Run(jobs, encoder, known, lister.counted, lister.lengths_from, lister.base)


def is_trained(settings: Settings, model: str) -> bool:
    """Whether a model is trained here, and neither chosen nor converted."""
    return not {"best_of", "checkpoint"} & set(settings["models"][model])


class _Lister:
    """What the jobs of both kinds of data have in common."""

    base: Base | None = None
    counted: str | None = None

    def __init__(
        self, settings: Settings, folder: Path, encoder: BertConfig, gpu: bool, given: Given
    ):
        self.settings, self.folder, self.given = settings, folder, given
        self.train, self.validation = (settings["linking"][key] for key in ("train", "validation"))
        self.sizes = Sizes(encoder=encoder, gpu=gpu)
        self.compute = settings["compute"]
        self._lengths: dict[str, Lengths] = {}

    @property
    def lengths_from(self) -> str:
        """Where the lengths are known from, those of a model with several views an entity first."""
        most = max(self._lengths.values(), key=lambda own: own.views, default=None)
        return most.origin if most else AT_MOST

    def of(self, model: str, **own: Any) -> Sizes:
        """Sizes of a job on a model."""
        if model not in self._lengths:
            context = model_settings(self.settings, _first(self.settings, model))["context"]
            layouts = {**trained_as(self.settings, model), "context": context}
            self._lengths[model] = self.lengths(layouts)
        return replace(self.sizes, lengths=self._lengths[model], name=model, **own)

    def lengths(self, layouts: Mapping[str, Any]) -> Lengths:
        raise NotImplementedError

    def job(
        self,
        stage: str,
        name: str,
        estimated: Estimate,
        files: Sequence[Sequence[str]],
        logs: Sequence[str] = (),
        **other: Any,
    ) -> Job:
        """Jobs of so many lists of files, and the benchmarks that they leave."""
        done = sum(all((self.folder / file).is_file() for file in own) for own in files)
        folder = self.folder / "logs" / self.settings["workspace"]
        took = tuple(filter(None, (_benchmark(folder / log) for log in logs)))
        own = {"count": len(files), "done": done, "took": took, **other}
        return Job(stage, name, estimated, **own)

    def training(
        self,
        name: str,
        model: str,
        files: Sequence[str],
        mentions: int,
        validation: tuple[float, float],
        changes: Mapping[str, Any] | None = None,
    ) -> Job:
        """A training; a grid's point has ``changes`` and leaves no model."""
        own = model_settings(self.settings, model)
        own["training"] = {**own["training"], **(changes or {})}
        own["processes"] = self.compute["processes"]
        sizes = self.of(model, mentions=mentions, validation=validation)
        stage = "train" if changes is None else "grid"
        logs = [f"{stage}/{name}.benchmark.tsv"] if changes is None else []
        job = self.job(stage, name, estimate("train", sizes, own), [files], logs)
        disk = job.estimate.disk / (1 + STATES) if job.done else job.estimate.disk
        return replace(job, estimate=replace(job.estimate, disk=disk if changes is None else 0))


class _Worlds(_Lister):
    """Jobs over worlds."""

    def jobs(self) -> Iterator[Job]:
        settings = self.settings
        counts = world_counts(settings, self.folder)
        if counts is None:
            return
        self.counted, self.counts = counts.origin, counts
        files, needs = Workspace(settings), needs_of(settings, settings["results"])
        mentions = counts.mentions["train"]
        validation = (counts.entities["val"], counts.mentions["val"])
        for model in needs.models:
            if is_trained(settings, model):
                yield self.training(model, model, files.model_files(model), mentions, validation)
        if "grid" in settings["results"]:
            model = settings["grid"]["model"]
            for name, own in points(settings["grid"]).items():
                log = [files.grid_log(name)]
                yield self.training(name, model, log, mentions, validation, own)
        for model, split in needs.stores:
            made = estimate("encode", self.of_split(model, split), self.compute)
            log = f"encode/{split}/{model}.benchmark.tsv"
            stored = files.store_files(model, split)
            yield self.job("encode", f"{split}/{model}", made, [stored], [log])
        for model, split in needs.globals:
            own = {**self.compute, **settings["global_view"]}
            made = estimate("encode_global", self.of_split(model, split), own)
            stored = files.global_files(model, split)
            yield self.job("encode", f"{split}/{model} global", made, [stored])
        for model, split, search in needs.merged:
            own = {**self.compute, **settings["merge"]}
            made = estimate("merge", self.of_split(model, split), own)
            log = f"merge/{split}/{model}_{search}.benchmark.tsv"
            stored = files.merged_files(model, split, search)
            yield self.job("merge", f"{split}/{model}/{search}", made, [stored], [log])
        for system, split in needs.runs:
            if "model" in settings["systems"][system]:
                yield self.retrieve(system, split, files.run_files(system, split))

    def lengths(self, layouts: Mapping[str, Any]) -> Lengths:
        return world_lengths(self.settings, layouts, self.folder)

    def of_split(self, model: str, split: str) -> Sizes:
        counts = self.counts
        return self.of(
            model,
            entities=counts.entities[split],
            mentions=counts.mentions[split],
            pairs=counts.pairs[split],
        )

    def retrieve(self, system: str, split: str, files: Sequence[str]) -> Job:
        """Mentions against all views of their world."""
        own = self.settings["systems"][system]
        sizes = self.of_split(own["model"], split)
        settings = {**self.compute, "memory_mb": self.settings["retrieve"]["memory_mb"]}
        stage = "retrieve"
        if trained_as(self.settings, own["model"])["score"] == "sum_max":
            stage = "retrieve_tokens"
        elif layers := own.get("merge_layers", 0):
            views = sizes.lengths.views * (1 + layers * self.settings["merge"]["top_k"])
            sizes = replace(sizes, lengths=replace(sizes.lengths, views=views))
        return self.job("retrieve", f"{split}/{system}", estimate(stage, sizes, settings), [files])


class _Linked(_Lister):
    """Jobs over one knowledge base and the sets linked to it."""

    base: Base

    def jobs(self) -> Iterator[Job]:
        settings, given, linking = self.settings, self.given, self.settings["linking"]
        self.base = base = base_sizes(
            settings, self.folder, given.kb, given.dump, given.entities, given.dump_bytes
        )
        self.counted = COUNTED[base.origin]
        self.files = files = LinkedWorkspace(settings)
        made = self.made_parts()
        count = len(made) or ceil(base.dump_bytes / linking["kb"]["part_bytes"])
        dump = Estimate(disk=base.dump_bytes)
        yield self.job("dump", "", dump, [[files.dump]], origin="given")
        own = {"line_bytes": LINE_BYTES}
        read = estimate("kb_part", replace(self.sizes, bytes=base.dump_bytes / count), own)
        lookups = estimate("kb_lookups", replace(self.sizes, entities=base.entities), {})
        read = replace(read, disk=(base.bytes - lookups.disk) / count)
        done = len(made) if (self.folder / files.kb / "manifest.json").is_file() else 0
        yield self.job("kb", "parts", read, [], count=count, done=done, origin=base.origin)
        yield self.job("kb", "lookups", lookups, [files.kb_files], ["kb.benchmark.tsv"])
        rows = settings["tables"]["table2"]["rows"]
        models = self.models(rows)
        for model in models:
            yield from self.model(model, count)
        for system in rows:
            own = settings["systems"][system]
            if own.get("index"):
                yield self.index(own["model"], own["index"])
            for name in linking["test"]:
                yield self.search(system, name, files.run_files(system, name))
        for model in models:
            for kind in given.indices:
                yield from self.compared(model, kind)

    def lengths(self, layouts: Mapping[str, Any]) -> Lengths:
        given = self.given
        return base_lengths(self.settings, layouts, self.folder, self.base, given.kb, given.model)

    def made_parts(self) -> list[str]:
        """Names of a finished knowledge base's parts."""
        if not (self.folder / self.files.kb / "manifest.json").is_file():
            return []
        return sorted(path.stem for path in (self.folder / self.files.kb).glob("part-*.parquet"))

    def models(self, rows: Sequence[str]) -> list[str]:
        """Models of the rows, those before that they start from or that find their negatives."""
        found: list[str] = []

        def add(model: str) -> None:
            own = self.settings["models"][model]
            for other in (own.get("start"), "negatives" in own and miner(self.settings, model)):
                if other:
                    add(other)
            if model not in found:
                found.append(model)

        for system in rows:
            add(self.settings["systems"][system]["model"])
        return found

    def model(self, model: str, count: int) -> Iterator[Job]:
        """Hard negatives, training, and the vectors of all parts and sets."""
        settings, files, base = self.settings, self.files, self.base
        own = settings["models"][model]
        if "negatives" in own:
            by, run = (
                own["negatives"]["system"],
                files.run_files(own["negatives"]["system"], self.train),
            )
            yield self.search(by, self.train, run)
        if is_trained(settings, model):
            mined = own.get("negatives", {}).get("per_mention", 0)
            golds = base.mentions[self.train] * (1 + mined) + base.mentions[self.validation]
            ranked = min(golds + settings["linking"]["further"], base.entities)
            validation = (ranked, base.mentions[self.validation])
            trained = files.model_files(model)
            yield self.training(model, model, trained, base.mentions[self.train], validation)
        dtype = {**self.compute, "dtype": settings["linking"]["dtype"]}
        part = estimate("encode_part", self.of(model, entities=base.entities / count), dtype)
        parts = self.made_parts()
        yield self.job(
            "encode",
            f"{model} parts",
            part,
            [files.vector_files(model, name) for name in parts],
            [f"encode/{model}/{name}.benchmark.tsv" for name in parts],
            count=count,
            origin=self.origin(model),
        )
        for name in self.sets(model):
            sizes = self.of(model, mentions=base.mentions[name])
            mentions = estimate("encode_mentions", sizes, self.compute)
            log = f"encode/{model}/{name}.benchmark.tsv"
            vectors = files.mention_vectors(model, name)
            yield self.job("encode", f"{model} {name}", mentions, [vectors], [log])

    def origin(self, model: str) -> str:
        """That of a model's number of views: where there is no base, paragraphs are the most."""
        paragraphs = trained_as(self.settings, model)["views"]["kind"] == "sentences"
        return "at most" if paragraphs and self.base.origin == "at most" else "projected"

    def sets(self, model: str) -> list[str]:
        """Sets whose mentions a model encodes: the tests', and those that its rows need beside."""
        systems, models = self.settings["systems"], self.settings["models"].values()
        own = {name for name, system in systems.items() if system.get("model") == model}
        mined = any(other.get("negatives", {}).get("system") in own for other in models)
        indexed = self.given.indices or any(systems[name].get("index") for name in own)
        further = [self.train] * mined + [self.validation] * bool(indexed)
        return [*further, *self.settings["linking"]["test"]]

    def search(self, system: str, name: str, files: Sequence[str]) -> Job:
        """A system's run over a set."""
        own = self.settings["systems"][system]
        sizes = self.of_all(own["model"], self.base.mentions[name])
        found = estimate("search", sizes, self.index_settings(own.get("index")))
        log = f"search/{name}/{system}.benchmark.tsv"
        return self.job("search", f"{system} {name}", found, [files], [log])

    def index(self, model: str, index: str) -> Job:
        """The index of a row."""
        sizes = replace(self.of_all(model), name=index)
        found = estimate("index", sizes, self.index_settings(index))
        files = self.files.index_files(model, index)
        log = f"index/{model}/{index}.benchmark.tsv"
        return self.job("index", f"{model} {index}", found, [files], [log])

    def compared(self, model: str, kind: str) -> Iterator[Job]:
        """A type of index that is asked for to be compared, and a search of the test sets by it."""
        given = self.given
        chosen = {"factory": kind, "lists": given.lists, "training_views": given.training_views}
        settings = {**self.index_settings(None), **chosen}
        mentions = sum(self.base.mentions[name] for name in self.settings["linking"]["test"])
        sizes = replace(self.of_all(model, mentions), name=kind)
        for stage in ("index", "search"):
            found, origin = estimate(stage, sizes, settings), self.origin(model)
            yield self.job(stage, f"{model} {kind}", found, [], count=1, origin=origin)

    def of_all(self, model: str, mentions: float = 0) -> Sizes:
        """Sizes of a job on all vectors of a model."""
        entities = self.base.entities
        return self.of(model, entities=entities, mentions=mentions, pairs=entities * mentions)

    def index_settings(self, index: str | None) -> Settings:
        """What an index is built and searched with; None: exact search."""
        linking = self.settings["linking"]
        memory = linking["search"]["memory_mb"]
        chosen = linking["indexes"][index] if index else {}
        return {**chosen, "search_memory_mb": memory, "threads": self.compute["threads"]}


def _first(settings: Settings, model: str) -> str:
    """The model itself, or the first of those that it is chosen among."""
    among = settings["models"][model].get("best_of")
    return _first(settings, among[0]) if among else model


def _benchmark(path: Path) -> float | None:
    """Seconds of a finished job by its benchmark file; None without a valid one."""
    if not path.is_file():
        return None
    with open(path, encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file, delimiter="\t"), {})
    try:
        return float(row["s"])
    except (KeyError, ValueError):
        return None
