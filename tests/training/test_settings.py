"""The section training: defaults and mistakes."""

import pytest

from muver.io.errors import InputError
from muver.training.settings import REQUIRED, training_settings

GIVEN = dict.fromkeys(REQUIRED, 1)
VIEWS = {"kind": "sentences", "max_tokens": 40, "training_views": 10}


def test_what_the_released_code_did_otherwise_is_off():
    assert training_settings(GIVEN, VIEWS) == {
        **GIVEN,
        "padding_views": False,
        "average_gradients_over": 1,
        "optimiser": "adamw",
        "keep": "best",
    }


def test_what_is_given_stands():
    parity = {"padding_views": True, "average_gradients_over": 8, "optimiser": "adamw_released"}
    given = {**GIVEN, **parity, "keep": "last"}
    assert training_settings(given, VIEWS) == given


@pytest.mark.parametrize(
    "wrong, views, message",
    [
        ({"optimizer": "adamw"}, VIEWS, "unknown key 'optimizer'. Did you mean 'optimiser'"),
        ({"optimiser": "adam"}, VIEWS, "training.optimiser: 'adam' is not one of adamw, adamw_rel"),
        ({"keep": "lest"}, VIEWS, "training.keep: 'lest' is not one of best, last. Did you mean"),
        ({"average_gradients_over": 0}, VIEWS, "a whole number from 1, got 0"),
        ({"average_gradients_over": 0.5}, VIEWS, "a whole number from 1, got 0.5"),
        ({"padding_views": True}, {**VIEWS, "training_views": None}, "padding_views fills up to"),
        ({"padding_views": True}, {"kind": "prefix"}, "padding_views fills up to"),
    ],
)
def test_mistakes(wrong, views, message):
    with pytest.raises(InputError, match=message):
        training_settings({**GIVEN, **wrong}, views)


def test_a_missing_key():
    given = {key: value for key, value in GIVEN.items() if key != "warmup"}
    with pytest.raises(InputError, match="training.warmup is missing"):
        training_settings(given, VIEWS)
