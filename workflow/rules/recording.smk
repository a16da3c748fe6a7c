# How rows are recorded in MLflow. `dataset_source` and `record_arguments` are those of the kind of data.


def record_settings(experiment):
    """Settings of a recording as one JSON string."""
    chosen = {key: S[key] for key in ("dataset", "encoder")} if S["preset"] == "directory" else {}
    config = [f"{key}={value}" for key, value in (chosen or {"preset": S["preset"]}).items()]
    return as_json(
        {
            "experiment": experiment,
            "source": dataset_source(),
            "options": f"--config {' '.join(config)}",
            **S["tracking"],
        }
    )


def recording(table):
    """The command that records a table once it is made; the table stays if that goes wrong."""
    log = f"{LOGS}/record/{table}.log"
    return f"muver record --keep-going --log {log} {shlex.join(record_arguments(table))}"
