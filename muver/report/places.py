"""Where the files of a run lie, for a page that is made from folders alone."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Places:
    """Folders of a run, as the workflow fills them.

    Attributes
    ----------
    results
        Tables and figures.
    workspace
        What was built, ``build/<workspace>``.
    logs
        Log files and benchmarks by rule.
    """

    results: Path
    workspace: Path
    logs: Path

    def table(self, name: str, suffix: str = ".json") -> Path:
        """One of a table's files."""
        return self.results / f"{name}{suffix}"

    def figure(self, name: str) -> Path:
        """A drawing."""
        return self.results / "figures" / f"{name}.svg"

    def evaluation(self, system: str, part: str = "") -> Path:
        """Scores of a system, of one set where there are sets."""
        return self.workspace / "evaluations" / part / f"{system}.json"

    def ranks(self, system: str, part: str = "") -> Path:
        """Ranks of the gold entities beside a system's scores."""
        return self.evaluation(system, part).with_suffix(".parquet")

    def run(self, system: str, split: str) -> Path:
        """Ranked candidates of a system, of a split or a set."""
        return self.workspace / "runs" / split / f"{system}.parquet"

    def trec(self, system: str, part: str = "") -> Path:
        """The run for TREC's tools."""
        return self.workspace / "trec" / part / f"{system}.run"

    def recorded(self, table: str) -> Path:
        """Which MLflow run is which row's."""
        return self.workspace / "recorded" / f"{table}.csv"

    @property
    def entities(self) -> Path:
        """Canonical entities."""
        return self.workspace / "corpus" / "entities.parquet"

    @property
    def mentions(self) -> Path:
        """Canonical mentions."""
        return self.workspace / "corpus" / "mentions.parquet"

    @property
    def counts(self) -> Path:
        """Counts of the corpus, with its fingerprint."""
        return self.workspace / "corpus" / "counts.json"

    @property
    def sentences(self) -> Path:
        """Descriptions split into sentences."""
        return self.workspace / "segment" / "sentences.parquet"

    @property
    def kb(self) -> Path:
        """The knowledge base's folder."""
        return self.workspace / "kb"

    def of_set(self, name: str) -> Path:
        """A set's mentions with their gold."""
        return self.workspace / "mentions" / f"{name}.parquet"

    def shown(self, path: Path) -> str:
        """A file's name for the page: as the project knows it, never a place on this machine."""
        return path.name if path.is_absolute() else path.as_posix()
