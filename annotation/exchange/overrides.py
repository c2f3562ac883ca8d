"""Overrides, which are curators' decisions against steps' verdicts, for runs and for the command line.

A curator names a record, and this module determines the intended verdict and whether it can be overridden.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.overrides import Override
from benchwright.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ..store.campaigns.overrides import StoredOverride
from collections.abc import Mapping, Sequence

from benchwright.errors import BenchwrightError
from benchwright.overrides import AGAINST, BY_HAND, Action
from benchwright.pipeline.run import stages_of_workspace
from benchwright.pipeline.stages.overrides import may_be_overridden
from benchwright.workspace.record_lookup import KnownRecord, Lookup, StageVerdict
from benchwright.workspace.stages import Stage


class OverrideRequests:
    """Creates decisions about the records of one workspace."""

    def __init__(self, root: Path, *, by: str, why: str) -> None:
        self._root = root
        self._by = by
        self._why = why
        self._lookup = Lookup(Workspace.open(root))
        self._stages: Mapping[str, Stage] = {stage.id: stage for stage in stages_of_workspace(root)}

    def record_id(self, name: str) -> str:
        """Return the id of the named record; see `Lookup.find`."""
        return self._lookup.find(name).record_id

    def is_of(self, stage_id: str, step: str) -> bool:
        """Return whether a stage has the given name, or belongs to the recipe entry with that name."""
        stage = self._stages.get(stage_id)
        return stage_id == step or (stage is not None and stage.entry == step)

    def restored(self, name: str | KnownRecord, step: str | None) -> Override:
        """Return the decision to keep a record that a step dropped or asked about.

        Args:
            name: Id, prefix of an id, or path; or the record itself.
            step: Recipe entry or stage; None if only one step decided against the record.

        Raises:
            BenchwrightError: No such record exists, or no verdict against it can be overridden.
        """
        record, name = self._record(name)
        verdicts = [verdict for verdict in self._lookup.told(record) if step is None or self.is_of(verdict.stage, step)]
        verdict = self._verdict_against(name, verdicts, step)
        against = verdict.evidence.get(AGAINST)
        pair = against if isinstance(against, str) else None
        return self._decision(record, verdict.stage, "keep", verdict.own_reason, pair)

    def withdrawn(self, record: KnownRecord) -> Override:
        """Return the decision to drop a record at the last step that could have dropped it but did not.

        Raises:
            BenchwrightError: The record has already been dropped, or no step that judged it allows dropping by hand.
        """
        kept = None
        for verdict in self._lookup.told(record):
            if verdict.verdict in {"drop", "failed"} and self._removes(verdict):
                raise BenchwrightError(
                    f"{record.record_id!r} is already dropped: {verdict.stage} gave {verdict.reason}"
                )
            if verdict.own_verdict in {"keep", "ask"} and self._can_override(verdict.stage):
                kept = verdict
        if kept is None:
            raise BenchwrightError(f"no filter has judged {record.record_id!r} yet, so none can drop it by hand")
        return self._decision(record, kept.stage, "drop", None, None)

    def dropped(self, name: str, step: str) -> Override:
        """Return the decision to drop a record at a step that kept the record or asked about it.

        Raises:
            BenchwrightError: No such record or step exists, the step did not keep the record, or its verdict cannot be
                overridden.
        """
        record = self._lookup.find(name)
        stage = self._last_stage(step)
        verdict = self._lookup.told_by(stage.id, record.record_id, record.root_image_id)
        if verdict is None:
            raise BenchwrightError(
                f"{name!r} never reached step {step!r}: an earlier step dropped it, or a later one made it"
            )
        if verdict.own_verdict not in {"keep", "ask"}:
            raise BenchwrightError(
                f"step {step!r} itself already decided {verdict.own_verdict} {verdict.own_reason} on {name!r}"
            )
        return self._decision(record, stage.id, "drop", None, None)

    def _record(self, name: str | KnownRecord) -> tuple[KnownRecord, str]:
        """Return a record and its name for messages."""
        return (self._lookup.find(name), name) if isinstance(name, str) else (name, name.record_id)

    def _removes(self, verdict: StageVerdict) -> bool:
        """Return whether a verdict removes a record from its stream."""
        stage = self._stages.get(verdict.stage)
        return stage is None or stage.removes(verdict.verdict)

    def _decision(
        self, record: KnownRecord, stage: str, action: Action, reason: str | None, against: str | None
    ) -> Override:
        return Override(
            stage, record.record_id, record.root_image_id, action, reason, against, by=self._by, why=self._why
        )

    def _verdict_against(self, name: str, verdicts: Sequence[StageVerdict], step: str | None) -> StageVerdict:
        where = f" at step {step!r}" if step is not None else ""
        if step is not None and not any(step in {stage.id, stage.entry} for stage in self._stages.values()):
            raise BenchwrightError(f"no step {step!r} ran in {self._root}; these did: {', '.join(self._entries())}")
        candidates = [
            verdict
            for verdict in verdicts
            if self._can_override(verdict.stage) and verdict.own_verdict in {"drop", "ask"}
        ]
        # Verdicts that count now come first: a drop that was reversed before may have been followed by an ask.
        for own_verdict, is_overridden in (("drop", False), ("ask", False), ("drop", True), ("ask", True)):
            matches = [
                candidate
                for candidate in candidates
                if (candidate.own_verdict, candidate.is_overridden) == (own_verdict, is_overridden)
            ]
            if len(matches) == 1:
                return matches[0]
        if candidates:
            listed = ", ".join(
                f"{candidate.stage} ({candidate.own_verdict} {candidate.own_reason})" for candidate in candidates
            )
            raise BenchwrightError(f"several steps reject {name!r}: {listed}; choose one with --step")
        raise BenchwrightError(self._why_not(name, where, verdicts))

    def _why_not(self, name: str, where: str, verdicts: Sequence[StageVerdict]) -> str:
        for verdict in reversed(verdicts):
            if verdict.reason == BY_HAND:
                return f"{name!r} was dropped by hand at {verdict.stage}; take that back with `benchwright filter undo`"
            if verdict.own_verdict == "failed":
                return (
                    f"{name!r} failed at {verdict.stage} ({verdict.own_reason}): it could not be judged, so there is "
                    "no verdict to reverse; fix the file or the step and run again"
                )
            if verdict.own_verdict in {"drop", "ask"}:
                return self._not_overridable(name, verdict)
        return f"nothing dropped {name!r} or asked about it{where}; `benchwright trace` shows its history"

    def _not_overridable(self, name: str, verdict: StageVerdict) -> str:
        stage = self._stages.get(verdict.stage)
        if stage is not None and stage.kind == "campaign":
            return (
                f"people decided about {name!r} in campaign {verdict.stage} ({verdict.own_reason}); the annotators "
                "who decided can amend it there (`benchwright review serve`, or `review import`)"
            )
        return (
            f"step {verdict.stage} made nothing of {name!r} ({verdict.own_reason}), so there is nothing to bring back; "
            "change its settings in the recipe"
        )

    def _can_override(self, stage_id: str) -> bool:
        stage = self._stages.get(stage_id)
        return stage is not None and may_be_overridden(stage)

    def _last_stage(self, step: str) -> Stage:
        """Return the last stage of a step, at which a record can be dropped by hand."""
        of_step = [stage for stage in self._stages.values() if step in {stage.id, stage.entry}]
        if not of_step:
            raise BenchwrightError(f"no step {step!r} ran in {self._root}; these did: {', '.join(self._entries())}")
        if not may_be_overridden(of_step[-1]):
            raise BenchwrightError(
                f"step {step!r} drops no records by hand: it makes or measures records, or asks people; name a "
                "filter, such as the next one"
            )
        return of_step[-1]

    def _entries(self) -> list[str]:
        return list(dict.fromkeys(stage.entry for stage in self._stages.values()))


def overrides_in_force(root: Path) -> list[Override]:
    """Return the overrides that a run has to apply now; none if the workspace has no store.

    Raises:
        BenchwrightError: The store is unreadable.
    """
    return [stored.override for stored in standing_decisions(root)]


def standing_decisions(root: Path) -> list[StoredOverride]:
    """Return the overrides that now count, each with the time of its decision, by stage and record.

    Raises:
        BenchwrightError: The store is unreadable.
    """
    from ..store.campaigns.overrides import OverrideStore
    from ..store.review_store import open_store, store_exists

    url = Workspace(root).store_url
    if not store_exists(url):
        return []
    with open_store(url) as store:
        return OverrideStore(store).in_force()
