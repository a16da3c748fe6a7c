"""Turns at an experiment that several machines record into."""

import socket
import threading

import psutil
import pytest
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException
from mlflow.protos.databricks_pb2 import RESOURCE_DOES_NOT_EXIST

from muver.io.errors import InputError
from muver.tracking import turns
from muver.tracking.turns import turn


def test_one_records_at_a_time(client: MlflowClient, name: str, monkeypatch):
    monkeypatch.setattr(turns, "POLL", 0.01)
    order: list[str] = []
    waits, inside = threading.Event(), threading.Event()

    def second() -> None:
        waits.set()
        with turn(client, name, shared=True):
            order.append("second")

    with turn(client, name, shared=True) as still_here:
        other = threading.Thread(target=second)
        other.start()
        waits.wait()
        inside.wait(0.2)  # in which it would have come in
        still_here()
        order.append("first")
    other.join()
    assert order == ["first", "second"]
    assert client.search_registered_models() == []


@pytest.mark.parametrize(
    ("host", "silence"), [(socket.gethostname(), 300), ("another machine", 0)], ids=["here", "far"]
)
def test_the_turn_of_a_dead_process_is_taken(
    client: MlflowClient, name: str, monkeypatch, host: str, silence: float
):
    monkeypatch.setattr(turns, "POLL", 0.01)
    monkeypatch.setattr(turns, "SILENCE", silence)
    dead = max(psutil.pids()) + 100_000
    model = f"muver is recording {name}"
    client.create_registered_model(model, description=f"process {dead} on {host}, row 3")
    with turn(client, name, shared=True) as still_here:
        still_here()
        assert client.get_registered_model(model).description.endswith(", row 1")
    assert client.search_registered_models() == []


def test_a_turn_that_ends_while_the_server_looks_at_it(
    client: MlflowClient, name: str, monkeypatch
):
    """MLflow then answers that there is none, in place of making it."""
    make, answers = client.create_registered_model, [RESOURCE_DOES_NOT_EXIST]

    def racing(*given, **named):
        if answers:
            raise MlflowException("not found", answers.pop())
        return make(*given, **named)

    monkeypatch.setattr(client, "create_registered_model", racing)
    monkeypatch.setattr(turns, "POLL", 0.01)
    with turn(client, name, shared=True) as still_here:
        still_here()


def test_whoever_was_taken_for_dead_is_told(client: MlflowClient, name: str):
    model = f"muver is recording {name}"
    with turn(client, name, shared=True) as still_here:
        client.update_registered_model(model, "process 1 on another machine, row 1")
        with pytest.raises(InputError, match="another process records there.*Record again"):
            still_here()
    client.delete_registered_model(model)  # not the first one's, so left alone
