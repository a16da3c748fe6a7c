# Evaluations to tables, and the rows of Table 1 into MLflow.


TABLE1 = [W.evaluation(system) for system in S["tables"]["table1"]]
TABLE6 = [W.evaluation(system) for system in S["tables"]["table6"]]
TABLE1_RUNS = [W.run_files(system)[0] for system in S["tables"]["table1"]]
TABLE1_LOGS = [log.partition("=")[2] for log in artifacts("table1")]
RECORD = (
    "muver record --log {log} --settings {params.tracking:q} --table results/table1.json"
    " --evaluations {input.evaluations} --runs {input.runs} --artifacts {params.artifacts}"
    " --out results/mlflow_runs.csv"
)


# One rule for both tables, which fall out of the same evaluations. Recording is part of it and not
# a rule of its own: the store and its list of runs belong to this machine, so that a clone that only
# pulled the tables has nothing to do.
rule tables:
    input:
        evaluations=TABLE1,
        table6=TABLE6,
        runs=TABLE1_RUNS,
        logs=TABLE1_LOGS,
        code=code("tables"),
    output:
        report("results/table1.html", caption="../report/table1.rst", category="Tables"),
        report("results/table6.html", caption="../report/table6.rst", category="Tables"),
        [f"results/table{n}.{kind}" for n in (1, 6) for kind in ("csv", "md", "json")],
    log:
        f"{LOGS}/tables.log",
    params:
        rows=rows("table1"),
        rows6=rows("table6"),
        tracking=as_json(S["tracking"]),
        artifacts=artifacts("table1"),
    shell:
        "muver table --number 6 --settings {params.rows6:q} --evaluations {input.table6}"
        " --out results/table6.csv"
        " && muver table --number 1 --settings {params.rows:q} --evaluations {input.evaluations}"
        " --out results/table1.csv"
        f" && {RECORD}"


# Records the rows again: after the store was lost, or in a clone that pulled its results.
rule record:
    input:
        evaluations=TABLE1,
        runs=TABLE1_RUNS,
        logs=TABLE1_LOGS,
        table="results/table1.csv",
    log:
        f"{LOGS}/record.log",
    params:
        tracking=as_json(S["tracking"]),
        artifacts=artifacts("table1"),
    shell:
        RECORD
