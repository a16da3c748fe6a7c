"""What `muver train` takes: what may be left out, and mistakes."""

import pytest

from muver.io.errors import InputError
from muver.io.typed import read
from muver.retriever.training.training_settings import ModelTraining
from tests import tiny
from tests.retriever.training.test_loop import SETTINGS, TRAINING

RELEASED = ("padding_views", "average_gradients_over", "optimiser")
PADDING = {**TRAINING, "padding_views": True}


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"training": {**TRAINING, "optimizer": "adamw"}}, "Did you mean 'optimiser'"),
        ({"training": {**TRAINING, "keep": "lest"}}, "training.keep is 'lest'"),
        ({"training": {"batch_size": 1}}, "training.epochs is missing"),
        ({"training": PADDING, "views": {"kind": "prefix", "max_tokens": 30}}, "padding_views"),
        (
            {"training": {**TRAINING, "global_view": 9}, "views": tiny.TOKEN_VIEWS},
            "global_view goe",
        ),
        ({"negatives": {"run": {}}}, "negatives.per_mention is missing"),
        ({"pooling": "mean"}, "pooling is 'mean'"),
    ],
)
def test_mistakes(wrong, message):
    with pytest.raises(InputError, match=message):
        read(ModelTraining, {**SETTINGS, **wrong})
