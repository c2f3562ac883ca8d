"""Counts of the benchmark of planted faults: places found, items blamed, and items blamed rightly."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


class Counting(NamedTuple):
    """What the benchmark counts with."""

    planted: Callable[..., Any]
    alarm: Callable[..., Any]
    tallies_of: Callable[..., dict[str, Any]]


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    kinds, peers, faults = map(importlib.import_module, ("planted_kinds", "audit_peers", "planted_faults"))
    return Counting(kinds.Planted, peers.Alarm, faults.tallies_of)


def test_a_place_is_found_where_one_finding_names_all_its_items(counting: Counting) -> None:
    copies = [counting.planted("copy", frozenset({"dup"}), frozenset(), pair) for pair in (("a", "b"), ("c", "d"))]
    alarms = [counting.alarm("dup", ("a", "b", "x")), counting.alarm("dup", ("c",)), counting.alarm("dup", ("d",))]
    # a, b, c and d are blamed rightly; x is not. Of the two places, c and d are never named together.
    assert counting.tallies_of(copies, alarms)["copy"] == (2, 1, 5, 4)


def test_a_finding_is_right_where_another_fault_makes_it_true(counting: Counting) -> None:
    copy = counting.planted("copy", frozenset({"dup"}), frozenset(), ("a", "b"))
    repeated = counting.planted("repeated", frozenset({"again"}), frozenset({"dup"}), ("e",))
    alarms = [counting.alarm("dup", ("a", "b")), counting.alarm("dup", ("e", "f"))]
    assert counting.tallies_of([copy, repeated], alarms) == {"copy": (1, 1, 4, 3), "repeated": (1, 0, 0, 0)}


def test_a_cue_is_counted_by_task(counting: Counting) -> None:
    cue = counting.planted("long", frozenset({"longest"}), frozenset(), task="t1")
    alarms = [counting.alarm("longest", ("a",), "t1"), counting.alarm("longest", ("b",), "t2")]
    assert counting.tallies_of([cue], alarms)["long"] == (1, 1, 2, 1)


def test_a_tool_that_names_only_what_it_leaves_out_finds_the_pair(counting: Counting) -> None:
    copy = counting.planted("copy", frozenset({"dup"}), frozenset(), ("a", "b"))
    assert counting.tallies_of([copy], [counting.alarm("dup", ("b",), is_partial=True)])["copy"] == (1, 1, 1, 1)
