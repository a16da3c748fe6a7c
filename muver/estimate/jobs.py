"""The jobs of a run, each with its estimate; what of them is done, and how long that took.

Listed are the jobs that run a model, search, or read a dump. Everything is projected from counts
and lengths; only what a finished job took (Snakemake's benchmark files) is measured.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from math import ceil
from pathlib import Path
from typing import Any

from muver.corpus.settings import LINE_BYTES
from muver.encoders.sizes import BertConfig
from muver.estimate.lengths import AT_MOST, Lengths, base_lengths, world_lengths
from muver.estimate.rates import Rates
from muver.estimate.settings import Plan
from muver.estimate.sizes import LOOKUP, Base, base_sizes, encoder_sizes, world_counts
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
    """Jobs of one stage that are alike: mostly one; of a knowledge base's parts as many."""

    stage: str  # a key of muver.estimate.stages.STAGES, mostly the name of the workflow's rule
    name: str  # of the model, split or system
    estimate: Estimate  # of one of them
    count: int = 1
    done: int = 0  # of how many the files are there; Snakemake knows whether they are up to date
    took: tuple[float, ...] = ()  # seconds of those done, as far as their benchmarks say so
    origin: str = "projected"  # of the bytes; or "given", "measured", "at most"

    @property
    def disk(self) -> float:
        """Bytes that all of them leave."""
        return self.estimate.disk * self.count

    def seconds_left(self, rates: Rates) -> float | None:
        """Of those that are not done, one after another; None if a rate is not known."""
        one = self.estimate.seconds(rates)
        return None if one is None else one * (self.count - self.done)

    def as_dict(self, rates: Rates) -> dict[str, Any]:
        """As JSON has it: disk and seconds of all of them, memory of one."""
        seconds, rate = self.estimate.seconds(rates), None
        if seconds is not None:
            last = self.estimate.work[-1]
            rate = asdict(rates.of(last.kind, last.name, last.length))
        return {
            "stage": self.stage,
            "job": self.name,
            "jobs": self.count,
            "done": self.done,
            "disk": int(self.disk),
            "size_origin": self.origin,
            "memory": int(self.estimate.memory),
            "gpu_memory": int(self.estimate.gpu_memory),
            "seconds": None if seconds is None else seconds * self.count,
            "seconds_left": self.seconds_left(rates),
            "took_seconds": list(self.took),
            "rate": rate,
            "index": self.estimate.note,
        }


@dataclass(frozen=True)
class Run:
    """All jobs, in the workflow's order, and where what they depend on is known from."""

    jobs: list[Job]
    encoder: BertConfig
    encoder_from: str
    counts: str | None  # None if nobody knows them, and then there are no jobs
    lengths: str
    base: Base | None = None  # of a knowledge base

    def measured_lengths(self) -> list[int]:
        """The shortest and the longest sequences that the jobs work on, to measure rates with."""
        works = (work for job in self.jobs for work in job.estimate.work)
        lengths = sorted({max(round(work.length), 2) for work in works if work.length})
        return sorted({*lengths[:1], *lengths[-1:]})


def list_jobs(
    settings: Settings,
    folder: Path,
    gpu: bool,
    asked: Plan | None = None,
    model: Path | None = None,
    kb: Path | None = None,
    dump: Path | None = None,
) -> Run:
    """The jobs of a project's folder.

    Parameters
    ----------
    settings
        As :func:`muver.settings.resolve` gives them.
    gpu
        Whether jobs that run a model have one.
    asked
        Sizes of data that are not there, and types of indices beside those of the rows.
    model, kb, dump
        A model or BERT, a knowledge base and the dump, where they are not in the workspace.
    """
    asked = asked or Plan(indices=[])
    encoder, known = encoder_sizes(settings, folder, model)
    base = None
    if is_linked(settings):
        base = base_sizes(settings, folder, kb, dump, asked.entities, asked.dump_bytes)
    lister = _Lister(settings, folder, Sizes(encoder=encoder, gpu=gpu), base, asked, model, kb)
    jobs = list(lister.linked() if base else lister.worlds())
    return Run(jobs, encoder, known, lister.counted, lister.lengths_from, base)


def _is_trained(settings: Settings, model: str) -> bool:
    """Whether a model is trained here, and neither chosen nor converted."""
    return not {"best_of", "checkpoint"} & set(settings["models"][model])


