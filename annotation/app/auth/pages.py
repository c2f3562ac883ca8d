"""The pages that need no session: sign in, choose a password, sign out. Plain HTML without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from ..languages.language import AppLanguage, chosen_language
from ..security.passwords import SHORTEST
from ..security.static_files import needed_files
from ..wording.texts import TEXTS
from .middleware import LOGIN, LOGOUT, OIDC_START, WELCOME

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2430; --paper: #f4f6f9; --card: #fff; --line: #c3cad5; --act: #1d4ed8;
  --on-act: #fff; --bad: #b42318; --quiet: #556070 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf1; --paper: #0e1117; --card: #191d27; --line: #475063;
  --act: #8fb4ff; --on-act: #0e1117; --bad: #ffa198; --quiet: #a7b0bf } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; padding: 1rem }
main { width: min(24rem, 100%); background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 2rem }
h1 { font-size: 1.4rem; margin: 0 0 .25rem } p { margin: 0 0 1.25rem; color: var(--quiet) }
label { display: block; font-weight: 600; margin-bottom: .25rem }
input { width: 100%; padding: .6rem .7rem; margin-bottom: 1rem; font: inherit; color: inherit;
  background: var(--paper); border: 1px solid var(--line); border-radius: 8px }
button, .button { width: 100%; padding: .65rem; font: inherit; font-weight: 600; color: var(--on-act);
  background: var(--act); border: 1px solid var(--act); border-radius: 8px; cursor: pointer }
.button, .quiet { display: block; text-align: center; text-decoration: none; color: var(--act); background: none;
  margin-top: .75rem } .other { margin: 0 }
.languages { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: center; margin-top: 1.25rem }
.languages a { display: inline-flex; align-items: center; justify-content: center; min-width: 44px; min-height: 44px }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
[role=alert] { color: var(--bad); font-weight: 600 } a { color: var(--act) }
"""


def login_page(
    *,
    nonce: str,
    target: str,
    name: str = "",
    problem: str = "",
    by_provider: bool = False,
    languages: Sequence[AppLanguage] = (),
) -> str:
    """Return the form that asks for a name and password.

    Args:
        nonce: Nonce that ties the form to the browser.
        target: Path to open after signing in.
        name: Name from the previous attempt.
        problem: Reason why the last attempt failed.
        by_provider: Whether users may also sign in through an identity provider.
        languages: Languages to choose from.
    """
    fields = (
        hidden_field("nonce", nonce)
        + hidden_field("next", target)
        + _field("name", TEXTS["name"], name, extra='autocomplete="username" autofocus')
        + _field("password", TEXTS["password"], type_="password", extra='autocomplete="current-password"')
    )
    form = post_form(LOGIN, fields, TEXTS["sign_in"])
    provider_button = _provider_button(next=target) if by_provider else ""
    others = _languages(LOGIN, languages, next=target)
    return plain_page(TEXTS["sign_in"], TEXTS["sign_in_why"], problem, form + provider_button, others)


def welcome_page(
    *,
    nonce: str,
    token: str,
    name: str,
    problem: str = "",
    by_provider: bool = False,
    languages: Sequence[AppLanguage] = (),
) -> str:
    """Return the form in which an invited person chooses a password; for the arguments, see `login_page`."""
    new_password = f'autocomplete="new-password" minlength="{SHORTEST}" autofocus'
    fields = (
        hidden_field("nonce", nonce)
        + hidden_field("invitation", token)
        + _field("name", TEXTS["name"], name, extra='autocomplete="username" readonly')
        + _field("password", TEXTS["new_password"], type_="password", extra=new_password)
        + _field("again", TEXTS["again"], type_="password", extra='autocomplete="new-password"')
    )
    why = TEXTS["welcome_why"].format(shortest=SHORTEST)
    form = post_form(WELCOME, fields, TEXTS["set_password"])
    provider_button = _provider_button(invitation=token, nonce=nonce) if by_provider else ""
    others = _languages(WELCOME, languages, invitation=token)
    return plain_page(TEXTS["welcome"].format(name=name), why, problem, form + provider_button, others)


def closed_page(problem: str) -> str:
    """Return a page that states a problem and links to the sign-in page."""
    return plain_page(TEXTS["sorry"], "", problem, f'<a href="{LOGIN}">{escape(TEXTS["sign_in"])}</a>')


def unknown_page() -> str:
    """Return a page that reports an address that has no page, or whose page this account cannot open."""
    return plain_page(TEXTS["sorry"], "", TEXTS["no_such_page"], f'<a href="/">{escape(TEXTS["onward"])}</a>')


def logout_page(*, nonce: str, name: str) -> str:
    """Return the form that ends a session."""
    form = post_form(LOGOUT, hidden_field("nonce", nonce), TEXTS["sign_out"])
    form += post_form(
        LOGOUT, hidden_field("nonce", nonce) + hidden_field("everywhere", "1"), TEXTS["sign_out_everywhere"], quiet=True
    )
    back = f'<p style="margin:1rem 0 0"><a href="/">{escape(TEXTS["back"])}</a></p>'
    return plain_page(TEXTS["sign_out"], TEXTS["signed_in_as"].format(name=name), "", form + back)


def plain_page(title: str, why: str, problem: str, body: str, others: str = "") -> str:
    """Return a page without scripts: title, purpose, problem, and its body and footer in HTML."""
    language = chosen_language()
    alert = f'<p role="alert">{escape(problem)}</p>' if problem else ""
    lead = f"<p>{escape(why)}</p>" if why else ""
    return (
        f'<!doctype html><html lang="{language.tag}" dir="{language.direction}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<title>{escape(title)} · Benchwright</title><style>{_STYLE}</style>{_prefetched()}</head>"
        f"<body><main><h1>{escape(title)}</h1>{lead}{alert}{body}{others}</main></body></html>"
    )


def _prefetched() -> str:
    """Return links that prefetch the app's first files while the user types a password."""
    return "".join(f'<link rel="prefetch" href="{escape(path, quote=True)}">' for path in needed_files())


def _provider_button(**query: str) -> str:
    url = escape(f"{OIDC_START}?{urlencode(query)}", quote=True)
    return f'<p class="other"><a class="button" href="{url}">{escape(TEXTS["sign_in_by_provider"])}</a></p>'


def _languages(path: str, languages: Sequence[AppLanguage], **query: str) -> str:
    """Return links to a page in the other languages, each with the language's own name."""
    links = ""
    for language in languages:
        if language is not chosen_language():
            url = escape(f"{path}?{urlencode({**query, 'language': language.tag})}", quote=True)
            about = f'lang="{language.tag}" dir="{language.direction}" hreflang="{language.tag}"'
            links += f'<a href="{url}" {about}>{escape(language.name)}</a>'
    return f'<nav class="languages" aria-label="{escape(TEXTS["language"])}">{links}</nav>' if links else ""


def post_form(action: str, fields: str, button: str, *, quiet: bool = False) -> str:
    """Return a form with the method POST and one button; `fields` is HTML."""
    kind = ' class="quiet"' if quiet else ""
    return f'<form method="post" action="{action}">{fields}<button type="submit"{kind}>{escape(button)}</button></form>'


def hidden_field(name: str, value: str) -> str:
    """Return a hidden field."""
    return f'<input type="hidden" name="{name}" value="{escape(value, quote=True)}">'


def _field(name: str, label: str, value: str = "", *, type_: str = "text", extra: str = "") -> str:
    return (
        f'<label for="{name}">{escape(label)}</label>'
        f'<input id="{name}" name="{name}" type="{type_}" value="{escape(value, quote=True)}" required {extra}>'
    )
