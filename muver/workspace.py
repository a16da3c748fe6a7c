"""Which file lies where, and which code makes it: what the workflow's rules share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muver.corpus.sources import find_source
from muver.encoders.files import ENCODER_FILES, MODEL_FILES, START_FILES
from muver.errors import InputError
from muver.settings import NAMED_DATASETS
from muver.views.files import PUNKT_FILES

SPLITS = ("train", "val", "test")

# Code that decides a rule's output. A change in it runs the rule again; commands, help texts and
# progress lines are left out, so that rewording them never retrains a model.
_LAYOUT = ("views/layout.py", "views/build.py", "views/worlds.py")
_TOWERS = ("encoders/biencoder.py", "encoders/bulk.py", "encoders/tokens.py")
CODE: dict[str, tuple[str, ...]] = {
    "generate": ("corpus/miniwikia/*",),
    "download": ("corpus/sources.yaml",),
    "corpus": ("corpus/*.py", "corpus/sources.yaml"),
    "segment": ("views/segment.py", "views/punkt.py"),
    "encoder": ("encoders/start.py", "encoders/biencoder.py", "encoders/tokens.py"),
    "train": (
        "training/*.py",
        *_TOWERS,
        "encoders/scores.py",
        *_LAYOUT,
        "retrieval/exact.py",
        "retrieval/tokens.py",
    ),
    "encode": ("encoders/stages.py", *_TOWERS, *_LAYOUT, "views/store.py"),
    "merge": (
        "encoders/stages.py",
        *_TOWERS,
        "views/layout.py",
        "views/store.py",
        "views/merging.py",
        "views/expand.py",
    ),
    "bm25": ("retrieval/bm25.py", "evaluation/runs.py"),
    "retrieve": ("retrieval/exact.py", "retrieval/stages.py", "evaluation/runs.py"),
    "retrieve_tokens": (
        "retrieval/tokens.py",
        "retrieval/exact.py",
        "retrieval/stages.py",
        "encoders/scores.py",
        *_TOWERS,
        *_LAYOUT,
        "evaluation/runs.py",
    ),
    "evaluate": ("evaluation/*.py",),
    "tables": ("tables/*.py", "tables/paper.yaml"),
}


def code(rule: str) -> list[str]:
    """Files of the package that decide a rule's output, relative to the project."""
    package = Path(__file__).parent
    found = [
        path
        for pattern in CODE[rule]
        for path in sorted(package.glob(pattern))
        if path.suffix in (".py", ".yaml", ".json")
    ]
    return [f"muver/{path.relative_to(package).as_posix()}" for path in found]