@dataclass
class _Lister:
    """Lists the jobs over worlds, or over one knowledge base."""

    settings: Settings
    folder: Path
    sizes: Sizes  # what all jobs share
    base: Base | None
    asked: Plan
    start: Path | None
    kb: Path | None
    counted: str | None = None
    by_model: dict[str, Lengths] = field(default_factory=dict)

    @property
    def lengths_from(self) -> str:
        """Where the lengths are known from, those of a model with several views an entity first."""
        most = max(self.by_model.values(), key=lambda own: own.views, default=None)
        return most.origin if most else AT_MOST

    def of(self, model: str, **own: Any) -> Sizes:
        """Sizes of a job on a model."""
        if model not in self.by_model:
            layouts = trained_as(self.settings, model)
            layouts["context"] = {**self.settings["context"], **layouts.get("context", {})}
            where = (self.settings, self.folder)
            self.by_model[model] = (
                base_lengths(*where, layouts, self.base, self.kb, self.start)
                if self.base
                else world_lengths(*where, layouts)
            )
        return replace(self.sizes, lengths=self.by_model[model], name=model, **own)

    def job(
        self,
        stage: str,
        name: str,
        sizes: Sizes,
        settings: Settings,
        *files: Sequence[str],
        logs: Sequence[str] = (),
        **other: Any,
    ) -> Job:
        """Jobs that leave these files, a list a job, and these benchmarks (else its name's)."""
        made = estimate(stage, sizes, {**self.settings["compute"], **settings})
        done = sum(all((self.folder / file).is_file() for file in own) for own in files)
        folder = self.folder / "logs" / self.settings["workspace"]
        logs = logs or [f"{stage}/{name}"]
        seconds = (_benchmark(folder / f"{log}.benchmark.tsv") for log in logs)
        own = {"count": len(files), "done": done, "took": tuple(filter(None, seconds)), **other}
        return Job(stage, name, made, **own)

    def train(
        self, model: str, files: Sequence[str], mentions: int, validation: tuple[float, float]
    ) -> Job:
        """A model's training; once it is done, its checkpoint is gone."""
        sizes = self.of(model, mentions=mentions, validation=validation)
        job = self.job("train", model, sizes, model_settings(self.settings, model), files)
        disk = job.estimate.disk / (1 + STATES) if job.done else job.estimate.disk
        return replace(job, estimate=replace(job.estimate, disk=disk))

    def worlds(self) -> Iterator[Job]:
        """Jobs over worlds; none if nobody knows the counts."""
        settings, counts = self.settings, world_counts(self.settings, self.folder)
        if counts is None:
            return
        self.counted = counts.origin
        files, needs = Workspace(settings), needs_of(settings, settings["results"])
        mentions = counts.mentions["train"]
        validation = (counts.entities["val"], counts.mentions["val"])

        def on(model: str, split: str) -> Sizes:
            keys = ("entities", "mentions", "pairs")
            return self.of(model, **{key: getattr(counts, key)[split] for key in keys})

        for model in needs.models:
            if _is_trained(settings, model):
                yield self.train(model, files.model_files(model), mentions, validation)
        if "grid" in settings["results"]:
            model = settings["grid"]["model"]
            sizes = self.of(model, mentions=mentions, validation=validation)
            own = model_settings(settings, model)
            for name, changes in points(settings["grid"]).items():
                point = {**own, "training": {**own["training"], **changes}}
                yield self.job("grid", name, sizes, point, [files.grid_log(name)])
        for stage, keys, files_of, own in (
            ("encode", needs.stores, files.store_files, {}),
            ("encode_global", needs.globals, files.global_files, settings["global_view"]),
            ("merge", needs.merged, files.merged_files, settings["merge"]),
        ):
            for model, split, *search in keys:
                name, made = (
                    "_".join((f"{split}/{model}", *search)),
                    files_of(model, split, *search),
                )
                yield self.job(stage, name, on(model, split), own, made)
        for system, split in needs.runs:
            row = settings["systems"][system]
            if "model" in row:
                own = {
                    "memory_mb": settings["retrieve"]["memory_mb"],
                    "score": trained_as(settings, row["model"])["score"],
                    "merged": row.get("merge_layers", 0) * settings["merge"]["top_k"],
                }
                sizes, ranked = on(row["model"], split), files.run_files(system, split)
                yield self.job("retrieve", f"{split}/{system}", sizes, own, ranked)

    def linked(self) -> Iterator[Job]:
        """Jobs over one knowledge base and the sets linked to it."""
        settings, base, linking = self.settings, self.base, self.settings["linking"]
        self.counted = COUNTED[base.origin]
        files = LinkedWorkspace(settings)
        kb = self.folder / files.kb
        finished = (kb / "manifest.json").is_file()
        parts = sorted(path.stem for path in kb.glob("part-*.parquet")) if finished else []
        count = len(parts) or ceil(base.dump_bytes / linking["kb"]["part_bytes"])
        whole = replace(self.sizes, entities=base.entities)
        dump = replace(self.sizes, bytes=base.dump_bytes)
        part = replace(self.sizes, bytes=base.dump_bytes / count)
        own = {"line_bytes": LINE_BYTES, "disk": (base.bytes - LOOKUP * base.entities) / count}
        yield self.job("dump", "", dump, {}, [files.dump], origin="given")
        done = {"count": count, "done": len(parts), "origin": base.origin}
        yield self.job("kb_part", "", part, own, **done)
        yield self.job("kb", "", whole, {}, files.kb_files, logs=["kb"])
        systems, rows = settings["systems"], settings["tables"]["table2"]["rows"]
        models: list[str] = []
        for system in rows:
            self.add_model(models, systems[system]["model"])
        for model in models:
            yield from self.model(files, model, parts, count)
        indices = ((systems[system]["model"], systems[system].get("index")) for system in rows)
        for model, index in dict.fromkeys(pair for pair in indices if pair[1]):
            sizes, made = replace(self.ranking(model), name=index), files.index_files(model, index)
            yield self.job("index", f"{model}/{index}", sizes, self.searching(index), made)
        for system, name in product(rows, linking["test"]):
            yield self.search(files, system, name)
        mentions, asked = sum(base.mentions[name] for name in linking["test"]), self.asked
        chosen = {"lists": asked.lists, "training_views": asked.training_views}
        for model, kind, stage in product(models, asked.indices, ("index", "search")):
            sizes = replace(self.ranking(model, mentions), name=kind)
            own = {**self.searching(None), **chosen, "factory": kind}
            other = {"count": 1, "origin": self.origin(model)}
            yield self.job(stage, f"{model}/{kind}", sizes, own, **other)

    def add_model(self, models: list[str], model: str) -> None:
        """Add a model, after those that it starts from or that find its negatives."""
        own = self.settings["models"][model]
        if "start" in own:
            self.add_model(models, own["start"])
        if "negatives" in own:
            self.add_model(models, miner(self.settings, model))
        if model not in models:
            models.append(model)

    def model(
        self, files: LinkedWorkspace, model: str, parts: Sequence[str], count: int
    ) -> Iterator[Job]:
        """A model's hard negatives, its training, and the vectors of all parts and sets."""
        settings, linking, base = self.settings, self.settings["linking"], self.base
        own, train, validation = settings["models"][model], linking["train"], linking["validation"]
        if "negatives" in own:
            yield self.search(files, own["negatives"]["system"], train)
        if _is_trained(settings, model):
            mined = own.get("negatives", {}).get("per_mention", 0)
            golds = base.mentions[train] * (1 + mined) + base.mentions[validation]
            ranked = min(golds + linking["further"], base.entities), base.mentions[validation]
            yield self.train(model, files.model_files(model), base.mentions[train], ranked)
        yield self.job(
            "encode_part",
            model,
            self.of(model, entities=base.entities / count),
            {"dtype": linking["dtype"]},
            *(files.vector_files(model, part) for part in parts),
            logs=[f"encode/{model}/{part}" for part in parts],
            count=count,
            origin=self.origin(model),
        )
        systems = [name for name, row in settings["systems"].items() if row.get("model") == model]
        miners = [
            one["negatives"]["system"] for one in settings["models"].values() if "negatives" in one
        ]
        mines = bool({*systems} & {*miners})
        indexed = self.asked.indices or any(
            settings["systems"][one].get("index") for one in systems
        )
        for name in [train] * mines + [validation] * bool(indexed) + linking["test"]:
            sizes, vectors = (
                self.of(model, mentions=base.mentions[name]),
                files.mention_vectors(model, name),
            )
            logs = [f"encode/{model}/{name}"]
            yield self.job("encode_mentions", f"{model}/{name}", sizes, {}, vectors, logs=logs)

    def origin(self, model: str) -> str:
        """That of a model's number of views: where there is no base, paragraphs are the most."""
        paragraphs = trained_as(self.settings, model)["views"]["kind"] == "sentences"
        return "at most" if paragraphs and self.base.origin == "at most" else "projected"

    def search(self, files: LinkedWorkspace, system: str, name: str) -> Job:
        """A system's run over a set."""
        row = self.settings["systems"][system]
        index = row.get("index")
        sizes = replace(self.ranking(row["model"], self.base.mentions[name]), name=index or "")
        ranked = files.run_files(system, name)
        return self.job("search", f"{name}/{system}", sizes, self.searching(index), ranked)

    def ranking(self, model: str, mentions: float = 0) -> Sizes:
        """Sizes of a job on all vectors of a model."""
        entities = self.base.entities
        return self.of(model, entities=entities, mentions=mentions, pairs=entities * mentions)

    def searching(self, index: str | None) -> Settings:
        """What an index is built and searched with; None: exact search."""
        chosen = self.settings["linking"]["indexes"][index] if index else {}
        return {**chosen, "search_memory_mb": self.settings["linking"]["search"]["memory_mb"]}


def _benchmark(path: Path) -> float | None:
    """Seconds of a finished job by its benchmark file, whose first column they are."""
    try:
        return float(path.read_text(encoding="utf-8").splitlines()[1].split("\t")[0])
    except (OSError, IndexError, ValueError):
        return None
