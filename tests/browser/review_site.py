"""A workspace that waits for people, its review app, and the actions of annotators in their browsers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest.mock import patch

from argon2 import PasswordHasher
from servers import Server, serving
from walks import command, in_process, make_photographs, run_json

if TYPE_CHECKING:
    from playwright.sync_api import Page

RECIPE = """\
name: ten
seed: 5
shards: 2
steps:
  - step: jigsaw
    mode: paper
    min_tile_px: 16
  - step: verify
    rule: unanimous(2)
    form: {reasons: [wrong_answer, unclear]}
    guidelines: "Accept what has **one** right answer."
  - splits
  - step: freeze
    name: ten
"""
PASSWORDS = {"ann": "ann's long password", "ben": "ben's long password", "cur": "the curator's password"}


@dataclass(frozen=True)
class ReviewSite:
    """A running app and its workspace."""

    server: Server
    workspace: Path

    @property
    def url(self) -> str:
        """Address of the app."""
        return self.server.url


@contextmanager
def serve(workspace: Path, *, languages: Path | None = None, on_terminal: bool = False) -> Iterator[ReviewSite]:
    """Run the app over a workspace, with files of further languages in a folder; its output on a terminal, or a log."""
    more = () if languages is None else ("--languages", languages)
    with serving(
        lambda port: command("review", "serve", "--workspace", workspace, "--port", port, *more),
        log=workspace.parent / "server.log", health="/login", on_terminal=on_terminal,
    ) as server:  # fmt: skip
        yield ReviewSite(server, workspace)


@cache
def _workspace_of(photographs: int, recipe: str) -> TemporaryDirectory[str]:
    """A workspace to copy, made once per process and deleted with it."""
    folder = TemporaryDirectory()
    place = Path(folder.name)
    make_photographs(place / "photographs", count=photographs)
    (place / "ten.yaml").write_text(recipe, encoding="utf-8")
    arguments = ("run", place / "ten.yaml", "--images", place / "photographs", "--workspace", place / "workspace")
    assert run_json(*arguments)["state"] == "waiting"
    add_accounts(place / "workspace")
    return folder


def make_workspace(folder: Path, *, photographs: int = 11, recipe: str = RECIPE) -> Path:
    """Run a recipe over photographs until its items, ten of eleven, wait for people, who have accounts."""
    shutil.copytree(_workspace_of(photographs, recipe).name, folder, dirs_exist_ok=True)
    return folder / "workspace"


def add_accounts(workspace: Path) -> None:
    """Give people accounts: two annotators, and a curator."""
    for name, password in PASSWORDS.items():
        add_account(workspace, name, password, role="curator" if name == "cur" else "annotator")


def add_account(workspace: Path, name: str, password: str, *, role: str = "annotator") -> None:
    """Add an account with a cheaply hashed password, because tests sign in often."""
    words = ("review", "users", "--workspace", workspace, "--add", name, "--role", role, "--password-stdin")
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with patch("benchwright.annotation.app.security.passwords._HASHER", quick):
        done = in_process(*words, stdin=f"{password}\n")
    assert done.returncode == 0, done.stderr


def sign_in(page: Page, site: ReviewSite, name: str, *, path: str = "/") -> None:
    """Go to a page of the app and sign in on the way."""
    page.goto(site.url + path)
    page.fill("#name", name)
    page.fill("#password", PASSWORDS[name])
    page.click("button")


def slot_on_screen(page: Page) -> int:
    """Return the slot of the task on the screen, once it is there and accepts keys."""
    card = page.locator(".card[aria-busy=false]")
    card.wait_for()
    return int(card.get_attribute("data-slot") or 0)


def next_slot(page: Page, before: int) -> int | None:
    """Return the slot of the next task once it is on the screen; None when all are done.

    The decision is in the store by then, unless there is no connection.
    """
    page.wait_for_function(
        """before => {
          const isWaiting = ([place, events]) => place.startsWith("benchwright-outbox") && events !== "[]";
          if (navigator.onLine && Object.entries(sessionStorage).some(isWaiting)) return false;
          if (document.body.innerText.includes("All done")) return true;
          const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
          const card = roots.map((root) => root.querySelector(".card")).find(Boolean);
          return card && card.dataset.slot !== String(before) && card.getAttribute("aria-busy") === "false";
        }""",
        arg=before,
    )
    if page.get_by_text("All done").is_visible():
        return None
    return slot_on_screen(page)


def say(page: Page, letter: str, *, note: str = "which corner?") -> None:
    """Decide by keyboard: accept (`a`), reject (`r`) with the second reason, or revise (`v`) with a note."""
    if letter == "a":
        page.keyboard.press("y")
    elif letter == "r":
        page.keyboard.press("2")
        page.keyboard.press("x")
    else:
        page.keyboard.press("v")
        page.keyboard.press("Escape")  # out of the item's own texts, which stay unchanged
        page.keyboard.press("n")
        page.keyboard.type(note)
        page.keyboard.press("Control+Enter")
