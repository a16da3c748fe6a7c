"""Where a step's time goes: each operation is of one kind."""

from benchmarks.profile import OTHER, by_kind


def test_shares_by_kind():
    seconds = {
        "aten::mm": 5.0,
        "mkldnn::_linear_pointwise": 1.0,
        "aten::bmm": 1.5,
        "aten::_softmax_backward_data": 0.5,
        "aten::random_": 1.0,
        "aten::mul": 1.0,
    }
    shares = by_kind(seconds)
    assert shares == {
        "products of layers": 0.6,
        "attention": 0.2,
        "random numbers": 0.1,
        OTHER: 0.1,
    }
    assert list(shares)[0] == "products of layers"
