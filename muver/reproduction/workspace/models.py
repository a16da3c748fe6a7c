"""The models of a dataset's graph: what each starts from, is trained on and is chosen among."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.typed import overlay
from muver.reproduction.settings.entries import (
    Chosen,
    Converted,
    Trained,
    model_of,
)
from muver.reproduction.settings.params import Resolved
from muver.reproduction.settings.precision import KEYS as PRECISIONS
from muver.reproduction.settings.rows import (
    models_of,
    negatives_settings,
    pretrain_settings,
    seed_of,
    training_settings,
)
from muver.reproduction.tables.tables_settings import trials
from muver.reproduction.workspace.artifact import Artifact, File, Input
from muver.reproduction.workspace.steps import BY_RULE
from muver.retriever.encoders.files import ENCODER_FILES, MANIFEST_FILE, POOLING_FILES
from muver.retriever.encoders.hub import SHIPPED

SOURCE = ("encoder", "weights_sha256")  # say which encoder it is, as its source does
ALL_VIEWS = 10  # of an entity, where training takes them all and the data are not read yet


def tokens_of(training: Artifact) -> int:
    """Tokens that a training, or a point of the grid, reads for a mention in all epochs.

    At most, as far as settings say: of several that may start, the longest is to start first.
    """
    settings, times = training.settings, 1.0
    if among := settings.get("best_of"):
        share, new = settings["after"], len(among) - len(training.inputs["models"])
        settings, times = next(iter(among.values())), share * new + (1 - share if new else 0)
    views, negatives = settings["views"], settings.get("negatives", {}).get("per_mention", 0)
    several = views.get("training_views", 1) or ALL_VIEWS
    of_entity = several * views["max_tokens"] + settings["training"].get("global_view", 0)
    entities = (1 + negatives) * of_entity
    times *= settings["training"]["epochs"] * settings["training"].get("labelled", 1)
    return int(times * (settings["context"]["max_tokens"] + entities))


class Models(ABC):
    """The encoders and models that a dataset's settings can ask for, each an artifact."""

    training_set: str  # of mentions that models are trained on

    def __init__(self, settings: Resolved):
        self.settings = settings
        self.root = f"build/{settings.workspace}"
        chosen = {name: settings.models[name].training.as_dict() for name in settings.grid.models}
        self.trials = trials(settings.grid, settings.training.as_dict(), chosen)
        # Each is asked for many times.
        for method in ("encoder_of", "start_of", "model", "run", "evaluation"):
            setattr(self, method, cache(getattr(self, method)))

    @abstractmethod
    def texts_to_learn(self) -> dict[str, Input]:
        """Texts that a vocabulary from scratch is made of and an encoder is pre-trained on."""

    @abstractmethod
    def training_data(self, model: str) -> dict[str, Input]:
        """What a model is trained on."""

    @abstractmethod
    def gold(self, name: str) -> dict[str, Input]:
        """The mentions of a set, and what their gold entities are found by."""

    def artifact(
        self, rule: str, name: str, settings: Mapping[str, Any] | None = None,
        free: Mapping[str, Any] | None = None, options: Mapping[str, Any] | None = None,
        suffixes: Sequence[str] = (), pinned: bool = False, **inputs: Input,
    ) -> Artifact:  # fmt: skip
        """What a step makes of this dataset; where it encodes, its settings are the machine's too.

        ``suffixes`` are needed where the table of steps has none.
        """
        step, settings, free = BY_RULE[rule], settings or {}, free or {}
        if step.runs_a_model and not step.compute:
            settings, free = {**settings, **self.precision}, self.compute
        return Artifact(
            self.root, step.kind, name, rule, suffixes or step.files, settings, inputs, free,
            pinned=pinned, options=options or {},
        )  # fmt: skip

    @property
    def precision(self) -> dict[str, str]:
        """The setting of the machine that moves vectors."""
        return {"precision": self.settings.compute.precision}

    @property
    def compute(self) -> dict[str, Any]:
        """The machine's settings that move nothing."""
        section = self.settings.compute.as_dict()
        return {key: value for key, value in section.items() if key not in PRECISIONS}

    @property
    def encoder(self) -> Artifact:
        """The encoder as it is made from scratch, taken or fetched."""
        return self.encoder_of(self.settings.seed)

    @property
    def start(self) -> Artifact:
        """The directory that training starts from: the encoder, pre-trained if asked for."""
        return self.start_of(self.settings.seed)

    def encoder_of(self, seed: int) -> Artifact:
        """The encoder of a seed: its own if it is made from scratch, else the one there is."""
        name, settings, inputs = "", {"encoder": self.settings.encoder}, self.encoder_files()
        if self.settings.encoder == "scratch":
            name = self.named_by(seed)
            settings |= {"scratch": self.settings.scratch.as_dict(), "seed": seed}
            texts = self.texts_to_learn()
            inputs |= {role: texts[role] for role in ("entities", "counts")}
        if self.settings.encoder in SHIPPED:
            manifest = read_json(SHIPPED[self.settings.encoder] / MANIFEST_FILE)
            settings["weights_sha256"] = manifest["identity"]["weights_sha256"]
        if self.settings.pooling == "auto":
            settings["pooling"] = "auto"
        kept = {key: value for key, value in settings.items() if key not in SOURCE}
        options = {"source": self.settings.encoder, "settings": kept}
        return self.artifact("encoder", name, settings, options=options, **inputs)

    def start_of(self, seed: int) -> Artifact:
        """What trainings with a seed start from."""
        settings = pretrain_settings(self.settings, seed)
        if not settings["steps"]:
            return self.encoder_of(seed)
        inputs = {"start": self.encoder_of(seed), **self.texts_to_learn()}
        return self.artifact("pretrain", self.named_by(seed), settings, **inputs)

    def named_by(self, seed: int) -> str:
        """The name of what each seed has one of; the main seed's has none."""
        return "" if seed == self.settings.seed else f"seed{seed}"

    def encoder_files(self) -> dict[str, Input]:
        """Files of the encoder's directory as they lie there; none for scratch and the hub."""
        folder = Path(self.settings.encoder)
        if self.settings.encoder == "scratch" or not folder.is_dir():
            return {}
        names = ENCODER_FILES + (POOLING_FILES if self.settings.pooling == "auto" else ())
        return {"source": [str(folder / n) for n in names if (folder / n).is_file()]}

    def model(self, name: str) -> Artifact:
        """A trained, chosen or converted model."""
        entry = self.settings.models[name]
        if isinstance(entry, Chosen) and not entry.after:
            models = [self.model(other) for other in entry.best_of]
            cutoff = models[0].settings["training"]["validation_cutoff"]  # which all share
            options = {"models": [(model.name, model.path) for model in models]}
            return self.artifact("choose", name, {"cutoff": cutoff}, options=options, models=models)
        settings = training_settings(self.settings, name)
        if isinstance(entry, Converted):
            inputs = {"checkpoint": self.named_file(entry.checkpoint), "start": self.encoder}
            return self.artifact("convert", name, settings, **inputs)
        # Models that one is chosen among start from the same.
        first = entry.best_of[0] if isinstance(entry, Chosen) else name
        inputs = {"start": self.origin(first), **self.training_data(name)}
        if isinstance(entry, Chosen):
            rows = set(map(model_of, self.settings.systems.values()))
            trained = [self.model(other) for other in entry.best_of if other in rows]
            options = {"models": [(model.name, model.path) for model in trained]}
            inputs["models"] = trained
            return self.artifact("train_best", name, settings, options=options, **inputs)
        if entry.score == "cross":
            inputs["validation_run"] = self.validation_run(name)
            return self.artifact("train_cross", name, settings, **inputs)
        free = {"validate_after": shares} if (shares := self._chosen_after(name)) else {}
        return self.artifact("train", name, settings, free, **inputs)

    def named_file(self, path: str) -> Input:
        """A file that is named in the settings."""
        return path

    def _chosen_after(self, name: str) -> list[float]:
        """The shares of its steps after which a model is one of several to choose from."""
        among = [entry for entry in self.settings.models.values() if isinstance(entry, Chosen)]
        return sorted({entry.after for entry in among if entry.after and name in entry.best_of})

    def validation_run(self, model: str) -> Input:
        """Candidates that a cross-encoder ranks again for validation, where data can have one."""
        raise InputError(
            f"models.{model}: a cross-encoder is trained on worlds with mentions alone."
        )

    def negatives(self, model: str) -> dict[str, Input]:
        """Hard negatives of the training mentions, where a model is trained with them."""
        mined = getattr(self.settings.models[model], "negatives", None)
        if not mined:
            return {}
        gold = self.gold(self.training_set)
        known = {role: gold[role] for role in ("mentions", "entities", "kb") if role in gold}
        run = self.run(mined.from_, self.training_set)[".parquet"]
        settings = negatives_settings(self.settings, model)
        mined = self.artifact("negatives", model, settings, run=run, **known)
        return {"negatives": mined[".parquet"]}

    def origin(self, model: str) -> Artifact:
        """What a model's training starts from: another model, or the encoder."""
        start = getattr(self.settings.models[model], "start", None)
        return self.model(start) if start else self.start_of(seed_of(self.settings, model))

    @property
    def grid_points(self) -> list[Artifact]:
        """Training logs of all models at all points of the grid, which trains on worlds."""
        return [] if self.settings.over_kb else [self.grid_point(trial) for trial in self.trials]

    def grid_point(self, name: str) -> Artifact:
        """The training log of a trial of the grid, which leaves no weights."""
        model, values = self.trials[name]
        settings = overlay(training_settings(self.settings, model), {"training": values})
        inputs = {"start": self.origin(model), **self.training_data(model)}
        return self.artifact("grid_point", name, settings, **inputs)

    def weights(self, model: str) -> File:
        """The manifest of the encoder that a model's first training began with."""
        match self.settings.models[model]:
            case Converted():
                return self.model(model)[f"/{MANIFEST_FILE}"]
            case Chosen(best_of=[first, *_]):
                return self.weights(first)
            case Trained(start=start) if start:
                return self.weights(start)
        return self.start_of(seed_of(self.settings, model))[f"/{MANIFEST_FILE}"]

    def all_weights(self, system: str) -> list[File]:
        """:meth:`weights` of a row's model, and of those of the rows that it is made of."""
        manifests = [self.weights(model) for model in models_of(self.settings, system)]
        return list({manifest.path: manifest for manifest in manifests}.values())
