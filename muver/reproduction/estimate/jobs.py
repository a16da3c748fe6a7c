"""The jobs of a run: the graph's artifacts, each with an estimate of what making it takes.

Listed are jobs that read a dump, run a model, or search its vectors. Everything is projected from
counts and lengths; only the time of finished jobs (Snakemake's benchmark files) is measured.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from muver.reproduction.estimate import stages
from muver.reproduction.estimate.lengths import AT_MOST, Lengths, lengths_of
from muver.reproduction.estimate.rates import Rates, measure
from muver.reproduction.estimate.settings import Plan
from muver.reproduction.estimate.sizes import (
    LOOKUP,
    Base,
    Counts,
    base_sizes,
    encoder_sizes,
    world_counts,
)
from muver.reproduction.estimate.stages import STAGES, Estimate, Sizes
from muver.reproduction.workspace import Artifact, Graph, KnowledgeBase
from muver.reproduction.workspace.knowledge_base import PART
from muver.retriever.encoders.sizes import BertConfig

Settings = dict[str, Any]
ORDER = list(dict.fromkeys(stage for stage, _ in STAGES.values()))


@dataclass(frozen=True)
class Job:
    """Jobs of one stage that are alike: mostly one, or one for each part of a knowledge base."""

    stage: str
    name: str  # of the model, or the set with the model or system
    estimate: Estimate  # of one of them
    count: int = 1
    done: int = 0  # how many have all their files
    took: Sequence[float] = ()  # seconds of those that have a benchmark file
    origin: str = "projected"  # where the bytes are known from; or "given", "measured", "at most"
    of: Artifact | None = None  # that they make, where it has one rule

    @property
    def disk(self) -> float:
        """Bytes that all of them leave."""
        return self.estimate.disk * self.count

    @property
    def left(self) -> int:
        """How many are not made yet."""
        return self.count - self.done

    def seconds_left(self, rates: Rates) -> float | None:
        """Seconds that the unfinished ones take one after another; None without a rate."""
        one = self.estimate.seconds(rates)
        return None if one is None else one * self.left

    def as_dict(self, rates: Rates) -> dict[str, Any]:
        """For JSON: disk and seconds of all of them, memory of one."""
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


def disk_needed(jobs: Sequence[Job], at_once: int) -> float:
    """Bytes that all jobs leave, and the most that jobs at work need besides."""
    passing = sorted(job.estimate.passing for job in jobs for _ in range(job.left))
    return sum(job.disk for job in jobs) + sum(passing[-at_once:])


@dataclass(frozen=True)
class Run:
    """All jobs in the order of their stages, and where the numbers behind them come from."""

    jobs: list[Job]
    encoder: BertConfig
    encoder_from: str
    counts: str | None  # None if the data are not counted, and then there are no jobs
    lengths: str = AT_MOST
    base: Base | None = None  # of a knowledge base

    def measure(self, compute: Settings, seconds: float, dump: Path | None) -> Rates:
        """This machine's rates, at the shortest and the longest sequences of the jobs."""
        return measure(self.encoder, compute, self.measured_lengths(), seconds, dump)

    def measured_lengths(self) -> list[int]:
        """The shortest and the longest sequences of the jobs."""
        works = (work for job in self.jobs for work in job.estimate.work)
        lengths = sorted({max(round(work.length), 2) for work in works if work.length})
        return sorted({*lengths[:1], *lengths[-1:]})


def list_jobs(
    graph: Graph,
    gpu: bool,
    plan: Plan | None = None,
    model: Path | None = None,
    kb: Path | None = None,
    dump: Path | None = None,
) -> Run:
    """The jobs that the settings' tables and figures ask for, in the present folder.

    Parameters
    ----------
    gpu
        Whether jobs that run a model have one.
    plan
        Sizes of data that are not here yet, and types of indices to compare.
    model, kb, dump
        A model or BERT, a knowledge base and the dump, where they are not in the workspace.
    """
    plan = plan or Plan(indices=[])
    encoder, known = encoder_sizes(graph, model)
    base = None
    if isinstance(graph, KnowledgeBase):
        base = base_sizes(graph, kb, dump, plan.entities, plan.dump_bytes)
    counts = base.counts if base else world_counts(graph)
    if counts is None:
        return Run([], encoder, known, None)
    lister = _Lister(graph, Sizes(encoder=encoder, gpu=gpu), counts, base, model, kb)
    asked = graph.asked(graph.settings["results"])
    jobs = [job for one in asked for job in lister.jobs(one)]
    jobs.sort(key=lambda job: ORDER.index(job.stage))
    for one, kind in product(asked, plan.indices):
        if one.kind == "vectors":
            jobs += lister.compared(one, kind, plan)
    several = sorted(lister.lengths.values(), key=lambda own: own.views)
    lengths = several[-1].origin if several else AT_MOST
    return Run(jobs, encoder, known, counts.origin, lengths, base)


