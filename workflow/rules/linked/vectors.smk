# Vectors in parts, a job each, so that many GPUs or machines share them; indexes over them.


rule encode_part:
    input:
        model=W.model_files("{model}"),
        texts=lambda wildcards: texts_of(wildcards.model),
        kb=W.kb_files,
        code=code("encode_part"),
    output:
        W.vector_files("{model}", "{part}"),
    log:
        f"{LOGS}/encode/{{model}}/{{part}}.log",
    benchmark:
        f"{LOGS}/encode/{{model}}/{{part}}.benchmark.tsv"
    threads: COMPUTE["threads"]
    resources:
        gpu=GPUS,
    params:
        settings=with_compute(dtype=L["dtype"]),
        model=folder_of("model"),
        texts=lambda wildcards, input: f"--texts {input.texts}" if input.texts else "",
        number=lambda wildcards: int(wildcards.part.removeprefix("part-")),
        folder=subpath(output[0], parent=True),
    shell:
        "muver encode-part --log {log} --label {wildcards.model} --settings {params.settings:q}"
        f" --model {{params.model}} {KB} --part {{params.number}} {{params.texts}}"
        " --out {params.folder}"


rule encode_mentions:
    input:
        model=W.model_files("{model}"),
        mentions=W.mentions_files("{set}")[0],
        code=code("encode_mentions"),
    output:
        vectors=W.mention_vectors("{model}", "{set}")[0],
        manifest=W.mention_vectors("{model}", "{set}")[1],
    log:
        f"{LOGS}/encode/{{model}}/{{set}}.log",
    benchmark:
        f"{LOGS}/encode/{{model}}/{{set}}.benchmark.tsv"
    threads: COMPUTE["threads"]
    resources:
        gpu=GPUS,
    params:
        settings=with_compute(),
        model=folder_of("model"),
    shell:
        "muver encode-mentions --log {log} --label {wildcards.model}"
        " --settings {params.settings:q} --model {params.model} --mentions {input.mentions}"
        " --out {output.vectors}"


# The check writes into the index's manifest what it chose and how far it agrees, so that both are
# one job: an index that was not checked is of no use to a table.
rule index:
    input:
        vectors=vectors,
        mentions=W.mention_vectors("{model}", L["validation"])[0],
        made=W.mention_vectors("{model}", L["validation"])[1],
        code=[*code("ann_build"), *code("ann_check")],
    output:
        W.index_files("{model}", "{index}"),
        report=W.check_file("{model}", "{index}"),
    log:
        build=f"{LOGS}/index/{{model}}/{{index}}.log",
        check=f"{LOGS}/index/{{model}}/{{index}}_check.log",
    benchmark:
        f"{LOGS}/index/{{model}}/{{index}}.benchmark.tsv"
    threads: COMPUTE["threads"]
    params:
        build=lambda wildcards: as_json(
            {**linked.index_settings(S, wildcards.index), "threads": COMPUTE["threads"]}
        ),
        check=as_json(linked.check_settings(S)),
        vectors=folder_of("vectors"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver ann-build --log {log.build} --label {wildcards.index} --settings {params.build:q}"
        " --vectors {params.vectors} --out {params.folder}"
        " && muver ann-check --log {log.check} --settings {params.check:q}"
        " --vectors {params.vectors} --index {params.folder}"
        " --mention-vectors {input.mentions} --report {output.report}"
