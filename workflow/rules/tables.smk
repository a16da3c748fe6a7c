# From evaluations to tables, figures, MLflow and the page of all results, a folder a dataset.

# Of the page the logs are not inputs, as another time of a job is no reason to make it again.
for name in [*TABLES.names, *TABLES.further]:
    result = TABLES.result(name)

    rule:
        name:
            name
        input:
            **result.read,
            code=[file for command in result.commands for file in code(command.split()[-1])],
        output:
            [shown(file) for file in result.files],
        log:
            f"{LOGS}/tables/{name}.log",
        benchmark:
            f"{LOGS}/tables/{name}.benchmark.tsv"
        localrule: True
        params:
            command=result.commands[0],
            job=write_settings(W, name, result.options),
            then=then(name),
            call=call(name),
        shell:
            "muver {params.command} --log {log} --job {params.job}{params.then} {params.call}"


# What none of the other rules makes: the one input is an error that says what there is.
rule not_made:
    input:
        lambda wildcards: TABLES.refuse(wildcards.table),
    output:
        f"{RESULTS}/{{table}}.csv",
    wildcard_constraints:
        table=rf"(?!(?:{one_of(TABLES.names)})\.csv$)[^/]+",


# The plain names in results/ are links to the files of the dataset that was asked for last.
LATEST = [*[f"results/{name}.csv" for name in S.results], "results/report.html"]


rule latest:
    input:
        f"{RESULTS}/{{file}}",
    output:
        "results/{file}",
    log:
        f"{LOGS}/tables/latest_{{file}}.log",
    wildcard_constraints:
        file=r"[^/]+\.csv|report\.html",
    localrule: True
    params:
        forms=lambda wildcards: f"{S.workspace}/{Path(wildcards.file).stem}.*",
    shell:
        "(cd results && ln -sf {params.forms} .) 2> {log}"


# Records the rows of the tables in MLflow again, after a loss of the store or in a clone that pulled its results.
rule record:
    input:
        [f"{RESULTS}/{table}.csv" for table in TABLES.recorded],
    log:
        f"{LOGS}/record.log",
    localrule: True
    params:
        job=lambda wildcards: write_settings(W, "record", recordings(TABLES.recorded)),
        call=call(TABLES.recordable[0]),
    shell:
        "muver record --log {log} --job {params.job} {params.call}"


# If rows could not be recorded (the server is down), the table stays, and the call ends with an error
# after everything else is made.
OF_BEFORE = not_recorded(Path(ROOT, "recorded"))


onsuccess:
    at_end()
    FOLLOWER.end()
    failed = [
        why for key, why in not_recorded(Path(ROOT, "recorded")).items() if key not in OF_BEFORE
    ]
    if failed:
        raise InputError(
            "All tables are made, but not all rows are in MLflow. Once it can be reached: "
            "snakemake --cores all record\n" + "\n".join(failed)
        )