@dataclass
class _Lister:
    """Lists the jobs that make an artifact."""

    graph: Graph
    shared: Sizes
    counts: Counts
    base: Base | None
    start: Path | None  # a model or BERT whose tokenizer lays out the sample
    kb: Path | None
    lengths: dict[str, Lengths] = field(default_factory=dict)  # by model

    def jobs(self, one: Artifact) -> Iterator[Job]:
        """Those that make an artifact; none where no formula says what they take."""
        rule = self.graph.kind(one.label) if one.kind == "runs" else one.rule
        if self.base and one.kind in ("raw", "kb"):
            yield from self.reading(one, self.base)
        elif rule in STAGES:
            stage, formula = STAGES[rule]
            outputs = self.outputs(one)
            count, done = len(outputs) or self.base.parts, sum(map(_there, outputs.values()))
            sizes = self.sizes(one)
            made = formula(replace(sizes, entities=sizes.entities / count), self.settings(one))
            origin = self.origin(sizes) if one.kind in ("vectors", "index") else "projected"
            yield Job(stage, one.name, made, count, done, self.took(outputs), origin, one)

    def reading(self, one: Artifact, base: Base) -> Iterator[Job]:
        """The dump of a knowledge base, or its parts and what finishes it."""
        if one is self.graph.raw:
            made = stages.dump(replace(self.shared, bytes=base.dump_bytes), {})
            yield Job("dump", "", made, 1, _there(one.files[:1]), origin="given")
        elif one.kind == "kb":
            done = len(self.graph.parts)
            count = done or base.parts
            part = replace(self.shared, bytes=base.dump_bytes / count)
            made = stages.kb_part(part, {"disk": (base.bytes - LOOKUP * base.entities) / count})
            yield Job("kb_part", "", made, count, done, origin=base.origin)
            made = stages.kb(replace(self.shared, entities=base.entities), {})
            yield Job("kb", "", made, 1, _there(one.files), self.took([one.id]))

    def compared(self, vectors: Artifact, kind: str, plan: Plan) -> Iterator[Job]:
        """Building an index of a type over a model's vectors, and searching it for all sets."""
        mentions = sum(self.counts.mentions[name] for name in self.graph.sets)
        sizes = replace(self.sizes(vectors), name=kind, mentions=mentions)
        chosen = {"factory": kind, "lists": plan.lists, "training_views": plan.training_views}
        for stage, formula in (("index", stages.index), ("search", stages.search)):
            made = formula(sizes, {**self.machine, **chosen})
            yield Job(stage, f"{vectors.name}/{kind}", made, origin=self.origin(sizes))

    def sizes(self, one: Artifact) -> Sizes:
        """What an artifact's job works on."""
        settings, given = self.graph.settings, one.inputs
        if one.kind == "pretrained":  # no model's layouts
            return self.shared
        if one.kind == "runs":
            model = settings["systems"][one.label]["model"]
        elif one.kind == "grid":
            model = self.graph.trials[one.label].model
        else:
            model = (given.get("model") or given.get("vectors") or one).name
        if model not in self.lengths:
            self.lengths[model] = lengths_of(self.graph, model, self.base, self.kb, self.start)
        index, merged = _index(one), given.get("merged")
        sizes = replace(
            self.shared,
            lengths=self.lengths[model],
            name=index.label if index else model,
            entities=self.base.entities if self.base else self.counts.entities.get(one.set, 0),
            mentions=self.counts.mentions.get(one.set, 0),
            pairs=self.counts.pairs.get(one.set, 0),
            merged=one.settings["merge_layers"] * merged.settings["top_k"] if merged else 0,
        )
        return self.of_training(one, sizes) if one.kind in ("models", "grid") else sizes

    def of_training(self, one: Artifact, sizes: Sizes) -> Sizes:
        """Sizes with the mentions that a model trains on, and what it validates on."""
        counts, linking = self.counts, self.graph.settings["linking"]
        if self.base is None:
            validation = counts.entities["val"], counts.mentions["val"]
            return replace(
                sizes,
                mentions=counts.mentions["train"],
                validation=validation,
                validation_pairs=counts.pairs["val"],
            )
        mentions, validated = (counts.mentions[linking[key]] for key in ("train", "validation"))
        golds = mentions * (1 + one.settings.get("negatives", {}).get("per_mention", 0))
        ranked = min(golds + validated + linking["further"], self.base.entities)  # of the subset
        return replace(
            sizes,
            mentions=mentions,
            validation=(ranked, validated),
            validation_pairs=ranked * validated,
        )

    def settings(self, one: Artifact) -> Settings:
        """The settings of an artifact's stage, of its index and of the machine."""
        index = _index(one)
        build = index.settings["build"] if index else {}
        return {**self.machine, **build, **one.settings, **one.free}

    @property
    def machine(self) -> Settings:
        """Settings of the machine."""
        memory_mb = self.graph.settings["linking"]["search"]["memory_mb"]
        return {**self.graph.settings["compute"], "search_memory_mb": memory_mb}

    def origin(self, sizes: Sizes) -> str:
        """Where the bytes of vectors are known from; without a base they are an upper bound."""
        guessed = self.base.origin == "at most" and sizes.lengths.views > 1
        return "at most" if guessed else "projected"

    def outputs(self, one: Artifact) -> dict[str, list[str]]:
        """Files that each of an artifact's jobs leaves, by the name of the job's log."""
        if one.kind != "vectors":
            return {one.id: one.files}
        parts = self.graph.parts
        return {f"{one.id}/{part}": [f"{one.path}/{part}{end}" for end in PART] for part in parts}

    def took(self, names: Iterable[str]) -> list[float]:
        """Seconds in the benchmark files of jobs, whose names have keys and so need no rule."""
        logs = Path("logs", self.graph.settings["workspace"])
        files = [file for name in names for file in logs.glob(f"*/{name}.benchmark.tsv")]
        return [seconds for file in files if (seconds := _seconds(file)) is not None]


def _index(one: Artifact) -> Artifact | None:
    """The index that a job builds or searches."""
    return one if one.kind == "index" else one.inputs.get("index")


def _there(files: Sequence[str]) -> bool:
    return all(Path(file).exists() for file in files)


def _seconds(benchmark: Path) -> float | None:
    """The first column of a benchmark file; None where a stop cut it off."""
    try:
        return float(benchmark.read_text(encoding="utf-8").splitlines()[1].split("\t")[0])
    except (OSError, IndexError, ValueError):
        return None
