"""The command: quick to answer, plain about mistakes."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack
from unittest.mock import Mock

import pytest

from muver import Entity, Index, __version__, cli
from muver.cli import main
from muver.commands import COMMANDS, Command
from muver.io.text import HIDDEN
from muver.retriever.views.views_settings import Segment

HEAVY = {"torch", "transformers", "mlflow", "pandas", "snakemake", "numpy", "pyarrow", "requests"}
FAMILIES = {name.split()[0] for name in COMMANDS if " " in name}


def test_lists_of_commands_and_help_import_nothing_heavy():
    """In a process of its own, whose imports are its own."""
    script = f"""
import sys
from muver.cli import main
for words in [[], ["--help"], ["--version"], *([one] for one in {FAMILIES!r}), ["typo"]]:
    assert main(words) == (2 if words == ["typo"] else 0), words
try:
    main(["query", "--help"])
except SystemExit as end:
    assert end.code == 0
print("HEAVY", sorted({HEAVY!r} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("HEAVY []\n")
    assert f"muver {__version__}" in done.stdout
    shown = done.stdout.split()
    assert all(name.split()[-1].strip(",") in " ".join(shown) for name in COMMANDS)


MEMORY = "muver unlock: error: the memory of this machine does"


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        # By itself: whoever takes the name `muver` on a public index must not get the install.
        (ModuleNotFoundError(name="mlflow"), 2, "pip install 'mlflow>="),
        (ModuleNotFoundError(name="faiss"), 2, "pip install 'faiss-cpu>="),
        (MemoryError(), 2, MEMORY),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you"), 2, MEMORY),
        (RuntimeError("Error in void faiss: std::bad_alloc"), 2, MEMORY),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_what_stops_a_command_is_told_and_has_its_status(error, status, said, monkeypatch, capsys):
    monkeypatch.setattr(cli, "run", Mock(side_effect=error))
    monkeypatch.setattr(os, "dup2", Mock())
    assert main(["unlock"]) == status
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError(name="muver.none"),
        RuntimeError("another"),
        IsADirectoryError(errno.EISDIR, "", "x"),
    ],
)
def test_a_fault_of_ours_is_raised(error, monkeypatch):
    monkeypatch.setattr(cli, "run", Mock(side_effect=error))
    with pytest.raises(type(error)):
        main(["unlock"])


