"""Which file lies where when the data are one knowledge base and linked sets of mentions."""

from dataclasses import dataclass
from pathlib import Path

from muver.corpus.sources import find_source
from muver.io.files import read_json
from muver.workspace.built import Built

BASE = ("manifest.json", "ids.npy", "by_id.npy", "by_title.npy")
SUBSET = (
    "entities.parquet",
    "mentions.parquet",
    "sentences.parquet",
    "counts.json",
    "manifest.json",
)
INDEX = ("index.faiss", "manifest.json")


@dataclass(frozen=True)
class LinkedWorkspace(Built):
    """Paths of one run's files, all below ``build/<workspace>``.

    Parameters
    ----------
    settings
        As :func:`muver.settings.resolve` gives them.
    """

    @property
    def dump(self) -> str:
        """KILT's knowledge source, one line a page."""
        return f"{self.root}/raw/{find_source('kilt').file}"

    def set_file(self, name: str) -> str:
        """A benchmark's JSON lines."""
        return f"{self.root}/raw/{name}.jsonl"

    @property
    def set_files(self) -> list[str]:
        """Those of all generated sets."""
        return [self.set_file(name) for name in self.settings["linking"]["generate"]["mentions"]]

    @property
    def kb(self) -> str:
        """Folder of the knowledge base."""
        return f"{self.root}/kb"

    @property
    def kb_files(self) -> list[str]:
        """What finishes the knowledge base; its parts lie beside them."""
        return [f"{self.kb}/{file}" for file in BASE]

    def texts(self, name: str) -> str:
        """Folder of the entities' texts from another source, part by part."""
        return f"{self.root}/texts/{name}"

    def mentions_files(self, name: str) -> list[str]:
        """A set's mentions with their gold entities, and the report of the matching."""
        return [f"{self.root}/mentions/{name}.{suffix}" for suffix in ("parquet", "json")]

    def subset_files(self, name: str) -> list[str]:
        """What training reads: of a model with hard negatives its own, else ``golds``."""
        return [f"{self.root}/training/{name}/{file}" for file in SUBSET]

    def checkpoint_file(self, model: str) -> str:
        """Published weights that a converted model is made of; a rule may fetch them."""
        return str(self.settings["models"][model]["checkpoint"])

    def negatives_files(self, model: str) -> list[str]:
        """Hard negatives of a model's training mentions, and where they are from."""
        return [f"{self.root}/negatives/{model}.{suffix}" for suffix in ("parquet", "json")]

    def parts(self) -> list[str]:
        """Names of the knowledge base's parts, once it is finished."""
        return [Path(part["file"]).stem for part in read_json(f"{self.kb}/manifest.json")["parts"]]

    def vector_files(self, model: str, part: str) -> list[str]:
        """Vectors of a part's views."""
        return [
            f"{self.root}/vectors/{model}/{part}.{suffix}"
            for suffix in ("npy", "counts.npy", "json")
        ]

    def mention_vectors(self, model: str, name: str) -> list[str]:
        """Vectors of a set's mentions."""
        return [
            f"{self.root}/mention_vectors/{model}/{name}.{suffix}" for suffix in ("npy", "json")
        ]

    def index_files(self, model: str, index: str) -> list[str]:
        """An approximate index of a model's vectors."""
        return [f"{self.root}/index/{model}/{index}/{file}" for file in INDEX]

    def check_file(self, model: str, index: str) -> str:
        """How far it agrees with exact search."""
        return f"{self.root}/index/{model}/{index}.json"

    def run_files(self, system: str, name: str) -> list[str]:
        """A system's run over a set, and its manifest."""
        return [f"{self.root}/runs/{name}/{system}.{suffix}" for suffix in ("parquet", "json")]

    def evaluation_files(self, system: str, name: str) -> list[str]:
        """A system's scores on a set and the gold ranks they are made of."""
        folder = f"{self.root}/evaluations/{name}"
        return [f"{folder}/{system}.{suffix}" for suffix in ("json", "parquet")]

    def trec_files(self, system: str, name: str) -> list[str]:
        """A system's run over a set and its gold as TREC's tools read them."""
        return [f"{self.root}/trec/{name}/{system}.{suffix}" for suffix in ("run", "qrels")]
