"""Parts of the accounts page, as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import get_args

from benchwright.texts.hidden_characters import escaped

from ...store.accounts.accounts import Account, Role
from ...store.accounts.campaign_access import AccessControl, CampaignAccess
from ...store.database.records import Campaign
from ..auth.known_pages import PEOPLE
from ..base.state import AppState
from ..own_pages.curator_requests import TOKEN, CuratorRequest
from ..own_pages.html_fields import FieldWords, choice_field, hidden, text_field
from ..wording.account_words import state_of
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.own_page_texts import TEXTS as OWN_TEXTS
from ..wording.texts import TEXTS, title_of, words_of_code

MOST_BYTES = 1 << 20
"""Maximum size of a file of people, in bytes."""


def _shown(name: str) -> str:
    return f"<bdi>{escape(escaped(name))}</bdi>"


def add_form(asked: CuratorRequest, sent: Mapping[str, str]) -> str:
    """Return the form that adds an account and invites its user."""
    roles = {role: words_of_code(role) for role in get_args(Role)}
    role = sent.get("role", "annotator")
    return (
        f'<section class="card"><form method="post" action="{PEOPLE}/add">{hidden(TOKEN, asked.token)}<div class="two">'
        f"{text_field('name', sent.get('name', ''), FieldWords(TEXTS['name']), more='maxlength=100 required')}"
        f"{choice_field('role', role if role in roles else 'annotator', FieldWords(TEXTS['role']), roles)}</div>"
        f'<div class="buttons"><button type="submit" id="add">{escape(TEXTS["invite"])}</button></div></form></section>'
    )


def invitations(links: Sequence[tuple[str, str]], *, table: str) -> str:
    """Return names and links of new invitations.

    Args:
        links: Name and link of each invitation.
        table: Address of the file with the links from the last file of people; empty if there is none.
    """
    rows = "".join(
        f'<tr><th scope="row">{_shown(name)}</th><td dir="ltr"><code>{escape(link)}</code></td></tr>'
        for name, link in links
    )
    parts = []
    if rows:
        title = escape(OWN_TEXTS["invitations"])
        parts.append(
            f'<h2>{title}</h2><p>{escape(OWN_TEXTS["invitations_why"])}</p><div class="scroll" role="region"'
            f' aria-label="{title}" tabindex="0"><table class="invitations"><tbody>{rows}</tbody></table></div>'
        )
    if table:
        words = escape(CURATOR_TEXTS["invitation_links"])
        parts.append(f'<div class="buttons"><a class="button quiet" href="{table}" download>{words}</a></div>')
    return "".join(parts)


def accounts_table(accounts: Sequence[Account], asked: CuratorRequest) -> str:
    """Return all accounts, each with its role and the possible changes."""
    listed = "".join(_account_row(account, asked) for account in accounts)
    return f'<h2>{escape(OWN_TEXTS["accounts"])}</h2><ul class="rows">{listed}</ul>'


def _account_row(account: Account, asked: CuratorRequest) -> str:
    roles = "".join(
        f'<option value="{role}"{" selected" if role == account.role else ""}>{escape(words_of_code(role))}</option>'
        for role in get_args(Role)
    )
    name, number = escape(account.name, quote=True), account.id
    buttons = [_act("role", CURATOR_TEXTS["save"], account)]
    if not account.is_disabled:
        buttons.append(_act("invite", TEXTS["invite_again"], account))
    if account.name != asked.account.name:
        is_out = account.is_disabled
        buttons.append(_act("unlock" if is_out else "lock", TEXTS["enable" if is_out else "disable"], account))
    role_of = f"{TEXTS['role']}: {account.name}"
    return (
        f'<li><form method="post" action="{PEOPLE}/role" data-row>{hidden(TOKEN, asked.token)}'
        f"{hidden('name', account.name)}"
        f'<strong id="person-{number}">{_shown(account.name)}</strong>'
        f'<select name="role" id="role-{number}" aria-label="{escape(role_of, quote=True)}">{roles}</select>'
        f'<span class="state">{escape(TEXTS[f"state_{state_of(account)}"])}</span>'
        f'<span class="acts" role="group" aria-label="{name}">{"".join(buttons)}</span></form></li>'
    )


def _act(act: str, words: str, account: Account) -> str:
    return (
        f'<button class="quiet" type="submit" formaction="{PEOPLE}/{act}" id="{act}-{account.id}"'
        f' aria-describedby="person-{account.id}">{escape(words)}</button>'
    )


def file_form() -> str:
    """Return the form that invites the people in a CSV file, which the page's script sends."""
    words = {
        "sending": OWN_TEXTS["sending"], "large": OWN_TEXTS["send_large"].format(most=MOST_BYTES >> 20),
        "failed": OWN_TEXTS["send_failed"],
    }  # fmt: skip
    return (
        f"<details><summary>{escape(CURATOR_TEXTS['invite_many'])}</summary>"
        f'<p class="hint">{escape(CURATOR_TEXTS["invite_many_why"])}</p><div class="field">'
        f'<label for="file">{escape(CURATOR_TEXTS["invite_file"])}</label>'
        f'<input id="file" type="file" accept=".csv" data-upload="{PEOPLE}/file" data-by="file-send"'
        f' data-sending="{escape(words["sending"])}" data-most="{MOST_BYTES}">'
        f'<p class="hint told" id="file-words" role="status" data-large="{escape(words["large"])}"'
        f' data-failed="{escape(words["failed"])}"></p></div>'
        f'<div class="buttons"><button type="button" id="file-send">{escape(CURATOR_TEXTS["invite_all"])}</button>'
        "</div></details>"
    )