def test_people_see_the_commands_that_they_type(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out
    rows = [line for line in said.splitlines() if line.startswith("  ") and line[2] != " "]
    assert len(rows) <= 20
    assert "kb import" in said and "calibrate" in said and "encode-part" not in said


@pytest.mark.parametrize("word", sorted(FAMILIES))
def test_the_first_word_alone_lists_its_commands(word, capsys):
    assert main([word]) == main([word, "--help"]) == 0
    said = capsys.readouterr().out
    assert all(name.split()[1] in said for name in COMMANDS if name.startswith(f"{word} "))


@pytest.mark.parametrize(
    ("words", "prefix", "named"),
    [
        (["qery"], "muver", "'query'"),
        (["indx"], "muver", "'index'"),
        (["--foo"], "muver", "'--foo'"),
        (["index", "craete"], "muver", "'index create'"),
        (["stage", "trian"], "muver", "'stage train'"),
        (["evalute"], "muver", "'stage evaluate'"),
        (["remove", "index"], "muver", "'index remove'"),
    ],
)
def test_a_mistake_is_told_with_what_was_meant(words, prefix, named, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{prefix}: error: ") and named in said


def test_a_mistake_is_told_without_a_traceback(tmp_path):
    """By the module, as the workflow's shell calls it."""
    call = [sys.executable, "-m", "muver.cli", "prune", "--config", "preset=zeshell"]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "'zeshel'" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("settings", ["{", "[1]", "3", '{"top_k": 1, "top_k": 1}'])
def test_settings_that_are_no_json_object(settings, capsys):
    with pytest.raises(SystemExit) as end:
        main(["stage", "merge", "--settings", settings])
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert "muver stage merge: error: argument --settings: " in said


@pytest.mark.parametrize("given", [None, "ACTIVE"])
def test_waiting_threads_sleep_unless_the_user_says_otherwise(given, monkeypatch):
    monkeypatch.setenv("OMP_WAIT_POLICY", given or "")
    if given is None:
        monkeypatch.delenv("OMP_WAIT_POLICY")
    assert main(["--version"]) == 0
    assert os.environ["OMP_WAIT_POLICY"] == (given or "PASSIVE")


def test_the_log_has_what_is_said(tmp_path, capsys):
    folder, log = tmp_path / "metrics", tmp_path / "logs" / "metrics.log"
    folder.mkdir()
    (folder / "old.json").touch()
    places = ["--metrics", str(folder), "--plots", str(tmp_path / "plots")]
    empty = ["--tables", "--curves", "--label", "all"]
    assert main(["stage", "metrics", "--log", str(log), *empty, *places]) == 0
    assert "[metrics all] removing" in capsys.readouterr().err
    assert "old.json" in log.read_text()


def test_a_log_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").touch()
    log = tmp_path / "file" / "unlock.log"
    assert main(["unlock", "--log", str(log)]) == 2
    assert f"muver unlock: error: {log}: cannot be written" in capsys.readouterr().err


def test_hidden_characters_of_names_and_texts_are_shown(tmp_path, capsys):
    hostile = "\x1b[2J\u202e\x9b31m\x7f"
    title = f"{hostile}=1+1 \\input{{x}} <bb>"
    (tmp_path / hostile).mkdir()
    source, index, log = (tmp_path / hostile / one for one in ("kb.jsonl", "index", "log"))
    source.write_text(json.dumps({"id": "Q1", "title": title, "description": f"A tower. {title}"}))
    make = ["index", "create", str(source), "--model", "bm25", "--out", str(index)]
    assert main([*make, "--log", str(log)]) == 0
    assert main(["query", str(index), f"A [[tower]] {hostile}."]) == 0
    assert main(["index", "info", str(index)]) == 0
    assert main(["query", str(source / hostile), "[[tower]]"]) == 2
    with pytest.raises(SystemExit):
        main(["index", "info", str(index), hostile])
    told = "".join(capsys.readouterr()) + log.read_text()
    assert main(["query", str(index), "[[tower]]", "--json"]) == 0
    line = capsys.readouterr().out
    assert not HIDDEN.search(told + line)
    assert told.count(r"\u001b[2J\u202e\u009b31m\u007f") > 5
    assert json.loads(line)["candidates"][0]["title"] == title


class More(TypedDict, total=False):
    runs: list[Path]
    compute: dict[str, Any]


GIVEN: dict[str, Any] = {}


def work(
    place: str | Path,
    rest: Sequence[str] = ("a", "b"),
    *,
    settings: Segment,
    plain: Mapping[str, Any] | None = None,
    k: int = 10,
    share: float | None = None,
    as_json: bool = False,
    kind: Literal["one", "two"] = "one",
    config: Iterable[tuple[str, Any]] = (),
    models: Iterable[tuple[str, Path]] = (),
    **more: Unpack[More],
) -> None:
    """Do nothing.

    At all.

    Parameters
    ----------
    place, rest
        Where
        :func:`it` is.
    k
        100% of ``them``.

    Returns
    -------
    Nothing.
    """
    GIVEN.update(locals())


@pytest.fixture
def typed(monkeypatch):
    """Calls the function above as `muver work`, or as a stage; gives what it was called with."""
    monkeypatch.setattr(Command, "function", lambda _: work)
    for name in ("work", "stage work"):
        monkeypatch.setitem(COMMANDS, name, Command(name, "", "here", says="do nothing"))

    def call(*words: str) -> dict[str, Any]:
        GIVEN.clear()
        assert main(words) == 0
        return dict(GIVEN)

    return call


def test_arguments_are_read_as_the_signature_says(typed):
    punkt = ["--settings", '{"punkt": "english"}']
    given = typed("work", "here", *punkt)
    assert given.pop("settings").punkt == "english"
    nothing = {"runs": None, "compute": None}
    assert given == {
        "place": Path("here"), "rest": ("a", "b"), "plain": None, "k": 10, "share": None,
        "as_json": False, "kind": "one", "config": (), "models": (), "more": nothing,
    }  # fmt: skip
    given = typed(
        "work", "here", "c", *punkt, '{"punkt": "train"}', "--plain", '{"a": 1}', "-k", "3",
        "--share", "0.5", "--json", "--kind", "two", "--config", "seed=7", "x={a: b}",
        "--models", "m=models/m", "--runs", "a", "b", "--compute", "{}",
    )  # fmt: skip
    assert given.pop("settings").punkt == "train"  # the later object counts
    several = typed(
        "work", "--config", "a=1", "b=2", "here", "c", "--config", "d=3", "--settings",
        '{"punkt": "train"}', '{"punkt": "english"}',
    )  # fmt: skip
    assert (several["place"], several["rest"]) == (Path("here"), ["c"])
    assert several["config"] == [("a", 1), ("b", 2), ("d", 3)]
    assert several["settings"].punkt == "english"
    assert given == {
        "place": Path("here"), "rest": ["c"], "plain": {"a": 1}, "k": 3, "share": 0.5,
        "as_json": True, "kind": "two", "config": [("seed", 7), ("x", {"a": "b"})],
        "models": [("m", Path("models/m"))],
        "more": {"runs": [Path("a"), Path("b")], "compute": {}},
    }  # fmt: skip


def test_a_stage_has_options_only(typed, capsys):
    given = typed("stage", "work", "--place", "here", "--settings", '{"punkt": "train"}')
    assert given["place"] == Path("here")
    with pytest.raises(SystemExit):
        main(["stage", "work", "here", "--settings", '{"punkt": "train"}'])


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["here"], "required: --settings"),
        (["--settings", "{}"], "required: PLACE"),
        (["here", "--kind", "three"], "argument --kind"),
        (["here", "-k", "x"], "argument -k"),
        (["here", "--config", "x"], "argument --config"),
        (["here", "--config", "x={"], "argument --config"),
        (["here", "--models", "m="], "argument --models"),
        (["--settings", "{}", ""], "argument PLACE: '': expected a path."),
        (["--settings", "{}", "http://x/y"], "PLACE: 'http://x/y': expected a path. What"),
    ],
)
def test_wrong_arguments_are_named(typed, words, named, capsys):
    with pytest.raises(SystemExit) as end:
        main(["work", *words])
    assert end.value.code == 2
    assert named in capsys.readouterr().err


