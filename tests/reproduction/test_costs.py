"""What rows cost, from benchmark files, evaluations and manifests."""

from pathlib import Path

from muver.io.files import write_json
from muver.io.typed import read
from muver.reproduction.costs import Costs, write_costs
from muver.retriever.evaluation.records import Evaluation
from tests.blank import blank, jsonable

HEADER = "s\th:m:s\tmax_rss\tmean_load\n"


def test_costs_of_rows(tmp_path: Path):
    def row(method: str, views: float | None, counts: dict | None, *trained: str) -> dict:
        own = blank(Evaluation, mentions=120, views_per_entity=views)
        write_json(tmp_path / f"{method}.json", jsonable(own))
        write_json(tmp_path / f"{method}-run.json", {"counts": counts})
        return {
            "method": method,
            "evaluation": str(tmp_path / f"{method}.json"),
            "manifest": str(tmp_path / f"{method}-run.json"),
            "trainings": [str(tmp_path / f"{one}.tsv") for one in trained],
            "ranking": str(tmp_path / f"{method}.tsv"),
        }

    for name, line in {
        "one": "200\t-\t100\t150", "two": "10\t-\t100\t50",  # 300 and 5 core-seconds
        "sum": "48\t-\t100\t90", "words": "2\t-\t100\t90",
    }.items():  # fmt: skip
        (tmp_path / f"{name}.tsv").write_text(f"{HEADER}{line}\n")
    rows = [
        row("sum", 2.5, {"entities": 4, "views": 10, "bytes": 160}, "one", "two"),
        row("words", None, None),
        row("pulled", 1.0, {"entities": 4, "views": 4}, "away"),
    ]
    write_costs(tmp_path / "costs.csv", read(Costs, {"caption": "Costs", "rows": rows}))
    assert (tmp_path / "costs.csv").read_text().splitlines() == [
        "method,core-seconds of training,vectors,bytes,mentions a second",
        "sum,305,2.5,40,2.5",
        "words,0,,,60.0",
        "pulled,,1.0,,",
    ]
    assert "Empty where a job did not run here." in (tmp_path / "costs.md").read_text()
