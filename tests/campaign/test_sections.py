"""A small sample of those sections of the campaign that fit into a test run, and deliberate faults.

The sections that start commands (kills, two at once, a full disk, long runs) are not sampled here;
tests/workflow kills a run and damages a file.
"""

import pytest

from campaign import damage, hostile, power, service
from campaign.plan import Plan

SAMPLES = {
    "power": (power.indexes_only, 1),
    "bytes": (damage.indexes_only, 1),
    "hostile": (hostile.attack, 1),
    "service": (service.attack, 60),
}


@pytest.fixture
def plan(tmp_path):
    def made(cases: int, fault: bool) -> Plan:
        folder = tmp_path / str(fault)
        folder.mkdir()
        return Plan(cases, 7, float("inf"), folder, fault)

    return made


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_holds_and_a_deliberate_fault_is_seen(name, plan):
    attack, cases = SAMPLES[name]
    assert [case for case in attack(plan(cases, False)) if case.wrong] == []
    seen = list(attack(plan(1, True)))
    assert {case.kind for case in seen} == {case.kind for case in seen if case.wrong} != set()
