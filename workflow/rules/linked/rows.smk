# What models, runs and Table 2 need, where the data are a knowledge base and sets of mentions: the
# functions by which the rules find their inputs.
from muver.settings import linked

L = S["linking"]
KB = f"--kb {W.kb}"
ROWS = S["tables"]["table2"]["rows"]
AGAINST = S["tables"]["table2"].get("against")
SCORED = [(system, name) for name in L["test"] for system in ROWS]
RUNS = [W.run_files(*key)[0] for key in SCORED]
SCORES = [W.evaluation_files(*key)[0] for key in SCORED]
BENCHMARKS = f"{ROOT}/raw/benchmarks"
COUNTED = S["dataset"] == "wikipedia" and L["published_counts"]
TRAINING_LOGS = {s: f"{ROOT}/models/{S['systems'][s]['model']}/training_log.jsonl" for s in ROWS}
PAGE = "results/report.html"
METRICS, PLOTS = [], []  # read by DVC, whose stages are of worlds


def own_file(name):
    """The file of a set: generated, or named in params.yaml; None if it is in BENCHMARKS."""
    if S["dataset"] == "miniwikipedia":
        return W.set_file(name)
    file = L["sets"][name]["file"]
    return file if Path(file).is_file() else None


def subset_of(model):
    """The subset that a model trains on: its own, or that of gold entities and their paragraphs."""
    return model if "negatives" in S["models"][model] or texts_of(model) else "golds"


def texts_of(model):
    """The folder of texts that a model's views are made of; none if of the paragraphs."""
    text = trained_as(S, model)["views"].get("text")
    return W.texts(text) if text else []


def subset_file(wildcards, name):
    """A file of the subset that a model trains on."""
    return f"{ROOT}/training/{subset_of(wildcards.model)}/{name}"


def origin(model):
    """The files that a model's weights start from: another model's, or the encoder's."""
    start = S["models"][model].get("start")
    return W.model_files(start) if start else W.start_files


def mined(name):
    """Hard negatives that a subset has to hold."""
    return W.negatives_files(name)[:1] if "negatives" in S["models"].get(name, {}) else []


def vectors(wildcards):
    """Vectors of all parts of the knowledge base, by a model or a system's model."""
    checkpoints.kb.get()
    model = wildcards.model if "model" in wildcards.keys() else model_of(wildcards)
    return [file for part in W.parts() for file in W.vector_files(model, part)]


def model_of(wildcards):
    """A system's model."""
    return S["systems"][wildcards.system]["model"]


def index_of(wildcards):
    """Files of the index that a system searches; without one it searches exactly."""
    index = S["systems"][wildcards.system].get("index")
    return W.index_files(model_of(wildcards), index) if index else []


def mining_run(model):
    """The run over the training mentions that a model's hard negatives are mined from."""
    return W.run_files(S["models"][model]["negatives"]["system"], L["train"])


def weights_of(model):
    """The manifest that names the weights a model came from, through what it started from."""
    if model in CONVERTED:
        return W.identity_file(model)
    start = S["models"][model].get("start")
    return weights_of(start) if start else f"{ROOT}/start/manifest.json"


def dataset_source():
    """Where the knowledge base comes from: an address, a file or a folder."""
    if S["dataset"] == "miniwikipedia":
        return f"{ROOT}/raw"
    return L["source"]["kilt"] or find_source("kilt").address


def record_arguments(table):
    """What `muver record` is told of Table 2."""
    benchmarks = [
        f"{system}:{stage}={LOGS}/{file}.benchmark.tsv"
        for system in ROWS
        for stage, file in {
            "train": f"train/{S['systems'][system]['model']}",
            **{f"search_{name}": f"search/{name}/{system}" for name in L["test"]},
        }.items()
    ]
    return [
        *("--settings", record_settings(table), "--table", f"results/{table}.json"),
        *("--evaluations", *SCORES, "--runs", *RUNS),
        *("--artifacts", *(f"{system}={log}" for system, log in TRAINING_LOGS.items())),
        *("--benchmarks", *benchmarks, "--out", f"{ROOT}/recorded/{table}.csv"),
    ]
