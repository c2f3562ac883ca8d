"""``benchwright review reasons | assign``: why items are rejected, who decides where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchwright.cli.output import emit, json_option
from benchwright.errors import BenchwrightError
from benchwright.text_normalization import printable

from .reviews import campaign_option, open_for_commands, pick_campaign, workspace_option


@click.command("reasons")
@workspace_option
@campaign_option
@click.option("--examples", type=click.IntRange(0, 100), default=3, show_default=True, help="Items of each to name.")
@json_option
def reasons(workspace: Path | None, campaign: str | None, examples: int, as_json: bool) -> None:
    """Say which reasons were given how often, with items as examples."""
    from ..progress.overview import Overview

    with open_for_commands(workspace) as store:
        name = pick_campaign(store, campaign)
        found = Overview(store, store.campaign(name)).reasons(examples=examples)
    listed = [
        {
            "decision": one.decision, "reason": one.reason, "times": one.times,
            "examples": [{"item_id": example.item_id, "note": example.note} for example in one.examples],
        }
        for one in found
    ]  # fmt: skip
    emit({"campaign": name, "reasons": listed}, as_json=as_json, text=lambda: _reasons_text(listed))


@click.command("assign")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@workspace_option
@campaign_option
@click.option("--off", is_flag=True, help="Take these people off the campaign instead.")
@click.option("--everybody", is_flag=True, help="Let everybody decide in the campaign again.")
@json_option
def assign(
    names: tuple[str, ...], workspace: Path | None, campaign: str | None, off: bool, everybody: bool, as_json: bool
) -> None:
    """Leave a campaign to annotators by NAME, and say who may decide where.

    A campaign is everybody's until somebody is assigned to it, or taken off it.
    """
    from ..store.accounts.campaign_access import AccessControl

    if everybody and (names or off):
        raise BenchwrightError("--everybody goes without names and without --off")
    if off and not names:
        raise BenchwrightError("say whom to take off: `benchwright review assign NAME --off`")
    with open_for_commands(workspace) as store:
        assigning = AccessControl(store)
        if names or everybody:
            name = pick_campaign(store, campaign)
            if everybody:
                assigning.open_to_everybody(name)
            elif off:
                assigning.take_off(name, names)
            else:
                assigning.assign(name, names)
        shown = store.campaign_names() if campaign is None else [pick_campaign(store, campaign)]
        found = {name: assigning.of(name) for name in shown}
    document = {
        "campaigns": [
            {"name": name, "is_for_assigned": one.is_for_assigned, "assigned": list(one.names)}
            for name, one in found.items()
        ]
    }
    emit(document, as_json=as_json, text=lambda: _assign_text(document["campaigns"]))


def _reasons_text(found: Sequence[Mapping[str, Any]]) -> str:
    return (
        "\n".join(
            f"{one['times']:>6}  {one['decision']}, {one['reason'].replace('_', ' ')}"
            + "".join(
                f"\n        {example['item_id']}  {printable(example['note'] or '')}" for example in one["examples"]
            )
            for one in found
        )
        or "no reasons given yet"
    )


def _assign_text(found: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(f"{one['name']}: {_who(one)}" for one in found) or "no campaigns yet"


def _who(campaign: Mapping[str, Any]) -> str:
    if not campaign["is_for_assigned"]:
        return "everybody"
    return ", ".join(map(printable, campaign["assigned"])) or "nobody"
