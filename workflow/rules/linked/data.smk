# The knowledge base and the sets of mentions linked to it: generated, or downloaded.


wildcard_constraints:
    set=one_of(L["sets"]),
    part=r"part-\d+",
    index=one_of(L["indexes"]),


if S["dataset"] == "miniwikipedia":

    rule generate:
        input:
            code=code("generate"),
        output:
            W.dump,
            W.set_files,
        log:
            f"{LOGS}/generate.log",
        benchmark:
            f"{LOGS}/generate.benchmark.tsv"
        threads: 2
        params:
            settings=as_json(L["generate"]),
            folder=subpath(output[0], parent=True),
        shell:
            "muver generate --log {log} --shape kilt --settings {params.settings:q}"
            " --workers {threads} --out {params.folder}"


if S["dataset"] == "wikipedia":

    rule kilt:
        input:
            code=code("download"),
        output:
            W.dump,
        log:
            f"{LOGS}/download/kilt.log",
        benchmark:
            f"{LOGS}/download/kilt.benchmark.tsv"
        params:
            settings=as_json({"source": L["source"]["kilt"]}),
            folder=subpath(output[0], parent=True),
        shell:
            "muver download --log {log} --files kilt --settings {params.settings:q}"
            " --out {params.folder}"

    rule benchmarks:
        input:
            code=code("download"),
        output:
            directory(BENCHMARKS),
        log:
            f"{LOGS}/download/benchmarks.log",
        benchmark:
            f"{LOGS}/download/benchmarks.benchmark.tsv"
        params:
            settings=as_json({"source": L["source"]["blink_benchmarks"]}),
        shell:
            "muver download --log {log} --files blink_benchmarks --settings {params.settings:q}"
            " --out {output}"

    rule checkpoint:
        input:
            code=code("download"),
        output:
            f"{ROOT}/raw/{find_source('blink_biencoder').file}",
        log:
            f"{LOGS}/download/checkpoint.log",
        benchmark:
            f"{LOGS}/download/checkpoint.benchmark.tsv"
        params:
            settings=as_json({"source": L["source"]["blink_biencoder"]}),
            folder=subpath(output[0], parent=True),
        shell:
            "muver download --log {log} --files blink_biencoder --settings {params.settings:q}"
            " --out {params.folder}"


rule entities:
    input:
        code=code("download"),
    output:
        f"{ROOT}/raw/{find_source('blink_entities').file}",
    log:
        f"{LOGS}/download/entities.log",
    benchmark:
        f"{LOGS}/download/entities.benchmark.tsv"
    params:
        settings=as_json({"source": L["source"]["blink_entities"]}),
        folder=subpath(output[0], parent=True),
    shell:
        "muver download --log {log} --files blink_entities --settings {params.settings:q}"
        " --out {params.folder}"


# A checkpoint, since only now it is known how many parts there are to encode. The parts are no
# outputs: Snakemake would remove them before it goes on with what a stop cut off.
checkpoint kb:
    input:
        dump=W.dump,
        code=code("kb"),
    output:
        manifest=W.kb_files[0],
        lookups=W.kb_files[1:],
    log:
        f"{LOGS}/kb.log",
    benchmark:
        f"{LOGS}/kb.benchmark.tsv"
    threads: workflow.cores
    params:
        settings=as_json({**L["kb"], "expected": "kilt" if COUNTED else None}),
        folder=subpath(output.manifest, parent=True),
    shell:
        "muver kb all --log {log} --dump {input.dump} --out {params.folder}"
        " --workers {threads} --settings {params.settings:q}"
        " && muver kb finish --log {log}.finish --dump {input.dump} --out {params.folder}"
        " --settings {params.settings:q}"


rule texts:
    input:
        file=rules.entities.output[0],
        kb=W.kb_files,
        code=code("kb_texts"),
    output:
        directory(W.texts("blink_entities")),
    log:
        f"{LOGS}/texts.log",
    benchmark:
        f"{LOGS}/texts.benchmark.tsv"
    params:
        settings=as_json(
            {**linked.texts_settings(S), "expected": "blink_entities" if COUNTED else None}
        ),
    shell:
        f"muver kb-texts --log {{log}} {KB} --file {{input.file}} --out {{output}}"
        " --settings {params.settings:q}"


# Each set by itself, so that the others do without AIDA, whose text needs a licence
# (linking.test and the rows of table2 say what is asked for).
rule link:
    input:
        file=lambda wildcards: own_file(wildcards.set) or BENCHMARKS,
        kb=W.kb_files,
        code=code("link"),
    output:
        mentions=W.mentions_files("{set}")[0],
        report=W.mentions_files("{set}")[1],
    log:
        f"{LOGS}/link/{{set}}.log",
    benchmark:
        f"{LOGS}/link/{{set}}.benchmark.tsv"
    params:
        file=lambda wildcards: own_file(wildcards.set) or L["sets"][wildcards.set]["file"],
        below=lambda wildcards: "" if own_file(wildcards.set) else f"--below {BENCHMARKS}",
        settings=lambda wildcards: as_json(linked.set_settings(S, wildcards.set)),
    shell:
        f"muver link --log {{log}} --set {{wildcards.set}} {KB}"
        " --file {params.file:q} {params.below} --settings {params.settings:q}"
        " --mentions {output.mentions} --report {output.report}"
