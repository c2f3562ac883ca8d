"""``benchwright review messages``: curators' messages to the annotators of a campaign, and their readers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

from .selection import campaign_option, open_for_commands, pick_campaign, workspace_option

if TYPE_CHECKING:
    from ..store.conversations.messages import Message


@click.command("messages")
@workspace_option
@campaign_option
@click.option("--send", "words", metavar="TEXT", help="Text of a message to send.")
@click.option(
    "--to", "recipient", metavar="NAME", help="The only annotator who sees it.  [default: all of the campaign]"
)
@click.option("--withdraw", type=int, metavar="ID", help="Number of a message to withdraw.")
@json_option(
    """
    `{"campaign", "messages": [{"id", "campaign", "recipient", "words", "sent_at", "sent_by", "withdrawn_by",
    "readers"}]}`; `recipient` is null where all annotators see it
    """
)
def messages(
    workspace: Path | None,
    campaign: str | None,
    words: str | None,
    recipient: str | None,
    withdraw: int | None,
    as_json: bool,
) -> None:
    """List the messages to a campaign's annotators, after sending or withdrawing one."""
    from ..store.conversations.messages import send_message, sent_messages, withdraw_message
    from ..store.database.audit import COMMAND_LINE

    if recipient is not None and words is None:
        raise click.UsageError("--to needs --send TEXT: the message for that annotator")
    with open_for_commands(workspace) as store:
        name, now = pick_campaign(store, campaign), datetime.now(UTC)
        with store.writing() as connection:
            if words is not None:
                send_message(connection, name, words, recipient=recipient, by=COMMAND_LINE, now=now)
            if withdraw is not None:
                withdraw_message(connection, name, withdraw, by=COMMAND_LINE, now=now)
        with store.reading() as connection:
            listed = sent_messages(connection, store.campaign(name))
    document = {"campaign": name, "messages": [message.to_json() for message in listed]}
    emit(document, as_json=as_json, text=lambda: "\n".join(map(_line, listed)) or "no messages")


def _line(message: Message) -> str:
    to = "all annotators" if message.recipient is None else printable(message.recipient)
    readers = ", ".join(map(printable, message.readers))
    state = (
        f"withdrawn by {printable(message.withdrawn_by)}" if message.withdrawn_by else f"read by {readers or 'none'}"
    )
    return f"{message.id}: {message.sent_at:%Y-%m-%d %H:%M} to {to}, {state}: {printable(message.words)}"