def access_forms(state: AppState, names: Sequence[str], asked: CuratorRequest) -> str:
    """Return forms that assign annotators to each campaign that is not simulated; empty if no campaign remains."""
    campaigns = [campaign for campaign in state.store.campaigns() if not campaign.is_simulated]
    if not campaigns:
        return ""
    control, accounts = AccessControl(state.store), [each for each in state.accounts.all() if each.name in names]
    forms = "".join(_access_form(campaign, control.of(campaign.name), accounts, asked) for campaign in campaigns)
    return f"<h2>{escape(CURATOR_TEXTS['assigned'])}</h2><p>{escape(CURATOR_TEXTS['assigned_why'])}</p>{forms}"


def _access_form(campaign: Campaign, access: CampaignAccess, accounts: Sequence[Account], asked: CuratorRequest) -> str:
    name, title = escape(campaign.name, quote=True), title_of(campaign.name)
    picks = "".join(
        f'<label class="check"><input type="radio" name="who" value="{code}"'
        f"{' checked' if access.is_for_assigned == (code == 'only') else ''}><span>{escape(CURATOR_TEXTS[code])}</span>"
        "</label>"
        for code in ("everybody", "only")
    )
    people = "".join(
        f'<label class="check"><input type="checkbox" name="person-{account.id}" value="yes"'
        f"{' checked' if account.name in access.names else ''}><span>{_shown(account.name)}</span></label>"
        for account in accounts
    )
    open_to, assigned = (CURATOR_TEXTS[code].format(campaign=title) for code in ("open_to", "assigned_to"))
    return (
        f'<section class="card"><form method="post" action="{PEOPLE}/access">{hidden(TOKEN, asked.token)}'
        f"{hidden('campaign', campaign.name)}{_line(open_to, picks)}"
        f'<div data-when="who" data-is="only">{_line(assigned, people)}</div>'
        f'<div class="buttons"><button type="submit" id="access-{name}">{escape(CURATOR_TEXTS["save"])}</button>'
        "</div></form></section>"
    )


def _line(legend: str, fields: str) -> str:
    return f'<fieldset class="line"><legend>{escape(legend)}</legend>{fields}</fieldset>'
