"""The seconds that the jobs of a run take, counted from ``costs.yaml`` and the sizes of the data.

Sizes are those of the files here, else as published. Texts are taken to be as long as settings
allow.
"""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import NamedTuple

import msgspec

from muver.io.files import read_json
from muver.reproduction.settings.entries import model_of
from muver.reproduction.settings.resolve import is_named
from muver.reproduction.settings.rows import kind_of, towers_of
from muver.reproduction.workspace import Artifact, Graph, KnowledgeBase, Worlds
from muver.reproduction.workspace.knowledge_base import PART
from muver.reproduction.workspace.models import tokens_of
from muver.retriever.corpus.sources import find_source
from muver.retriever.corpus.statistics import read_counts
from muver.retriever.encoders.encoders_settings import Compute
from muver.retriever.encoders.hub import at_revision, cached, place
from muver.retriever.encoders.sizes import BertConfig

DUMP_BYTES = 37_323_265_802  # KILT's 34.76 GiB
PAGE_BYTES = 2000  # of an entity's text, roughly
VIEWS = 15.33  # of an entity, on average: the paper's Table 3, for ZESHEL's test worlds
MERGED = 1.5  # tokens of a merged view over those of an original one, in the first layer
TERA = 1e12
COSTS = msgspec.yaml.decode(Path(__file__).with_name("costs.yaml").read_bytes())

Key = tuple[str, str]  # a rule, and the id of the artifact that it makes


