"""A workspace that waits for people, the review app over it, and what annotators do in their browsers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from servers import Server, serving
from walks import command, make_photographs, run_json

if TYPE_CHECKING:
    from playwright.sync_api import Page

RECIPE = """\
name: ten
seed: 5
steps:
  - step: jigsaw
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
    """A running app, and the workspace that it serves."""

    server: Server
    workspace: Path

    @property
    def url(self) -> str:
        """Where the app is."""
        return self.server.url


@contextmanager
def serve(workspace: Path) -> Iterator[ReviewSite]:
    """Run the app over a workspace."""
    with serving(
        lambda port: command("review", "serve", "--workspace", workspace, "--port", port),
        log=workspace.parent / "server.log", health="/login",
    ) as server:  # fmt: skip
        yield ReviewSite(server, workspace)


def make_workspace(folder: Path, *, photographs: int = 11) -> Path:
    """Run a recipe over photographs until its items, ten of eleven, wait for people, who have accounts."""
    make_photographs(folder / "photographs", count=photographs)
    (folder / "ten.yaml").write_text(RECIPE, encoding="utf-8")
    workspace = folder / "workspace"
    document = run_json("run", folder / "ten.yaml", "--images", folder / "photographs", "--workspace", workspace)
    assert document["state"] == "waiting"
    for name, password in PASSWORDS.items():
        role = "curator" if name == "cur" else "annotator"
        subprocess.run(
            command("review", "users", "--workspace", workspace, "--add", name, "--role", role, "--password-stdin"),
            input=password + "\n", text=True, check=True, capture_output=True,
        )  # fmt: skip
    return workspace


def sign_in(page: Page, site: ReviewSite, name: str, *, path: str = "/") -> None:
    """Go to a page of the app and sign in on the way."""
    page.goto(site.url + path)
    page.fill("#name", name)
    page.fill("#password", PASSWORDS[name])
    page.click("button")


def slot_on_screen(page: Page) -> int:
    """Return the slot whose task is on the screen, once it is there: whoever sees a card can press keys."""
    card = page.locator(".card[aria-busy=false]")
    card.wait_for()
    return int(card.get_attribute("data-slot") or 0)


def next_slot(page: Page, before: int) -> int | None:
    """Return the slot of the next task once it is on the screen; None once all are done."""
    page.wait_for_function(
        """before => {
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
    """Give a decision with the keyboard alone: accept (`a`), reject (`r`) with the second reason, or revise (`v`) with a note."""
    if letter == "a":
        page.keyboard.press("y")
    elif letter == "r":
        page.keyboard.press("2")
        page.keyboard.press("x")
    else:
        page.keyboard.press("v")
        page.keyboard.press("Escape")  # out of the item's own texts, which stay as they are
        page.keyboard.press("n")
        page.keyboard.type(note)
        page.keyboard.press("Control+Enter")
