"""The review app under several annotators with large pictures: key press to next task, and the server's memory.

Makes a workspace of 12-megapixel photographs with a campaign of any number of items, serves it, and lets annotators in
as many browser contexts accept task after task. Needs Debian's Chromium (`make browser`). A task counts as loaded when
the screen shows its question and each of its pictures; on a slow line, a coarse version of the picture is enough.

`--round-trip` and `--rate` simulate a slow line: the first annotator signs in with an empty cache, and again with a
full one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import numpy as np
from browser.conftest import ARGUMENTS
from browser.review_site import ReviewSite, serve
from large_campaign import CAMPAIGN, PASSWORD, add_people, fill, make_workspace, open_workspace_store
from measuring import show, tree_of
from slow_line import Line, slow_line

if TYPE_CHECKING:
    from playwright.sync_api import Page

THERE = """slot => {
  const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
  const card = roots.map((root) => root.querySelector(".card")).find(Boolean);
  const layers = roots.flatMap((root) => [...root.querySelectorAll(".layer")]);
  const isThere = (image) => image.complete && image.naturalWidth;
  const isSeen = (layer) => [...layer.querySelectorAll(".picture, .coarse")].some(isThere);
  const isNext = card && card.dataset.slot !== slot && card.getAttribute("aria-busy") === "false";
  return isNext && layers.length && layers.every(isSeen);
}"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=20)
    parser.add_argument("--items", type=int, default=100, help="items of the campaign, which take the pictures in turn")
    parser.add_argument("--sessions", type=int, default=3)
    parser.add_argument("--decisions", type=int, default=10, help="of each annotator")
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between a task and what is said of it")
    parser.add_argument("--round-trip", type=float, default=0.0, help="of the line, in seconds")
    parser.add_argument("--rate", type=float, default=200.0, help="of the line, in kB/s, where it has a round trip")
    parser.add_argument("--typing", type=float, default=0.0, help="seconds that typing a password takes")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = make_workspace(Path(folder), images=given.images, size_wh=(4000, 3000), slots=given.sessions)
        with open_workspace_store(workspace) as store:
            fill(store, items=given.items, slots=given.sessions)
            add_people(store, [f"ann-{number}" for number in range(given.sessions)])
        with serve(workspace) as site:
            line = Line(given.round_trip, given.rate * 1000)
            near = int(site.url.rsplit(":", 1)[1])
            with slow_line(near, line) if given.round_trip else nullcontext(near) as port:
                url = f"http://127.0.0.1:{port}/?campaign={CAMPAIGN}"
                show({"items": given.items, **_measure(site, url, given)})


def _measure(site: ReviewSite, url: str, given: argparse.Namespace) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    before = _server_mb(site)
    waits: list[float] = []
    first: list[float] = []
    peak = before
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        pages = [browser.new_context(viewport={"width": 1280, "height": 800}).new_page() for _ in range(given.sessions)]
        slots = []
        for number, page in enumerate(pages):
            seconds, slot = _sign_in(page, url, f"ann-{number}", given.typing)
            first.append(seconds)
            slots.append(slot)
        for _ in range(given.decisions):
            for number, page in enumerate(pages):
                if slots[number] is not None:
                    time.sleep(given.pause)
                    seconds, slots[number] = _accept(page, slots[number])
                    waits.append(seconds)
            peak = max(peak, _server_mb(site))
        again = _again(pages[0], url)
        browser.close()
    return {
        "sessions": given.sessions, "decisions": len(waits),
        "sign_in_to_first_task_s": [round(one, 2) for one in first],
        "opened_again_to_first_task_s": round(again, 2),
        "key_to_next_task_s": {
            "median": round(float(np.median(waits)), 3), "p95": round(float(np.quantile(waits, 0.95)), 3),
            "max": round(max(waits), 3), "in_order": [round(wait, 3) for wait in waits[:40]],
        },
        "server_mb": {"before": round(before), "peak": round(peak), "after": round(_server_mb(site))},
    }  # fmt: skip


def _sign_in(page: Page, url: str, name: str, typing_s: float) -> tuple[float, str | None]:
    page.goto(url)
    page.fill("#name", name)
    page.fill("#password", PASSWORD)
    time.sleep(typing_s)
    started = time.perf_counter()
    page.click("button")
    return time.perf_counter() - started + _wait(page, None), _slot(page)


def _again(page: Page, url: str) -> float:
    """Open the app in a new tab of a browser that has visited it; return the time of the first task."""
    tab = page.context.new_page()
    page.close()
    time.sleep(3)  # until the line is free
    started = time.perf_counter()
    tab.goto(url, wait_until="commit")
    _wait(tab, None)
    seconds = time.perf_counter() - started
    tab.close()
    return seconds


def _accept(page: Page, slot: str | None) -> tuple[float, str | None]:
    """Accept the task on the screen; return the time of the next one, and its slot."""
    started = time.perf_counter()
    page.keyboard.press("y")
    while time.perf_counter() - started < 30:
        if page.evaluate(THERE, slot):
            return time.perf_counter() - started, _slot(page)
        if page.get_by_text("All done").count():
            return time.perf_counter() - started, None
        time.sleep(0.01)
    raise SystemExit(f"no next task after slot {slot}")


def _wait(page: Page, slot: str | None) -> float:
    started = time.perf_counter()
    page.wait_for_function(THERE, arg=slot, polling=10)
    return time.perf_counter() - started


def _slot(page: Page) -> str | None:
    return page.locator(".card").get_attribute("data-slot")


def _server_mb(site: ReviewSite) -> float:
    """Return the resident memory of the server's processes."""
    found = 0
    for pid in tree_of(site.server.pid):
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        found += next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    return found / 1024


if __name__ == "__main__":
    main()
