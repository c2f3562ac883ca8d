"""How curators' decisions stand: which count, which wait for the next run, which have nothing to decide any more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from benchwright.overrides import AGAINST, Override
from benchwright.pipeline.lookup import Lookup, Told
from benchwright.pipeline.overrides import snapshot_of
from benchwright.workspace import Workspace

State = Literal["counts", "waits", "stale"]


class Standing(NamedTuple):
    """A decision and how it stands; `because` says why it does not count."""

    override: Override
    state: State
    because: str = ""


def how_they_stand(space: Workspace, decisions: Iterable[Override]) -> list[Standing]:
    """Return for each decision whether it counts in the workspace's tables as they are.

    Raises:
        DataError: Nothing has run in this workspace yet.
    """
    lookup = Lookup(space)
    taken_in = {_effect(one) for one in snapshot_of(space)}
    return [_standing(one, lookup, is_taken_in=_effect(one) in taken_in) for one in decisions]


def _effect(one: Override) -> tuple[str | None, ...]:
    return one.stage, one.record_id, one.action, one.reason, one.against


def _standing(one: Override, lookup: Lookup, *, is_taken_in: bool) -> Standing:
    told = lookup.told_by(one.stage, one.record_id, one.root_image_id)
    if is_taken_in and told is not None and told.is_overridden:
        return Standing(one, "counts")
    because = _nothing_to_decide(one, told, lookup)
    if because is None:
        return Standing(one, "waits", "run the recipe again")
    return Standing(one, "stale", because)


def _nothing_to_decide(one: Override, told: Told | None, lookup: Lookup) -> str | None:
    """Return why a decision changes nothing; None where the next run takes it in."""
    if one.stage not in lookup.stages:
        return "the recipe has no such step any more"
    if told is None:
        return "the record does not reach this step any more"
    others = {"drop"} if one.action == "keep" else {"keep"}
    if told.own_verdict not in {"ask", *others}:
        return f"the step itself says {' '.join(filter(None, [told.own_verdict, told.own_reason]))} now"
    if one.action == "keep" and told.own_reason != one.reason:
        return f"the step now gives the reason {told.own_reason}"
    other = told.evidence.get(AGAINST)
    return f"it is now dropped against {str(other)[:12]}" if one.against not in {None, other} else None
