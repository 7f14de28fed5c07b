"""Agents that a page may ask for."""

import pytest

from agents.play.engine.limits import Allowance, available, describe

ALLOWANCE = Allowance(["human", "gumbel:network=runs/mine"])


@pytest.mark.parametrize(
    "spec",
    [
        "human",
        " random ",
        "gumbel:network=runs/mine",
        "gumbel:network=runs/mine,simulations=4096",
        "puct:evaluator=rollout,simulations=64,reuse=true",
        "minimax:depth=3,ties=first",
        "negascout:depth=8,table=16",
        "afterstate:network=terra_mystica",
        "gumbel:network=none,evaluator=uniform",
        "best:seconds=60",
        "negascout:table=16,nodes=1000000,seconds=0.5",
    ],
)
def test_known_agents_of_bounded_effort_are_allowed(spec):
    assert ALLOWANCE.check(spec) == spec.strip()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (7, "expected the spec"),
        ("x" * 301, "at most 300 characters"),
        ("", "cannot read"),
        ("minmax", "did you mean 'minimax'"),
        ("minimax:depth=4", "depth is at most 3"),
        ("negascout:depth=11", "depth is at most 10"),
        ("negascout:table=21", "table is at most 20"),
        ("gumbel:simulations=4097", "simulations is at most 4096"),
        ("rhea:budget=20001", "budget is at most 20000"),
        ("mcts:rollouts=9", "rollouts is at most 8"),
        ("best:seconds=61", "seconds is at most 60"),
        ("best:nodes=1000001", "nodes is at most 1000000"),
        ("best:seconds=0", "seconds must be more than 0"),
        ("best:second=1", "did you mean|unknown field"),
        ("gumbel:network=runs/other", "names a file"),
        ("gumbel:network=../runs/mine", "names a file"),
        ("book:file=terra_mystica,agent=random", "names a file"),
        ("afterstate:network=/etc/passwd", "names a file"),
    ],
)
def test_others_are_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        ALLOWANCE.check(spec)


def test_agents_are_described_by_their_fields():
    assert describe("minimax") == "minimax:depth=2,ties=random"
    assert describe("book") == "book:file=...,agent=...,moves=3,temperature=1.0"
    assert describe("first_legal") == "first_legal"
    assert all(describe(name).startswith(name) for name in available())
