# From raw data to the corpus and its sentences; the weights that training starts from.

if W.raw and W.raw.rule == "download":
    SOURCE = find_source(W.raw.name)

    rule download:
        input:
            code=code("download_worlds" if SOURCE.kind == "worlds" else "download"),
        output:
            W.raw.files,
        log:
            f"{LOGS}/download.log",
        benchmark:
            f"{LOGS}/download.benchmark.tsv"
        params:
            settings=as_json(S.download.as_dict()),
            folder=lambda wildcards: here(W.raw.path),
            what=f"--{'files' if ONE_BASE else 'dataset'} {SOURCE.name}",
            archive=f"{ROOT}/download/{SOURCE.file}",
        shell:
            "muver stage download --log {log} {params.what} --settings {params.settings:q}"
            " --archive {params.archive} --out {params.folder}"


if not ONE_BASE:

    rule corpus:
        input:
            inputs("corpus"),
            code=code("corpus"),
        output:
            entities=W.pattern("corpus")[0],
            mentions=W.pattern("corpus")[1],
            counts=W.pattern("corpus")[2],
        log:
            f"{LOGS}/corpus/{{id}}.log",
        benchmark:
            f"{LOGS}/corpus/{{id}}.benchmark.tsv"
        params:
            settings=settings("corpus"),
            name=S.workspace,
            raw=lambda wildcards, input: Path(input.raw[0]).parents[1],
        shell:
            "muver stage corpus --log {log} --name {params.name} --settings {params.settings:q}"
            " --raw {params.raw:q} --entities {output.entities} --mentions {output.mentions}"
            " --counts {output.counts}"

    rule punkt_english:
        output:
            W.pattern("punkt_english"),
        log:
            f"{LOGS}/punkt/{{id}}.log",
        benchmark:
            f"{LOGS}/punkt/{{id}}.benchmark.tsv"
        params:
            folder=subpath(output[0], parent=True),
        shell:
            "muver stage download --log {log} --punkt english --out {params.folder}"

    rule segment:
        input:
            inputs("segment"),
            code=code("segment"),
        output:
            W.pattern("segment"),
        log:
            f"{LOGS}/segment/{{id}}.log",
        benchmark:
            f"{LOGS}/segment/{{id}}.benchmark.tsv"
        params:
            settings=settings("segment"),
            english=folders("english"),
            folder=subpath(output[0], parent=True),
        shell:
            "muver stage segment --log {log} --settings {params.settings:q} --entities {input.entities}"
            " --counts {input.counts} {params.english} --out {params.folder}"


SOURCE_OF = ("encoder", "weights_sha256")  # say which encoder it is: --source names it


rule encoder:
    input:
        inputs("start"),
        code=code("encoder"),
    output:
        W.pattern("start"),
    log:
        f"{LOGS}/encoder/{{id}}.log",
    benchmark:
        f"{LOGS}/encoder/{{id}}.benchmark.tsv"
    params:
        source=S.encoder,
        settings=lambda wildcards: as_json(
            {k: v for k, v in at("start", wildcards).settings.items() if k not in SOURCE_OF}
        ),
        texts=options("entities", "counts"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver stage encoder --log {log} --source {params.source:q} --settings {params.settings:q}"
        " {params.texts} --out {params.folder}"
