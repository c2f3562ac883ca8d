"""Invite people from a CSV file with the columns `name` and `role`, and optionally `campaigns`.

The file is accepted as a whole or not at all: a single error reports all its mistakes, each with line and value. People
who already have an account are not changed. The file may contain e-mail addresses, which are neither read nor stored.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from benchwright.errors import DataError
from benchwright.files.csv_cells import harmless

from ..forms.csv_rows import read_rows, shown
from ..store.accounts.accounts import INVITATION, ROLES, Accounts, Role
from ..store.accounts.campaign_access import AccessControl
from ..store.campaigns.tasks import SIMULATED
from ..store.review_store import ReviewStore

_MOST_PEOPLE = 1000
"""Maximum number of people that one file can invite."""
_MOST_TOLD = 50
"""Maximum number of mistakes in a file that are reported at once."""
COLUMNS = ("name", "role", "campaigns", "state", "link", "until")
"""Columns of the file with the invitation links."""
_IGNORED = ("e-mail", "email", "mail")


class Invitee(NamedTuple):
    """A person named in the file.

    Args:
        name: Name under which they annotate.
        role: Role of their account.
        campaigns: Campaigns restricted to assigned annotators, to which the person is assigned.
    """

    name: str
    role: Role
    campaigns: tuple[str, ...]


class PersonInvited(NamedTuple):
    """The outcome for one person named in the file.

    Args:
        invitee: The person.
        state: `invited`, or `known` for a person who already has an account, which is not changed.
        token: Token of the invitation; None for a known person.
        until: Expiration time of the invitation; None for a known person.
    """

    invitee: Invitee
    state: Literal["invited", "known"]
    token: str | None
    until: datetime | None

    def to_row(self, link_of: Callable[[str], str]) -> dict[str, Any]:
        """Return the row of the file with the links.

        Args:
            link_of: Function from a token to the link that accepts the invitation.
        """
        return {
            "name": self.invitee.name,
            "role": self.invitee.role,
            "campaigns": "; ".join(self.invitee.campaigns),
            "state": self.state,
            "link": "" if self.token is None else link_of(self.token),
            "until": "" if self.until is None else f"{self.until:%Y-%m-%d %H:%M} UTC",
        }


def read_invitees(path: Path, store: ReviewStore) -> list[Invitee]:
    """Return the people named in a file, in the order of the file.

    Args:
        path: CSV file.
        store: Review store, whose campaigns the file may name.

    Raises:
        DataError: The file is not such a table, names no people or too many, or has mistakes; the message lists them.
    """
    campaigns = {campaign.name: campaign.is_simulated for campaign in store.campaigns()}
    invitees: list[Invitee] = []
    lines: dict[str, int] = {}
    mistakes: list[str] = []
    for row in read_rows(path, required=("name", "role"), optional=("campaigns",), ignored=_IGNORED):
        problems = [row.problem] if row.problem else _problems(row.values, campaigns)
        name = row.values["name"]
        if name in lines:
            problems.append(f"name {shown(name)} is also on line {lines[name]}")
        lines.setdefault(name, row.line)
        mistakes += [f"line {row.line}: {problem}" for problem in problems]
        if not problems:
            role = cast("Role", row.values["role"].casefold())
            invitees.append(Invitee(name, role, tuple(_campaigns_in(row.values))))
    if mistakes:
        more = f"\nand {len(mistakes) - _MOST_TOLD} more" if len(mistakes) > _MOST_TOLD else ""
        raise DataError(f"{path}: no invitation was made; fix these lines:\n" + "\n".join(mistakes[:_MOST_TOLD]) + more)
    if not 0 < len(invitees) <= _MOST_PEOPLE:
        raise DataError(f"{path} names {len(invitees)} people; give 1 to {_MOST_PEOPLE}")
    return invitees


def _problems(values: Mapping[str, str], campaigns: Mapping[str, bool]) -> list[str]:
    """Return descriptions of the problems in a row."""
    problems = []
    name, role = values["name"], values["role"]
    if not 0 < len(name) <= 100 or not name.isprintable():
        problems.append(f"name {shown(name)}: names are 1 to 100 printable characters")
    elif name.startswith(SIMULATED):
        problems.append(f"name {shown(name)}: only names of simulated annotators begin with {SIMULATED!r}")
    if role.casefold() not in ROLES:
        problems.append(f"role {shown(role)} is not one of {', '.join(ROLES)}")
    for campaign in _campaigns_in(values):
        if campaign not in campaigns:
            near = get_close_matches(campaign, campaigns, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"campaigns: {', '.join(campaigns) or 'none yet'}"
            problems.append(f"no campaign is called {shown(campaign)}; {hint}")
        elif campaigns[campaign]:
            problems.append(
                f"simulated annotators decide in campaign {shown(campaign)}; annotators cannot be assigned to it"
            )
    return problems


def _campaigns_in(values: Mapping[str, str]) -> list[str]:
    names = (name.strip() for name in re.split(r"[;\n]", values["campaigns"]))
    return list(dict.fromkeys(name for name in names if name))


def invite_people(store: ReviewStore, invitees: Sequence[Invitee], *, by: str, now: datetime) -> list[PersonInvited]:
    """Create accounts and invitations in one transaction, and return the outcome for each person, in order.

    A person named with campaigns is assigned to those restricted to assigned annotators. A campaign open to all stays
    open, and the person may decide in it like all other annotators.

    Args:
        store: Review store.
        invitees: People, from `read_invitees`.
        by: Name of the inviting person, for the log.
        now: Time of the call.
    """
    invited = []
    with store.batch() as held:
        accounts, access = Accounts(held, by=by), AccessControl(held)
        known = {account.name for account in accounts.all()}
        for invitee in invitees:
            if invitee.name in known:
                invited.append(PersonInvited(invitee, "known", None, None))
                continue
            accounts.add(invitee.name, invitee.role, now=now)
            for campaign in invitee.campaigns:
                if access.of(campaign).is_for_assigned:
                    access.assign(campaign, [invitee.name])
            token = accounts.invite(invitee.name, now=now)
            invited.append(PersonInvited(invitee, "invited", token, now + INVITATION))
    return invited


def links_table(invited: Sequence[PersonInvited], link_of: Callable[[str], str]) -> str:
    """Return the CSV table with the invitation links; no cell can be run as a spreadsheet formula.

    Args:
        invited: Outcome for each person.
        link_of: Function from a token to the link that accepts the invitation.
    """
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for person in invited:
        writer.writerow({column: harmless(str(value)) for column, value in person.to_row(link_of).items()})
    return buffer.getvalue()
