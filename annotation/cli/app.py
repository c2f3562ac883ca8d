"""``benchwright review serve`` and ``benchwright review users``: the review app, and its users."""

from __future__ import annotations

import os
import shlex
import sys
import webbrowser
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.terminal.output import emit, json_option, note

from ..app.wording.account_words import invitation_path, state_of
from .selection import open_for_commands, workspace_of, workspace_option

if TYPE_CHECKING:
    from datetime import datetime

    from ..app.security.identity_provider import IdentityProvider
    from ..store.accounts.accounts import Account, Accounts, Role

_FIRST_CURATOR = "curator"
_SECRET_VARIABLE = "BENCHWRIGHT_OIDC_SECRET"  # noqa: S105 - the name, not the secret
_DEFAULT_PORT = 8501
LOCAL_URL = f"http://127.0.0.1:{_DEFAULT_PORT}"


@click.command("serve")
@workspace_option
@click.option(
    "--address",
    metavar="IP",
    default="127.0.0.1",
    show_default=True,
    help="IP address to listen on; the default reaches this machine only.",
)
@click.option(
    "--port", type=click.IntRange(1, 65535), default=_DEFAULT_PORT, show_default=True, help="Port to listen on."
)
@click.option(
    "--trusted-proxy",
    "proxies",
    metavar="ADDRESS",
    multiple=True,
    help="Proxy, or network of proxies (10.0.0.0/24), whose header X-Forwarded-For states the origin of requests; "
    "the app ignores this header from other senders; may be repeated.",
)
@click.option(
    "--https",
    is_flag=True,
    help="A proxy in front serves HTTPS: send cookies over HTTPS only, and print addresses with https.",
)
@click.option(
    "--oidc",
    metavar="ISSUER",
    help="Address of an OpenID provider for sign-in, exactly as the provider states it; needs the extra `oidc`.",
)
@click.option(
    "--oidc-client",
    metavar="ID",
    default="benchwright",
    show_default=True,
    help="Client id of the app at the provider. Its secret, if any, comes from BENCHWRIGHT_OIDC_SECRET.",
)
@click.option(
    "--url",
    "public",
    metavar="URL",
    help="Public address of the app if it differs from the one it listens on; used in printed links and for the "
    "provider.",
)
@click.option(
    "--recipe",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Recipe that curators run from the page Build, or the name of a bundled one; makes the workspace if it is "
    "missing.  [default: the recipe of the last run]",
)
@click.option(
    "--images",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the recipe's photographs; overrides its key `images`.",
)
@click.option(
    "--languages",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Folder with files of more languages, such as fr.toml, or with better translations of the bundled ones.",
)
@click.option(
    "--private-webhooks",
    is_flag=True,
    help="Allow webhooks to private networks and this machine, also over http; without it, only to the internet over "
    "https.",
)
@click.option(
    "--sources",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    multiple=True,
    help="Folder whose photographs, pictures and releases curators may use for a new benchmark in the browser; may be "
    "repeated. Makes the workspace if it is missing.",
)
@click.option(
    "--publish-to",
    "targets",
    metavar="TARGET",
    multiple=True,
    help="Folder, or organization of the Hub (hub:ORG), below which curators may publish releases from the browser; "
    "may be repeated.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the app in this machine's browser.")
