"""A request that takes too long is refused, and so is an index of which all do."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.kb.index.costs import Costs
from muver.kb.serve.models import Served
from muver.kb.serve.run import check_least
from tests.kb.serve.conftest import running


def test_what_takes_too_long_is_refused():
    with running({"tokens": 24}) as service:
        asked = [{"mention": "a"}] * 6  # each reads three pieces and has three candidates
        assert service.call("POST", "/retrieve", {"mentions": asked}).status == 200
        said = service.call("POST", "/retrieve", {"mentions": [*asked, {"mention": "a"}]}).said
        assert said.startswith("mentions: about 28 tokens of work, 24 at most. Send fewer")
        given = {"title": "a", "description": "word " * 100}
        answer = service.call("PUT", "/entities/new", given, token="0123456789abcdef")
        assert (answer.status, answer.said.partition(". ")[2]) == (
            422, "Bring it in by `muver index update`.",
        )  # fmt: skip
        assert service.call("GET", "/entities/new").status == 404


def test_an_index_of_which_one_word_takes_too_long_is_not_served():
    costs = Costs(100_000, np.array([0, 1]), 0, 0, 0, piece=2.0)
    check_least(Served("big", SimpleNamespace(costs=costs)), 10)
    big = Served("big", SimpleNamespace(costs=replace(costs, most=np.array([0, 6_000]))))
    with pytest.raises(InputError, match=r"big: one mention takes about 6,009 .*\"tokens\": 7009"):
        check_least(big, 4_500)
