"""Curators' decisions, which a run reads once, at its start, as an immutable snapshot.

`overrides/current.json` names the snapshot, `overrides/HASH.parquet`. The run reads decisions from nowhere else.

A decision has one of three states: it is in effect, it waits for the next run, or it has nothing left to change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from benchwright.canonical import digest, file_digest
from benchwright.errors import DamagedError, DataError
from benchwright.overrides import AGAINST, Override
from benchwright.rooms import catalogue
from benchwright.workspace.record_lookup import Lookup, StageVerdict
from benchwright.workspace.sealed import read_sealed, write_sealed
from benchwright.workspace.shards import shard_of
from benchwright.workspace.stages import Stage
from benchwright.workspace.store_place import has_store
from benchwright.workspace.tables import read_table, write_table
from benchwright.workspace.workspace import Workspace

FORMAT, VERSION = "benchwright/overrides", 1
_TEXT = pa.string()
_SNAPSHOT = pa.schema(
    [
        ("stage", _TEXT),
        ("record_id", _TEXT),
        ("root_image_id", _TEXT),
        ("action", _TEXT),
        ("reason", _TEXT),
        ("against", _TEXT),
        ("by", _TEXT),
        ("why", _TEXT),
    ]
)


def may_be_overridden(stage: Stage) -> bool:
    """Return whether a curator's decision can replace this stage's verdicts.

    In campaigns, annotators amend their own answers instead. A step that makes images or items made none from the
    records that it dropped, so there is nothing to restore. A measurement has no verdict.
    """
    return stage.kind in {"map", "gather"} and stage.role != "measure" and not stage.makes


@dataclass(frozen=True)
class Overrides:
    """All decisions that one run read, by stage and record, with a digest for each affected shard."""

    by_stage: Mapping[str, Mapping[str, Override]] = field(default_factory=dict)
    digests: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, decisions: Iterable[Override], *, shard_count: int) -> Overrides:
        """Return the decisions, grouped by stage and record; their order does not matter."""
        by_stage: dict[str, dict[str, Override]] = {}
        by_record: dict[tuple[str, str], list[Any]] = {}
        for override in sorted(decisions, key=lambda override: (override.stage, override.record_id)):
            by_stage.setdefault(override.stage, {})[override.record_id] = override
            shard = shard_of(override.root_image_id, shard_count)
            by_record.setdefault((override.stage, shard), []).append(
                [override.record_id, override.action, override.reason, override.against]
            )
        return cls(by_stage, {place: digest(decisions) for place, decisions in by_record.items()})

    def __iter__(self) -> Iterator[Override]:
        for records in self.by_stage.values():
            yield from records.values()

    def about(self, stage: Stage) -> Mapping[str, Override]:
        """Return the decisions about a stage, by record."""
        return self.by_stage.get(stage.id, {}) if may_be_overridden(stage) else {}

    def digest(self, stage: Stage, shard: str) -> str:
        """Return the digest of everything that decisions can change in a shard of a stage; empty if there are no
        decisions.

        The curator's name and reason are not part of the digest, because no outcome depends on them.
        """
        return self.digests.get((stage.id, shard), "") if may_be_overridden(stage) else ""


def take_in(space: Workspace, *, shard_count: int) -> Overrides:
    """Write the decisions of every room that keeps decisions as this run's snapshot, and return them.

    Raises:
        BenchwrightError: A review store cannot be read.
    """
    decisions: list[Override] = []
    if has_store(space.root):
        for room in catalogue("overrides").values():
            decisions += room.load()(space.root)
    overrides = Overrides.of(decisions, shard_count=shard_count)
    _write(space, list(overrides))
    return overrides


def snapshot_of(space: Workspace) -> list[Override]:
    """Return the decisions that the last run read, by stage and record.

    Raises:
        DataError: The snapshot is damaged or newer than this program.
    """
    document = _snapshot(space)
    if document is None:
        return []
    path = space.overrides / _file_name(document)
    space.checked.require(path, document["sha256"])
    return [Override(**row) for row in read_table(path).to_pylist()]


def current_snapshot(space: Workspace) -> str | None:
    """Return the name of the snapshot file that the last run wrote; None if that run wrote none.

    Raises:
        DataError: The file `current.json` is damaged or newer than this program.
    """
    document = _snapshot(space)
    return None if document is None else _file_name(document)


def snapshot_problems(space: Workspace) -> Iterator[DamagedError]:
    """Yield the damaged snapshots; each snapshot is named by its SHA-256."""
    try:
        document = _snapshot(space)
    except DamagedError as error:
        yield error
        return
    if document is not None:
        path = space.overrides / _file_name(document)
        if (problem := space.checked.wrong(path, document["sha256"], afresh=True)) is not None:
            yield DamagedError(path, problem)


def _snapshot(space: Workspace) -> dict[str, Any] | None:
    path = space.overrides / "current.json"
    try:
        document = read_sealed(path)
    except FileNotFoundError:
        return None
    if document.get("format") != FORMAT or document.get("version") != VERSION:
        raise DataError(f"{path} does not state format {FORMAT!r} in version {VERSION}; upgrade benchwright")
    if not {"file", "sha256"} <= document.keys():
        raise DamagedError(path, "is damaged: it names no file and SHA-256")
    return document


def _file_name(document: Mapping[str, Any]) -> str:
    return Path(str(document["file"])).name


def _write(space: Workspace, decisions: list[Override]) -> None:
    path = space.overrides / "current.json"
    if not decisions and not path.exists():
        return
    space.overrides.mkdir(exist_ok=True)
    draft = space.tmp / "overrides.parquet"
    write_table(draft, [asdict(override) for override in decisions], _SNAPSHOT)
    sha256 = file_digest(draft)
    name = f"{sha256[:16]}.parquet"
    draft.replace(space.overrides / name)
    write_sealed(
        path,
        {"format": FORMAT, "version": VERSION, "file": name, "sha256": sha256, "rows": len(decisions)},
        tmp=space.tmp,
    )


State = Literal["counts", "waits", "stale"]


class OverrideStatus(NamedTuple):
    """A decision and its state; `because` states why it is not in effect."""

    override: Override
    state: State
    because: str = ""


def override_status(space: Workspace, decisions: Iterable[Override]) -> list[OverrideStatus]:
    """Return, for each decision, whether it is in effect in the workspace's current tables.

    Raises:
        DataError: Nothing has run in this workspace yet.
    """
    lookup = Lookup(space)
    taken_in = {_effect(override) for override in snapshot_of(space)}
    return [_standing(decision, lookup, is_taken_in=_effect(decision) in taken_in) for decision in decisions]


def _effect(override: Override) -> tuple[str | None, ...]:
    return override.stage, override.record_id, override.action, override.reason, override.against


def _standing(override: Override, lookup: Lookup, *, is_taken_in: bool) -> OverrideStatus:
    verdict = lookup.told_by(override.stage, override.record_id, override.root_image_id)
    if is_taken_in and verdict is not None and verdict.is_overridden:
        return OverrideStatus(override, "counts")
    because = _nothing_to_decide(override, verdict, lookup)
    if because is None:
        return OverrideStatus(override, "waits", "run the recipe again")
    return OverrideStatus(override, "stale", because)


def _nothing_to_decide(override: Override, verdict: StageVerdict | None, lookup: Lookup) -> str | None:
    """Return why a decision changes nothing; None if the next run will put it into effect."""
    if override.stage not in lookup.stages:
        return "the recipe no longer has this step"
    if verdict is None:
        return "the record no longer reaches this step"
    opposite = {"drop"} if override.action == "keep" else {"keep"}
    if verdict.own_verdict not in {"ask", *opposite}:
        return f"the step itself says {' '.join(filter(None, [verdict.own_verdict, verdict.own_reason]))} now"
    if override.action == "keep" and verdict.own_reason != override.reason:
        return f"the step now gives the reason {verdict.own_reason}"
    against = verdict.evidence.get(AGAINST)
    return f"it is now dropped against {str(against)[:12]}" if override.against not in {None, against} else None
