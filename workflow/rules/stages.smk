# One target a DVC stage: all files of its group of rules, minus those of dropped models and rows.

NEEDED = needs_of(S, S["results"])
DECLARED = needs_of(
    S, [*S["tables"], *S["figures"]]
)  # what a table made on request needs stays too
OWN_TABLES = [name for name, own in S["tables"].items() if "caption" in own]  # made on request
GROUPS = {
    "corpus": [*(RAW if S["dataset"] != W.raw else []), W.entities, W.mentions, W.counts],
    "segment": W.segment_files,
    "encoder": W.start_files,
    "train": [file for model in NEEDED.models for file in W.model_files(model)],
    "encode": [
        *(file for key in NEEDED.stores for file in W.store_files(*key)),
        *(file for key in NEEDED.globals for file in W.global_files(*key)),
    ],
    "merge": [
        *(file for key in NEEDED.merged for file in W.merged_files(*key)),
        *(file for key in NEEDED.spans for file in W.span_files(*key)),
    ],
    "retrieve": [file for key in NEEDED.runs for file in W.run_files(*key)],
    "evaluate": [
        file
        for system in NEEDED.systems
        for file in (*W.evaluation_files(system), *W.trec_files(system))
    ],
    "grid": [W.grid_log(point) for point in POINTS] if "grid" in S["results"] else [],
    "tables": [*(f"results/{name}.csv" for name in S["results"]), PAGE, *METRICS, *PLOTS],
}

try:
    for name in set(NEEDED.models) & set(CONVERTED):
        W.checkpoint_file(name)
    # --touch adopts what lies here; every other call needs to know where it came from.
    if "--touch" not in sys.argv:
        check_records(file for files in GROUPS.values() for file in files)
except InputError as error:
    raise WorkflowError(str(error)) from None


rule stage_corpus:
    input:
        GROUPS["corpus"],


rule stage_segment:
    input:
        GROUPS["segment"],


rule stage_encoder:
    input:
        GROUPS["encoder"],


rule stage_train:
    input:
        GROUPS["train"],
    log:
        f"{LOGS}/stage_train.log",
    params:
        keep=DECLARED.models,
    shell:
        prune("models")


rule stage_encode:
    input:
        GROUPS["encode"],
    log:
        f"{LOGS}/stage_encode.log",
    params:
        keep=places(DECLARED.stores),
        more=places(DECLARED.globals),
    shell:
        f"{prune('stores')} && {prune('globals', 'more')}"


rule stage_merge:
    input:
        GROUPS["merge"],
    log:
        f"{LOGS}/stage_merge.log",
    params:
        keep=places(DECLARED.merged),
        more=places(DECLARED.spans),
    shell:
        f"{prune('merged')} && {prune('spans', 'more')}"


rule stage_retrieve:
    input:
        GROUPS["retrieve"],
    log:
        f"{LOGS}/stage_retrieve.log",
    params:
        keep=[f"{split}/{system}" for system, split in DECLARED.runs],
    shell:
        prune("runs")


rule stage_evaluate:
    input:
        GROUPS["evaluate"],
    log:
        f"{LOGS}/stage_evaluate.log",
    params:
        keep=DECLARED.systems,
    shell:
        f"{prune('evaluations')} && {prune('trec')}"


rule stage_grid:
    input:
        GROUPS["grid"],
    log:
        f"{LOGS}/stage_grid.log",
    params:
        keep=list(POINTS),
    shell:
        prune("grid")


rule stage_tables:
    input:
        GROUPS["tables"],
    log:
        f"{LOGS}/stage_tables.log",
    params:
        keep=[
            *S["results"],
            *OWN_TABLES,
            "report",
            *(f"figures/{name}" for name in S["results"]),
            *("metrics", "plots"),
        ],
    shell:
        "muver prune --log {log} --folder results --keep {params.keep}"
