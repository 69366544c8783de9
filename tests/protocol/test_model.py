"""The executable model of the protocol: every rule closes a hole that is there without it, and what is left holds."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.protocol.explore import Finding, explore, walk
from tests.protocol.pace_model import FIXES as PACE_FIXES
from tests.protocol.pace_model import Pace, PaceWorld
from tests.protocol.pipe_model import Pipe
from tests.protocol.pipe_state import FIXES as PIPE_FIXES
from tests.protocol.pipe_state import PROTOCOL, PipeWorld
from tests.protocol.worlds import EXHAUSTIVE, HOLES, QUICK, REMOVED, random_pace, random_pipe


def search(world: PipeWorld | PaceWorld, want: str = "") -> Finding:
    """Visit every state of a world."""
    if isinstance(world, PipeWorld):
        return explore(Pipe(world), want=want)
    return explore(Pace(world), want=want)


def told(finding: Finding) -> str:
    """Give a finding as text: the problem, and the schedule that leads to it."""
    return "\n".join([str(finding.problem), *finding.schedule])


def test_every_rule_has_a_hole() -> None:
    """No rule is in the model that nothing would break without."""
    assert {hole.rule for hole in HOLES.values()} == PIPE_FIXES | PACE_FIXES
    assert set(REMOVED) == PROTOCOL


@pytest.mark.parametrize("name", HOLES)
def test_a_hole_is_found_without_its_rule(name: str) -> None:
    """Without the rule some schedule breaks an invariant, or ends in a deadlock."""
    hole = HOLES[name]
    finding = search(replace(hole.world, fixes=hole.world.fixes - {hole.rule}), hole.want)
    assert finding.problem
    assert finding.schedule


@pytest.mark.parametrize("name", HOLES)
def test_the_hole_is_closed_with_its_rule(name: str) -> None:
    """With the rule no schedule of the same world breaks anything, and from every state the end can be reached."""
    finding = search(HOLES[name].world)
    assert finding.problem is None, told(finding)
    assert finding.complete


@pytest.mark.parametrize("step", REMOVED)
def test_a_removed_step_is_missed(step: str) -> None:
    """The model has teeth: take away an fsync, the probe rule or the wait for inserts, and it says so."""
    world = replace(REMOVED[step], protocol=PROTOCOL - {step}, fixes=PIPE_FIXES - {"rollback"})
    assert search(world).problem


@pytest.mark.parametrize("name", QUICK)
def test_a_small_world_holds_in_every_schedule(name: str) -> None:
    """Every state of the world keeps the invariants, and from each the system alone comes to the end."""
    finding = search(QUICK[name])
    assert finding.problem is None, told(finding)
    assert finding.complete


@pytest.mark.soak
@pytest.mark.parametrize("name", EXHAUSTIVE)
def test_a_larger_world_holds_in_every_schedule(name: str) -> None:
    """The same, in worlds of up to some hundred thousand states."""
    finding = search(EXHAUSTIVE[name])
    assert finding.problem is None, told(finding)
    assert finding.complete


def walks(seed: int, count: int) -> None:
    """Follow random schedules over random worlds of both machines."""
    for number in range(count):
        rng = random.Random(seed * 1_000_003 + number)
        pipe = random_pipe(rng)
        finding = walk(Pipe(pipe), rng)
        assert finding.problem is None, f"walk {number} of {pipe}: {told(finding)}"
        pace = random_pace(rng)
        finding = walk(Pace(pace), rng)
        assert finding.problem is None, f"walk {number} of {pace}: {told(finding)}"


def test_random_schedules_hold() -> None:
    """Random worlds with more of everything keep the invariants along random schedules."""
    walks(seed=1, count=150)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_random_schedules_hold(seed: int) -> None:
    """The same, ten times as often and from other seeds."""
    walks(seed, count=1500)
