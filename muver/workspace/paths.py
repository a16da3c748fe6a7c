"""Which file lies where: what the workflow's rules share."""

from dataclasses import dataclass
from pathlib import Path

from muver.corpus.sources import find_source
from muver.corpus.splits import SPLITS
from muver.io.errors import InputError
from muver.settings import NAMED_DATASETS
from muver.views.files import PUNKT_FILES
from muver.workspace.built import Built


@dataclass(frozen=True)
class Workspace(Built):
    """Paths of one run's files, all below ``build/<workspace>``.

    Parameters
    ----------
    settings
        As :func:`muver.settings.resolve` gives them.
    """

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

    def store_files(self, model: str, split: str) -> list[str]:
        """View store of a model: the original views and the mentions of a split."""
        files = ("layer0.npy", "layer0.parquet", "mentions.npy", "manifest.json")
        return [f"{self.root}/stores/{split}/{model}/{file}" for file in files]

    def merged_files(self, model: str, split: str, search: str) -> list[str]:
        """Merged layers over a model's store, found by one search."""
        layers = range(1, self.settings["merge"]["layers"] + 1)
        files = [f"layer{n}.{suffix}" for n in layers for suffix in ("npy", "parquet")]
        folder = f"{self.root}/merged/{split}/{model}/{search}"
        return [f"{folder}/{file}" for file in (*files, "manifest.json")]

    def global_files(self, model: str, split: str) -> list[str]:
        """Global views of a store's entities."""
        folder = f"{self.root}/globals/{split}/{model}"
        return [f"{folder}/{file}" for file in ("layer0.npy", "layer0.parquet", "manifest.json")]

    def span_files(self, model: str, split: str) -> list[str]:
        """All spans of the short descriptions of a store's entities."""
        folder = f"{self.root}/spans/{split}/{model}"
        return [f"{folder}/{file}" for file in ("layer1.npy", "layer1.parquet", "manifest.json")]

    def run_files(self, system: str, split: str) -> list[str]:
        """A system's run file and its manifest."""
        return [f"{self.root}/runs/{split}/{system}.{suffix}" for suffix in ("parquet", "json")]

    def evaluation_files(self, system: str) -> list[str]:
        """A system's scores and the gold ranks they are made of."""
        return [f"{self.root}/evaluations/{system}.{suffix}" for suffix in ("json", "parquet")]

    def trec_files(self, system: str) -> list[str]:
        """A system's run and gold as TREC's tools read them."""
        return [f"{self.root}/trec/{system}.{suffix}" for suffix in ("run", "qrels")]

    def grid_log(self, point: str) -> str:
        """Training log of a point of the grid."""
        return f"{self.root}/grid/{point}.jsonl"
