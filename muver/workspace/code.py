"""Which code decides a rule's output."""

from pathlib import Path

# A change in it runs the rule again; commands, help texts and progress lines are left out, so that
# rewording them never retrains a model.
_LAYOUT = ("views/layout.py", "views/build.py", "views/worlds.py")
_TOWERS = (
    "encoders/biencoder.py",
    "encoders/bulk.py",
    "encoders/pooling.py",
    "encoders/tokens.py",
)
_RUNS = (
    "retrieval/stages.py",
    "retrieval/layers.py",
    "retrieval/settings.py",
    "evaluation/runs.py",
)
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
    "choose": ("encoders/choice.py", "training_log.py"),
    "convert": ("encoders/convert.py", "encoders/biencoder.py"),
    "encode": ("encoders/stages.py", *_TOWERS, *_LAYOUT, "views/store.py"),
    "merge": (
        "encoders/stages.py",
        *_TOWERS,
        "views/layout.py",
        "views/store.py",
        "views/merging.py",
        "views/search.py",
        "views/expand.py",
    ),
    "encode_global": (
        "encoders/stages.py",
        *_TOWERS,
        "views/layout.py",
        "views/store.py",
        "views/expand.py",
    ),
    "encode_spans": (
        "encoders/stages.py",
        *_TOWERS,
        "views/layout.py",
        "views/store.py",
        "views/merging.py",
        "views/expand.py",
    ),
    "bm25": ("retrieval/bm25.py", *_RUNS),
    "retrieve": ("retrieval/exact.py", "views/store.py", *_RUNS),
    "retrieve_tokens": (
        "retrieval/tokens.py",
        "retrieval/exact.py",
        "encoders/scores.py",
        *_TOWERS,
        *_LAYOUT,
        *_RUNS,
    ),
    "fuse": ("retrieval/fusion.py", "retrieval/pool.py", "retrieval/exact.py", *_RUNS),
    "evaluate": ("evaluation/*.py",),
    "tables": ("tables/*.py", "tables/paper.yaml", "evaluation/significance.py"),
    "figures": (
        "figures/*.py",
        "evaluation/lengths.py",
        "evaluation/bootstrap.py",
        "evaluation/ranks.py",
        "tables/*.py",
        "tables/paper.yaml",
    ),
    "grid": ("grid/*.py", "training_log.py"),
}


def code(rule: str) -> list[str]:
    """Files of the package that decide a rule's output, relative to the project."""
    package = Path(__file__).parents[1]
    found = [
        path
        for pattern in CODE[rule]
        for path in sorted(package.glob(pattern))
        if path.suffix in (".py", ".yaml", ".json")
    ]
    return [f"muver/{path.relative_to(package).as_posix()}" for path in found]
