"""What a run will do, job by job, in tokens and bytes; what of it is done, and how long it took.

Everything here is projected from counts and lengths by the formulas beside it; only what a finished
job took (Snakemake's benchmark files) is measured.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muver.doctor.sizes import Data, Lengths, lengths
from muver.grid.points import points
from muver.plan.memory import parameters
from muver.settings.rows import model_settings, trained_as
from muver.workspace import Workspace
from muver.workspace.needs import Needs

FLOAT = 4  # bytes
STATES = 4  # of a checkpoint: the weights, two moments of Adam, the best weights
# A merged view grows by half an original one a layer: on miniwikia's test worlds, views of 35
# tokens gave ones of 56, 70, 84 and 99 (distant pairs).
GROWTH = 0.5


@dataclass(frozen=True)
class Job:
    """One job of the workflow.

    Attributes
    ----------
    stage, name
        For people.
    done
        Whether its files are there (whether they are up to date, Snakemake knows).
    encoded, trained
        Tokens that are encoded; tokens that pass forward and backward.
    length
        Of the sequences they stand in.
    products
        Vectors compared.
    bytes
        Left on disk.
    took
        Seconds, where a finished job's benchmark says so.
    """

    stage: str
    name: str
    done: bool
    encoded: float = 0
    trained: float = 0
    length: float = 0
    products: float = 0
    bytes: float = 0
    took: float | None = None

    def seconds(self, rates: Any) -> float:
        """By measured rates (:class:`muver.doctor.rates.Rates`)."""
        spent = self.encoded / rates.encode(self.length) if self.encoded else 0.0
        spent += self.trained / rates.train(self.length) if self.trained else 0.0
        return spent + self.products / rates.products


def jobs(
    settings: dict[str, Any],
    needs: Needs,
    data: Data,
    sizes: Mapping[str, int],
    folder: Path,
) -> list[Job]:
    """Jobs that run a model or search, in the workflow's order."""
    plan = _Plan(settings, data, sizes, folder)
    found = [plan.train(model) for model in needs.models if plan.is_trained(model)]
    if "grid" in settings["results"]:
        found += plan.grid()
    found += [plan.encode(*key) for key in needs.stores]
    found += [plan.globals(*key) for key in needs.globals]
    found += [plan.merge(*key) for key in needs.merged]
    found += [job for key in needs.runs for job in plan.retrieve(*key)]
    return found


