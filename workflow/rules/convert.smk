# Models converted from published weights.


rule convert:
    input:
        checkpoint=lambda wildcards: W.checkpoint_file(wildcards.model),
        start=W.start_files,
        code=code("convert"),
    output:
        W.model_files("{model}"),
        W.identity_file("{model}"),
    log:
        f"{LOGS}/convert/{{model}}.log",
    benchmark:
        f"{LOGS}/convert/{{model}}.benchmark.tsv"
    wildcard_constraints:
        model=one_of(CONVERTED),
    params:
        settings=lambda wildcards: as_json(model_settings(S, wildcards.model)),
        start=folder_of("start"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver convert --log {log} --checkpoint {input.checkpoint:q} --encoder {params.start}"
        " --settings {params.settings:q} --training-log {params.folder}/training_log.jsonl"
        " --out {params.folder}"
