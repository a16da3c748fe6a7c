"""MLflow: one run for every row of a table, found by the row's key, never made twice."""

import os

# Read when mlflow is imported, which the modules of this package do.
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")  # seconds, not minutes
os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")  # the CSV has them
