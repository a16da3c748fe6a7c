"""An index as a registered model of MLflow, in a store of its own."""

import json
from pathlib import Path

import mlflow
import pandas as pd
import pytest
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException

from muver.cli import main
from muver.kb.index.calibration import FILE
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.index.state import writing
from muver.kb.plugins import answering

TEXT = "The [[red gate]] stood by the [[mill]]."
ROWS = [
    {"mention": "red gate", "left": "The ", "right": " stood by the mill."},
    {"mention": "mill", "left": "The red gate stood by the ", "right": "."},
]


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """Folder, index, client and address of an index that was packed once."""
    folder = tmp_path_factory.mktemp("packed")
    entities = [
        Entity(id="g1", title="the red gate", description="A gate of Rye.", world="town"),
        Entity(id="m1", title="the old mill", description="It grinds corn.", world="town"),
    ]
    index = Index.create(folder / "index", entities, model="bm25")
    shares = dict.fromkeys(("precision", "recall", "f1", "none_precision", "none_recall"), 0.75)
    regression = {"mean": [0] * 3, "scale": [1] * 3, "weights": [0, 0, 1], "bias": 0}
    made = {"fingerprint": index.fingerprint, "regression": regression, "threshold": 0.6}
    counts = {"mentions": 20, "linkable": 10, "always": shares, "decided": shares}
    (index.folder / FILE).write_text(json.dumps(made | counts))
    uri = f"sqlite:///{folder / 'mlflow.db'}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_TRACKING_URI", uri)
        patch.chdir(folder)
        assert main(["index", "package", "index", "--name", "rye"]) == 0
        yield folder, index, MlflowClient(uri)
        mlflow.set_tracking_uri(None)


def test_the_model_answers_as_query_does(packed, capsys):
    _, index, _ = packed
    model = mlflow.pyfunc.load_model("models:/rye/1")
    assert main(["query", str(index.folder), TEXT, "-k", "1", "--json"]) == 0
    asked = list(map(json.loads, capsys.readouterr().out.splitlines()))
    assert model.predict(pd.DataFrame(ROWS), params={"k": 1}) == asked
    assert [one["answer"] for one in asked] == ["g1", "m1"]
    assert asked[0]["probability"] == pytest.approx(0.69, abs=0.01)
    (alone,) = model.predict(pd.DataFrame([{"mention": "a red gate", "world": "town"}]))
    assert (alone["world"], len(alone["candidates"])) == ("town", 1)
    for rows, params, said in [
        ([{"mention": "mill", "world": "sea"}], {}, "world 'sea' is not in this index"),
        (ROWS, {"k": 0}, "k: 0 is not a number of candidates"),
        ([{"left": "The"}], {}, "mention"),
    ]:
        with pytest.raises(MlflowException, match=said):
            model.predict(pd.DataFrame(rows), params=params)


def test_the_run_says_what_was_packed(packed):
    _, index, client = packed
    version = client.get_model_version("rye", "1")
    run = client.get_run(version.run_id)
    assert run.data.params["entities"] == "2" and run.data.params["model"] == "bm25"
    assert run.data.params["fingerprint"] == index.fingerprint
    assert run.data.metrics == {"precision": 0.75, "recall": 0.75, "threshold": 0.6}
    assert client.get_experiment(run.info.experiment_id).name == "indexes"
    needed = mlflow.pyfunc.get_model_dependencies("models:/rye/1")
    text = Path(needed).read_text(encoding="utf-8")
    assert "torch==" in text and "snakemake" not in text and "+cpu" not in text


def test_the_model_brings_its_code_and_its_index(packed):
    folder, index, _ = packed
    (model,) = folder.glob("mlartifacts/**/MLmodel")
    code = Path(answering.__file__)
    packed_code = model.parent / "code/muver/kb/plugins/answering.py"
    assert packed_code.read_bytes() == code.read_bytes()
    copy = Index.open(model.parent / "artifacts/index")
    assert copy.fingerprint == index.fingerprint and copy.threshold == 0.6


def test_the_run_in_which_the_encoder_was_trained(packed):
    folder, _, client = packed
    run = client.create_run(client.create_experiment("table1")).info.run_id
    assert main(["index", "package", "index", "--name", "rye", "--run", run]) == 0
    version = client.get_model_version("rye", "2")
    assert client.get_run(version.run_id).data.tags["source_run"] == run


def test_what_is_wrong_is_said(packed, capsys):
    for arguments, said in [
        (["index", "--name", "a/b"], "--name 'a/b': MLflow's names of models are not empty"),
        (["index", "--run", "0" * 32], f"--run {'0' * 32}: no such run in the store."),
        (["none"], "none: not an index"),
    ]:
        assert main(["index", "package", *arguments]) == 2
        assert said in capsys.readouterr().err
    with writing("index"):
        assert main(["index", "package", "index"]) == 2
        assert "index: is being changed by" in capsys.readouterr().err
