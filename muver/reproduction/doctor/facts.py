"""What is written down of how two runs were made, and where it differs."""

from collections.abc import Mapping, Sequence
from typing import Any

from muver.io.files import read_json
from muver.io.typed import fields, flat
from muver.reproduction.doctor.runs import Run
from muver.retriever.encoders.settings import Encoding
from muver.retriever.runs.chosen import chosen_of

Difference = dict[str, Any]  # name, first and second: the values, None where a run has no such key


def differing_settings(runs: Sequence[Run]) -> list[Difference]:
    """Settings that differ.

    They are the rows' whole settings, which row keys are made from: these leave out threads and
    memory. Where a run has no evaluation, they are those of both manifests.
    """
    if all(run.evaluation for run in runs):
        made = [{**run.evaluation.settings} for run in runs]
    else:
        made = [{"retrieve": run.settings} for run in runs]
    for own, run in zip(made, runs, strict=True):
        own.pop("system", None)  # what a row is called
        if chosen := chosen_of(run.manifest or {}):
            own["chosen"] = {chosen.setting: chosen.value}
    return _differences(*made)


def differing_data(runs: Sequence[Run]) -> list[Difference]:
    """Data, versions and machines that differ, as far as they are known of both runs."""
    found = _differences(*map(_data, runs))
    return [one for one in found if None not in (one["first"], one["second"])]


def _data(run: Run) -> dict[str, Any]:
    facts = {key: (run.manifest or {}).get(key) for key in ("muver", "inputs", "counts")}
    if run.evaluation:
        facts |= {key: getattr(run.evaluation, key) for key in ("dataset", "fingerprint")}
    for kind in ("stores", "merged"):
        if run.origin and (manifest := run.origin.file(kind, "manifest.json")):
            settings = read_json(manifest)["settings"]
            facts[kind] = {key: settings[key] for key in fields(Encoding) if key in settings}
    return facts


def _differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Difference]:
    a, b = dict(flat(first)), dict(flat(second))
    return [
        {"name": name, "first": a.get(name), "second": b.get(name)}
        for name in {**a, **b}
        if a.get(name) != b.get(name)
    ]
