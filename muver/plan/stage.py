"""The stage: settings and what can be measured to a plan, written and printed."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from muver.encoders.files import CONFIG_FILE
from muver.io.errors import InputError
from muver.io.files import read_json, write_manifest
from muver.plan import rate as rating
from muver.plan.machine import this_machine
from muver.plan.rate import Rate
from muver.plan.report import text, totals, unfit
from muver.plan.settings import DEFAULTS, check
from muver.plan.stages import plan_rows
from muver.plan.storage import expected_base, measured_base

SIZES = tuple(DEFAULTS["encoder"])


def plan(
    given: Mapping[str, Any],
    folder: Path,
    out: Path,
    model: Path | None = None,
    kb: Path | None = None,
    dump: Path | None = None,
    measure: bool = False,
) -> str:
    """Plan a run and write it as JSON.

    Parameters
    ----------
    given
        Settings (:data:`muver.plan.settings.DEFAULTS` has the others).
    folder
        Where the run's files are to lie: its disk is looked at.
    model
        A model's or a BERT's directory, for the encoder's sizes and for measuring.
    kb, dump
        A knowledge base, at least a part of it, and the dump: their sizes are taken.
    measure
        Measure encoding (with ``model``), reading (with ``dump``) and exact search. A rate that
        the settings give is not measured.

    Returns
    -------
    The plan to read.

    Raises
    ------
    InputError
        For settings that are not allowed, and what is named but not there.
    """
    settings = check(given)
    if model is not None:
        settings["encoder"] = _sizes(model)
    if dump is not None:
        settings["dump_bytes"] = _size(dump)
    base = expected_base(settings) if kb is None else measured_base(kb, settings)
    machine = this_machine(folder)
    rates = _given(settings["rates"])
    if measure:
        if model is None and len(rates["encode"]) < len(settings["models"]):
            raise InputError("--measure: needs --model, a model's or a BERT's directory to run.")
        _measure(rates, settings, model, kb, dump)
    rows = plan_rows(settings, base, rates, machine)
    write_manifest(
        out,
        "plan",
        settings,
        {},
        machine=asdict(machine),
        base=asdict(base),
        stages=[asdict(row) for row in rows],
        totals=totals(rows),
        unfit=unfit(rows, machine),
    )
    return text(rows, machine)


def _given(rates: Mapping[str, Any]) -> dict[str, Any]:
    """Rates of the settings."""
    units = {"encode": "views/s", "build": "views/s", "search": "mentions/s"}
    by_name = {
        stage: {name: Rate(value, unit) for name, value in rates[stage].items()}
        for stage, unit in units.items()
    }
    read = None if rates["read"] is None else Rate(rates["read"], "MB/s")
    return {"read": read, "exact": None, **by_name}


def _measure(
    rates: dict[str, Any],
    settings: dict[str, Any],
    model: Path | None,
    kb: Path | None,
    dump: Path | None,
) -> None:
    """Fill in the rates that are not there."""
    for name, layout in settings["models"].items():
        if name not in rates["encode"] and model is not None:
            rates["encode"][name] = rating.encoding_rate(model, layout, kb, settings)
    if rates["read"] is None and dump is not None:
        rates["read"] = rating.reading_rate(dump, settings)
    if "exact" not in rates["search"]:
        rates["exact"] = rating.exact_rate(settings["encoder"]["hidden_size"], settings)


def _sizes(folder: Path) -> dict[str, int]:
    """Sizes of the encoder in a model's or a BERT's directory."""
    path = folder / "config.json"
    if (folder / CONFIG_FILE).is_file():
        path = folder / "entity_encoder" / "config.json"
    config = read_json(path)
    missing = [key for key in SIZES if key not in config]
    if missing:
        raise InputError(f"{path}: has no {', '.join(missing)}. Expected that of a BERT.")
    return {key: config[key] for key in SIZES}


def _size(dump: Path) -> int:
    if not dump.is_file():
        raise InputError(f"{dump}: no such file.")
    return dump.stat().st_size
