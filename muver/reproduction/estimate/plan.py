"""What the jobs of a run take, counted from ``costs.yaml``: seconds, disk and main memory.

Texts are taken to be as long as settings allow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from muver.reproduction.estimate.sizes import Sizes, data_sizes, encoder_sizes
from muver.reproduction.settings.entries import model_of
from muver.reproduction.settings.rows import kind_of, towers_of
from muver.reproduction.workspace import Artifact, Graph
from muver.reproduction.workspace.graph import tokens_of
from muver.reproduction.workspace.knowledge_base import PART
from muver.retriever.training.pretraining.cloze import mean_longest_view

FLOAT = 4  # bytes
NUMBER_BYTES = {"fp16": 2, "fp32": FLOAT}
MERGED = 1.5  # tokens of a view merged first, to those of an original one
STATES = 4  # of a checkpoint: the weights, two moments of Adam, the best weights
CANDIDATE = 64  # bytes of a ranked candidate, in a run or an evaluation
LINKS = 300  # bytes a view of an index beside its vector: no type has more
TERA = 1e12
COSTS = msgspec.yaml.decode(Path(__file__).with_name("costs.yaml").read_bytes())

Key = tuple[str, str]  # a rule, and the id of the artifact that it makes


class Work(NamedTuple):
    """What one job does."""

    units: Mapping[str, float] = {}  # by step: entities that it reads, else 10^12 operations
    disk: float = 0  # bytes that it leaves
    kept: float = 0  # tokens that a step of training keeps


class Job(NamedTuple):
    """The job that makes an artifact; of a knowledge base's vectors, one for each part."""

    of: Artifact
    seconds: float  # of one
    disk: float  # bytes that one leaves
    passing: float  # further bytes on disk while it runs: a training's checkpoint
    memory: float  # bytes at most, without Python itself and without a GPU's
    count: int  # jobs that are alike
    left: int  # of them, not made yet

    @property
    def key(self) -> Key:
        """What the job is found by."""
        return self.of.rule, self.of.id


def plan(graph: Graph, gpu: bool, artifacts: Sequence[Artifact]) -> list[Job]:
    """The jobs that make some artifacts; none as long as nobody has counted the data.

    ``gpu`` says whether those that run a model have one.
    """
    data = data_sizes(graph)
    return list(map(_Counter(graph, data, gpu).job, artifacts)) if data else []


def together(seconds: Sequence[float], at_once: int) -> float:
    """Seconds that jobs take, ``at_once`` of them beside each other."""
    return max(sum(seconds) / at_once, max(seconds, default=0.0))


