"""The seconds that the jobs of a run take, counted from ``costs.yaml``.

Texts are taken to be as long as settings allow.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from muver.reproduction.doctor.sizes import Sizes, data_sizes, encoder_sizes
from muver.reproduction.settings.entries import model_of
from muver.reproduction.settings.rows import kind_of, towers_of
from muver.reproduction.workspace import Artifact, Graph
from muver.reproduction.workspace.knowledge_base import PART
from muver.reproduction.workspace.models import tokens_of
from muver.retriever.training.cloze import mean_longest_view

MERGED = 1.5  # tokens of a merged view over those of an original one, in the first layer
TERA = 1e12
COSTS = msgspec.yaml.decode(Path(__file__).with_name("costs.yaml").read_bytes())

Key = tuple[str, str]  # a rule, and the id of the artifact that it makes
# What one job does, by step: entities that it reads, else 10^12 operations
Work = dict[str, float]


class Job(NamedTuple):
    """The job that makes an artifact, or the jobs that make the parts of one: those of a knowledge
    base's vectors, which are alike.
    """

    artifact: Artifact
    seconds: float  # of one job
    count: int  # jobs
    left: int  # jobs that have not run yet

    @property
    def key(self) -> Key:
        """The rule and the artifact, by which a log's lines find their job."""
        return self.artifact.rule, self.artifact.id


def plan(graph: Graph, gpu: bool, artifacts: Sequence[Artifact]) -> list[Job]:
    """The jobs that make ``artifacts``; none as long as nobody has counted the data.

    ``gpu`` says whether the jobs that run a model have a GPU.
    """
    data = data_sizes(graph)
    return list(map(_Counter(graph, data, gpu).job, artifacts)) if data else []


def together(seconds: Sequence[float], at_once: int) -> float:
    """Seconds that jobs take, ``at_once`` of them beside each other."""
    return max(sum(seconds) / at_once, max(seconds, default=0.0))


