"""What requirements/install.sh asks uv for, on machines of several kinds; uv is a stand-in."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UV = """#!/bin/sh
echo "$* links=$UV_FIND_LINKS index=$UV_DEFAULT_INDEX cert=$SSL_CERT_FILE" \
    "no-cache=$UV_NO_CACHE user=$PIP_USER compile=$UV_COMPILE_BYTECODE" >> uv.log
case "$*" in *--no-index*) exit $NO_WHEEL;; esac
"""
PIP = """#!/bin/sh
[ "$1" = config ] && cat pip.conf || true
"""
PYTHON = """#!/bin/sh
case "$1 $2" in
    "- http"*) exit $NO_INDEX;;
    *"m.version('$HAS'))") echo "$HAS_VERSION";;
    *m.version*) exit 1;;
    *) exit 0;;
esac
"""


@pytest.fixture
def install(tmp_path):
    """Run the script on a machine where the stand-ins answer as told; return uv's commands."""
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    (tmp_path / "wheels").mkdir()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    for name, text in {"uv": UV, "pip": PIP, "python": PYTHON}.items():
        program = tmp_path / ".venv" / "bin" / name
        program.write_text(text)
        program.chmod(0o755)

    def install(pip_conf="", no_wheel=0, no_index=0, has=("", ""), gpu=0, **own):
        (tmp_path / "pip.conf").write_text(pip_conf)
        keep = {name: value for name, value in os.environ.items() if name[:3] not in ("UV_", "SSL")}
        keep |= {"HOME": str(tmp_path), "PIP_USER": "1"} | own
        keep.pop("XDG_CACHE_HOME", None)
        answers = {"NO_WHEEL": no_wheel, "NO_INDEX": no_index, "GPU": gpu}
        answers |= dict(zip(("HAS", "HAS_VERSION"), has, strict=True))
        subprocess.run(
            ["requirements/install.sh"],
            cwd=tmp_path,
            env=keep | {name: str(value) for name, value in answers.items()},
            check=True,
        )
        return (tmp_path / "uv.log").read_text().splitlines()

    return install


def about(commands, word):
    return [command for command in commands if word in command.split(" links=")[0]]


def test_the_cpu_build_comes_from_its_own_index(install):
    commands = install()
    (torch,) = about(commands, "torch")
    assert "--require-hashes --requirements requirements/torch-cpu.lock --default-index" in torch
    assert len(about(commands, "faiss-cpu.lock")) == 1
    assert not about(commands, "faiss-gpu")
    assert "--no-build-isolation --editable ." in commands[-1]


def test_a_home_that_cannot_be_written_and_pip_for_the_user(install):
    assert all(" no-cache= user=0 " in one for one in install())
    assert " no-cache=1 user=0 " in install(HOME="/proc/nobody")[-1]


def test_the_machines_own_wheels_come_first(install):
    commands = install("global.find-links='nowhere wheels'\n")
    (torch,) = about(commands, "torch")
    assert "--require-hashes --requirements requirements/torch-cpu.lock --no-index" in torch
    assert " links=wheels " in torch


def test_without_wheel_and_index_pypi_is_asked_with_hashes(install):
    commands = install(":env:.find-links='wheels'\n", no_wheel=1, no_index=1)
    first, last = about(commands, "torch")
    assert "--no-index" in first
    assert "--require-hashes --requirements requirements/torch.lock" in last
    assert " links= " in last


def test_a_gpu_gets_the_cuda_builds_and_only_them(install):
    commands = install("global.find-links='wheels'\n", gpu=1)
    (torch,) = about(commands, "torch")
    assert "requirements/torch.lock" in torch
    assert about(commands, "faiss-gpu.lock")
    assert not about(commands, "faiss-cpu")


@pytest.mark.parametrize(
    ("has", "gpu", "removed"),
    [
        (("torch", "2.13.0+cpu"), 1, ["torch"]),
        (("torch", "2.13.0+cu130"), 1, []),
        (("faiss-cpu", "1.15.1"), 1, ["faiss-cpu"]),
        (("faiss-gpu", "1.15.1"), 0, ["faiss-gpu"]),
        (("faiss-cpu", "1.15.1"), 0, []),
    ],
)
def test_what_would_stand_in_the_way_is_removed_first(install, has, gpu, removed):
    commands = install(has=has, gpu=gpu)
    uninstalled = [command.split(" links=")[0].split()[-1] for command in about(commands, "uninst")]
    assert uninstalled == removed


@pytest.mark.parametrize(("told", "compiled"), [("1", "1"), ("", "")])
def test_code_is_compiled_where_python_may_not_keep_what_it_compiles(
    install, monkeypatch, told, compiled
):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", told)
    assert all(command.endswith(f" compile={compiled}") for command in install())


def test_uv_trusts_and_asks_whom_pip_does(install):
    base, *_ = install(
        "global.cert='/etc/ca.pem'\nglobal.index-url='https://pypi.example/simple'\n"
    )
    assert "requirements/base.lock" in base
    assert " index=https://pypi.example/simple cert=/etc/ca.pem " in base
