"""A file that changed after it was made: told before a number is made of it, then made anew."""

from tests.workflow.conftest import tiny_project


def test_a_damaged_artifact_is_told_and_made_anew(tmp_path):
    table = {"caption": "Words", "rows": ["bm25"], "against": "bm25"}
    project = tiny_project(
        tmp_path, results=["mine"], tracking={"enabled": False}, tables={"mine": table}
    )
    project.snakemake("results/mine.csv")
    made = project.read("results/mine.csv")
    assert "artifacts as written" in project.run("muver", "verify")

    (corpus,) = project.folder.glob("build/miniwikia/corpus/*/mentions.parquet")
    data = bytearray(corpus.read_bytes())
    data[len(data) // 2] ^= 1
    corpus.write_bytes(data)
    said = project.snakemake("results/mine.csv", "--config", "bm25={k1: 2}", ok=False)
    assert f"{corpus.relative_to(project.folder)}: its bytes are not those" in said
    project.snakemake("results/mine.csv", "--config", "bm25={k1: 2}")
    project.snakemake("results/mine.csv")
    assert project.read("results/mine.csv") == made
    project.run("muver", "verify")
