"""The steps of the workflow: what makes which kind of artifact, and of which files.

Everything that the rules, DVC's stages, the record and the estimates know of a step is read off
this table. A new step is an entry here, and a command of its name in :mod:`muver.commands`.

:func:`code` says which code decides a rule's output: what its command imports, directly or through
others. A change in it runs the rule again. What the stages are called and `FREE` are left out, so
that rewording a help text never trains a model again.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from muver.commands import COMMANDS, STAGE
from muver.retriever.encoders.files import CROSS_FILES, MANIFEST_FILE, MODEL_FILES, START_FILES
from muver.retriever.views.views_settings import PUNKT_FILES

LOG = "/training_log.jsonl"
LOSSES = "/pretraining_log.jsonl"
TEXTS = ("alone", "in_context", "title", "title_and_text")  # that signals compare
MANIFEST = f"/{MANIFEST_FILE}"
FOLDER = {"out": ""}  # of a command that writes a folder


class Step(NamedTuple):
    """How one rule makes the artifacts of a kind."""

    rule: str
    kind: str  # the folder below build/<workspace>
    dvc: str  # the DVC stage that keeps them
    out: Mapping[str, str] = FOLDER  # options of the command, and the suffixes of its outputs
    # Suffixes of all outputs, where the options do not name them or they depend on the settings.
    named: Sequence[str] = ()
    called: Mapping[str, str] = {}  # inputs whose option has another name than their role
    stage: str = ""  # after ``muver stage``, where it is not called as the rule
    spread: bool = False  # whether its settings are options of their own
    trains: bool = False  # by torchrun, where there are several processes
    runs_a_model: bool = False  # so that it takes threads, and a GPU
    compute: bool = False  # whether it takes the section ``compute`` beside its settings
    threads: bool = False  # whether it takes threads without a model
    first: bool = False  # before any other training, so that rows are there early
    here: bool = False  # on this machine, also where jobs go to a cluster
    folder: bool = False  # whether its one output is a folder of any files

    @property
    def files(self) -> Sequence[str]:
        """Suffixes of all outputs; empty where they depend on the settings."""
        return self.named or tuple(filter(None, self.out.values()))

    @property
    def command(self) -> str:
        """The name after ``muver stage``."""
        return self.stage or self.rule.replace("_", "-")


def _named(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"/{name}" for name in names)


def vector_files(*names: str) -> tuple[str, ...]:
    """Suffixes of a folder of vectors: of each part a matrix and a table, and the manifest."""
    return *_named(f"{name}{end}" for name in names for end in (".npy", ".parquet")), MANIFEST


MODEL = (*_named(MODEL_FILES), LOG)
TRAINED = {**FOLDER, "training-log": LOG}
TRAINS = {"trains": True, "runs_a_model": True, "compute": True}
ENCODES = {"runs_a_model": True, "first": True}
# Files of other projects that Table 2 is made of, by their declared sources.
FETCHED = ("kilt", "blink_biencoder", "blink_entities", "blink_benchmarks")
STEPS = (
    Step("download", "raw", "corpus", here=True),
    *(Step(name, "raw", "corpus", named=("",), stage="download", here=True,
           folder=name == "blink_benchmarks") for name in FETCHED),
    Step(
        "corpus", "corpus", "corpus",
        {"entities": "/entities.parquet", "mentions": "/mentions.parquet",
         "counts": "/counts.json"},
    ),
    Step("punkt_english", "punkt_english", "", named=_named(PUNKT_FILES), stage="download",
         here=True),
    Step(
        "segment", "segment", "segment",
        named=("/sentences.parquet", *(f"/punkt/{file}" for file in PUNKT_FILES), "/manifest.json"),
    ),
    Step("kb", "kb", "corpus", {"folder": ""},
         ("/manifest.json", "/ids.npy", "/by_id.npy", "/by_title.npy")),
    Step("texts", "texts", "corpus", {"folder": ""}, ("",), {"file": "source"}, "kb-texts",
         folder=True),
    Step("link", "mentions", "corpus", {"mentions": ".parquet", "report": ".json"},
         called={"file": "path"}),
    Step("encoder", "start", "encoder", named=_named(START_FILES), here=True),
    Step(
        "subset", "training", "encoder", {"folder": ""},
        ("/entities.parquet", "/mentions.parquet", "/sentences.parquet", "/negatives.parquet",
         "/counts.json", "/manifest.json"), stage="kb-subset",
    ),
    Step("pretrain", "pretrained", "pretrain", {**FOLDER, "training-log": LOSSES},
         (*_named(START_FILES), LOSSES), runs_a_model=True, compute=True),
    Step("negatives", "negatives", "train", {"out": ".parquet", "manifest": ".json"}),
    Step("train", "models", "train", TRAINED, MODEL, **TRAINS),
    Step("train_best", "models", "train", TRAINED, MODEL, **TRAINS),
    Step("train_cross", "models", "train", TRAINED, (*_named(CROSS_FILES), LOG), **TRAINS),
    Step("choose", "models", "train", named=MODEL, spread=True, here=True),
    Step("convert", "models", "train", TRAINED, (*MODEL, MANIFEST),
         {"start": "encoder"}),
    Step("grid_point", "grid", "grid", {"training-log": ".jsonl"}, stage="train", **TRAINS),
    Step("encode", "stores", "encode", named=vector_files("layer0", "mentions"), **ENCODES),
    Step("encode_global", "globals", "encode", named=vector_files("layer0"), **ENCODES),
    Step("encode_texts", "signals", "encode", named=vector_files(*TEXTS), **ENCODES),
    Step("merge", "merged", "merge", **ENCODES),
    Step("encode_part", "vectors", "encode", runs_a_model=True),
    Step("encode_mentions", "mention_vectors", "encode", {"out": ".npy"}, (".npy", ".parquet"),
         runs_a_model=True),
    Step("ann_index", "index", "encode", {"out": "", "report": ".json"},
         ("/index.faiss", MANIFEST, ".json"), {"mentions": "mention_vectors"}, threads=True),
    Step("retrieve", "runs", "retrieve", {"run": ".parquet", "manifest": ".json"}, compute=True,
         first=True),
    Step("evaluate", "evaluations", "evaluate", {"out": ".json"},
         (".json", ".parquet", ".run", ".qrels"), {"manifest": "run-manifest",
         "identity": "encoder"}, first=True),
    # A row as an index, which muver.Index opens, is made on request:
    # snakemake --cores all build/<dataset>/indexes/<system>
    Step("index", "indexes", "", named=("",), stage="index-row", folder=True),
)  # fmt: skip
BY_RULE = {step.rule: step for step in STEPS}
# The kinds that each DVC stage keeps, in the order of the steps.
STAGES: dict[str, list[str]] = {}
KINDS = {step.kind: step.dvc for step in STEPS if step.dvc}
for _kind, _stage in KINDS.items():
    STAGES.setdefault(_stage, []).append(_kind)
# What is encoded for rows, by kind: its time counts towards theirs, under the name of its rule.
TIMED = {step.kind: step.rule for step in STEPS if step.first and step.runs_a_model}


PACKAGE = Path(__file__).parents[2]
# Of the files' names: none where they lie in the folder that Snakemake runs in.
BEFORE = "" if PACKAGE.parent == Path.cwd() else f"{PACKAGE.parent}/"
# Where a rule's work begins, if not in the stage of its name.
KIND = "retrieve_"  # before the name of a retriever kind
DECLARED = "retriever/corpus/sources.py"  # an archive's files are verified by its checksum
BEGINS = {
    "download": [DECLARED],
    "download_worlds": ["kb/importing/pages/worlds.py"],
    "punkt_english": [],
    **dict.fromkeys(FETCHED, [DECLARED]),
}
# An edit of these makes no result again, as it can change none.
FREE = {
    "__init__.py",  # names for users
    "io/errors.py",  # messages, and defaults laid under settings, which are the rule's parameters
    "io/typed.py",
    "io/progress.py",
    "io/files.py",  # how a file is written, not what stands in it
    "io/matrices.py",
    "io/parquet.py",
    "retriever/encoders/files.py",  # names of files, and words for people beside a model
    "retriever/encoders/device.py",  # does what the rule's parameters say
    "retriever/corpus/corpus_settings.py",  # types of the rule's parameters
}
# Every job of a run looks, so that parsing each module would cost seconds in all.
IMPORT = re.compile(r"^ *from (muver[\w.]*) import (\([^)]*\)|[^(\n]*)", re.MULTILINE)


@cache
def code(rule: str) -> list[str]:
    """Files of the package that decide a rule's output, sorted; relative to the project in it.

    >>> code("choose")
    ['muver/retriever/runs/manifest.py', 'muver/retriever/training/log.py']
    """
    names: set[str] = set()
    waiting = [PACKAGE / name for name in BEGINS[rule]] if rule in BEGINS else _begins(rule)
    while waiting:
        path = waiting.pop()
        name = path.relative_to(PACKAGE).as_posix()
        if name in names or name in FREE:
            continue
        names.add(name)
        waiting += read_by(path)
    return sorted(f"{BEFORE}muver/{name}" for name in names)


def _begins(rule: str) -> list[Path]:
    """The module that does the work of a rule, or in which a retriever kind ranks."""
    if rule.startswith(KIND):
        return [PACKAGE / f"retriever/retrieval/kinds/{rule.removeprefix(KIND)}.py"]
    name = BY_RULE[rule].command if rule in BY_RULE else rule.replace("_", "-")
    return [(COMMANDS.get(f"{STAGE}{name}") or COMMANDS[name]).file]


@cache
def read_by(path: Path) -> tuple[Path, ...]:
    """Files of the package that a module imports, in its functions too, and data that it names."""
    if path.suffix != ".py":
        return ()
    text = path.read_text(encoding="utf-8")
    return (*_imported(text), *_data(path, text))


def _imported(text: str) -> Iterator[Path]:
    for module, names in IMPORT.findall(text):
        folder = PACKAGE.joinpath(*module.split(".")[1:])
        for name in re.findall(r"(\w+)(?: as \w+)?", re.sub("#.*", "", names)):
            places = (folder / f"{name}.py", folder.with_suffix(".py"))
            yield next((place for place in places if place.is_file()), folder / "__init__.py")


def _data(path: Path, text: str) -> Iterator[Path]:
    """Files beside a module, such as ``paper.yaml``, and those of a folder beside it."""
    for name in re.findall(r'with_name\("([\w.]+)"\)', text):
        beside = path.with_name(name)
        yield from sorted(beside.iterdir()) if beside.is_dir() else [beside]