def test_help_is_the_docstring(typed, capsys):
    with pytest.raises(SystemExit):
        main(["work", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "Do nothing. At all. positional" in said
    assert "PLACE Where `it` is." in said
    assert "REST Where `it` is. (default: a b)" in said
    assert "-k N 100% of `them`. (default: 10)" in said
    assert "punkt" in said
    assert said.endswith("For example muver work here")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """An index by words of titles in three scripts."""
    folder = tmp_path_factory.mktemp("index") / "index"
    titles = ["दिल्ली", "Παλιός", "老王"]
    Index.create(folder, [Entity(id=n, title=one) for n, one in enumerate(titles)], "bm25")
    return folder


def shell(line, index, **more):
    """Status and what is said of a command line of bash."""
    line = line.format(muver=f"{sys.executable} -m muver.cli", index=index)
    environment = {**os.environ, **more}
    done = subprocess.run(["bash", "-c", line], capture_output=True, env=environment)
    return done.returncode, done.stderr.decode()


def test_what_standard_output_cannot_encode(index):
    name, command = "Παλιός", "{muver} query {index} '[[Παλιός]]'"
    status, said = shell(command, index, PYTHONIOENCODING="ascii")
    assert status == 2
    assert f"its encoding, ascii, has no {ascii(name[0])}. Set PYTHONIOENCODING=utf-8." in said
    assert shell(command, index, PYTHONIOENCODING="utf-8") == (0, "")


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no /dev/full here")
@pytest.mark.parametrize(
    ("line", "status", "says"),
    [
        (
            "{muver} index info {index} > /dev/full",
            2,
            "cannot be written (No space left on device)",
        ),
        ("{muver} index info {index} >&-", 2, "standard output: is closed."),
        ("{muver} --help > /dev/full", 2, "muver: error: standard output: cannot be written"),
        ("{muver} query --help > /dev/full", 2, "muver query: error: standard output: cannot be"),
        ("{muver} index info {index} | true; exit ${{PIPESTATUS[0]}}", 141, ""),
        ("{muver} index verify {index} 2> /dev/full", 0, ""),
        ("{muver} index verify {index} 2>&-", 0, ""),
        ("{muver} index verify nothing 2> /dev/full", 2, ""),
        ("! {muver} index verify nothing 2>&- | grep .", 0, ""),
        ("{muver} index verify {index} --log /dev/full", 0, "/dev/full: cannot be written any"),
    ],
)
def test_a_stream_that_takes_nothing(line, status, says, index):
    done, said = shell(line, index)
    assert done == status and says in said and "Traceback" not in said
    assert says or not said


def test_what_a_disk_does_not_allow_is_told_and_an_index_stays_whole(tmp_path, monkeypatch, capsys):
    index = Index.create(tmp_path / "index", [Entity(id="1", title="Smith")], "bm25")
    index.add([Entity(id="2", title="Baker")])

    def refuse(path: str | Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)
        assert main(["index", "compact", str(index.folder)]) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path}/index/" in said and "(Input/output error). Look at the disk" in said
    assert [one.id for one in Index.open(index.folder).entities()] == ["1", "2"]
    assert main(["index", "compact", str(index.folder)]) == 0
