# Records the rows of the tables in MLflow.


# Records the rows again, after a loss of the store or in a clone that pulled its results.
rule record:
    input:
        [f"{RESULTS}/{table}.csv" for table in TABLES.recorded],
        stored(*(file for table in TABLES.recorded for file in TABLES.read_to_record(table))),
    log:
        f"{LOGS}/record.log",
    localrule: True
    params:
        job=lambda wildcards: write_settings(W, "record", raised(recordings, TABLES.recorded)),
        call=call(TABLES.recordable[0]),
    shell:
        "muver record --log {log} --job {params.job} {params.call}"


# If rows could not be recorded (the server is down), the table stays, and the call ends with an error
# after everything else is made. A clock may be set back, so no time tells the messages of this run.
FAILED = Path(ROOT, "recorded")
OF_BEFORE = {(file, file.stat().st_mtime_ns) for file in FAILED.glob("*.failed")}


onsuccess:
    page()
    FOLLOWER.end()
    failed = [
        f"{file.stem}: {file.read_text().strip()}"
        for file in sorted(FAILED.glob("*.failed"))
        if (file, file.stat().st_mtime_ns) not in OF_BEFORE
    ]
    if failed:
        raise WorkflowError(
            "All tables are made, but not all rows are in MLflow. Once it can be reached: "
            "snakemake --cores all record",
            *failed,
        )
