"""``benchwright filter restore``, ``drop``, ``undo``, ``overrides``: what curators decide against verdicts of steps."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.output import emit, json_option
from benchwright.errors import BenchwrightError
from benchwright.text_normalization import printable

if TYPE_CHECKING:
    from benchwright.overrides import Override
    from benchwright.pipeline.overrides import OverrideStatus

    from ..exchange.overrides import OverrideRequests
    from ..store import ReviewStore

_workspace = click.argument("workspace", type=click.Path(path_type=Path))
_records = click.argument("records", metavar="RECORD...", nargs=-1, required=True)
_by = click.option("--by", metavar="NAME", help="Who decides.  [default: the name you are logged in with]")
_LONGEST_WHY = 2000


@click.command("restore")
@_workspace
@_records
@click.option("--step", help="Step whose drop or ask is reversed.  [default: the one that dropped it]")
@click.option("--why", metavar="TEXT", required=True, help="Why; kept with the decision.")
@_by
@json_option
def restore(
    workspace: Path, records: tuple[str, ...], step: str | None, why: str, by: str | None, as_json: bool
) -> None:
    """Reverse what a step of WORKSPACE said against each RECORD: an id, the first digits of one, or a path.

    The next run takes it in; nothing is measured again.
    """
    _decide(workspace, records, lambda reversing, name: reversing.restored(name, step), by, why, as_json)


@click.command("drop")
@_workspace
@_records
@click.option("--step", required=True, help="Step at which they are dropped, though it kept or asked about them.")
@click.option("--why", metavar="TEXT", required=True, help="Why; kept with the decision.")
@_by
@json_option
def drop(workspace: Path, records: tuple[str, ...], step: str, why: str, by: str | None, as_json: bool) -> None:
    """Drop each RECORD of WORKSPACE by hand: an id, the first digits of one, or a path.

    The next run takes it in.
    """
    _decide(workspace, records, lambda reversing, name: reversing.dropped(name, step), by, why, as_json)


@click.command("undo")
@_workspace
@_records
@click.option("--step", help="Only decisions about this step.")
@click.option("--why", metavar="TEXT", default="", help="Why; kept with the decision.")
@_by
@json_option
def undo(workspace: Path, records: tuple[str, ...], step: str | None, why: str, by: str | None, as_json: bool) -> None:
    """Take back what was decided by hand about each RECORD of WORKSPACE: the step's own verdict counts again."""
    from ..exchange.overrides import OverrideRequests
    from ..store import Overrides

    who, why = _who(by), _checked(why)
    reversing = OverrideRequests(workspace, by=who, why=why)
    with _store(workspace) as store, store.batch() as held:
        own = Overrides(held)
        standing = [one.override for one in own.standing() if step is None or reversing.is_of(one.override.stage, step)]
        meant = [one for name in dict.fromkeys(records) for one in _named(standing, name, reversing)]
        own.undo(dict.fromkeys(meant), by=who, why=why, now=datetime.now(UTC))
    document = {"undone": [_told(one) for one in meant]}
    emit(document, as_json=as_json, text=lambda: "\n".join([*map(_line, meant), _next(len(meant), "taken back")]))


@click.command("overrides")
@_workspace
@json_option
def overrides(workspace: Path, as_json: bool) -> None:
    """List what curators decided against verdicts of steps of WORKSPACE, and how each decision stands."""
    from benchwright.pipeline.overrides import override_status
    from benchwright.workspace.workspace import Workspace

    from ..exchange.overrides import standing_decisions

    space = Workspace.open(workspace)
    decided = standing_decisions(workspace)
    found = override_status(space, [one.override for one in decided]) if decided else []
    rows = [
        {**_told(one.override), "by": one.override.by, "why": one.override.why, "at": at.isoformat(),
         "state": one.state, "because": one.because}
        for one, at in zip(found, [one.at for one in decided], strict=True)
    ]  # fmt: skip
    emit({"overrides": rows}, as_json=as_json, text=lambda: _list_text(found))


def _decide(
    workspace: Path,
    records: Sequence[str],
    decision: Callable[[OverrideRequests, str], Override],
    by: str | None,
    why: str,
    as_json: bool,
) -> None:
    from ..exchange.overrides import OverrideRequests
    from ..store import Overrides

    reversing = OverrideRequests(workspace, by=_who(by), why=_checked(why, needed=True))
    wanted = {(one.stage, one.record_id): one for one in (decision(reversing, name) for name in records)}
    with _store(workspace) as store:
        new = Overrides(store).decide(wanted.values(), now=datetime.now(UTC))
    old = [one for one in wanted.values() if one not in new]
    document = {"decided": [_told(one) for one in new], "already": [_told(one) for one in old]}

    def text() -> str:
        lines = [*map(_line, new), *(f"{_line(one)} (decided before)" for one in old)]
        return "\n".join([*lines, _next(len(new), "decided")])

    emit(document, as_json=as_json, text=text)


def _store(workspace: Path) -> ReviewStore:
    from benchwright.workspace.store_place import settle_store

    from ..store import open_store

    return open_store(settle_store(workspace))


def _who(by: str | None) -> str:
    if by is not None:
        return by
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise BenchwrightError("this login has no name; say who decides with --by NAME") from error


def _checked(why: str, *, needed: bool = False) -> str:
    text = " ".join(why.split())
    if (needed and not text) or len(text) > _LONGEST_WHY or not text.isprintable():
        raise BenchwrightError(f"--why takes 1 to {_LONGEST_WHY} printable characters; say in a line why")
    return text


def _named(standing: Sequence[Override], name: str, reversing: OverrideRequests) -> list[Override]:
    """Return the standing decisions about a record, whether it is still there or not."""
    from benchwright.workspace.record_lookup import SHORTEST_PREFIX

    found = [one for one in standing if len(name) >= SHORTEST_PREFIX and one.record_id.startswith(name)]
    if not found:
        record_id = reversing.record_id(name)
        found = [one for one in standing if one.record_id == record_id]
    if len({one.record_id for one in found}) > 1:
        raise BenchwrightError(
            f"{name!r} is the beginning of several ids with decisions, such as {found[0].record_id} and "
            f"{found[-1].record_id}; give more digits"
        )
    if not found:
        raise BenchwrightError(f"nothing was decided by hand about {name!r}; `benchwright filter overrides` lists all")
    return found


def _told(one: Override) -> dict[str, Any]:
    return {
        "record": one.record_id, "stage": one.stage, "action": one.action, "reason": one.reason, "against": one.against,
    }  # fmt: skip


def _line(one: Override) -> str:
    what = f"keep, though {one.reason}" if one.action == "keep" else "drop"
    against = f" of {one.against[:12]}" if one.against else ""
    return f"{one.record_id[:12]}  {one.stage}: {what}{against}"


def _next(count: int, what: str) -> str:
    return f"{count} {what}; `benchwright run` takes it in" if count else f"nothing new {what}"


def _list_text(found: Sequence[OverrideStatus]) -> str:
    lines = [
        f"{one.state:6} {_line(one.override)}  ({printable(one.override.by)}: {printable(one.override.why)})"
        f"{'  ' + one.because if one.because else ''}"
        for one in found
    ]
    return "\n".join(lines or ["no decisions"])