class _Counter:
    def __init__(self, graph: Graph, data: Sizes, gpu: bool):
        self.graph, self.data, self.gpu = graph, data, gpu
        self.encoder = e = encoder_sizes(graph, COSTS["encoders"])
        h, layers = e.hidden_size, e.num_hidden_layers
        # Of one token, in 10^12: the products of the layers.
        self.operations = 2 * layers * (4 * h * h + 2 * h * e.intermediate_size) / TERA
        rows = e.vocab_size + e.max_position_embeddings
        self.tower = FLOAT * (rows * h + self.operations * TERA / 2)  # bytes

    def job(self, one: Artifact) -> Job:
        """The job of an artifact."""
        work, count, files = self.work(one), 1, [one.files]
        if one.kind == "vectors":
            count = self.data.parts
            files = [[f"{one.path}/{part}{end}" for end in PART] for part in self.graph.parts]
        made = sum(all(Path(file).exists() for file in some) for some in files)
        passing = STATES * work.disk if work.kept else 0
        seconds = COSTS["start"] + sum(n * self.cost(step) for step, n in work.units.items())
        memory = self.memory(one, work)
        return Job(one, seconds, work.disk, passing, memory, count, count - made)

    def cost(self, step: str) -> float:
        """Seconds of a unit of a step; what a model computes is shared by a job's threads."""
        if self.gpu or step == "reading":
            return COSTS["seconds"][step]["gpu" if self.gpu else "thread"]
        return COSTS["seconds"][step]["thread"] / self.graph.settings.compute.threads

    def work(self, one: Artifact) -> Work:
        """What one of an artifact's jobs does."""
        data, own = self.data, one.settings
        entities = data.entities.get(one.set, data.whole)
        mentions = data.mentions.get(one.set, 0)
        ranked = mentions * self.graph.settings.retrieve.k * CANDIDATE
        match one.rule:
            case "pretrain":
                view = mean_longest_view(self.encoder.max_position_embeddings)
                kept = own["batch_size"] * (own["context_tokens"] + view)
                return Work(
                    {"training": 3 * own["steps"] * kept * self.operations}, self.tower, kept
                )
            case "train" | "train_best" | "train_cross" | "grid_point":
                return self.training(one)
            case "convert" | "choose" | "average":
                return Work({}, 2 * self.tower)
            case "encode" | "encode_global" | "encode_part" | "encode_mentions" | "merge":
                return self.encoding(one, entities, mentions)
            case "ann_index":
                views = data.whole * self.layout(one)[0]
                disk = views * (FLOAT * self.encoder.hidden_size + LINKS)
                return Work({"reading": views}, disk)
            case "retrieve" if "depth" in own:  # a second stage
                pairs = mentions * own["depth"]
                encoding = pairs * sum(self.layout(one)[1:]) * self.operations
                return Work({"encoding": encoding}, ranked)
            case "retrieve" if (kind := kind_of(self.graph.settings, one.label)) in (
                "views",
                "tokens",
                "shards",
            ) and "index" not in one.inputs:
                return Work(self.comparing(one, kind, entities, mentions), ranked)
            case "retrieve" | "evaluate":
                return Work({"reading": entities}, ranked)
            case "download" | "corpus" | "segment" | "kilt" | "kb":
                return Work({"reading": entities}, data.text)
        return Work()

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

    def training(self, one: Artifact) -> Work:
        """All epochs, and every ``validate_every`` steps the entities that the validation mentions
        may mean. A batch above ``graph_tokens`` is encoded once more; processes share all of it.
        """
        own = one.settings
        first = next(iter(own["best_of"].values())) if "best_of" in own else own
        training, (views, tokens, context) = first["training"], self.layout(one)
        times = training["epochs"] * training.get("labelled", 1)  # that a mention is read
        passes, trained = (self.data.mentions["train"] * n for n in (times, tokens_of(one)))
        kept = training["batch_size"] * tokens_of(replace(one, settings=first)) / (times or 1)
        again = kept > training["graph_tokens"]
        validations = max(passes / training["batch_size"] / training["validate_every"], 1)
        mentions, entities = self.data.mentions["val"], self.data.entities["val"]
        validated = entities * views * tokens + mentions * context
        share = self.operations / self.graph.settings.compute.processes
        units = {"training": trained * (4 if again else 3) * share}
        units["encoding"] = validations * validated * share
        kept = training["chunk_tokens"] if again else kept
        return Work(units, 0 if one.kind == "grid" else 2 * self.tower, kept)

    def encoding(self, one: Artifact, entities: float, mentions: float) -> Work:
        """Views and mentions, of a knowledge base a part or the mentions alone."""
        own, step = one.settings, "encoding"
        views, tokens, context = self.layout(one)
        if one.rule == "encode_global":
            views, tokens, mentions = 1, own["max_tokens"], 0
        elif one.rule == "merge":
            step, mentions, views = "merging", 0, views * own["top_k"] * own["layers"]
            tokens = min(MERGED * tokens, own["max_tokens"])
        elif one.rule == "encode_mentions":
            views = 0
        views *= entities / (self.data.parts if one.kind == "vectors" else 1)
        numbers = NUMBER_BYTES[own.get("dtype", "fp32")] * self.encoder.hidden_size
        ids = 0 if self.graph.settings.over_kb else tokens * FLOAT
        disk = views * (numbers + ids) + mentions * FLOAT * self.encoder.hidden_size
        return Work({step: (views * tokens + mentions * context) * self.operations}, disk)

    def comparing(
        self, one: Artifact, kind: str, entities: float, mentions: float
    ) -> Mapping[str, float]:
        """Mentions with all views of their world; of SOM all tokens, encoded in the same job."""
        (views, tokens, context), product = self.layout(one), 2 * self.encoder.hidden_size / TERA
        products = self.data.pairs[one.set] * product
        if kind == "tokens":
            encoding = (entities * views * tokens + mentions * context) * self.operations
            return {"encoding": encoding, "ranking": products * tokens * context}
        if merged := one.inputs.get("merged"):
            views *= 1 + one.settings["merge_layers"] * merged.settings["top_k"]
        return {"ranking": products * views}

    def memory(self, one: Artifact, work: Work) -> float:
        """Bytes of main memory. Training holds four towers for each of the two, and of each token
        in a layer ``10 H + 2 I`` numbers, and three for each head and token attended to; encoding
        holds three towers while they are read, and its vectors; building an index holds it twice.
        """
        e = self.encoder
        if one.kind == "runs":
            return one.free.get("memory_mb", 0) * 2**20
        if one.kind == "index":
            return 2 * work.disk
        if work.kept and not self.gpu:
            length = e.hidden_size if one.kind == "pretrained" else max(self.layout(one)[1:])
            each = 10 * e.hidden_size + 2 * e.intermediate_size + 3 * e.num_attention_heads * length
            states = work.kept * each * e.num_hidden_layers * FLOAT
            return (8 * self.tower + states) * self.graph.settings.compute.processes
        return 3 * self.tower + work.disk if work.units.keys() - {"reading"} else 0
