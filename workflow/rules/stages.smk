# One target a DVC stage: all files of its group of rules, minus those of dropped models and rows.

GROUPS = {
    "corpus": [*(RAW if S["dataset"] != W.raw else []), W.entities, W.mentions, W.counts],
    "segment": W.segment_files,
    "encoder": W.start_files,
    "train": [file for model in W.models for file in W.model_files(model)],
    "encode": [file for model in W.stored_models for file in W.store_files(model)],
    "merge": [file for model in W.merged_models for file in W.merged_files(model)],
    "retrieve": [file for system in W.systems for file in W.run_files(system)],
    "evaluate": [W.evaluation(system) for system in W.systems],
    "tables": [
        f"results/table{n}.{kind}" for n in (1, 6) for kind in ("csv", "md", "html", "json")
    ],
}

# --touch adopts what lies here; every other call needs to know where it came from.
if "--touch" not in sys.argv:
    try:
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
        keep=W.models,
    shell:
        prune("models")


rule stage_encode:
    input:
        GROUPS["encode"],
    log:
        f"{LOGS}/stage_encode.log",
    params:
        keep=W.stored_models,
    shell:
        prune("stores")


rule stage_merge:
    input:
        GROUPS["merge"],
    log:
        f"{LOGS}/stage_merge.log",
    params:
        keep=W.merged_models,
    shell:
        prune("merged")


rule stage_retrieve:
    input:
        GROUPS["retrieve"],
    log:
        f"{LOGS}/stage_retrieve.log",
    params:
        keep=W.systems,
    shell:
        prune("runs")


rule stage_evaluate:
    input:
        GROUPS["evaluate"],
    log:
        f"{LOGS}/stage_evaluate.log",
    params:
        keep=W.systems,
    shell:
        prune("evaluations")


rule stage_tables:
    input:
        GROUPS["tables"],