@json_option(
    """
    `{"url", "workspace", "invitation"}`, printed before the first page is served; `invitation` is null once a
    curator can sign in, or while a curator's invitation is open
    """
)
def serve(
    workspace: Path | None,
    address: str,
    port: int,
    proxies: tuple[str, ...],
    https: bool,
    oidc: str | None,
    oidc_client: str,
    public: str | None,
    recipe: Path | None,
    images: Path | None,
    languages: Path | None,
    private_webhooks: bool,
    sources: tuple[Path, ...],
    targets: tuple[str, ...],
    open_browser: bool,
    as_json: bool,
) -> None:
    """Serve the review app until interrupted (Ctrl+C), which is the normal way to end it, with exit code 0.

    Users sign in with a browser, decide, and see their own decisions. Curators also see progress, agreement and
    accounts, begin a new benchmark, run and change its recipe, and publish. If there is no curator, and no open
    invitation for one, starting on a terminal prints a link for the first curator to sign up. The link never goes into
    a log. Needs the extra `app`.
    """
    check_app_is_installed()
    from ..app.base.state import clock, open_app_state
    from ..app.security.connections import trusted_network
    from ..app.serve import check_free, is_loopback, run_app
    from ..jobs.allowed_folders import AllowedFolders
    from ..jobs.publishing_targets import PublishingTargets
    from ..jobs.recipe_source import empty_workspace, prepare_workspace
    from ..jobs.sent_photographs import sent_folder
    from ..store.accounts.accounts import Accounts

    publish_to = PublishingTargets(targets)
    AllowedFolders(sources)  # refuses names that are not folders before anything is made
    trusted = tuple(map(trusted_network, proxies))
    if recipe is not None:
        root = prepare_workspace(workspace, recipe, images)
    elif images is not None:
        raise BenchwrightError("--images needs --recipe")
    elif sources and workspace is not None and not (workspace / "workspace.json").exists():
        empty_workspace(root := workspace)
    else:
        root = workspace_of(workspace)
    open_for_commands(root).close()
    allowed = AllowedFolders((*sources, sent_folder(root)))
    check_free(address, port)
    url = (public or f"{'https' if https else 'http'}://{_in_url(address)}:{port}").rstrip("/")
    provider = None if oidc is None else _provider(oidc, oidc_client, url)
    state = open_app_state(
        root,
        secure=https,
        provider=provider,
        languages=languages,
        private_webhooks=private_webhooks,
        sources=allowed,
        publish_to=publish_to,
    )
    is_read_at_once = as_json or open_browser or sys.stdout.isatty()
    with state.store.batch() as held:  # two starts at once make one invitation
        command = f"benchwright review users --workspace {shlex.quote(str(root))} --url {url}"
        opening = way_in(Accounts(held), clock(), command=command, is_read_at_once=is_read_at_once)
    start = url if opening.invitation is None else f"{url}{invitation_path(opening.invitation)}"
    document = {"url": url, "workspace": str(root), "invitation": None if opening.invitation is None else start}
    emit(document, as_json=as_json, text=lambda: f"reviewing {root} at {url} (Ctrl+C stops)")
    if opening.invitation is not None and not as_json and sys.stdout.isatty():
        click.echo(f"no curator can sign in yet; open this link to become the first curator: {start}")
    elif opening.waits_for is not None:
        note(f"no curator can sign in yet; {opening.waits_for}")
    sys.stdout.flush()
    if not https and not is_loopback(address):
        note("others on the network can read passwords; put a proxy with HTTPS in front and give --https")
    if https and not trusted:
        note(
            "wrong passwords are counted per proxy, as if all users shared one machine; name the proxy with "
            "--trusted-proxy ADDRESS"
        )
    if open_browser:
        webbrowser.open(start)
    with suppress(KeyboardInterrupt):  # the usual way to stop the app
        run_app(state, address=address, port=port, trusted_proxies=trusted)


@click.command("users")
@workspace_option
@click.option("--add", metavar="NAME", help="Name of a new account; prints an invitation, valid once and for a week.")
@click.option(
    "--role",
    type=click.Choice(["annotator", "adjudicator", "curator"]),
    default="annotator",
    show_default=True,
    help="Role of the account that is added or changed; curators also see progress, agreement and accounts.",
)
@click.option("--change", metavar="NAME", help="Account that gets the role of --role.")
@click.option("--invite", metavar="NAME", help="Account to invite again, for example after a forgotten password.")
@click.option(
    "--password-stdin",
    is_flag=True,
    help="With --add or --invite: set the password to the first line of standard input, at least 10 characters, "
    "instead of inviting.",
)
@click.option("--lock", metavar="NAME", help="Account to lock, with its open sessions; its decisions stay.")
@click.option("--unlock", metavar="NAME", help="Account to unlock.")
@click.option(
    "--sign-out",
    metavar="NAME",
    help="Account whose sessions all end now, for example after the loss of a laptop; it can sign in again.",
)
@click.option(
    "--url", metavar="URL", default=LOCAL_URL, show_default=True, help="Public address of the app, for the link."
)
@json_option(
    """
    `{"users": [{"name", "role", "state"}], "invitation"}`; `state` is `open` (can sign in), `invited`, `closed` (no
    password, no invitation yet) or `locked`; `invitation` is a link, null without one
    """
)
def users(
    workspace: Path | None,
    add: str | None,
    role: Role,
    change: str | None,
    invite: str | None,
    password_stdin: bool,
    lock: str | None,
    unlock: str | None,
    sign_out: str | None,
    url: str,
    as_json: bool,
) -> None:
    """List the users of the review app, after adding, changing, inviting, locking, unlocking or signing out one.

    Works while the app runs. Needs the extra `app`.
    """
    named = [name for name in (add, change, invite, lock, unlock, sign_out) if name is not None]
    if len(named) > 1:
        raise BenchwrightError("give one of --add, --change, --invite, --lock, --unlock and --sign-out at a time")
    if password_stdin and add is None and invite is None:
        raise BenchwrightError("--password-stdin can only be used with --add or --invite")
    check_app_is_installed()
    from ..app.base.state import clock
    from ..store.accounts.accounts import Accounts

    link = None
    with open_for_commands(workspace) as store, store.batch() as held:
        accounts = Accounts(held)
        if add is not None:
            accounts.add(add, role, now=clock())
        if change is not None:
            accounts.set_role(change, role)
        if (name := add or invite) is not None:
            if password_stdin:
                _set_password_from_stdin(accounts, name)
            else:
                link = url.rstrip("/") + invitation_path(accounts.invite(name, now=clock()))
        if (name := lock or unlock) is not None:
            accounts.disable(name, disabled=lock is not None)
        if sign_out is not None:
            accounts.end_sessions(sign_out)
        listed = accounts.all()
    document = {"users": [_user(account) for account in listed], "invitation": link}
    emit(document, as_json=as_json, text=lambda: _users_text(listed, add or invite, link))


