"""``benchwright review set-aside`` and ``review take-back``: annotators whose votes count, or do not."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted, printable

from .selection import campaign_option, open_for_commands, pick_campaign, workspace_option


@click.command("set-aside")
@click.argument("person", metavar="ANNOTATOR", help="Name under which the annotator decides.")
@workspace_option
@campaign_option
@click.option("--why", required=True, help="Reason, in a sentence; the audit log keeps it.")
@click.option("--by", required=True, metavar="NAME", help="Your name, for the log.")
@json_option('`{"campaign", "annotator", "votes"}`; `votes` is the number of votes set aside')
def set_aside(person: str, workspace: Path | None, campaign: str | None, *, why: str, by: str, as_json: bool) -> None:
    """Exclude an annotator's votes in a campaign from all counts, such as those given without looking.

    Settlement, agreement and quality figures continue without them, tasks that lack votes open again for others, and
    the annotator gets no further task of the campaign. Answers to gold items and attention checks are set aside with
    them, and `review annotators` shows them as evidence. Nothing is deleted: `review take-back` lets the votes count
    again, and the audit log holds both acts. A task decided by an adjudicator stays decided; so do revised versions.
    """
    from ..store.database.audit import clock
    from ..workflow.set_asides import set_votes_aside

    with open_for_commands(workspace) as store:
        name = pick_campaign(store, campaign)
        votes = set_votes_aside(store, name, person, by=by, why=why, now=clock())
    emit(
        {"campaign": name, "annotator": person, "votes": votes},
        as_json=as_json,
        text=printable(
            f"set aside: {counted(votes, 'vote')} of {person} in {name}; `benchwright review take-back` undoes it"
        ),
    )


@click.command("take-back")
@click.argument("person", metavar="ANNOTATOR", help="Name under which the annotator decides.")
@workspace_option
@campaign_option
@click.option("--by", required=True, metavar="NAME", help="Your name, for the log.")
@json_option(
    """
    `{"campaign", "annotator", "votes", "replaced", "held"}`; `votes` count again, and answers to gold items with them,
    `replaced` stay set aside because others have decided in their place, `held` because others work on their tasks
    """
)
def take_back(person: str, workspace: Path | None, campaign: str | None, *, by: str, as_json: bool) -> None:
    """Restore an annotator's votes that `review set-aside` excluded.

    If another annotator has decided in place of a vote, theirs counts and the vote stays set aside. If another
    annotator holds the task now, run the command again later.
    """
    from ..store.database.audit import clock
    from ..workflow.set_asides import take_votes_back

    with open_for_commands(workspace) as store:
        name = pick_campaign(store, campaign)
        taken = take_votes_back(store, name, person, by=by, now=clock())
    lines = [f"counted again: {counted(taken.votes, 'vote')} of {person} in {name}"]
    lines += [f"{taken.replaced} stay set aside, because others have decided in their place"] if taken.replaced else []
    lines += [f"{taken.held} stay set aside for now, because others are working on their tasks"] if taken.held else []
    emit(
        {"campaign": name, "annotator": person, **taken._asdict()},
        as_json=as_json,
        text="\n".join(map(printable, lines)),
    )
