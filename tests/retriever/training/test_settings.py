"""The section training: what may be left out, and mistakes."""

import pytest

from muver.io.errors import InputError
from muver.retriever.training.settings import BEFORE, Training, training_settings

GIVEN = {
    **dict.fromkeys(set(Training.__struct_fields__) - set(BEFORE), 1), "mask_false_negatives": True,
}  # fmt: skip
VIEWS = {"kind": "sentences", "max_tokens": 40, "training_views": 10}


def test_what_the_released_code_did_otherwise_is_off():
    assert training_settings(GIVEN, VIEWS).as_dict() == {**GIVEN, **BEFORE}
    parity = {"padding_views": True, "average_gradients_over": 8, "optimiser": "adamw_released"}
    given = {**GIVEN, **parity, "keep": "last", "initial_scale": 14}
    assert training_settings(given, VIEWS).as_dict() == given


@pytest.mark.parametrize(
    "wrong, views, message",
    [
        ({"warmup": None}, VIEWS, "warmup is missing"),
        ({"optimizer": "adamw"}, VIEWS, "Did you mean 'optimiser'"),
        ({"keep": "lest"}, VIEWS, "keep is 'lest'"),
        ({"average_gradients_over": 0.5}, VIEWS, "average_gradients_over is 0.5"),
        ({"padding_views": True}, {**VIEWS, "training_views": None}, "padding_views fills up to"),
        ({"padding_views": True}, {"kind": "prefix"}, "padding_views fills up to"),
    ],
)
def test_mistakes(wrong, views, message):
    given = {key: value for key, value in {**GIVEN, **wrong}.items() if value is not None}
    with pytest.raises(InputError, match=message):
        training_settings(given, views)
