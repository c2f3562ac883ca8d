"""``benchwright review status``: progress of campaigns, round by round, and outcomes of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted, printable

from .selection import open_for_commands, workspace_option

FACETS = ("kind", "task", "category")
"""Facets by which the counts of campaigns can be split."""


@click.command("status")
@workspace_option
@click.option(
    "--by",
    type=click.Choice(FACETS),
    multiple=True,
    help="Also by part: kind of question, task, or category; may be repeated.",
)
@json_option(
    """
    `{"campaigns": [{"name", "kind", "rule", "simulated", "tasks": {"open", "done", "retired"}, "slots": {"free",
    "leased", "submitted"}, "annotators", "outcomes": {outcome: n}, "decisions_by_day": {day: n}, ...}]}`; outcomes
    are in tasks: decisions of the form or of an adjudicator (`revise`: to be revised, and it does not come again),
    `no_agreement`, `waits` (for an adjudicator), `failed_review`, `to_writer` (sent back to its writer), `decided`
    where a rule settles nothing, `begun`, `untouched`. With rounds also `"rounds": [{"round", "items", "passed",
    "revised", "dropped", "waiting", "open"}]`; of a review `"criteria": [{"criterion", "votes", "share_of_yes",
    "compared", "percent", "krippendorff_alpha"}]`; with an adjudicator's decisions `"adjudicated": {"cases",
    "against_majority", "decisions": [{"adjudicator", "decision", "annotators", "against_majority", "times"}]}`, where
    `annotators` is what more than half of them had said, `divided`, or of a review the criteria without most votes,
    such as `missed_difficult`; of a campaign whose writers got items back `"revisions": {"open", "done"}`, in items,
    and of the one that sent some back `"with_writers"`, those that are not revised yet; where votes are spared by how
    sure the first ones are, `"closed_sure": {"tasks", "votes_spared"}`; where people decided lately `"forecast":
    {"decisions_wanted", "people", "days", "decisions_a_day", "hours", "end": {"median", "low", "high"},
    "end_with_two_more": {"median", "low", "high"}, "people_lacking"}`, in days such as `2026-03-01`, null if too
    little is known. With `--by` also `"parts": [{"by", "part", "tasks", "outcomes"}]`
    """
)
def status(workspace: Path | None, by: tuple[str, ...], as_json: bool) -> None:
    """Show for each campaign how many tasks and slots are open, and the outcomes of the others so far under its rule.

    It counts the decisions of each day; for campaigns with rounds, the outcomes of the items of each round; for a
    review, the votes on each criterion; and adjudicators' decisions against those of most annotators. The database
    makes the counts. The forecast of a campaign's end resamples its annotators' decisions of the last days.
    """
    from ..progress.status_document import status_document

    with open_for_commands(workspace) as store:
        now = datetime.now(UTC)
        campaigns = [status_document(store, name, by, now=now) for name in store.campaign_names()]
    emit({"campaigns": campaigns}, as_json=as_json, text=lambda: _status_text(campaigns))


def _status_text(campaigns: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for campaign in campaigns:
        noun = "simulated annotator" if campaign["simulated"] else "annotator"
        total = campaign["tasks"]["done"] + campaign["tasks"]["open"]
        slots = ", ".join(f"{count} {state}" for state, count in campaign["slots"].items())
        lines.append(
            f"{campaign['name']}: {campaign['tasks']['done']} of {counted(total, 'task')} done under "
            f"{campaign['rule']}; slots: {slots}; {counted(campaign['annotators'], noun)}"
        )
        lines.append(f"  {_counted(campaign['outcomes'])}")
        if sure := campaign.get("closed_sure"):
            lines.append(
                f"  {counted(sure['tasks'], 'task')} closed because their decision is sure enough; "
                f"{counted(sure['votes_spared'], 'vote')} spared"
            )
        if revisions := campaign.get("revisions"):
            lines.append(
                f"  {counted(revisions['open'], 'item')} came back to their writers, {revisions['done']} revised"
            )
        if with_writers := campaign.get("with_writers"):
            lines.append(f"  {counted(with_writers, 'item')} with their writers")
        if end := (campaign.get("forecast") or {}).get("end"):
            lines.append(f"  ends around {end['median']}, between {end['low']} and {end['high'] or 'an unknown date'}")
        lines += [f"  round {round_['round']}: {_round_text(round_)}" for round_ in campaign.get("rounds", ())]
        lines += [f"  {printable(vote['criterion'])}: {_vote_text(vote)}" for vote in campaign.get("criteria", ())]
        lines += _adjudication_lines(campaign.get("adjudicated"))
        lines += [f"  {part['part'] or '-'}: {_counted(part['outcomes'])}" for part in campaign.get("parts", ())]
    return "\n".join(lines) or "no campaigns yet"


def _round_text(counts: Mapping[str, int]) -> str:
    outcomes = {name: counts[name] for name in counts if name not in {"round", "items"}}
    return f"{counted(counts['items'], 'item')}, {_counted(outcomes)}"


def _vote_text(criterion: Mapping[str, Any]) -> str:
    share, percent, alpha = (_number(criterion[name]) for name in ("share_of_yes", "percent", "krippendorff_alpha"))
    return (
        f"{counted(criterion['votes'], 'vote')}, {share} of them yes; on {criterion['compared']} compared "
        f"agreement {percent}, "
        f"alpha {alpha}"
    )


def _adjudication_lines(stats: Mapping[str, Any] | None) -> list[str]:
    if stats is None:
        return []
    lines = [f"  adjudicated: {counted(stats['cases'], 'case')}, {stats['against_majority']} against most annotators"]
    lines += [
        f"    {printable(count['adjudicator'])}: {count['times']} {count['decision'].replace('_', ' ')} where "
        f"annotators said {printable(count['annotators'].replace('_', ' '))}"
        for count in stats["decisions"]
    ]
    return lines


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def _counted(outcomes: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in outcomes.items())
