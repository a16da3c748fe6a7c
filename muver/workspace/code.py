"""Which code decides a rule's output."""

from pathlib import Path

# A change in it runs the rule again; commands, help texts and progress lines are left out, so that
# rewording them never retrains a model.
_LAYOUT = ("views/layout.py", "views/build.py", "views/worlds.py")
_TOWER = ("encoders/bert.py", "encoders/sizes.py", "encoders/tokens.py", "encoders/towers.py")
_TOWERS = (
    *_TOWER,
    "encoders/biencoder.py",
    "encoders/bulk.py",
    "encoders/packing.py",
    "encoders/pooling.py",
)
_STORE = (
    "encoders/stages/settings.py",
    "encoders/stages/tower.py",
    *_TOWERS,
    "views/layout.py",
    "views/store.py",
)
_MERGING = ("views/expand.py", "views/merging.py", "views/search.py", "views/slices.py")
_RUNS = (
    "retrieval/rows.py",
    "retrieval/exact.py",
    "evaluation/runs.py",
    "evaluation/columns.py",
)
_EVALUATION = (
    "evaluation/stage.py",
    "evaluation/bootstrap.py",
    "evaluation/columns.py",
    "evaluation/lengths.py",
    "evaluation/precision.py",
    "evaluation/ranks.py",
    "evaluation/recall.py",
    "evaluation/runs.py",
    "evaluation/trec.py",
)
_PUBLISHED = ("corpus/sources.py", "corpus/sources.yaml")
_COUNTED = (*_PUBLISHED, "corpus/statistics.py", "splits.py")
_RUN = ("evaluation/columns.py", "evaluation/runs.py")
CODE: dict[str, tuple[str, ...]] = {
    "generate": ("corpus/miniwikia/*", "corpus/kilt/titles.py", "splits.py"),
    "download": ("corpus/sources.yaml",),
    "corpus": (
        "corpus/build.py",
        "corpus/jsonl.py",
        "corpus/schema.py",
        "corpus/sources.py",
        "corpus/sources.yaml",
        "corpus/statistics.py",
        "corpus/zeshel.py",
        "splits.py",
    ),
    "segment": ("views/segment.py", "views/punkt.py"),
    "encoder": ("encoders/start.py", "encoders/pretrained.py", *_TOWER),
    "train": (
        "training/*.py",
        *_TOWERS,
        "encoders/scores.py",
        *_LAYOUT,
        "retrieval/exact.py",
        "retrieval/tokens.py",
    ),
    "choose": ("encoders/choice.py", "training_log.py"),
    "convert": (
        "encoders/convert.py",
        "encoders/start.py",
        "encoders/pretrained.py",
        "encoders/biencoder.py",
        *_TOWER,
    ),
    "encode": ("encoders/stages/encode.py", *_STORE, "views/build.py", "views/worlds.py"),
    "merge": ("encoders/stages/merge.py", *_STORE, *_MERGING),
    "encode_global": ("encoders/stages/global_views.py", *_STORE, "views/slices.py"),
    "encode_spans": ("encoders/stages/spans.py", *_STORE, *_MERGING),
    "bm25": ("retrieval/bm25.py", *_RUNS),
    "retrieve": (
        "retrieval/from_store.py",
        "retrieval/layers.py",
        "retrieval/settings.py",
        "views/store.py",
        "views/layout.py",
        *_RUNS,
    ),
    "retrieve_tokens": (
        "retrieval/over_tokens.py",
        "retrieval/tokens.py",
        "retrieval/settings.py",
        "encoders/scores.py",
        *_TOWERS,
        *_LAYOUT,
        *_RUNS,
    ),
    "fuse": ("retrieval/fusion.py", "retrieval/pool.py", *_RUNS),
    "evaluate": _EVALUATION,
    "tables": (
        "tables/*.py",
        "tables/paper.yaml",
        "encoders/bert.py",
        "encoders/sizes.py",
        "evaluation/bootstrap.py",
        "evaluation/columns.py",
        "evaluation/precision.py",
        "evaluation/ranks.py",
        "evaluation/significance.py",
        "splits.py",
    ),
    "figures": (
        "figures/*.py",
        "evaluation/bootstrap.py",
        "evaluation/columns.py",
        "evaluation/lengths.py",
        "evaluation/precision.py",
        "evaluation/ranks.py",
        "tables/evaluations.py",
        "tables/keys.py",
        "tables/numbers.py",
        "tables/paper.py",
        "tables/paper.yaml",
    ),
    "metrics": ("metrics/*.py", "figures/style.py", "figures/views_plot.py", "pruning.py"),
    "grid": (
        "grid/*.py",
        "evaluation/precision.py",
        "settings/overlay.py",
        "tables/keys.py",
        "tables/latex.py",
        "tables/page.py",
        "training_log.py",
    ),
    "kb": ("corpus/kilt/*.py", *_COUNTED),
    "kb_texts": ("corpus/kilt/*.py", "corpus/texts/*.py", *_COUNTED),
    "link": (
        "corpus/jsonl.py",
        "corpus/kilt/*.py",
        "corpus/archive.py",
        "corpus/linking/benchmark.py",
        "corpus/linking/blink.py",
        "corpus/linking/build.py",
        "corpus/linking/conll.py",
        "corpus/linking/match.py",
        *_PUBLISHED,
    ),
    "negatives": ("corpus/kilt/*.py", *_RUN, "retrieval/negatives.py"),
    "kb_subset": (
        "corpus/kilt/*.py",
        "corpus/linking/passages.py",
        "corpus/linking/subset.py",
        "corpus/texts/read.py",
        "evaluation/columns.py",
        "views/punkt.py",
        "views/segment.py",
    ),
    "encode_part": (
        *_STORE,
        "corpus/kilt/*.py",
        "corpus/texts/read.py",
        "encoders/fingerprint.py",
        "encoders/stages/kb_part.py",
        "retrieval/ann/shards.py",
        "views/build.py",
    ),
    "encode_mentions": (
        *_STORE,
        *_LAYOUT,
        "encoders/fingerprint.py",
        "encoders/stages/linked.py",
        "retrieval/ann/mentions.py",
        "retrieval/ann/shards.py",
    ),
    "ann_build": ("retrieval/ann/*.py", "views/layout.py", "views/store.py"),
    "ann_check": (
        "retrieval/ann/*.py",
        "evaluation/approximate.py",
        "retrieval/exact.py",
        "views/layout.py",
        "views/store.py",
    ),
    "ann_search": (
        "corpus/kilt/*.py",
        "retrieval/ann/*.py",
        "evaluation/approximate.py",
        "views/layout.py",
        "views/store.py",
        *_RUNS,
    ),
    "evaluate_linked": (
        *_EVALUATION,
        "evaluation/approximate.py",
        "evaluation/linked.py",
    ),
    "report": (
        "report/*.py",
        "report/assets/*",
        "corpus/kilt/lookup.py",
        "corpus/kilt/parts.py",
        "corpus/kilt/settings.py",
        "corpus/kilt/titles.py",
        "evaluation/columns.py",
        "evaluation/ranks.py",
        "evaluation/runs.py",
        "tables/footnotes.py",
        "tables/keys.py",
        "tables/linked_sections.py",
        "tables/numbers.py",
        "tables/page.py",
        "tracking/provenance.py",
    ),
}
SUFFIXES = (".py", ".yaml", ".json", ".html", ".css", ".js")


def code(rule: str) -> list[str]:
    """Files of the package that decide a rule's output, relative to the project."""
    package = Path(__file__).parents[1]
    found = [
        path
        for pattern in CODE[rule]
        for path in sorted(package.glob(pattern))
        if path.suffix in SUFFIXES
    ]
    return [f"muver/{path.relative_to(package).as_posix()}" for path in found]
