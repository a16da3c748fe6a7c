"""Checkpoints under a key."""

import pytest
import torch

from muver.io.errors import InputError
from muver.retriever.training.checkpoint import Checkpoints


def test_round_trip_under_the_same_key_only(tmp_path):
    keeper = Checkpoints(tmp_path, "one")
    assert keeper.load("last") is None
    keeper.save("last", {"step": 3, "model": {"weight": torch.ones(2)}})
    assert keeper.load("last")["step"] == 3
    assert torch.equal(keeper.load("last")["model"]["weight"], torch.ones(2))
    assert Checkpoints(tmp_path, "two").load("last") is None
    assert (tmp_path / "last.pt").exists()  # not ours to remove before we have something better


def test_damage_shows_wherever_it_is(tmp_path):
    keeper = Checkpoints(tmp_path, "one")
    keeper.save("last", {"step": 3, "model": torch.arange(40.0)})
    path = tmp_path / "last.pt"
    whole = path.read_bytes()
    for place in range(0, len(whole), 29):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        with pytest.raises(InputError, match="last.pt: damaged"):
            keeper.load("last")
    for end in (0, 10, len(whole) - 1):
        path.write_bytes(whole[:end])
        with pytest.raises(InputError, match="last.pt: damaged"):
            keeper.load("last")
