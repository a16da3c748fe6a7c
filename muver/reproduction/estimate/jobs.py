"""The jobs of a run: the graph's artifacts, each with what making it takes.

A finished job takes what Snakemake and the disk say. The others follow one small model: a start,
the entities, and the tokens that are encoded or trained on, corrected by the finished jobs of their
rule. Texts are as long as settings allow.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from muver.io.files import size_of
from muver.reproduction.estimate.benchmarks import measured
from muver.reproduction.estimate.machine import Rates, assumed, operations
from muver.reproduction.estimate.sizes import Sizes, data_sizes, encoder_sizes
from muver.reproduction.settings.entries import model_of
from muver.reproduction.settings.rows import kind_of, towers_of
from muver.reproduction.workspace import Artifact, Graph, KnowledgeBase
from muver.reproduction.workspace.knowledge_base import PART
from muver.retriever.encoders.sizes import BertConfig
from muver.retriever.training.pretraining.cloze import mean_longest_view

START = 2.0  # seconds of a job without any work: Python, its libraries, reading files
ENTITY = 1e-4  # seconds an entity that is read: of BM25's index 11,280 are made a second
FLOAT = 4  # bytes
NUMBER_BYTES = {"fp16": 2, "fp32": FLOAT}
MERGED = 1.5  # tokens of a view merged first, to those of an original one
STATES = 4  # of a checkpoint: the weights, two moments of Adam, the best weights
BATCH_TOKENS = 2048  # encoded at once on a processor, as encoders.device has it, which loads torch
LINKS = 300  # bytes a view of an index beside its vector: no type has more
CANDIDATE = 64  # bytes of a ranked candidate, in a run or an evaluation
VECTORS = ("views", "tokens", "shards")  # kinds of retrieval that compare vectors
TEXTS = ("download", "corpus", "segment", "kilt", "kb")  # rules that write all texts

Key = tuple[str, str]  # a rule, and the id of the artifact that it makes


@dataclass(frozen=True)
class Job:
    """The job that makes an artifact; of a knowledge base's vectors, one for each part."""

    of: Artifact
    disk: float = 0  # bytes that it leaves
    entities: float = 0  # that it reads
    encoded: float = 0  # tokens; products of vectors count as the part of one that takes as long
    trained: float = 0  # tokens
    batch: float = 0  # tokens that a step of training keeps
    memory: float = 0  # bytes at most, without Python itself and without a GPU's
    count: int = 1  # jobs that are alike
    done: int = 0
    took: Sequence[float] = ()  # seconds of finished ones

    @property
    def key(self) -> Key:
        """What the job is found by."""
        return self.of.rule, self.of.id

    @property
    def left(self) -> int:
        """How many are not made yet."""
        return self.count - self.done

    @property
    def passing(self) -> float:
        """Further bytes on disk while it runs: a training's checkpoint."""
        return STATES * self.disk if self.batch else 0

    def seconds(self, rates: Rates) -> float:
        """Projected time of one of them."""
        tokens = self.encoded / rates.encoding + self.trained / rates.training
        return START + ENTITY * self.entities + tokens


def expected(jobs: Sequence[Job], rates: Rates) -> dict[Key, float]:
    """Seconds that one job of each artifact takes.

    They are measured if it was finished before. Else they are projected, times the ratio of
    measured to projected seconds of the finished jobs of its rule.
    """
    took: Counter[str] = Counter()
    projected: Counter[str] = Counter()
    for job in jobs:
        took[job.of.rule] += sum(job.took)
        projected[job.of.rule] += len(job.took) * job.seconds(rates)

    def seconds(job: Job) -> float:
        if job.took:
            return sum(job.took) / len(job.took)
        rule = job.of.rule
        ratio = took[rule] / projected[rule] if projected[rule] else 1.0
        return job.seconds(rates) * ratio

    return {job.key: seconds(job) for job in jobs}


class Run(NamedTuple):
    """The jobs that tables and figures ask for, every one after those it needs."""

    jobs: Sequence[Job]  # none if nobody has counted the data
    encoder: BertConfig
    counts: str | None = None  # where the counts are known from


def list_jobs(graph: Graph, gpu: bool, asked: Sequence[Artifact] = ()) -> Run:
    """The jobs of some artifacts, by default of the settings' results.

    ``gpu`` says whether those that run a model have one.
    """
    encoder, data = encoder_sizes(graph), data_sizes(graph)
    if data is None:
        return Run([], encoder)
    lister = _Lister(graph, encoder, data, gpu)
    asked = asked or graph.asked(graph.settings.results)
    return Run([lister.job(one) for one in asked], encoder, data.origin)


def seconds_of(graph: Graph) -> dict[Key, float]:
    """Seconds of each job that any result may need, as measured or at assumed rates."""
    gpu = bool(graph.gpus)
    run = list_jobs(graph, gpu, graph.declared)
    return expected(run.jobs, assumed(run.encoder, graph.settings.compute, gpu))