def check_app_is_installed() -> None:
    """Check that the extra `app` is installed.

    Raises:
        PrerequisiteError: The extra is not installed; the message names the command to install it.
    """
    for module, package in (("streamlit", "streamlit"), ("argon2", "argon2-cffi"), ("babel", "babel")):
        if find_spec(module) is None:
            raise PrerequisiteError(
                f"the review app needs {package}, which is not installed: "
                "pip install 'benchwright[app]' -c constraints.txt"
            )


def _provider(issuer: str, client_id: str, url: str) -> IdentityProvider:
    """Return the identity provider after a test request; its secret comes from the environment."""
    from ..app.auth.middleware import OIDC_BACK
    from ..app.auth.oidc import check_provider
    from ..app.security.identity_provider import IdentityProvider, ProviderSettings

    secret = os.environ.get(_SECRET_VARIABLE) or None
    provider = IdentityProvider(ProviderSettings(issuer, client_id, secret, url + OIDC_BACK))
    check_provider(provider)
    return provider


class WayIn(NamedTuple):
    """How the first curator gets access if no curator can sign in yet.

    Attributes:
        invitation: Token of a new invitation; None if none is needed, or if it would end an open one.
        waits_for: Description of the action that is necessary instead; None if none is necessary.
    """

    invitation: str | None = None
    waits_for: str | None = None


def way_in(accounts: Accounts, now: datetime, *, command: str, is_read_at_once: bool) -> WayIn:
    """Invite a curator if none can sign in and none has been invited.

    Args:
        accounts: Accounts of the store.
        now: Time of the start.
        command: Command that lists and invites people, without its arguments.
        is_read_at_once: Whether the person who starts the app sees the invitation; otherwise none is made, since it
            would go into a log.
    """
    everybody = accounts.all()
    curators = [account for account in everybody if account.role == "curator" and not account.is_disabled]
    if any(account.is_taken_up for account in curators):
        return WayIn()
    for account in curators:
        if account.invited_until is not None and account.invited_until > now:
            until, anew = f"{account.invited_until:%Y-%m-%d}", f"{command} --invite {shlex.quote(account.name)}"
            return WayIn(waits_for=f"{account.name} holds an invitation until {until}; if that link is lost: {anew}")
    if not is_read_at_once:
        asks = f"--invite {shlex.quote(curators[0].name)}" if curators else "--add NAME --role curator"
        return WayIn(waits_for=f"an invitation must not appear in a log; get it on a terminal: {command} {asks}")
    if curators:
        return WayIn(accounts.invite(curators[0].name, now=now))
    name = _FIRST_CURATOR
    while name in {account.name for account in everybody}:
        name += "_"
    return WayIn(accounts.invite(accounts.add(name, "curator", now=now).name, now=now))


def _set_password_from_stdin(accounts: Accounts, name: str) -> None:
    from ..app.security.passwords import check_new_password, hash_password

    password = sys.stdin.readline().rstrip("\r\n")
    check_new_password(password, name=name)
    accounts.set_password(name, hash_password(password))


def _in_url(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _user(account: Account) -> dict[str, Any]:
    return {"name": account.name, "role": account.role, "state": state_of(account)}


def _users_text(accounts: list[Account], invited: str | None, link: str | None) -> str:
    lines = [f"{user['name']}: {user['role']}, {user['state']}" for user in map(_user, accounts)] or ["no accounts yet"]
    if link is not None:
        lines.append(f"invitation for {invited}, valid once and for a week: {link}")
    return "\n".join(lines)
