"""Curators' decisions against verdicts of steps, as a run and the command line ask for them.

A curator names a record; the verdict that is meant, and whether it can be overridden, is found from that.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.overrides import Override
from benchwright.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ..store import StoredOverride
from collections.abc import Mapping, Sequence

from benchwright.errors import BenchwrightError
from benchwright.overrides import AGAINST, BY_HAND, Action
from benchwright.pipeline.overrides import may_be_overridden
from benchwright.pipeline.run import stages_of_workspace
from benchwright.workspace.record_lookup import KnownRecord, Lookup, StageVerdict
from benchwright.workspace.stages import Stage


class OverrideRequests:
    """Makes decisions about the records of one workspace."""

    def __init__(self, root: Path, *, by: str, why: str) -> None:
        self._root = root
        self._by = by
        self._why = why
        self._lookup = Lookup(Workspace.open(root))
        self._stages: Mapping[str, Stage] = {stage.id: stage for stage in stages_of_workspace(root)}

    def record_id(self, name: str) -> str:
        """Return the id of the record that somebody names; as `Lookup.find`."""
        return self._lookup.find(name).record_id

    def is_of(self, stage_id: str, step: str) -> bool:
        """Return whether a stage is the one that somebody names, or belongs to the recipe entry of that name."""
        stage = self._stages.get(stage_id)
        return stage_id == step or (stage is not None and stage.entry == step)

    def restored(self, name: str, step: str | None) -> Override:
        """Return the decision to keep a record that a step dropped or asked about.

        Args:
            name: Id, beginning of an id, or path.
            step: Recipe entry or stage; None where only one speaks against the record.

        Raises:
            BenchwrightError: There is no such record, nothing speaks against it, or what does cannot be overridden.
        """
        record = self._lookup.find(name)
        told = self._one_against(
            name, [one for one in self._lookup.told(record) if step is None or self.is_of(one.stage, step)], step
        )
        against = told.evidence.get(AGAINST)
        pair = against if isinstance(against, str) else None
        return self._decision(record, told.stage, "keep", told.own_reason, pair)

    def dropped(self, name: str, step: str) -> Override:
        """Return the decision to drop a record at a step that kept it or asked about it.

        Raises:
            BenchwrightError: There is no such record or step, the step did not keep it, or it cannot be overridden.
        """
        record = self._lookup.find(name)
        stage = self._last_stage(step)
        told = self._lookup.told_by(stage.id, record.record_id, record.root_image_id)
        if told is None:
            raise BenchwrightError(
                f"{name!r} never reached step {step!r}: a step before it dropped it, or it came later"
            )
        if told.own_verdict not in {"keep", "ask"}:
            raise BenchwrightError(
                f"step {step!r} itself said {told.own_verdict} {told.own_reason} of {name!r} already"
            )
        return self._decision(record, stage.id, "drop", None, None)

    def _decision(
        self, record: KnownRecord, stage: str, action: Action, reason: str | None, against: str | None
    ) -> Override:
        return Override(
            stage, record.record_id, record.root_image_id, action, reason, against, by=self._by, why=self._why
        )

    def _one_against(self, name: str, told: Sequence[StageVerdict], step: str | None) -> StageVerdict:
        where = f" at step {step!r}" if step is not None else ""
        if step is not None and not any(step in {stage.id, stage.entry} for stage in self._stages.values()):
            raise BenchwrightError(f"no step {step!r} ran in {self._root}; these did: {', '.join(self._entries())}")
        open_to_us = [one for one in told if self._can(one.stage) and one.own_verdict in {"drop", "ask"}]
        # What counts now goes first: a drop that was reversed before may have been followed by an ask.
        for verdict, is_overridden in (("drop", False), ("ask", False), ("drop", True), ("ask", True)):
            found = [one for one in open_to_us if (one.own_verdict, one.is_overridden) == (verdict, is_overridden)]
            if len(found) == 1:
                return found[0]
        if open_to_us:
            listed = ", ".join(f"{one.stage} ({one.own_verdict} {one.own_reason})" for one in open_to_us)
            raise BenchwrightError(f"several steps speak against {name!r}: {listed}; say which with --step")
        raise BenchwrightError(self._why_not(name, where, told))

    def _why_not(self, name: str, where: str, told: Sequence[StageVerdict]) -> str:
        for one in reversed(told):
            if one.reason == BY_HAND:
                return f"{name!r} was dropped by hand at {one.stage}; take that back with `benchwright filter undo`"
            if one.own_verdict == "failed":
                return (
                    f"{name!r} failed at {one.stage} ({one.own_reason}): it could not be judged, so there is no "
                    "verdict to reverse; mend the file or the step and run again"
                )
            if one.own_verdict in {"drop", "ask"}:
                return self._not_ours(name, one)
        return f"nothing dropped {name!r} or asked about it{where}; `benchwright trace` tells its history"

    def _not_ours(self, name: str, told: StageVerdict) -> str:
        stage = self._stages.get(told.stage)
        if stage is not None and stage.kind == "campaign":
            return (
                f"people decided about {name!r} in campaign {told.stage} ({told.own_reason}); who decided amends it "
                "there (`benchwright review serve`, or `review import`)"
            )
        return (
            f"step {told.stage} made nothing of {name!r} ({told.own_reason}), so there is nothing to bring back; "
            "change its settings in the recipe"
        )

    def _can(self, stage_id: str) -> bool:
        stage = self._stages.get(stage_id)
        return stage is not None and may_be_overridden(stage)

    def _last_stage(self, step: str) -> Stage:
        """Return the stage of a step at which a record can be dropped by hand: its last."""
        of_step = [stage for stage in self._stages.values() if step in {stage.id, stage.entry}]
        if not of_step:
            raise BenchwrightError(f"no step {step!r} ran in {self._root}; these did: {', '.join(self._entries())}")
        if not may_be_overridden(of_step[-1]):
            raise BenchwrightError(
                f"step {step!r} drops nothing that could be dropped by hand: it makes, measures or asks people; "
                "name a filter, such as the next one after it"
            )
        return of_step[-1]

    def _entries(self) -> list[str]:
        return list(dict.fromkeys(stage.entry for stage in self._stages.values()))


def standing_overrides(root: Path) -> list[Override]:
    """Return what a run takes in: the decisions that count now; none where the workspace has no store.

    Raises:
        BenchwrightError: The store cannot be read.
    """
    return [one.override for one in standing_decisions(root)]


def standing_decisions(root: Path) -> list[StoredOverride]:
    """Return the decisions that count now, with when they were made, by stage and record.

    Raises:
        BenchwrightError: The store cannot be read.
    """
    from ..store import Overrides, open_store, store_exists

    url = Workspace(root).store_url
    if not store_exists(url):
        return []
    with open_store(url) as store:
        return Overrides(store).standing()