@dataclass(frozen=True)
class Workspace:
    """Paths of one run's files, all below ``build/<workspace>``.

    Parameters
    ----------
    settings
        As :func:`muver.settings.resolve` gives them.
    """

    settings: dict[str, Any]

    @property
    def root(self) -> str:
        """Folder of everything that is built."""
        return f"build/{self.settings['workspace']}"

    @property
    def raw(self) -> str:
        """Folder with documents/ and mentions/."""
        dataset = self.settings["dataset"]
        return f"{self.root}/raw" if dataset in NAMED_DATASETS else dataset

    def raw_files(self) -> list[str]:
        """The dataset's files; those of a directory are listed as they lie there."""
        dataset = self.settings["dataset"]
        if dataset == "miniwikia":
            worlds = [w for split in SPLITS for w in self.settings["generate"]["worlds"][split]]
        elif dataset in NAMED_DATASETS:
            published = find_source(dataset).published
            worlds = list(published.worlds) if published else []
        else:
            worlds = self._worlds_of_directory(Path(dataset))
        documents = [f"{self.raw}/documents/{world}.json" for world in worlds]
        return documents + [f"{self.raw}/mentions/{split}.json" for split in SPLITS]

    @staticmethod
    def _worlds_of_directory(folder: Path) -> list[str]:
        worlds = sorted(path.stem for path in (folder / "documents").glob("*.json"))
        if not worlds:
            raise InputError(
                f"dataset {folder}: no documents/*.json in it. Expected a directory in ZESHEL's "
                "format: documents/<world>.json and mentions/{train,val,test}.json."
            )
        return worlds

    @property
    def entities(self) -> str:
        """Canonical entities."""
        return f"{self.root}/corpus/entities.parquet"

    @property
    def mentions(self) -> str:
        """Canonical mentions."""
        return f"{self.root}/corpus/mentions.parquet"

    @property
    def counts(self) -> str:
        """Counts of the dataset, with its fingerprint."""
        return f"{self.root}/corpus/counts.json"

    @property
    def sentences(self) -> str:
        """Descriptions split into sentences."""
        return f"{self.root}/segment/sentences.parquet"

    @property
    def segment_files(self) -> list[str]:
        """Sentences, the splitter's parameters and the manifest."""
        punkt = [f"{self.root}/segment/punkt/{file}" for file in PUNKT_FILES]
        return [self.sentences, *punkt, f"{self.root}/segment/manifest.json"]

    @property
    def english_files(self) -> list[str]:
        """Punkt's English parameters, as downloaded."""
        return [f"{self.root}/punkt_english/{file}" for file in PUNKT_FILES]

    def encoder_files(self) -> list[str]:
        """Files of the encoder's directory as they lie there; none for scratch and the hub."""
        folder = Path(self.settings["encoder"])
        if self.settings["encoder"] == "scratch" or not folder.is_dir():
            return []
        return [str(folder / name) for name in ENCODER_FILES if (folder / name).is_file()]

    @property
    def start_files(self) -> list[str]:
        """The BERT directory that training starts from."""
        return [f"{self.root}/start/{file}" for file in START_FILES]

    @property
    def gpus(self) -> int:
        """GPUs that a job running a model takes: 1 where there are any and they may be used."""
        wanted = self.settings["compute"]["device"] != "cpu"
        return int(wanted and Path("/dev/nvidia0").exists())

    def model_files(self, model: str) -> list[str]:
        """A trained model's directory and its log."""
        folder = f"{self.root}/models/{model}"
        return [*(f"{folder}/{file}" for file in MODEL_FILES), f"{folder}/training_log.jsonl"]

    def store_files(self, model: str) -> list[str]:
        """View store of a model: the original views and the mentions."""
        files = ("layer0.npy", "layer0.parquet", "mentions.npy", "manifest.json")
        return [f"{self.root}/stores/{model}/{file}" for file in files]

    def merged_files(self, model: str) -> list[str]:
        """Merged layers of a model's store."""
        layers = range(1, self.settings["merge"]["layers"] + 1)
        files = [f"layer{n}.{suffix}" for n in layers for suffix in ("npy", "parquet")]
        return [f"{self.root}/merged/{model}/{file}" for file in (*files, "manifest.json")]

    def run_files(self, system: str) -> list[str]:
        """A system's run file and its manifest."""
        return [f"{self.root}/runs/{system}.{suffix}" for suffix in ("parquet", "json")]

    def evaluation(self, system: str) -> str:
        """A system's scores."""
        return f"{self.root}/evaluations/{system}.json"

    @property
    def systems(self) -> list[str]:
        """Systems that some table has as a row."""
        return list(dict.fromkeys(s for rows in self.settings["tables"].values() for s in rows))

    def is_lexical(self, system: str) -> bool:
        """Whether a system ranks without a model."""
        return "model" not in self.settings["systems"][system]

    def is_token_model(self, model: str) -> bool:
        """Whether a model compares token vectors, which are never stored."""
        return self.settings["models"][model]["score"] == "sum_max"

    def is_token_system(self, system: str) -> bool:
        """Whether a system's model compares token vectors."""
        return self.is_token_model(self.settings["systems"][system]["model"])

    @property
    def models(self) -> list[str]:
        """Models of those systems, each once."""
        names = [self.settings["systems"][system].get("model") for system in self.systems]
        return list(dict.fromkeys(name for name in names if name))

    @property
    def stored_models(self) -> list[str]:
        """Models whose vectors are stored."""
        return [model for model in self.models if not self.is_token_model(model)]

    @property
    def merged_models(self) -> list[str]:
        """Models some of whose systems use merged views."""
        return [
            model
            for model in self.stored_models
            if any(
                system.get("model") == model and system.get("merge_layers", 0)
                for system in (self.settings["systems"][name] for name in self.systems)
            )
        ]
