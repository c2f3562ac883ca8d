"""Waiting for a page at rest: its requests are answered, and nothing on it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

_TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
_RESTS = """() => {
  const app = document.querySelector("[data-test-script-state]");
  if (app !== null && app.dataset.testScriptState !== "notRunning") return false;
  if (document.querySelector("[data-testid=stSkeleton]") !== null) return false; // in place of what is still to come
  const roots = [document, ...[...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean)];
  return roots.every((root) => {
    const moves = (animation) => animation.playState === "running" && Number.isFinite(animation.effect.getComputedTiming().endTime);
    const images = [...root.querySelectorAll("img")].filter((image) => image.loading !== "lazy");
    return !root.getAnimations().some(moves) && images.every((image) => image.complete);
  });
}"""
_A_BROKEN_PICTURE = """() => new Promise((done) => {
  const picture = new Image();
  picture.onload = picture.onerror = () => done();
  picture.src = "x";
})"""


_PICTURES_OF_TASKS = """count => {
  const names = performance.getEntriesByType("resource").map((entry) => new URL(entry.name).pathname.split("/"));
  const tasks = names.filter(([, folder, , version]) => folder === "pictures" && version !== "coarse").map(([, , task]) => task);
  return new Set(tasks).size >= count;
}"""


def at_rest(page: Page) -> None:
    """Wait until the script has run, pictures are loaded or have failed, and colors and places no longer change.

    A new size or theme reaches the page's own scripts within one frame, and their drawing shows in the next one.
    """
    page.evaluate(_TWO_FRAMES)
    page.wait_for_function(_RESTS)


def wait_for_pictures(page: Page, *, of_tasks: int) -> None:
    """Wait until the pictures of this many tasks are loaded: those on the screen, and those fetched ahead."""
    page.wait_for_function(_PICTURES_OF_TASKS, arg=of_tasks)


def hacked(page: Page) -> Any:
    """Return the value that a hostile text has set on a page at rest; None if nothing ran.

    Such texts run their script when the picture `x` fails; one more of these fails after all earlier ones. The app's
    content security policy also keeps such scripts from running: open the page with `bypass_csp=True`.
    """
    at_rest(page)
    page.evaluate(_A_BROKEN_PICTURE)
    return page.evaluate("window.hacked")
