# Raw data to the canonical corpus: generated, downloaded, or a directory as it is.

if S["dataset"] == "miniwikia":

    rule generate:
        input:
            code=code("generate"),
        output:
            RAW,
        log:
            f"{LOGS}/generate.log",
        benchmark:
            f"{LOGS}/generate.benchmark.tsv"
        params:
            settings=as_json(S["generate"]),
            raw=subpath(output[0], ancestor=2),
        shell:
            "muver generate --log {log} --settings {params.settings:q} --out {params.raw}"


if S["dataset"] == "zeshel":

    rule download:
        input:
            code=code("download"),
        output:
            RAW,
        log:
            f"{LOGS}/download.log",
        benchmark:
            f"{LOGS}/download.benchmark.tsv"
        params:
            settings=as_json(S["download"]),
            raw=subpath(output[0], ancestor=2),
            archive=f"{ROOT}/download/zeshel.tar.bz2",
        shell:
            "muver download --log {log} --dataset zeshel --settings {params.settings:q}"
            " --archive {params.archive} --out {params.raw}"


rule corpus:
    input:
        raw=RAW,
        code=code("corpus"),
    output:
        entities=W.entities,
        mentions=W.mentions,
        counts=W.counts,
    log:
        f"{LOGS}/corpus.log",
    benchmark:
        f"{LOGS}/corpus.benchmark.tsv"
    params:
        settings=as_json(
            {
                **S["corpus"],
                "expected": "zeshel" if S["dataset"] == "zeshel" else None,
            }
        ),
        name=S["workspace"],
        raw=folder_of("raw", ancestor=2),
    shell:
        "muver corpus --log {log} --name {params.name} --settings {params.settings:q}"
        " --raw {params.raw:q} --entities {output.entities} --mentions {output.mentions}"
        " --counts {output.counts}"
