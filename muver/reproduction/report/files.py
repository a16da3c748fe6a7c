"""Where the files of a run lie, for a page that is made from folders alone."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunFiles:
    """The folders of a run, as the workflow fills them."""

    results: Path  # tables and figures
    workspace: Path  # what was built, build/<workspace>/current
    logs: Path  # log files and benchmarks by rule

    def table(self, name: str, suffix: str = ".json") -> Path:
        return self.results / f"{name}{suffix}"

    def run(self, system: str, set_name: str) -> Path:
        return self.workspace / "runs" / set_name / f"{system}.parquet"

    def evaluation(self, system: str, set_name: str) -> Path:
        return self.workspace / "evaluations" / set_name / f"{system}.json"

    def recorded(self, table: str) -> Path:
        """Which MLflow run belongs to which row of a table."""
        return self.workspace / "recorded" / f"{table}.csv"

    def corpus(self, file: str) -> Path:
        """A file of the corpus of worlds."""
        return self.workspace / "corpus" / file

    @property
    def sentences(self) -> Path:
        return self.workspace / "segment" / "sentences.parquet"

    def set_mentions(self, set_name: str) -> Path:
        """Mentions of a set over a knowledge base, with their gold entities."""
        return self.workspace / "mentions" / f"{set_name}.parquet"

    @property
    def kb(self) -> Path:
        return self.workspace / "kb"

    def shown(self, path: Path) -> str:
        """A file's name for the page: as the project knows it, never a place on this machine."""
        return path.name if path.is_absolute() else path.as_posix()

    def without_folders(self, message: object) -> str:
        """A message that names files of this run, without the folders of this machine."""
        for folder in (self.results, self.workspace, self.workspace.parent):
            message = str(message).replace(f"{folder}/", "")
        return message
