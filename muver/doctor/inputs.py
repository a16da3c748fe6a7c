"""Is everything there that a run takes from outside, and may it write where it will?"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from muver.corpus.sources import find_source
from muver.doctor.finding import NOTE, OK, PROBLEM, Finding
from muver.estimate.sizes import hub_cache
from muver.io.errors import InputError
from muver.settings import NAMED_DATASETS
from muver.workspace import LinkedWorkspace, Workspace
from muver.workspace.locking import holder
from muver.workspace.needs import Needs

WRITTEN = ("build", "results", "logs", ".snakemake", "mlartifacts")


def dataset(settings: dict[str, Any], folder: Path) -> Finding:
    """Whether the data are here, or can be made or downloaded."""
    name = settings["dataset"]
    if name == "miniwikia":
        return Finding("dataset", OK, "miniwikia is made here, without a download")
    try:
        files = Workspace(settings).raw_files()
    except InputError as error:
        return Finding("dataset", PROBLEM, str(error))
    missing = [file for file in files if not (folder / file).is_file()]
    if not missing:
        return Finding("dataset", OK, f"{name}: {len(files)} files are here")
    if name not in NAMED_DATASETS:
        return Finding("dataset", PROBLEM, f"{missing[0]}: no such file, and {name} needs it.")
    source, url = (settings["download"][key] for key in ("source", "url"))
    return _download("dataset", name, "download.source", source, url)


def _download(check: str, name: str, key: str, source: str | None, url: str | None) -> Finding:
    """What becomes of a declared download that is not here; ``key`` sets its ``source``."""
    if source is not None:
        found = Path(source).exists()
        says = f"{source} is taken" if found else f"{key} is {source}: no such file."
        return Finding(check, OK if found else PROBLEM, says)
    address = url or find_source(name).address
    return Finding(check, NOTE, f"{name} will be downloaded from {address}: needs the network.")


def knowledge_base(settings: dict[str, Any], folder: Path) -> list[Finding]:
    """The same of a knowledge base and the sets linked to it: a finding for each download."""
    if settings["dataset"] == "miniwikipedia":
        return [Finding("dataset", OK, "miniwikipedia is made here, without a download")]
    workspace, linking = LinkedWorkspace(settings), settings["linking"]
    weights = f"{workspace.root}/raw/{find_source('blink_biencoder').file}"
    models = {
        settings["systems"][system]["model"] for system in settings["tables"]["table2"]["rows"]
    }
    origins = {settings["models"][model].get("start") for model in models} - {None}
    own = [settings["models"][model] for model in models | origins]
    trained = any("checkpoint" not in model for model in own)
    sets = [*linking["test"], *((linking["train"], linking["validation"]) if trained else ())]
    files = {
        "kilt": [workspace.dump],
        "blink_benchmarks": [linking["sets"][name]["file"] for name in sets],
        "blink_biencoder": [model["checkpoint"] for model in own if "checkpoint" in model],
    }
    unpacked = folder / workspace.root / "raw" / "benchmarks"
    found = []
    for name, needed in files.items():
        missing = [file for file in needed if not (folder / file).is_file()]
        if not missing or (name == "blink_benchmarks" and unpacked.is_dir()):
            found += [Finding("dataset", OK, f"{name}: is here")] if needed else []
        elif name == "blink_biencoder" and missing != [weights]:
            says = f"{missing[0]}: no such file, and a model's checkpoint names it."
            found.append(Finding("dataset", PROBLEM, says))
        else:
            source = linking["source"][name]
            found.append(_download("dataset", name, f"linking.source.{name}", source, None))
    return found


def punkt(settings: dict[str, Any], folder: Path) -> Finding:
    """Whether the sentence splitter's parameters are here."""
    if settings["segment"]["punkt"] != "english":
        return Finding("sentences", OK, "Punkt is trained here, without a download")
    files = Workspace(settings).english_files
    if all((folder / file).is_file() for file in files):
        return Finding("sentences", OK, "Punkt's English parameters are here")
    return Finding(
        "sentences", NOTE, "Punkt's English parameters will be downloaded: needs the network."
    )


def encoder(
    settings: dict[str, Any], folder: Path, in_cache: Callable[[str], Any] = hub_cache
) -> Finding:
    """Whether the weights that training starts from are here, or can be had."""
    name = settings["encoder"]
    if name == "scratch":
        return Finding("encoder", OK, "made from scratch, without a download")
    if all((folder / file).is_file() for file in Workspace(settings).start_files):
        return Finding("encoder", OK, f"{name}: taken already (start/)")
    if (folder / name).is_dir():
        return Finding("encoder", OK, f"{name}: a directory here")
    try:
        if in_cache(name):
            return Finding("encoder", OK, f"{name}: in the hub's cache on this machine")
    except ValueError as error:  # no name that the hub could have
        says = f"{name}: no such directory here, and no hub name ({error})."
        return Finding("encoder", PROBLEM, says)
    if os.environ.get("HF_HUB_OFFLINE", "0").upper() not in ("0", "", "FALSE", "NO", "OFF"):
        says = (
            f"{name}: no directory here and not in the hub's cache, and HF_HUB_OFFLINE is set. "
            "Fetch it once with the network, or pass --config encoder=DIR."
        )
        return Finding("encoder", PROBLEM, says)
    return Finding("encoder", NOTE, f"{name} will be taken from the hub: needs the network.")


def checkpoints(settings: dict[str, Any], needs: Needs, folder: Path) -> list[Finding]:
    """Whether published weights lie where they are expected."""
    found = []
    for model in needs.models:
        file = settings["models"][model].get("checkpoint")
        if file is None:
            continue
        if (folder / file).is_file():
            found.append(Finding("checkpoint", OK, f"{model}: {file} is here"))
        else:
            says = f"models.{model}.checkpoint is {file}: no such file. Put the weights there."
            found.append(Finding("checkpoint", PROBLEM, says))
    return found


def writable(folder: Path, may: Callable[[Path, int], bool] = os.access) -> list[Finding]:
    """Whether the folders that a run writes to can be written to."""
    problems = []
    for name in WRITTEN:
        place = folder / name
        if place.exists() and not place.is_dir():
            problems.append(Finding("folders", PROBLEM, f"{place}: a file; a folder is needed."))
            continue
        while not place.exists():
            place = place.parent
        if not may(place, os.W_OK | os.X_OK):
            says = f"{place}: may not be written to, and {name}/ goes there."
            problems.append(Finding("folders", PROBLEM, says))
    return problems or [Finding("folders", OK, f"{', '.join(WRITTEN)}: can be written to")]


def lock(folder: Path, at_work: Callable[[Path], tuple[int, str] | None] = holder) -> Finding:
    """Whether a killed run left its lock, or one is at work."""
    locks = folder / ".snakemake" / "locks"
    if not locks.is_dir() or not any(locks.iterdir()):
        return Finding("lock", OK, "no run holds this folder")
    found = at_work(folder)
    if found is not None:
        says = f"{found[1]} is at work here as process {found[0]}: wait until it ends."
        return Finding("lock", PROBLEM, says)
    says = "a run that was cut short left its lock: muver unlock removes it (make does so itself)."
    return Finding("lock", PROBLEM, says)
