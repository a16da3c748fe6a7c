"""An index as a model of MLflow: what runs where the model is loaded (models from code)."""

from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
from mlflow.exceptions import MlflowException
from mlflow.models import set_model
from mlflow.pyfunc import PythonModel, PythonModelContext

from muver.io.errors import InputError
from muver.kb.index.answer import answers, opened_index
from muver.retriever.retrieval.answers import Mention

ARTIFACT = "index"
K = 10


class IndexModel(PythonModel):
    """Answers mentions as ``muver query --json`` does."""

    def load_context(self, context: PythonModelContext) -> None:
        self._index = opened_index(Path(context.artifacts[ARTIFACT]))

    def predict(
        self, context: Any, model_input: pd.DataFrame, params: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """The answers (:class:`muver.kb.index.answer.Answer`, as dictionaries) to rows with a
        ``mention``, and perhaps ``left``, ``right`` and ``world``; ``k`` candidates each.
        """
        rows = model_input.astype(object).where(model_input.notna(), None).to_dict("records")
        asked = [
            Mention(row["mention"], row.get("left") or "", row.get("right") or "", row.get("world"))
            for row in rows
        ]
        try:
            found = answers(self._index, asked, int((params or {}).get("k", K)))
            return [msgspec.to_builtins(answer) for _, answer in found]
        except InputError as error:
            raise MlflowException.invalid_parameter_value(str(error)) from None


set_model(IndexModel())