class _Plan:
    """What all jobs are computed from."""

    def __init__(
        self, settings: dict[str, Any], data: Data, sizes: Mapping[str, int], folder: Path
    ):
        self.settings, self.data, self.sizes, self.folder = settings, data, sizes, folder
        self.workspace = Workspace(settings)
        self.vector = sizes["hidden_size"] * FLOAT
        self.weights = 2 * parameters(sizes) * FLOAT  # of two towers
        self._lengths: dict[str, Lengths] = {}

    def is_trained(self, model: str) -> bool:
        return not {"best_of", "checkpoint"} & set(self.settings["models"][model])

    def of(self, model: str) -> Lengths:
        """Lengths of a model's views and contexts."""
        if model not in self._lengths:
            own = trained_as(self.settings, model)
            self._lengths[model] = lengths(self.settings, own, self.folder)
        return self._lengths[model]

    def train(self, model: str) -> Job:
        """``mentions x epochs x (context + views x tokens)``, forward and backward.

        A batch above ``graph_tokens`` is encoded once more. Every ``validate_every`` steps the
        validation worlds are encoded.
        """
        training = model_settings(self.settings, model)["training"]
        files = self.workspace.model_files(model)
        log = f"train/{model}.benchmark.tsv"
        return self._train("train", model, training, self._all(files), log)

    def grid(self) -> list[Job]:
        """The grid's points: each a training."""
        model = self.settings["grid"]["model"]
        base = model_settings(self.settings, model)["training"]
        return [
            self._train(
                "grid",
                name,
                {**base, **own},
                self._all([self.workspace.grid_log(name)]),
                None,
                model,
            )
            for name, own in points(self.settings["grid"]).items()
        ]

    def _train(
        self,
        stage: str,
        name: str,
        training: Mapping[str, Any],
        done: bool,
        log: str | None,
        model: str | None = None,
    ) -> Job:
        own = self.of(model or name)
        each = own.context + own.training_views * own.tokens
        passes = self.data.mentions["train"] * training["epochs"]
        tokens = passes * each
        again = tokens if training["batch_size"] * each > training["graph_tokens"] else 0
        steps = passes / training["batch_size"]
        validations = max(steps / training["validate_every"], 1)
        validation = validations * self._split_tokens(own, "val")
        kept = 0 if stage == "grid" else self.weights * (1 + (0 if done else STATES))
        length = own.tokens if own.training_views > 1 else max(own.tokens, own.context)
        return Job(
            stage, name, done, again + validation, tokens, length, bytes=kept, took=self._took(log)
        )

    def _split_tokens(self, own: Lengths, split: str) -> float:
        entities, mentions = self.data.entities[split], self.data.mentions[split]
        return entities * own.views * own.tokens + mentions * own.context

    def encode(self, model: str, split: str) -> Job:
        """``entities x views x tokens + mentions x context``; a vector of each on disk."""
        own = self.of(model)
        views = self.data.entities[split] * own.views
        # Beside each vector its token ids.
        size = (views + self.data.mentions[split]) * self.vector + views * own.tokens * FLOAT
        log = f"encode/{split}/{model}.benchmark.tsv"
        return Job(
            "encode",
            f"{split}/{model}",
            self._all(self.workspace.store_files(model, split)),
            self._split_tokens(own, split),
            length=own.tokens,
            bytes=size,
            took=self._took(log),
        )

    def globals(self, model: str, split: str) -> Job:
        """One view an entity, of ``global_view.max_tokens`` at most."""
        longest = self.settings["global_view"]["max_tokens"]
        entities = self.data.entities[split]
        files = self.workspace.global_files(model, split)
        return Job(
            "encode",
            f"{split}/{model} global",
            self._all(files),
            entities * longest,
            length=longest,
            bytes=entities * (self.vector + longest * FLOAT),
        )

    def merge(self, model: str, split: str, search: str) -> Job:
        """Each layer adds at most ``views x top_k`` views, by :data:`GROWTH` longer each time."""
        own, merge = self.of(model), self.settings["merge"]
        new = self.data.entities[split] * own.views * merge["top_k"]
        longest = [
            min(own.tokens * (1 + GROWTH * layer), merge["max_tokens"])
            for layer in range(1, merge["layers"] + 1)
        ]
        size = sum(new * (self.vector + tokens * FLOAT) for tokens in longest)
        return Job(
            "merge",
            f"{split}/{model}/{search}",
            self._all(self.workspace.merged_files(model, split, search)),
            sum(new * tokens for tokens in longest),
            length=longest[0],
            bytes=size,
            took=self._took(f"merge/{split}/{model}_{search}.benchmark.tsv"),
        )

    def retrieve(self, system: str, split: str) -> Iterator[Job]:
        """Mentions against all views of their world; SOM encodes in this job."""
        model = self.settings["systems"][system].get("model")
        if model is None:
            return
        own = self.of(model)
        done = self._all(self.workspace.run_files(system, split))
        name = f"{split}/{system}"
        if trained_as(self.settings, model)["score"] == "sum_max":
            products = self.data.pairs[split] * own.tokens * own.context
            encoded = self._split_tokens(own, split)
            yield Job("retrieve", name, done, encoded, length=own.tokens, products=products)
            return
        merged = self.settings["systems"][system].get("merge_layers", 0)
        views = own.views * (1 + merged * self.settings["merge"]["top_k"])
        yield Job("retrieve", name, done, products=self.data.pairs[split] * views)

    def _all(self, files: list[str]) -> bool:
        return all((self.folder / file).is_file() for file in files)

    def _took(self, log: str | None) -> float | None:
        path = self.folder / "logs" / self.settings["workspace"] / (log or "")
        if not path.is_file():
            return None
        with open(path, encoding="utf-8", newline="") as file:
            row = next(csv.DictReader(file, delimiter="\t"), {})
        try:
            return float(row["s"])
        except (KeyError, ValueError):
            return None


def origin(settings: dict[str, Any], needs: Needs, folder: Path) -> str:
    """Whether lengths are of a sample of this corpus, or the most they can be."""
    models = [model for model in needs.models]
    if not models:
        return "at most"
    return lengths(settings, trained_as(settings, models[0]), folder).origin


def training_memory(
    settings: dict[str, Any], needs: Needs, sizes: Mapping[str, int], folder: Path
) -> float:
    """Bytes of main (or a GPU's) memory of the largest training job.

    ``16`` bytes a weight (itself, gradient, two moments of Adam) of two towers, and the states of
    the tokens that are kept at once, ``(8 H + 2 I) x 4`` bytes in each layer.
    """
    h, i = sizes["hidden_size"], sizes["intermediate_size"]
    state = (8 * h + 2 * i) * FLOAT * sizes["num_hidden_layers"]
    most = 0.0
    for model in needs.models:
        if {"best_of", "checkpoint"} & set(settings["models"][model]):
            continue
        own = lengths(settings, trained_as(settings, model), folder)
        training = model_settings(settings, model)["training"]
        batch = training["batch_size"] * (own.context + own.training_views * own.tokens)
        kept = batch if batch <= training["graph_tokens"] else training["chunk_tokens"]
        most = max(most, kept * state)
    return 16 * 2 * parameters(sizes) + most if most else 0.0
