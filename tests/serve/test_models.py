import time

import pytest

from muver.io.errors import InputError
from muver.serve import models as module
from muver.serve.models import Lookout, Models, Served, open_models
from tests.serve.fake import Entity, shelf


@pytest.fixture(autouse=True)
def opened(monkeypatch):
    monkeypatch.setattr(module, "open_index", lambda path, qdrant: f"opened {path}")


def test_an_index_is_called_as_its_place_or_as_it_is_told(tmp_path):
    odd = tmp_path / "a=b"
    odd.mkdir()
    given = open_models([str(tmp_path / "town.index"), f"other={tmp_path}/town.json", str(odd)])
    assert {one.name: one.index for one in given} == {
        "town": f"opened {tmp_path}/town.index",
        "other": f"opened {tmp_path}/town.json",
        "a=b": f"opened {odd}",
    }
    assert given.named(None).name == "town"
    assert given.named("other").name == "other"


def test_names_must_differ(tmp_path):
    with pytest.raises(InputError, match=r"called 'town' already. Name them: NAME="):
        open_models(["one/town", "two/town"])


def test_an_unknown_model_has_a_near_name():
    models = Models([Served("small", None), Served("large", None)])
    with pytest.raises(InputError, match=r"'lagre' is not served here. Did you mean 'large'\?"):
        models.named("lagre")


def test_the_newest_snapshot_takes_the_place_of_the_old():
    town = shelf()
    served = Served("town", town.open())
    served.look()
    assert served.index.generation == 1
    town.open().update([Entity("bell", "Bell")])
    served.look()
    assert served.index.generation == 2


def test_an_index_that_cannot_be_read_stays_as_it_is_and_is_told_once(caplog):
    class Gone:
        looks = 0

        def refresh(self):
            self.looks += 1
            raise InputError("it is gone.")

    gone = Gone()
    lookout = Lookout(Models([Served("town", gone)]), 0.001)
    while gone.looks < 3:
        time.sleep(0.001)
    lookout.close()
    assert [line.message for line in caplog.records] == ["town: stays as it is. it is gone."]


@pytest.mark.parametrize("error", [InputError("it is gone."), KeyError("x"), MemoryError()])
def test_the_lookout_goes_on_whatever_happens(error):
    class Odd:
        generation = 2
        whole = False

        def refresh(self):
            if not self.whole:
                raise error
            return Odd()

    served = Served("town", odd := Odd())
    lookout = Lookout(Models([served]), 0.001)
    while served.trouble is None:
        time.sleep(0.001)
    assert served.index is odd
    Odd.whole = True
    while served.trouble is not None:
        time.sleep(0.001)
    lookout.close()
    assert served.index is not odd
