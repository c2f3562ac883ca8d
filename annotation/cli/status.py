"""``benchwright review status``: how far campaigns are, round by round, and what became of their tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.output import emit, json_option
from benchwright.text_normalization import printable

from .reviews import open_for_commands, workspace_option

if TYPE_CHECKING:
    from ..store import ReviewStore

FACETS = ("kind", "task", "category")
"""What campaigns can be split by."""


@click.command("status")
@workspace_option
@click.option("--by", type=click.Choice(FACETS), multiple=True, help="Also by part; may be given several times.")
@json_option
def status(workspace: Path | None, by: tuple[str, ...], as_json: bool) -> None:
    """Say for each campaign how many tasks and slots are open, and what became of the others so far."""
    with open_for_commands(workspace) as store:
        now = datetime.now(UTC)
        found = [_status(store, name, by, now) for name in store.campaign_names()]
    emit({"campaigns": found}, as_json=as_json, text=lambda: _status_text(found))


def _status(store: ReviewStore, name: str, by: Sequence[Any], now: datetime) -> dict[str, Any]:
    from ..progress.campaign_progress import progress_by, progress_of
    from ..progress.overview import Overview

    campaign = store.campaign(name)
    overview = Overview(store, campaign)
    patterns = overview.decision_counts()
    document = {
        **store.status(name, now=now).to_json(),
        "outcomes": progress_of(campaign, patterns).outcomes,
        "decisions_by_day": overview.days(),
    }
    if rounds := overview.rounds(patterns):
        document["rounds"] = [one._asdict() for one in rounds]
    if criteria := overview.criteria(resamples=0):
        document["criteria"] = [
            {
                "criterion": one.name, "votes": one.votes, "share_of_yes": one.share_of_yes,
                "compared": one.agreement.compared,
                "percent": one.agreement.percent, "krippendorff_alpha": one.agreement.krippendorff_alpha,
            }
            for one in criteria
        ]  # fmt: skip
    if (rulings := overview.adjudication_stats()).cases:
        document["adjudicated"] = rulings.to_json()
    if by:
        document["parts"] = [
            {"by": facet, "part": one.name, "tasks": one.tasks, "outcomes": one.outcomes}
            for facet in by
            for one in progress_by(campaign, patterns, facet)
        ]
    return document


def _status_text(found: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for one in found:
        who = "simulated annotators" if one["simulated"] else "annotators"
        total = one["tasks"]["done"] + one["tasks"]["open"]
        slots = ", ".join(f"{count} {state}" for state, count in one["slots"].items())
        lines.append(
            f"{one['name']}: {one['tasks']['done']} of {total} tasks done under {one['rule']}; "
            f"slots: {slots}; {one['annotators']} {who}"
        )
        lines.append(f"  {_counted(one['outcomes'])}")
        lines += [f"  round {round_['round']}: {_round_text(round_)}" for round_ in one.get("rounds", ())]
        lines += [f"  {printable(vote['criterion'])}: {_vote_text(vote)}" for vote in one.get("criteria", ())]
        lines += _ruling_lines(one.get("adjudicated"))
        lines += [f"  {part['part'] or '-'}: {_counted(part['outcomes'])}" for part in one.get("parts", ())]
    return "\n".join(lines) or "no campaigns yet"


def _round_text(one: Mapping[str, int]) -> str:
    return f"{one['items']} items, {_counted({name: one[name] for name in one if name not in {'round', 'items'}})}"


def _vote_text(one: Mapping[str, Any]) -> str:
    share, percent, alpha = (_number(one[name]) for name in ("share_of_yes", "percent", "krippendorff_alpha"))
    return (
        f"{one['votes']} votes, {share} of them yes; on {one['compared']} compared agreement {percent}, alpha {alpha}"
    )


def _ruling_lines(found: Mapping[str, Any] | None) -> list[str]:
    if found is None:
        return []
    each = [
        f"    {printable(one['adjudicator'])}: {one['times']} {one['decision'].replace('_', ' ')} where annotators "
        f"said {printable(one['annotators'].replace('_', ' '))}"
        for one in found["decisions"]
    ]
    return [f"  adjudicated: {found['cases']} cases, {found['against_majority']} against most annotators", *each]


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def _counted(outcomes: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in outcomes.items())
