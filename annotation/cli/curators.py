"""``benchwright review reasons | assign``: reasons for rejections, and annotators who may decide in a campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

from .selection import campaign_option, open_for_commands, pick_campaign, workspace_option


@click.command("reasons")
@workspace_option
@campaign_option
@click.option(
    "--examples",
    type=click.IntRange(0, 100),
    default=3,
    show_default=True,
    help="Number of items to name for each reason.",
)
@json_option('`{"campaign", "reasons": [{"decision", "reason", "times", "examples": [{"item_id", "note"}]}]}`')
def reasons(workspace: Path | None, campaign: str | None, examples: int, as_json: bool) -> None:
    """Show how often each reason was given in a campaign, and with which decision.

    Examples are the newest items with that reason, and the notes on them.
    """
    from ..progress.overview import Overview

    with open_for_commands(workspace) as store:
        name = pick_campaign(store, campaign)
        counts = Overview(store, store.campaign(name)).reasons(examples=examples)
    listed = [
        {
            "decision": count.decision,
            "reason": count.reason,
            "times": count.times,
            "examples": [{"item_id": example.item_id, "note": example.note} for example in count.examples],
        }
        for count in counts
    ]
    emit({"campaign": name, "reasons": listed}, as_json=as_json, text=lambda: _reasons_text(listed))


@click.command("assign")
@click.argument("names", nargs=-1, metavar="[NAME]...", help="Annotators; without any, the command changes nothing.")
@workspace_option
@campaign_option
@click.option(
    "--off",
    is_flag=True,
    help="Take these annotators off the campaign instead; if it was open to all, all other known annotators keep "
    "access.",
)
@click.option("--everybody", is_flag=True, help="Open the campaign to all annotators again.")
@json_option('`{"campaigns": [{"name", "is_for_assigned", "assigned": [name]}]}`')
def assign(
    names: tuple[str, ...], workspace: Path | None, campaign: str | None, off: bool, everybody: bool, as_json: bool
) -> None:
    """Restrict a campaign to the named annotators, and list who may decide where.

    A campaign is open to all until an annotator is assigned to it or taken off it. Annotators taken off keep their
    decisions, may change them, and may finish the task they hold. The restriction covers the app, tables and Label
    Studio alike.
    """
    from ..store.accounts.campaign_access import AccessControl

    if everybody and (names or off):
        raise BenchwrightError("`--everybody` takes neither names nor --off")
    if off and not names:
        raise BenchwrightError("name the annotators to take off: `benchwright review assign NAME --off`")
    with open_for_commands(workspace) as store:
        access_control = AccessControl(store)
        if names or everybody:
            name = pick_campaign(store, campaign)
            if everybody:
                access_control.open_to_everybody(name)
            elif off:
                access_control.take_off(name, names)
            else:
                access_control.assign(name, names)
        names_shown = store.campaign_names() if campaign is None else [pick_campaign(store, campaign)]
        access = {name: access_control.of(name) for name in names_shown}
    document = {
        "campaigns": [
            {"name": name, "is_for_assigned": listed.is_for_assigned, "assigned": list(listed.names)}
            for name, listed in access.items()
        ]
    }
    emit(document, as_json=as_json, text=lambda: _assign_text(document["campaigns"]))


def _reasons_text(reasons: Sequence[Mapping[str, Any]]) -> str:
    return (
        "\n".join(
            f"{reason['times']:>6}  {reason['decision']}, {reason['reason'].replace('_', ' ')}"
            + "".join(
                f"\n        {example['item_id']}  {printable(example['note'] or '')}" for example in reason["examples"]
            )
            for reason in reasons
        )
        or "no reasons given yet"
    )


def _assign_text(campaigns: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(f"{campaign['name']}: {_assigned_text(campaign)}" for campaign in campaigns) or "no campaigns yet"


def _assigned_text(campaign: Mapping[str, Any]) -> str:
    if not campaign["is_for_assigned"]:
        return "everybody"
    return ", ".join(map(printable, campaign["assigned"])) or "nobody"
