"""Evaluations to make tables of."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from muver.io import parquet
from muver.io.files import write_json
from muver.io.parquet import write_table
from muver.io.typed import read
from muver.reproduction.tables.build import build
from muver.reproduction.tables.records import Table
from muver.reproduction.tables.tables_settings import TableSettings
from muver.retriever.corpus.schema import MENTIONS
from muver.retriever.evaluation import bootstrap
from muver.retriever.evaluation.recall import scored
from tests.blank import blank_evaluation
from tests.retriever.evaluation.conftest import make_ranks as ranks_of

Evaluation = dict[str, Any]
SIZES = {"lego": 8, "yugioh": 3}
# Of each mention: of lego four and four, of yugioh one and two
CATEGORIES = ["HIGH_OVERLAP"] * 4 + ["LOW_OVERLAP"] * 4 + ["HIGH_OVERLAP"] + ["LOW_OVERLAP"] * 2
ZESHEL = {"dataset": "zeshel", "identified_as": "zeshel"}


def make_ranks(
    hits: Mapping[str, tuple[int, int]],
    sizes: Mapping[str, int] = SIZES,
    document: str | None = None,
    k: int = 64,
) -> pa.Table:
    """By world, the first mentions are hit at 1, the next at k, the last never."""
    worlds, ranks = [], []
    for world, (first, last) in hits.items():
        worlds += [world] * sizes[world]
        ranks += [1] * first + [k] * (last - first) + [0] * (sizes[world] - last)
    number = len(ranks)
    return ranks_of(ranks, worlds, [3] * number, k, [document] * number)


def make(
    system: str,
    lego: tuple[int, int],
    yugioh: tuple[int, int],
    sizes: Mapping[str, int] = SIZES,
    **other: Any,
) -> Evaluation:
    """Hits at 1 and 64 of eight mentions of lego and three of yugioh, unless told otherwise."""
    scores = scored(make_ranks({"lego": lego, "yugioh": yugioh}, sizes), [1, 64], "documents")
    own = {"system": system, "settings": {"system": system, "seed": 1}, "cutoffs": [1, 64]}
    return blank_evaluation(scores, **{**own, **other})


def table_of(
    name: str,
    files: Sequence[Path],
    *rows: dict[str, Any],
    mentions: Path | None = None,
    **settings: Any,
) -> Table:
    """A table of recall from its files, as the stage makes it."""
    asked = read(TableSettings, {"rows": [*rows], "caption": "Recall", **settings})
    return build(name, asked, files, mentions=mentions)


@pytest.fixture
def few_resamples(monkeypatch) -> None:
    """Intervals of thousands of mentions in a moment, with less accurate bounds."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 100)


@pytest.fixture
def evaluation() -> Callable[..., Evaluation]:
    """Make an evaluation: ``evaluation(system, lego hits, yugioh hits, **replaced)``."""
    return make


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., list[Path]]:
    """Write evaluations as :func:`write_evaluations` does."""
    return lambda *evaluations, **document: write_evaluations(tmp_path, evaluations, **document)


def write_evaluations(
    folder: Path, evaluations: Iterable[Evaluation], document: str | None = None
) -> list[Path]:
    """Write evaluations with the ranks beside each, of one document or of as many as mentions."""
    paths = []
    for evaluation in evaluations:
        paths.append(folder / evaluation["set"] / f"{evaluation['system']}.json")
        write_json(paths[-1], evaluation)
        worlds = evaluation["worlds"]
        hits = {world: tuple(part["hits"].values()) for world, part in worlds.items()}
        sizes = {world: part["mentions"] for world, part in worlds.items()}
        ranks = make_ranks(hits, sizes, document, evaluation["cutoffs"][-1])
        write_table(paths[-1].with_suffix(".parquet"), ranks)
    return paths


@pytest.fixture
def mentions(tmp_path: Path) -> Callable[..., Path]:
    """Write a corpus's mentions with categories, by default those of the evaluations."""

    def write(categories: Sequence[str] = CATEGORIES) -> Path:
        number = len(categories)
        columns = {
            "mention_id": [f"m{n}" for n in range(number)],
            "split": ["test"] * number,
            "gold": [0] * number,
            "category": categories,
        }
        path = tmp_path / "mentions.parquet"
        given = [columns.get(name, [""] * number) for name in MENTIONS.names]
        write_table(path, parquet.table_of(MENTIONS, given))
        return path

    return write
