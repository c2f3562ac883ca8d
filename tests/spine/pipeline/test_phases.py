"""Stages that run in one pass: adjacent ones, unless one needs a GPU and the other does not; and the needs of a
pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from benchwright.pipeline.planning.plan import phases, plan
from benchwright.steps import Filter, MapStep, Outcome, Resources


class Plain(MapStep):
    """Wants a processor and some memory."""

    name: ClassVar[str] = "plain"
    consumes: ClassVar[Any] = "images"
    resources: ClassVar[Resources] = Resources(memory_mb=700)


class Small(MapStep):
    """Wants less."""

    name: ClassVar[str] = "small"
    consumes: ClassVar[Any] = "images"


class Looks(Filter):
    """Wants a share of a GPU to measure."""

    name: ClassVar[str] = "looks"
    consumes: ClassVar[Any] = "images"
    values: ClassVar[Mapping[str, str]] = {"score": "double"}
    resources: ClassVar[Resources] = Resources(gpus=0.25, memory_mb=4000)

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        return Outcome()


class Looks2(Looks):
    """Wants a whole one."""

    name: ClassVar[str] = "looks2"
    resources: ClassVar[Resources] = Resources(gpus=1, memory_mb=2000)


def test_stages_that_want_a_gpu_and_stages_that_want_none_are_never_in_one_pass() -> None:
    found = phases(plan([("a", Plain()), ("b", Small()), ("c", Looks()), ("d", Looks2()), ("e", Small())]))
    assert [[stage.id for stage in phase.stages] for phase in found] == [
        ["a", "b"],
        ["c.measure", "c.judge", "d.measure", "d.judge"],
        ["e"],
    ]


def test_a_pass_needs_the_most_that_any_of_its_stages_needs() -> None:
    found = phases(plan([("a", Plain()), ("b", Small()), ("c", Looks()), ("d", Looks2())]))
    assert [phase.needs for phase in found] == [Resources(memory_mb=700), Resources(gpus=1, memory_mb=4000)]