class _Lister:
    def __init__(self, graph: Graph, encoder: BertConfig, data: Sizes, gpu: bool):
        self.graph, self.encoder, self.data, self.gpu = graph, encoder, data, gpu
        rows = encoder.vocab_size + encoder.max_position_embeddings
        self.tower = FLOAT * (rows * encoder.hidden_size + operations(encoder) / 2)  # bytes
        self.product = 2 * encoder.hidden_size / operations(encoder)  # of two vectors, in tokens
        logs, end = Path("logs", graph.settings.workspace), ".benchmark.tsv"
        found = {"/".join(path.relative_to(logs).parts[1:]): path for path in logs.rglob(f"*{end}")}
        # By id, which has a key and so needs no rule.
        self.benchmarks = {name.removesuffix(end): measured(path) for name, path in found.items()}

    def job(self, one: Artifact) -> Job:
        """The job of an artifact, with what is measured of it."""
        own, files, count = self.sized(one), {one.id: one.files}, 1
        if one.kind == "vectors":
            parts, count = self.graph.parts, self.data.parts
            files = {f"{one.id}/{n}": [f"{one.path}/{n}{end}" for end in PART] for n in parts}
        made = [some for some in files.values() if all(Path(file).exists() for file in some)]
        known = [self.benchmarks[name] for name in files if name in self.benchmarks]
        held = [found["max_rss_mb"] * 2**20 for found in known if "max_rss_mb" in found]
        disk = sum(size_of(Path(file)) for some in made for file in some) / count
        return replace(
            own,
            disk=disk if len(made) == count else own.disk,
            memory=max(held) if held else self.memory(own),
            count=count,
            done=len(made),
            took=[found["seconds"] for found in known if "seconds" in found],
        )

    def sized(self, one: Artifact) -> Job:
        """What one of an artifact's jobs works on and leaves."""
        data, own = self.data, one.settings
        entities = data.entities.get(one.set, data.whole)
        ranked = data.mentions.get(one.set, 0) * self.graph.settings.retrieve.k * CANDIDATE
        match one.rule:
            case "pretrain":
                view = mean_longest_view(self.encoder.max_position_embeddings)
                batch = own["batch_size"] * (own["context_tokens"] + view)
                return Job(one, self.tower, trained=own["steps"] * batch, batch=batch)
            case "train" | "train_best" | "grid_point":
                return self.training(one)
            case "train_cross":
                return self.reranking(one)
            case "convert" | "choose" | "average":
                return Job(one, 2 * self.tower)
            case ("encode" | "encode_global" | "encode_part" | "encode_mentions"
                  | "merge"):  # fmt: skip
                return self.encoding(one, entities)
            case "ann_index":
                views = data.whole * self.layout(one)[0]
                return Job(one, views * (FLOAT * self.encoder.hidden_size + LINKS), views)
            case "retrieve" if "depth" in own:
                pairs = data.mentions[one.set] * own["depth"]
                return Job(one, ranked, encoded=pairs * sum(self.layout(one)[1:]))
            case "retrieve" if (
                kind_of(self.graph.settings, one.label) in VECTORS and "index" not in one.inputs
            ):
                return Job(one, ranked, encoded=self.compared(one, entities))
            case "retrieve" | "evaluate":
                return Job(one, ranked, entities)
        return Job(one, data.text, entities) if one.rule in TEXTS else Job(one)

    def kind(self, one: Artifact) -> str:
        """The kind of retriever of a run."""
        return kind_of(self.graph.settings, one.label)

    def layout(self, one: Artifact) -> tuple[float, float, float]:
        """Views of an entity, tokens of a view and of a context, for an artifact's model."""
        settings = self.graph.settings
        if one.kind == "runs":
            model = model_of(settings.systems[one.label])
        elif one.kind == "grid":
            model = self.graph.trials[one.label].model
        else:
            model = (one.inputs.get("model") or one.inputs.get("vectors") or one).name
        own = towers_of(settings, model)
        views = self.data.views if own.views.kind == "sentences" else 1.0
        return views, own.views.max_tokens, own.context.max_tokens

    def training(self, one: Artifact) -> Job:
        """``mentions * epochs * (context + (1 + negatives) * (views * tokens + global))`` tokens.

        Every ``validate_every`` steps the validation mentions and the entities that they may mean
        are encoded and compared.
        """
        if among := one.settings.get("best_of"):
            alone = self.training(replace(one, settings=next(iter(among.values()))))
            times = 1 + one.settings["after"] * (len(among) - 1)
            return replace(
                alone, of=one, encoded=alone.encoded * times, trained=alone.trained * times
            )
        data = self.data
        views, tokens, context = self.layout(one)
        golds = 1 + one.settings.get("negatives", {}).get("per_mention", 0)
        used = min(views, one.settings["views"].get("training_views") or views)
        whole = one.settings["training"].get("global_view", 0)
        each = context + golds * (used * tokens + whole)
        train, val, among = "train", "val", data.entities.get("val", 0)
        if isinstance(self.graph, KnowledgeBase):
            linking = self.graph.linking
            train, val = linking.train, linking.validation
            among = golds * data.mentions[train] + data.mentions[val] + linking.further
            among = min(among, data.whole)
        pairs = data.pairs.get("val", among * data.mentions[val])
        compared = tokens * context if one.settings.get("score") == "sum_max" else views
        validated = among * views * tokens + data.mentions[val] * context
        validated += pairs * compared * self.product
        disk = 0 if one.kind == "grid" else 2 * self.tower
        return self.steps(one, disk, data.mentions[train], each, validated)

    def reranking(self, one: Artifact) -> Job:
        """``mentions * epochs * (1 + negatives) * (context + tokens)`` of a cross-encoder, and as
        many candidates of the validation mentions.
        """
        mentions = self.data.mentions
        each = sum(self.layout(one)[1:]) * (1 + one.settings["negatives"]["per_mention"])
        return self.steps(one, self.tower, mentions["train"], each, mentions["val"] * each)

    def steps(
        self, one: Artifact, disk: float, mentions: float, each: float, validated: float
    ) -> Job:
        """A training's passes over ``mentions`` of ``each`` tokens, and its validations.

        A batch above ``graph_tokens`` is encoded once more; processes share all of it.
        """
        own, processes = one.settings["training"], self.graph.settings.compute.processes
        passes = mentions * own.get("labelled", 1) * own["epochs"]
        validations = max(passes / own["batch_size"] / own["validate_every"], 1)
        batch = own["batch_size"] * each
        twice = batch > own["graph_tokens"]
        return Job(
            one,
            disk,
            encoded=(passes * each * twice + validations * validated) / processes,
            trained=passes * each / processes,
            batch=own["chunk_tokens"] if twice else batch,
        )

    def encoding(self, one: Artifact, entities: float) -> Job:
        """Views and mentions, of a knowledge base a part or the mentions alone."""
        mentions, own = self.data.mentions.get(one.set, 0), one.settings
        views, tokens, context = self.layout(one)
        if one.rule == "encode_global":
            views, tokens, mentions = 1, own["max_tokens"], 0
        elif one.rule == "merge":
            views *= own["top_k"] * own["layers"]
            tokens, mentions = min(MERGED * tokens, own["max_tokens"]), 0
        elif one.rule == "encode_mentions":
            views = 0
        views *= entities / (self.data.parts if one.kind == "vectors" else 1)
        numbers = NUMBER_BYTES[own.get("dtype", "fp32")] * self.encoder.hidden_size
        ids = 0 if self.graph.settings.over_kb else tokens * FLOAT
        disk = views * (numbers + ids) + mentions * FLOAT * self.encoder.hidden_size
        return Job(one, disk, encoded=views * tokens + mentions * context)

    def compared(self, one: Artifact, entities: int) -> float:
        """Mentions with all views of their world; of SOM all tokens, encoded in the same job."""
        (views, tokens, context), pairs = self.layout(one), self.data.pairs[one.set]
        if self.kind(one) == "tokens":
            encoded = entities * views * tokens + self.data.mentions[one.set] * context
            return encoded + pairs * tokens * context * self.product
        if merged := one.inputs.get("merged"):
            views *= 1 + one.settings["merge_layers"] * merged.settings["top_k"]
        return pairs * views * self.product

    def memory(self, job: Job) -> float:
        """Bytes of main memory.

        Training holds 16 bytes a weight (with its gradient and two moments of Adam), and of each
        token in a layer ``10 H + 2 I`` numbers, and three for each head and token attended to.
        Encoding holds three towers while they are read, the states of a batch in one layer, and its
        vectors. With a GPU only towers and vectors are here. Building an index holds it twice.
        """
        e, compute = self.encoder, self.graph.settings.compute
        if job.of.kind == "runs":
            return job.of.free.get("memory_mb", 0) * 2**20
        if job.batch and not self.gpu:
            length = max(self.layout(job.of)[1:]) if job.of.kind != "pretrained" else e.hidden_size
            each = 10 * e.hidden_size + 2 * e.intermediate_size + 3 * e.num_attention_heads * length
            states = job.batch * each * e.num_hidden_layers * FLOAT
            return (8 * self.tower + states) * compute.processes
        if not job.encoded:
            return 2 * job.disk if job.of.kind == "index" else 0
        asked = compute.batch_tokens
        batch = 0 if self.gpu else BATCH_TOKENS if asked == "auto" else asked
        states = batch * (2 * e.intermediate_size + 3 * e.hidden_size) * FLOAT
        return 3 * self.tower + states + job.disk
