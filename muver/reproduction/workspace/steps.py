"""The steps of the workflow: what makes which kind of artifact, and of which files.

Everything that the rules, DVC's stages, the record and the estimates know of a step is read off
this table. A new step is an entry here, and a command of its name in
:mod:`muver.commands`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from muver.retriever.encoders.files import CROSS_FILES, MANIFEST_FILE, MODEL_FILES, START_FILES
from muver.retriever.views.files import PUNKT_FILES

LOG = "/training_log.jsonl"
LOSSES = "/pretraining_log.jsonl"
LAYER0 = ("/layer0.npy", "/layer0.parquet")
TEXTS = ("alone", "in_context", "title", "title_and_text")  # that signals compare
FOLDER = {"out": ""}  # of a command that writes a folder
TABLE = {"out": ".parquet", "manifest": ".json"}


class Step(NamedTuple):
    """How one rule makes the artifacts of a kind."""

    rule: str
    kind: str  # the folder below build/<workspace>
    dvc: str  # the DVC stage that keeps them
    out: Mapping[str, str] = FOLDER  # options of the command, and the suffixes of its outputs
    files: Sequence[str] = ()  # suffixes of all outputs; empty where they depend on the settings
    called: Mapping[str, str] = {}  # inputs whose option has another name than their role
    stage: str = ""  # after ``muver stage``, where it is not called as the rule
    spread: bool = False  # whether its settings are options of their own
    trains: bool = False  # by torchrun, where there are several processes
    runs_a_model: bool = False  # so that it takes threads, and a GPU
    compute: bool = False  # whether it takes the section ``compute`` beside its settings
    first: bool = False  # before any other training, so that rows are there early
    here: bool = False  # on this machine, also where jobs go to a cluster
    timed: str = ""  # what the record calls its time, where that counts towards a row

    @property
    def command(self) -> str:
        """The name after ``muver stage``."""
        return self.stage or self.rule.replace("_", "-")


def _named(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"/{name}" for name in names)


MODEL = (*_named(MODEL_FILES), LOG)
TRAINED = {**FOLDER, "training-log": LOG}
STEPS = (
    Step("download", "raw", "corpus", here=True),
    Step(
        "corpus", "corpus", "corpus",
        {"entities": "/entities.parquet", "mentions": "/mentions.parquet",
         "counts": "/counts.json"},
        ("/entities.parquet", "/mentions.parquet", "/counts.json"),
    ),
    Step("punkt_english", "punkt_english", "", files=_named(PUNKT_FILES), stage="download",
         here=True),
    Step(
        "segment", "segment", "segment",
        files=("/sentences.parquet", *(f"/punkt/{file}" for file in PUNKT_FILES), "/manifest.json"),
    ),
    Step("kb", "kb", "corpus", {"folder": ""},
         ("/manifest.json", "/ids.npy", "/by_id.npy", "/by_title.npy")),
    Step("texts", "texts", "corpus", {"folder": ""}, ("",), {"file": "source"}, "kb-texts"),
    Step("link", "mentions", "corpus", {"mentions": ".parquet", "report": ".json"},
         (".parquet", ".json"), {"file": "path"}),
    Step("encoder", "start", "encoder", files=_named(START_FILES), here=True),
    Step(
        "subset", "training", "encoder", {"folder": ""},
        ("/entities.parquet", "/mentions.parquet", "/sentences.parquet", "/negatives.parquet",
         "/counts.json", "/manifest.json"), stage="kb-subset",
    ),
    Step("pretrain", "pretrained", "pretrain", {**FOLDER, "training-log": LOSSES},
         (*_named(START_FILES), LOSSES), runs_a_model=True, compute=True),
    Step("negatives", "negatives", "train", TABLE, (".parquet", ".json")),
    Step("train", "models", "train", TRAINED, MODEL, trains=True, runs_a_model=True, compute=True),
    Step("train_best", "models", "train", TRAINED, MODEL, trains=True, runs_a_model=True,
         compute=True),
    Step("train_cross", "models", "train", TRAINED, (*_named(CROSS_FILES), LOG), trains=True,
         runs_a_model=True, compute=True),
    Step("choose", "models", "train", files=MODEL, spread=True, here=True),
    Step("average", "models", "train", TRAINED, MODEL, spread=True),
    Step("convert", "models", "train", TRAINED, (*MODEL, f"/{MANIFEST_FILE}"),
         {"start": "encoder"}),
    Step("grid_point", "grid", "grid", {"training-log": ".jsonl"}, (".jsonl",), stage="train",
         trains=True, runs_a_model=True, compute=True),
    Step("encode", "stores", "encode", files=(*LAYER0, "/mentions.npy", "/mentions.parquet",
         "/manifest.json"), runs_a_model=True, first=True, timed="encode"),
    Step("encode_global", "globals", "encode", files=(*LAYER0, "/manifest.json"),
         runs_a_model=True, first=True, timed="encode_global"),
    Step("encode_texts", "signals", "encode",
         files=(*(f"/{text}{end}" for text in TEXTS for end in (".npy", ".parquet")),
         "/manifest.json"), runs_a_model=True, first=True, timed="encode_texts"),
    Step("merge", "merged", "merge", runs_a_model=True, first=True, timed="merge"),
    Step("encode_part", "vectors", "encode", runs_a_model=True),
    Step("encode_mentions", "mention_vectors", "encode", {"out": ".npy"}, (".npy", ".parquet"),
         runs_a_model=True),
    Step("ann_index", "index", "encode", files=("/index.faiss", "/manifest.json", ".json")),
    Step("retrieve", "runs", "retrieve", {"run": ".parquet", "manifest": ".json"},
         (".parquet", ".json"), compute=True, first=True),
    Step("evaluate", "evaluations", "evaluate", {"out": ".json"},
         (".json", ".parquet", ".run", ".qrels"), {"manifest": "run-manifest",
         "identity": "encoder"}, first=True),
)  # fmt: skip
BY_RULE = {step.rule: step for step in STEPS}
# Files of each kind after an artifact's own path; of the other kinds they depend on the settings.
SUFFIXES = {step.kind: list(step.files) for step in reversed(STEPS) if step.files}
# The kinds that each DVC stage keeps, in the order of the steps.
STAGES: dict[str, list[str]] = {}
for _step in STEPS:
    if _step.dvc and _step.kind not in STAGES.setdefault(_step.dvc, []):
        STAGES[_step.dvc].append(_step.kind)
TIMED = {step.kind: step.timed for step in STEPS if step.timed}
