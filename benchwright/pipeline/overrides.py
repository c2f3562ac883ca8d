"""Curators' decisions as a run takes them in: once, at its start, as an immutable snapshot.

`overrides/current.json` names `overrides/HASH.parquet`. The run looks at nothing else.

Decisions stand in one of three ways: they count, they wait for the next run, or they have nothing to decide any more.
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
SNAPSHOT = pa.schema(
    [
        ("stage", _TEXT), ("record_id", _TEXT), ("root_image_id", _TEXT), ("action", _TEXT), ("reason", _TEXT),
        ("against", _TEXT), ("by", _TEXT), ("why", _TEXT),
    ]
)  # fmt: skip


def may_be_overridden(stage: Stage) -> bool:
    """Return whether a curator's decision can replace this stage's verdicts.

    Campaigns have their own ways (people amend what they said). A step that makes something made nothing of what it
    dropped, so there is nothing to bring back; and a measurement gives no verdict.
    """
    return stage.kind in {"map", "gather"} and stage.role != "measure" and not stage.makes


@dataclass(frozen=True)
class Overrides:
    """All decisions that one run took in, by stage and record, with a digest for each shard that they touch."""

    by_stage: Mapping[str, Mapping[str, Override]] = field(default_factory=dict)
    digests: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Iterable[Override], *, shard_count: int) -> Overrides:
        """Sort decisions by stage and record; the order in which they come does not matter."""
        by_stage: dict[str, dict[str, Override]] = {}
        told: dict[tuple[str, str], list[Any]] = {}
        for one in sorted(found, key=lambda one: (one.stage, one.record_id)):
            by_stage.setdefault(one.stage, {})[one.record_id] = one
            shard = shard_of(one.root_image_id, shard_count)
            told.setdefault((one.stage, shard), []).append([one.record_id, one.action, one.reason, one.against])
        return cls(by_stage, {place: digest(decisions) for place, decisions in told.items()})

    def __iter__(self) -> Iterator[Override]:
        for records in self.by_stage.values():
            yield from records.values()

    def about(self, stage: Stage) -> Mapping[str, Override]:
        """Return the decisions about a stage, by record."""
        return self.by_stage.get(stage.id, {}) if may_be_overridden(stage) else {}

    def digest(self, stage: Stage, shard: str) -> str:
        """Return the digest of all that decisions can change in a shard of a stage; empty where there are none.

        Who decided and why is no part of it: no record fares otherwise because of that.
        """
        return self.digests.get((stage.id, shard), "") if may_be_overridden(stage) else ""


def take_in(space: Workspace, *, shard_count: int) -> Overrides:
    """Ask every room that keeps decisions for them, and write them down as this run's snapshot.

    Raises:
        BenchwrightError: A review store cannot be read.
    """
    found: list[Override] = []
    if has_store(space.root):
        for room in catalogue("overrides").values():
            found += room.load()(space.root)
    overrides = Overrides.of(found, shard_count=shard_count)
    _write(space, list(overrides))
    return overrides


def snapshot_of(space: Workspace) -> list[Override]:
    """Return the decisions that the last run took in, by stage and record.

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
    """Return the name of the file with the decisions that the last run took in; None where none ever were.

    Raises:
        DataError: What names it is damaged or newer than this program.
    """
    document = _snapshot(space)
    return None if document is None else _file_name(document)


def snapshot_problems(space: Workspace) -> Iterator[DamagedError]:
    """Yield what is not as it was written among the snapshots; every one is named by its SHA-256."""
    try:
        document = _snapshot(space)
    except DamagedError as error:
        yield error
        return
    if document is not None:
        path = space.overrides / _file_name(document)
        if (what := space.checked.wrong(path, document["sha256"], afresh=True)) is not None:
            yield DamagedError(path, what)


def _snapshot(space: Workspace) -> dict[str, Any] | None:
    path = space.overrides / "current.json"
    try:
        document = read_sealed(path)
    except FileNotFoundError:
        return None
    if document.get("format") != FORMAT or document.get("version") != VERSION:
        raise DataError(f"{path} does not say format {FORMAT!r} in version {VERSION}; upgrade benchwright")
    if not {"file", "sha256"} <= document.keys():
        raise DamagedError(path, "is damaged: it names no file and SHA-256")
    return document


def _file_name(document: Mapping[str, Any]) -> str:
    return Path(str(document["file"])).name


def _write(space: Workspace, found: list[Override]) -> None:
    path = space.overrides / "current.json"
    if not found and not path.exists():
        return
    space.overrides.mkdir(exist_ok=True)
    draft = space.tmp / "overrides.parquet"
    write_table(draft, [asdict(one) for one in found], SNAPSHOT)
    sha256 = file_digest(draft)
    name = f"{sha256[:16]}.parquet"
    draft.replace(space.overrides / name)
    write_sealed(
        path,
        {"format": FORMAT, "version": VERSION, "file": name, "sha256": sha256, "rows": len(found)},
        tmp=space.tmp,
    )


State = Literal["counts", "waits", "stale"]


class OverrideStatus(NamedTuple):
    """A decision and how it stands; `because` says why it does not count."""

    override: Override
    state: State
    because: str = ""


def override_status(space: Workspace, decisions: Iterable[Override]) -> list[OverrideStatus]:
    """Return for each decision whether it counts in the workspace's tables as they are.

    Raises:
        DataError: Nothing has run in this workspace yet.
    """
    lookup = Lookup(space)
    taken_in = {_effect(one) for one in snapshot_of(space)}
    return [_standing(one, lookup, is_taken_in=_effect(one) in taken_in) for one in decisions]


def _effect(one: Override) -> tuple[str | None, ...]:
    return one.stage, one.record_id, one.action, one.reason, one.against


def _standing(one: Override, lookup: Lookup, *, is_taken_in: bool) -> OverrideStatus:
    told = lookup.told_by(one.stage, one.record_id, one.root_image_id)
    if is_taken_in and told is not None and told.is_overridden:
        return OverrideStatus(one, "counts")
    because = _nothing_to_decide(one, told, lookup)
    if because is None:
        return OverrideStatus(one, "waits", "run the recipe again")
    return OverrideStatus(one, "stale", because)


def _nothing_to_decide(one: Override, told: StageVerdict | None, lookup: Lookup) -> str | None:
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
