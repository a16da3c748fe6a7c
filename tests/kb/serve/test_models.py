import asyncio
import contextlib

import pytest

from muver.io.errors import InputError
from muver.kb.serve import models as module
from muver.kb.serve.models import Models, Served, look_out, open_models
from tests.kb.serve.conftest import WAIT


@pytest.fixture(autouse=True)
def opened(monkeypatch):
    monkeypatch.setattr(module, "opened_index", lambda path, *_: f"opened {path}")


def test_an_index_is_called_as_its_place_or_as_it_is_told(tmp_path):
    odd = tmp_path / "a=b"
    odd.mkdir()
    given = open_models([str(tmp_path / "town.index"), f"other={tmp_path}/town.json", str(odd)])
    assert {name: one.index for name, one in given.items()} == {
        "town": f"opened {tmp_path}/town.index",
        "other": f"opened {tmp_path}/town.json",
        "a=b": f"opened {odd}",
    }
    assert given.named(None).name == "town"
    assert given.named("other").name == "other"


def test_names_must_differ(tmp_path):
    with pytest.raises(InputError, match=r"called 'town' already. Name them: NAME="):
        open_models(["one/town", "two/town"])


async def looked_until(condition, served):
    """Look out until something is so."""
    looking = asyncio.create_task(look_out(Models(one=served), 0))
    async with asyncio.timeout(WAIT):
        while not condition():
            await asyncio.sleep(0)
    looking.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await looking


@pytest.mark.parametrize("error", [InputError("it is gone."), KeyError("x"), MemoryError()])
def test_an_index_that_cannot_be_read_stays_as_it_is_and_is_told_once(error, caplog):
    class Odd:
        generation, costs, looks = 2, None, 0
        whole = False

        def refresh(self):
            Odd.looks += 1
            if not self.whole:
                raise error
            return Odd()

    served = Served("town", odd := Odd())
    asyncio.run(looked_until(lambda: Odd.looks >= 3 and served.trouble is not None, served))
    assert served.index is odd
    (told,) = (line.message for line in caplog.records)
    assert told.startswith("town: stays as it is. ")
    Odd.whole = True
    asyncio.run(looked_until(lambda: served.trouble is None, served))
    assert served.index is not odd
