"""A dataset as an input of a run, as MLflow lists them."""

import json

from mlflow.entities import Dataset, DatasetInput, InputTag
from mlflow.utils.mlflow_tags import MLFLOW_DATASET_CONTEXT

from muver.tracking.entry import Data

SCHEMA = ("mention_id", "split", "world", "context_left", "mention", "context_right")


def dataset_input(data: Data) -> DatasetInput:
    """The dataset with its digest, source and size; the context is the split that was scored.

    An address becomes a source of MLflow's type ``http``, anything else one of type ``local``.
    """
    address = data.source.startswith(("http://", "https://"))
    columns = [{"type": "string", "name": name, "required": True} for name in SCHEMA]
    columns.append({"type": "long", "name": "gold", "required": True})
    return DatasetInput(
        Dataset(
            name=data.name,
            digest=data.digest,
            source_type="http" if address else "local",
            source=json.dumps({"url" if address else "uri": data.source}),
            schema=json.dumps({"mlflow_colspec": columns}),
            profile=json.dumps(dict(data.profile)),
        ),
        [InputTag(MLFLOW_DATASET_CONTEXT, data.context)] if data.context else [],
    )