class Machine(NamedTuple):
    """The processor cores and GPUs that a run can use."""

    cores: int
    gpus: int

    def gives_gpu(self, compute: Compute) -> bool:
        """Whether jobs that run a model get a GPU, which with ``cuda`` may be another machine's, as
        of a cluster."""
        return compute.device == "cuda" or (self.gpus > 0 and compute.device == "auto")

    def at_once(self, compute: Compute) -> int:
        """Jobs that run beside each other: one on GPUs, else by threads."""
        if self.gives_gpu(compute):
            return 1
        return max(self.cores // (compute.threads * compute.processes), 1)


def gpus_here() -> int:
    """How many NVIDIA GPUs the system has."""
    return sum(path.name[6:].isdigit() for path in Path("/dev").glob("nvidia*"))


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


def plan(graph: Graph, machine: Machine, artifacts: Sequence[Artifact]) -> list[Job]:
    """The jobs that make ``artifacts``; none as long as nobody has counted the data."""
    data = _sizes_of_base(graph) if isinstance(graph, KnowledgeBase) else _sizes_of_worlds(graph)
    gpu = machine.gives_gpu(graph.settings.compute)
    return list(map(_Counter(graph, data, gpu).job, artifacts)) if data else []


def together(seconds: Sequence[float], at_once: int) -> float:
    """Seconds that jobs take, ``at_once`` of them beside each other."""
    return max(sum(seconds) / at_once, max(seconds, default=0.0))


def encoder_sizes(graph: Graph) -> BertConfig:
    """Sizes of one tower; of an encoder that is not here as ``costs.yaml`` knows them."""
    name = graph.settings.encoder
    for folder in (graph.encoder.path, place(name)):
        if (config := Path(folder, "config.json")).is_file():
            return BertConfig.from_file(config)
    if name == "scratch":
        new = graph.settings.scratch
        return BertConfig(
            new.vocabulary, new.hidden, new.layers, new.heads, new.intermediate, new.positions
        )
    if path := cached(name):
        return BertConfig.from_file(path)
    return BertConfig(**COSTS["encoders"].get(at_revision(name)[0], {}))


@dataclass(frozen=True)
class _Sizes:
    """Sizes of the data, by set of mentions; those that models learn from are train and val."""

    entities: Mapping[str, int]  # that its mentions may mean, in all its worlds
    mentions: Mapping[str, int]
    worlds: Mapping[str, int]
    whole: int  # entities in all
    views: float  # of an entity, where it has several
    parts: int = 1  # that the vectors of a knowledge base lie in


def _sizes_of_worlds(graph: Worlds) -> _Sizes | None:
    file, dataset = Path(graph.corpus["/counts.json"].path), graph.settings.dataset
    published = find_source(dataset).published if is_named(dataset) else None
    if not (counts := read_counts(file) if file.is_file() else published):
        return None
    splits = [world.split for world in counts.worlds.values()]
    whole = sum(counts.entities.values())
    segment = Path(graph.segment["/manifest.json"].path)
    split = sum(read_json(segment)["sentences"].values()) if segment.is_file() else 0
    views = split / whole or VIEWS
    return _Sizes(counts.entities, counts.mentions, Counter(splits), whole, views)


def _sizes_of_base(graph: KnowledgeBase) -> _Sizes:
    linking, manifest = graph.linking, Path(graph.kb.path, "manifest.json")
    dump = Path(graph.raw.files[0])
    if manifest.is_file():
        whole = read_json(manifest)["entities"]
    else:
        whole = find_source(graph.origins[0]).published.entities["wikipedia"]
    expected = whole * PAGE_BYTES if graph.of_one_archive else DUMP_BYTES
    text = dump.stat().st_size if dump.is_file() else expected
    mentions = {name: _mentions(graph, name) for name in linking.sets}
    learnt = {"train": mentions[linking.train], "val": mentions[linking.validation]}
    # Validation ranks the gold entities of its mentions, and further ones.
    ranked = {"val": min(learnt["val"] + linking.further, whole)}
    entities = {**dict.fromkeys(mentions, whole), **ranked}
    parts = len(graph.parts) or ceil(text / linking.kb.part_bytes)
    return _Sizes(entities, mentions | learnt, {}, whole, linking.kb.paragraphs, parts)


def _mentions(graph: KnowledgeBase, name: str) -> int:
    """Mentions of a set: those linked, else those published."""
    linked = Path(graph.mentions(name)[".parquet"].path)
    if linked.is_file():
        import pyarrow.parquet as pq  # a tenth of a second, which every Snakemake would wait

        return pq.read_metadata(linked).num_rows
    return find_source(graph.origins[1]).published.mentions.get(name, 0)


class _Counter:
    def __init__(self, graph: Graph, data: _Sizes, gpu: bool):
        self.graph, self.data, self.gpu = graph, data, gpu
        self.compute = graph.settings.compute
        self.encoder = encoder = encoder_sizes(graph)
        hidden, inner = encoder.hidden_size, encoder.intermediate_size
        weights = encoder.num_hidden_layers * (4 * hidden**2 + 2 * hidden * inner)
        # 10^12 operations of a token that is encoded, and of two vectors that are compared.
        self.encoded, self.compared = 2 * weights / TERA, 2 * hidden / TERA

    def job(self, artifact: Artifact) -> Job:
        """The job of an artifact."""
        count, files = 1, [artifact.files]
        if artifact.kind == "vectors":
            count = self.data.parts
            files = [[f"{artifact.path}/{part}{end}" for end in PART] for part in self.graph.parts]
        there = sum(all(map(os.path.exists, paths)) for paths in files)
        seconds = sum(amount * self.cost(step) for step, amount in self.work(artifact).items())
        return Job(artifact, COSTS["start"] + seconds, count, count - there)

    def cost(self, step: str) -> float:
        """Seconds of an entity that is read, a pair of vectors that are compared, else of a token;
        what a model computes is shared by a job's threads.
        """
        seconds = COSTS["seconds"][step]["gpu" if self.gpu else "thread"]
        if step == "reading":
            return seconds
        operations = self.compared if step == "ranking" else self.encoded
        return seconds * operations / (1 if self.gpu else self.compute.threads)

    def work(self, artifact: Artifact) -> dict[str, float]:
        """How much one of an artifact's jobs has to do, by step, in the units of :meth:`cost`."""
        data, settings = self.data, artifact.settings
        entities = data.entities.get(artifact.set, data.whole)
        mentions = data.mentions.get(artifact.set, 0)
        match artifact.rule:
            case "pretrain":
                # NumPy takes a tenth of a second, which every call of Snakemake would wait.
                from muver.retriever.training.cloze import mean_longest_view

                view = mean_longest_view(self.encoder.max_position_embeddings)
                tokens = settings["batch_size"] * (settings["context_tokens"] + view)
                return {"training": 3 * settings["steps"] * tokens}
            case "train" | "train_best" | "train_cross" | "grid_point":
                return self.training(artifact)
            case "evaluate" | "download" | "corpus" | "segment" | "kilt" | "kb":
                return {"reading": entities}
            case "encode_global":
                return {"encoding": entities * settings["max_tokens"]}
            case "retrieve":
                return self.retrieval(artifact, entities, mentions)
            case "merge" | "encode" | "encode_texts" | "encode_part" | "encode_mentions":
                views, tokens, context = self.layout(artifact)
                views, contexts = entities * views, mentions * context
                match artifact.rule:
                    case "merge":
                        merged = views * settings["top_k"] * settings["layers"]
                        return {"merging": merged * min(MERGED * tokens, settings["max_tokens"])}
                    case "encode_texts":  # titles and descriptions, mentions and contexts
                        return {"encoding": 2 * (entities * 128 + contexts)}
                    case "encode_mentions":
                        return {"encoding": contexts}
                return {"encoding": views * tokens / data.parts + contexts}
            case "ann_index":
                return {"reading": data.whole * self.layout(artifact)[0]}
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

    def training(self, artifact: Artifact) -> dict[str, float]:
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
        share = 1 / self.compute.processes
        return {
            "training": trained * encodings * share,
            "encoding": validations * validated * share,
        }

    def retrieval(self, artifact: Artifact, entities: float, mentions: float) -> dict[str, float]:
        """Mentions with all views of their world; of SOM all tokens, encoded in the same job."""
        settings = artifact.settings
        if "depth" in settings:  # a second stage
            return {"encoding": mentions * settings["depth"] * sum(self.layout(artifact)[1:])}
        kind = kind_of(self.graph.settings, artifact.label)
        if "index" in artifact.inputs or kind not in ("views", "tokens", "shards"):
            return {"reading": entities}
        views, tokens, context = self.layout(artifact)
        pairs = entities * mentions / self.data.worlds.get(artifact.set, 1)
        if kind == "tokens":
            encoding = entities * views * tokens + mentions * context
            return {"encoding": encoding, "ranking": pairs * tokens * context}
        if merged := artifact.inputs.get("merged"):
            views *= 1 + settings["merge_layers"] * merged.settings["top_k"]
        return {"ranking": pairs * views}
