"""What ``muver index package`` does: an index becomes a registered model of MLflow."""

import os
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import mlflow
import pandas as pd
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException
from mlflow.models import ModelSignature
from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
from mlflow.types.schema import Array, Object, Property

from muver.io.errors import InputError
from muver.io.typed import flat
from muver.kb.index.answer import Found
from muver.kb.index.index import Index
from muver.kb.index.state import read_state, writing
from muver.kb.plugins import answering
from muver.reproduction.tracking.experiments import open_experiment
from muver.reproduction.tracking.store import open_store

EXPERIMENT = "indexes"
TEXT, NUMBER, WHOLE = DataType.string, DataType.double, DataType.long
KINDS = {str: TEXT, float: NUMBER, int: WHOLE}
CANDIDATE = Object(
    [
        Property(name, KINDS.get(kind, TEXT), required=kind in KINDS)
        for name, kind in Found.__annotations__.items()
    ]
)
SIGNATURE = ModelSignature(
    inputs=Schema(
        [
            ColSpec(TEXT, "mention"),
            *(ColSpec(TEXT, name, required=False) for name in ("left", "right", "world")),
        ]
    ),
    outputs=Schema(
        [
            ColSpec(TEXT, "mention"),
            *(ColSpec(TEXT, name, required=False) for name in ("world", "answer")),
            ColSpec(NUMBER, "probability", required=False),
            ColSpec(Array(CANDIDATE), "candidates"),
        ]
    ),
    params=ParamSchema([ParamSpec("k", WHOLE, answering.K)]),
)


def package(index: Path, *, name: str | None = None, run: str | None = None) -> str:
    """Log an index in the experiment ``indexes`` and register it as a model.

    The model holds a copy of the index, of its encoder and of this package, so it can be served
    where muver is not installed. The store is MLFLOW_TRACKING_URI, by default mlflow.db in this
    folder.

    Parameters
    ----------
    name
        Of the registered model; by default the folder's.
    run
        Id of the run in which the index's encoder was trained, where it can't be found by its
        fingerprint.

    Returns
    -------
    The model's address, such as ``models:/harbour/1``.
    """
    opened = Index.open(index)
    name = name or opened.folder.resolve().name
    if not re.fullmatch("[^/:]+", name):
        raise InputError(
            f"--name {name!r}: MLflow's names of models are not empty, without / and :."
        )
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    with open_store() as (client, artifacts), writing(index):
        source = _source(client, index, run)
        experiment = open_experiment(client, EXPERIMENT, artifacts)
        mlflow.set_tracking_uri(client.tracking_uri)
        with mlflow.start_run(experiment_id=experiment, run_name=name):
            mlflow.log_params(dict(_parameters(opened)))
            mlflow.set_tags({"source_run": source} if source else {})
            if made := opened.calibration:
                decided = {"precision": made.decided.precision, "recall": made.decided.recall}
                mlflow.log_metrics({**decided, "threshold": made.threshold})
            logged = mlflow.pyfunc.log_model(
                name="index",
                python_model=answering.__file__,
                artifacts={answering.ARTIFACT: str(index)},
                code_paths=[str(Path(answering.__file__).parents[2])],
                signature=SIGNATURE,
                input_example=_example(opened),
                pip_requirements=_requirements(),
                registered_model_name=name,
            )
    address = f"models:/{name}/{logged.registered_model_version}"
    print(f"{address}\nRun {logged.run_id} of the experiment {EXPERIMENT!r}.")
    return address


def _source(client: MlflowClient, index: Path, run: str | None) -> str | None:
    """The run in which the encoder was trained, if it is known."""
    if run is not None:
        try:
            return client.get_run(run).info.run_id
        except MlflowException:
            raise InputError(f"--run {run}: no such run in the store.") from None
    model = read_state(index).model
    if model is None:
        return None
    experiments = [one.experiment_id for one in client.search_experiments()]
    condition = f"tags.model_fingerprint = '{model.fingerprint}'"
    found = client.search_runs(experiments, condition, max_results=1)
    return found[0].info.run_id if found else None


def _parameters(index: Index) -> Iterator[tuple[str, object]]:
    state = read_state(index.folder)
    yield "entities", state.entities
    yield "worlds", len(index.worlds)
    yield "generation", state.generation
    yield "fingerprint", state.fingerprint
    yield "model", state.model.name if state.model else "bm25"
    if state.model:
        yield "model_fingerprint", state.model.fingerprint
        yield "trained", state.model.trained
    yield from flat(state.settings.as_dict(), "settings")


def _example(index: Index) -> pd.DataFrame:
    """A mention that is the title of an entity."""
    entity = next(iter(index.entities()), None)
    if entity is None:
        raise InputError(f"{index.folder}: has no entities.")
    row = {"mention": entity.title or entity.id, "left": "", "right": "", "world": entity.world}
    return pd.DataFrame([row])


def _requirements() -> list[str]:
    """The packages that an answer needs, in the versions installed here."""
    declared = (one for one in metadata.requires("muver") or [] if "extra ==" not in one)
    names = (re.match(r"[A-Za-z0-9._-]+", one)[0] for one in declared)
    return [f"{name}=={metadata.version(name).partition('+')[0]}" for name in names]