class _Counter:
    def __init__(self, graph: Graph, data: Sizes, gpu: bool):
        self.graph, self.data, self.gpu = graph, data, gpu
        self.encoder = encoder = encoder_sizes(graph, COSTS["encoders"])
        hidden, inner = encoder.hidden_size, encoder.intermediate_size
        weights = encoder.num_hidden_layers * (4 * hidden**2 + 2 * hidden * inner)
        self.operations = 2 * weights / TERA  # of one token, in 10^12

    def job(self, artifact: Artifact) -> Job:
        """The job of an artifact."""
        count, files = 1, [artifact.files]
        if artifact.kind == "vectors":
            count = self.data.parts
            files = [[f"{artifact.path}/{part}{end}" for end in PART] for part in self.graph.parts]
        there = sum(all(map(os.path.exists, paths)) for paths in files)
        work = self.work(artifact)
        seconds = COSTS["start"] + sum(n * self.cost(step) for step, n in work.items())
        return Job(artifact, seconds, count, count - there)

    def cost(self, step: str) -> float:
        """Seconds of a unit of a step; what a model computes is shared by a job's threads."""
        if self.gpu or step == "reading":
            return COSTS["seconds"][step]["gpu" if self.gpu else "thread"]
        return COSTS["seconds"][step]["thread"] / self.graph.settings.compute.threads

    def work(self, artifact: Artifact) -> Work:
        """How much one of an artifact's jobs has to do, by step."""
        data, settings = self.data, artifact.settings
        entities = data.entities.get(artifact.set, data.whole)
        mentions = data.mentions.get(artifact.set, 0)
        match artifact.rule:
            case "pretrain":
                view = mean_longest_view(self.encoder.max_position_embeddings)
                tokens = settings["batch_size"] * (settings["context_tokens"] + view)
                return {"training": 3 * settings["steps"] * tokens * self.operations}
            case "train" | "train_best" | "train_cross" | "grid_point":
                return self.training(artifact)
            case "merge" | "encode" | "encode_global" | "encode_texts":
                return self.encoding(artifact, entities, mentions)
            case "encode_part" | "encode_mentions":
                return self.encoding(artifact, entities, mentions)
            case "ann_index":
                return {"reading": data.whole * self.layout(artifact)[0]}
            case "retrieve" if "depth" in settings:  # a second stage
                pairs = mentions * settings["depth"]
                return {"encoding": pairs * sum(self.layout(artifact)[1:]) * self.operations}
            case "retrieve" if "index" not in artifact.inputs and (
                kind := kind_of(self.graph.settings, artifact.label)
            ) in ("views", "tokens", "shards"):
                return self.comparing(artifact, kind, entities, mentions)
            case "retrieve" | "evaluate" | "download" | "corpus" | "segment" | "kilt" | "kb":
                return {"reading": entities}
        return {}

    def layout(self, artifact: Artifact) -> tuple[float, float, float]:
        """Views of an entity, tokens of a view and of a context, for an artifact's model."""
        settings = self.graph.settings
        if artifact.kind == "runs":
            model = model_of(settings.systems[artifact.label])
        elif artifact.kind == "grid":
            model = self.graph.trials[artifact.label].model
        else:
            inputs = artifact.inputs
            model = (inputs.get("model") or inputs.get("vectors") or artifact).name
        towers = towers_of(settings, model)
        views = self.data.views if towers.views.kind == "sentences" else 1.0
        return views, towers.views.max_tokens, towers.context.max_tokens

    def training(self, artifact: Artifact) -> Work:
        """All epochs, and every ``validate_every`` steps the entities that the validation mentions
        may mean. A batch above ``graph_tokens`` is encoded once more; processes share all of it.
        """
        settings = artifact.settings
        first = next(iter(settings["best_of"].values())) if "best_of" in settings else settings
        training, (views, tokens, context) = first["training"], self.layout(artifact)
        times = training["epochs"] * training.get("labelled", 1)  # that a mention is read
        passes, trained = (self.data.mentions["train"] * n for n in (times, tokens_of(artifact)))
        batch = training["batch_size"] * tokens_of(replace(artifact, settings=first)) / (times or 1)
        encodings = 4 if batch > training["graph_tokens"] else 3
        validations = max(passes / training["batch_size"] / training["validate_every"], 1)
        mentions, entities = self.data.mentions["val"], self.data.entities["val"]
        validated = entities * views * tokens + mentions * context
        share = self.operations / self.graph.settings.compute.processes
        return {
            "training": trained * encodings * share,
            "encoding": validations * validated * share,
        }

    def encoding(self, artifact: Artifact, entities: float, mentions: float) -> Work:
        """Views and mentions, of a knowledge base a part or the mentions alone."""
        settings, step = artifact.settings, "encoding"
        views, tokens, context = self.layout(artifact)
        if artifact.rule == "encode_global":
            views, tokens, mentions = 1, settings["max_tokens"], 0
        elif artifact.rule == "encode_texts":  # titles and descriptions, mentions and contexts
            views, tokens, mentions = 2, 128, 2 * mentions
        elif artifact.rule == "merge":
            step, mentions, views = "merging", 0, views * settings["top_k"] * settings["layers"]
            tokens = min(MERGED * tokens, settings["max_tokens"])
        elif artifact.rule == "encode_mentions":
            views = 0
        views *= entities / (self.data.parts if artifact.kind == "vectors" else 1)
        return {step: (views * tokens + mentions * context) * self.operations}

    def comparing(self, artifact: Artifact, kind: str, entities: float, mentions: float) -> Work:
        """Mentions with all views of their world; of SOM all tokens, encoded in the same job."""
        views, tokens, context = self.layout(artifact)
        products = self.data.pairs[artifact.set] * 2 * self.encoder.hidden_size / TERA
        if kind == "tokens":
            encoding = (entities * views * tokens + mentions * context) * self.operations
            return {"encoding": encoding, "ranking": products * tokens * context}
        if merged := artifact.inputs.get("merged"):
            views *= 1 + artifact.settings["merge_layers"] * merged.settings["top_k"]
        return {"ranking": products * views}
