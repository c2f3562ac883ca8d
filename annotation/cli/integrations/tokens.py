"""``benchwright review tokens``: the tokens with which programs use the HTTP API of the review app."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

from ..selection import campaign_option, open_for_commands, pick_campaign, workspace_option

if TYPE_CHECKING:
    from datetime import datetime

    from ...store.integrations.api_tokens import ApiToken, Scope

_DAYS, _MOST_DAYS = 90, 366


@click.command("tokens")
@workspace_option
@campaign_option
@click.option(
    "--add", metavar="LABEL", help="What a new token is for, such as `nightly export`; prints the token, once."
)
@click.option(
    "--scope",
    type=click.Choice(["annotator", "curator"]),
    default="annotator",
    show_default=True,
    help="With --add: role of the token: an annotator decides tasks, a curator manages the campaign.",
)
@click.option("--person", metavar="NAME", help="With --add: account in whose name the token acts.")
@click.option(
    "--days",
    type=click.IntRange(1, _MOST_DAYS),
    default=_DAYS,
    show_default=True,
    help="With --add: number of days for which the token is valid.",
)
@click.option("--revoke", type=int, metavar="ID", help="Number of a token to revoke.")
@click.option("--by", metavar="NAME", help="Your name, for the log.  [default: (command line)]")
@json_option(
    """
    `{"tokens": [{"id", "campaign", "scope", "person", "label", "state", "made_at", "made_by", "ends_at", "used_at"}],
    "token"}`; `state` is `works`, `ended` or `revoked`; `token` is the new one, null without one
    """
)
def tokens(
    workspace: Path | None,
    campaign: str | None,
    add: str | None,
    scope: Scope,
    person: str | None,
    days: int,
    revoke: int | None,
    by: str | None,
    as_json: bool,
) -> None:
    """List the tokens of the HTTP API, after making or revoking one.

    A token opens one campaign, on behalf of one person. With the scope `annotator` it claims and decides tasks and sees
    what that person would see; with the scope `curator` it does what a curator does. The store keeps only its hash.
    Locking the account stops its tokens, too. Works while the app runs.
    """
    from ...store.database.audit import COMMAND_LINE, clock
    from ...store.integrations.api_tokens import ApiTokens

    if add is not None and revoke is not None:
        raise BenchwrightError("give either --add or --revoke")
    if add is not None and person is None:
        raise BenchwrightError("--add needs --person NAME, the account in whose name the token acts")
    text, now = None, clock()
    with open_for_commands(workspace) as store:
        kept = ApiTokens(store)
        if add is not None and person is not None:
            name = pick_campaign(store, campaign)
            _, text = kept.make(name, scope, person, label=add, by=by or COMMAND_LINE, now=now, days=days)
        if revoke is not None:
            kept.revoke(revoke, by=by or COMMAND_LINE, now=now, campaign=campaign)
        listed = kept.of_campaign(campaign)
    document = {"tokens": [token.to_json(now=now) for token in listed], "token": text}
    emit(document, as_json=as_json, text=lambda: _text(listed, text, now))


def _text(listed: list[ApiToken], new: str | None, now: datetime) -> str:
    lines = [
        f"{token.id}: {token.label}, {token.scope} {token.person} in {token.campaign}, {token.state(now=now)}, "
        f"ends {token.ends_at:%Y-%m-%d}"
        for token in listed
    ] or ["no tokens yet"]
    lines = [printable(line) for line in lines]
    return "\n".join([*lines, *([f"the new token, shown this once: {new}"] if new else [])])
