"""``benchwright filter restore``, ``drop``, ``undo``, ``overrides``: curators' decisions against verdicts of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.deciding import checked_why, name_of_decider
from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

if TYPE_CHECKING:
    from benchwright.overrides import Override
    from benchwright.pipeline.stages.overrides import OverrideStatus

    from ..exchange.overrides import OverrideRequests
    from ..store.review_store import ReviewStore

_workspace = click.argument("workspace", type=click.Path(path_type=Path), help="Workspace of a run.")
_records = click.argument(
    "records",
    metavar="RECORD...",
    nargs=-1,
    required=True,
    help="Ids of images or items, their first digits (at least 6), or paths below the image folder.",
)
_by = click.option("--by", metavar="NAME", help="Your name, for the record.  [default: your login name]")


@click.command("restore")
@_workspace
@_records
@click.option("--step", help="Step, or stage of one, whose drop or ask to reverse.  [default: the one that dropped it]")
@click.option("--why", metavar="TEXT", required=True, help="Reason, in one line; kept with the decision.")
@_by
@json_option(
    """
    `{"decided": [{"record", "stage", "action", "reason", "against"}], "already": [{"record", "stage", "action",
    "reason", "against"}]}`; `already` lists what was decided before
    """
)
def restore(
    workspace: Path, records: tuple[str, ...], step: str | None, why: str, by: str | None, as_json: bool
) -> None:
    """Reverse a filter's verdict against images or items: a drop, or an `ask`.

    The review store keeps the decision and the next `benchwright run` applies it; nothing is measured again. The step's
    own verdict stays on record. The decision covers only this drop: if the step later drops the record for another
    reason, or against another image, that is a new drop.
    """
    _decide(workspace, records, lambda requests, name: requests.restored(name, step), by, why, as_json)


@click.command("drop")
@_workspace
@_records
@click.option("--step", required=True, help="Step that drops them now, although it kept or asked about them.")
@click.option("--why", metavar="TEXT", required=True, help="Reason, in one line; kept with the decision.")
@_by
@json_option(
    """
    `{"decided": [{"record", "stage", "action", "reason", "against"}], "already": [{"record", "stage", "action",
    "reason", "against"}]}`
    """
)
def drop(workspace: Path, records: tuple[str, ...], step: str, why: str, by: str | None, as_json: bool) -> None:
    """Drop images or items by hand at a filter that kept them, or asked about them.

    They leave the stream there with the reason `by_hand`, from the next run on.
    """
    _decide(workspace, records, lambda requests, name: requests.dropped(name, step), by, why, as_json)


@click.command("undo")
@_workspace
@_records
@click.option("--step", help="Only decisions about this step.")
@click.option("--why", metavar="TEXT", default="", help="Reason, in one line; kept with the decision.")
@_by
@json_option('`{"undone": [{"record", "stage", "action", "reason", "against"}]}`')
def undo(workspace: Path, records: tuple[str, ...], step: str | None, why: str, by: str | None, as_json: bool) -> None:
    """Withdraw decisions of `filter restore` or `filter drop`: from the next run, the step's own verdict counts.

    Records that no longer exist can be named, too.
    """
    from ..exchange.overrides import OverrideRequests
    from ..store.campaigns.overrides import OverrideStore

    curator, why = name_of_decider(by), checked_why(why)
    requests = OverrideRequests(workspace, by=curator, why=why)
    with _store(workspace) as store, store.batch() as held:
        own = OverrideStore(held)
        decided = [
            override.override
            for override in own.in_force()
            if step is None or requests.is_of(override.override.stage, step)
        ]
        undone = [override for name in dict.fromkeys(records) for override in _matching(decided, name, requests)]
        own.undo(dict.fromkeys(undone), by=curator, why=why, now=datetime.now(UTC))
    document = {"undone": [_document(override) for override in undone]}
    emit(document, as_json=as_json, text=lambda: "\n".join([*map(_line, undone), _next(len(undone), "taken back")]))


@click.command("overrides")
@_workspace
@json_option(
    """
    `{"overrides": [{"record", "stage", "action", "reason", "against", "by", "why", "at", "state", "because"}]}`
    """
)
def overrides(workspace: Path, as_json: bool) -> None:
    """List curators' decisions against verdicts of steps, and the state of each.

    A decision `counts`, `waits` for the next run, or is `stale`, because the record is gone or the step no longer gives
    the reversed verdict.
    """
    from benchwright.pipeline.stages.overrides import override_status
    from benchwright.workspace.workspace import Workspace

    from ..exchange.overrides import standing_decisions

    space = Workspace.open(workspace)
    decided = standing_decisions(workspace)
    statuses = override_status(space, [stored.override for stored in decided]) if decided else []
    rows = [
        {
            **_document(status.override),
            "by": status.override.by,
            "why": status.override.why,
            "at": decided_at.isoformat(),
            "state": status.state,
            "because": status.because,
        }
        for status, decided_at in zip(statuses, [stored.at for stored in decided], strict=True)
    ]
    emit({"overrides": rows}, as_json=as_json, text=lambda: _list_text(statuses))


def _decide(
    workspace: Path,
    records: Sequence[str],
    decision: Callable[[OverrideRequests, str], Override],
    by: str | None,
    why: str,
    as_json: bool,
) -> None:
    from ..exchange.overrides import OverrideRequests
    from ..store.campaigns.overrides import OverrideStore

    requests = OverrideRequests(workspace, by=name_of_decider(by), why=checked_why(why, needed=True))
    wanted = {
        (override.stage, override.record_id): override for override in (decision(requests, name) for name in records)
    }
    with _store(workspace) as store:
        new = OverrideStore(store).decide(wanted.values(), now=datetime.now(UTC))
    old = [override for override in wanted.values() if override not in new]
    document = {
        "decided": [_document(override) for override in new],
        "already": [_document(override) for override in old],
    }

    def text() -> str:
        lines = [*map(_line, new), *(f"{_line(override)} (decided before)" for override in old)]
        return "\n".join([*lines, _next(len(new), "decided")])

    emit(document, as_json=as_json, text=text)


def _store(workspace: Path) -> ReviewStore:
    from benchwright.workspace.store_place import settle_store

    from ..store.review_store import open_store

    return open_store(settle_store(workspace))


def _matching(decided: Sequence[Override], name: str, requests: OverrideRequests) -> list[Override]:
    """Return the decisions about the named record, whether or not the record still exists."""
    from benchwright.workspace.record_lookup import SHORTEST_PREFIX

    matches = [override for override in decided if len(name) >= SHORTEST_PREFIX and override.record_id.startswith(name)]
    if not matches:
        record_id = requests.record_id(name)
        matches = [override for override in decided if override.record_id == record_id]
    if len({override.record_id for override in matches}) > 1:
        raise BenchwrightError(
            f"{name!r} is a prefix of several ids with decisions, such as {matches[0].record_id} and "
            f"{matches[-1].record_id}; give more digits"
        )
    if not matches:
        raise BenchwrightError(f"no decision by hand is about {name!r}; `benchwright filter overrides` lists all")
    return matches


def _document(override: Override) -> dict[str, Any]:
    return {
        "record": override.record_id,
        "stage": override.stage,
        "action": override.action,
        "reason": override.reason,
        "against": override.against,
    }


def _line(override: Override) -> str:
    decision = f"keep, though {override.reason}" if override.action == "keep" else "drop"
    against = f" of {override.against[:12]}" if override.against else ""
    return f"{override.record_id[:12]}  {override.stage}: {decision}{against}"


def _next(count: int, verb: str) -> str:
    return f"{count} {verb}; `benchwright run` applies it" if count else f"nothing new {verb}"


def _list_text(statuses: Sequence[OverrideStatus]) -> str:
    lines = [
        f"{status.state:6} {_line(status.override)}  "
        f"({printable(status.override.by)}: {printable(status.override.why)})"
        f"{'  ' + status.because if status.because else ''}"
        for status in statuses
    ]
    return "\n".join(lines or ["no decisions"])
