"""Every screen of the review app, found by its elements and never by its words, which depend on the language."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from browser.full_site import DISCUSSED
from browser.rest import at_rest
from browser.review_site import PASSWORDS, ReviewSite, slot_on_screen

from benchwright.annotation.store.review_store import open_store

if TYPE_CHECKING:
    from playwright.sync_api import Page


class Screen(NamedTuple):
    """The way to a screen.

    Args:
        name: Account; empty for a page before the sign-in.
        path: Path, with `{item}` for the id of an item.
        keys: Keys to press on the task, one after another.
        shows: Selector of the result.
        begins: Selector of the elements present before any key press, besides the task.
    """

    name: str
    path: str
    keys: tuple[str, ...] = ()
    shows: str = ""
    begins: str = ""


TASK = ".card[aria-busy=false]"
HELPERS = ".mark-helpers button"
SCREENS = {
    "login": Screen("", "/login", shows="#password"),
    "no invitation": Screen("", "/welcome?invitation=x", shows="h1"),
    "logout": Screen("ann", "/logout", shows="form"),
    "home": Screen("ann", "/home", shows="[class*=st-key-home-]"),
    "verify": Screen("ann", "/?campaign=verify", shows=TASK),
    "verify, keys": Screen("ann", "/?campaign=verify", ("?",), "dialog[open]"),
    "verify, no reason": Screen("ben", "/?campaign=verify", ("x",), ".status:not(:empty)"),
    "edits": Screen("ben", "/?campaign=verify", ("v",), ".editor textarea"),
    "remarks": Screen("ben", "/?campaign=verify", ("g",), ".remarks textarea"),
    "answer": Screen("ben", "/?campaign=baseline", shows=TASK),
    "error_analysis": Screen("ben", "/?campaign=form", shows=TASK),
    "review, blind": Screen("ben", "/?campaign=review", shows=TASK),
    "practice": Screen("ben", "/practice?campaign=verify", shows=TASK),
    "practice, explained": Screen("ben", "/practice?campaign=baseline", ("1", "Enter"), ".feedback"),
    "history": Screen("ann", "/history?campaign=verify", shows=".past"),
    "discussion": Screen("ann", f"/discussion?campaign=talked&item={DISCUSSED}", shows="#words"),
    "adjudicate": Screen("cur", "/adjudicate?campaign=verify", shows=TASK),
    "items": Screen("cur", "/items", shows=".tile"),
    "one item": Screen("cur", "/item?id={item}", shows=".bw-question"),
    "progress": Screen("cur", "/progress?campaign=verify", shows=".chart-place figure"),
    "progress, review": Screen("cur", "/progress?campaign=voted", shows=".chart-place figure"),
    "agreement": Screen("cur", "/agreement?campaign=verify", shows=".figures figure"),
    "agreement, votes": Screen("cur", "/agreement?campaign=voted", shows=".figures figure"),
    "annotators": Screen("cur", "/annotators?campaign=verify", shows=".figures figure"),
    "reasons": Screen("cur", "/reasons?campaign=verify", shows=".bw-thumb"),
    "flags": Screen("cur", "/flags?campaign=verify", shows="[id^=settle-]"),
    "messages": Screen("cur", "/messages?campaign=verify", shows="#words"),
    "people": Screen("cur", "/people", shows="[id^=invite-]"),
    "build": Screen("cur", "/build", shows=".figures figure"),
    "new benchmark": Screen("cur", "/new-benchmark", shows="pre"),
    "send photographs": Screen("cur", "/send-photographs", shows="#send_files"),
    "recipe": Screen("cur", "/recipe", shows=".card"),
    "recipe, text": Screen("cur", "/recipe/text", shows="textarea"),
    "recipe, a step": Screen("cur", "/recipe/step?entry=verify", shows="form [type=submit]"),
    "releases": Screen("cur", "/publish", shows="form [type=submit]"),
    "rules": Screen("cur", "/rules?campaign=verify", shows=".figures figure"),
    "thresholds": Screen("cur", "/thresholds?threshold=quality.min_side_px&at=250", shows=".tile"),
    "guidelines": Screen("cur", "/guidelines-edit?campaign=verify", shows="#guidelines-preview"),
    "connections": Screen("cur", "/connections?campaign=verify", shows="#make-token"),
}
"""Screens of the workspace of `full_site`."""
KINDS = {
    "kinds, home": Screen("ann", "/home", shows="[class*=st-key-home-]"),
    "screen": Screen("ann", "/?campaign=screen", ("2",), ".reason[aria-pressed=true]"),
    "pair": Screen("ann", "/?campaign=pair", shows=TASK),
    "pair, slider": Screen("ann", "/?campaign=pair", ("m",), ".viewer[data-mode=slider]"),
    "describe": Screen("ann", "/?campaign=describe", shows=TASK),
    "describe, every field": Screen("ann", "/?campaign=describe", tuple("1723114f3"), ".reason[aria-pressed=true]"),
    "collect": Screen("ann", "/?campaign=collect", shows=TASK),
    "collect, from the web": Screen("ann", "/?campaign=collect", ("1", "2"), ".reason[aria-pressed=true]"),
    "mark": Screen("ann", "/?campaign=mark", shows=HELPERS),
    "mark, strokes": Screen("ann", "/?campaign=mark", ("k", "p", "Space", "Space"), ".suggestions .mark-row", HELPERS),
    "mark, keys": Screen("ann", "/?campaign=mark", ("?",), "dialog[open]", HELPERS),
    "state": Screen("ann", "/?campaign=state", shows=TASK),
    "write, a question": Screen("ann", "/?campaign=write", ("1",), ".entry"),
    "write": Screen("ann", "/?campaign=write", shows=TASK),
    "practice, write": Screen("ben", "/practice?campaign=write", shows=TASK),
    "practice, mark": Screen("ben", "/practice?campaign=mark", shows=TASK),
    "practice, state": Screen("ben", "/practice?campaign=state", shows=TASK),
    "practice, screen": Screen("ben", "/practice?campaign=screen", ("1",), ".feedback"),
    "practice, pair": Screen("ben", "/practice?campaign=pair", ("2",), ".feedback"),
    "practice, describe": Screen("ben", "/practice?campaign=describe", shows=TASK),
    "practice, collect": Screen("ben", "/practice?campaign=collect", ("1",), ".feedback"),
}
"""Screens of the workspace of `kinds_site`, with campaigns that ask other things than to accept an item."""


_WORDS_ARE_THERE = """() => document.documentElement.lang === "en" || document.querySelector(".stApp") === null
  || document.documentElement.dataset.words !== undefined"""
"""Whether Streamlit's own words are also in the page's language, if the page is Streamlit's."""


def sign_in_by_form(page: Page, site: ReviewSite, name: str, path: str) -> None:
    """Go to a page and sign in on the way, in any language of the form."""
    page.goto(site.url + path)
    page.fill("#name", name)
    page.fill("#password", PASSWORDS[name])
    page.click("button[type=submit]")


def go_to(page: Page, site: ReviewSite, screen: Screen) -> None:
    """Go to a screen and wait until it is there."""
    path = screen.path
    if "{item}" in path:
        with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
            path = path.format(item=store.tasks("verify")[0].item_id)
    if screen.name:
        sign_in_by_form(page, site, screen.name, path)
    else:
        page.goto(site.url + path)
    if screen.keys:
        slot_on_screen(page)
    if screen.begins:
        page.locator(screen.begins).first.wait_for()
    for key in screen.keys:
        page.keyboard.press(key)
    page.locator(screen.shows).first.wait_for(state="attached")
    page.wait_for_function(_WORDS_ARE_THERE)
    at_rest(page)
