"""Drawing latency: the delay between a movement of the mouse and its stroke on the screen.

Opens a campaign with a mask to paint on a 12-megapixel photograph, in Chromium, and paints with fine and with wide
brushes, with the whole picture in view, at its own pixels, and with many other marks. The delay of a movement is
measured from its event's time in the browser until the frame with its ink is drawn.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import numpy as np
from browser.conftest import ARGUMENTS
from browser.marking_site import LABELS, draw, field, on_screen, open_marking, open_task, save_photograph
from browser.review_site import serve
from measuring import show

if TYPE_CHECKING:
    from playwright.sync_api import Page

WATCH = """() => {
  window.inkTimes = [];
  const channel = new MessageChannel();
  const waiting = [];
  channel.port1.onmessage = () => {
    for (const stamp of waiting.splice(0)) window.inkTimes.push(performance.now() - stamp);
  };
  window.addEventListener("pointermove", (event) => {
    if (event.buttons !== 1) return;
    const events = event.getCoalescedEvents();
    waiting.push(...(events.length ? events : [event]).map((each) => each.timeStamp));
    // The task after the frame's own: style, layout and paint of the ink are done.
    requestAnimationFrame(() => channel.port2.postMessage(null));
  }, true);
}"""
BRUSHES = {"fine": "[" * 12, "as it begins": "", "wide": "]" * 7}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strokes", type=int, default=12, help="of each kind")
    parser.add_argument("--marks", type=int, default=60, help="boxes beside the mask, where there are many")
    given = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_photograph(folder / "photographs" / "large.jpg")
        fields = [field("mask", options=LABELS, min_count=0), field("box", is_required=False, min_count=0)]
        with (
            serve(open_marking(folder, {"ink": fields})) as site,
            sync_playwright() as driver,
        ):
            browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
            page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            open_task(page, site, "ink")
            page.evaluate(WATCH)
            figures: dict[str, Any] = {}
            for brush, keys in BRUSHES.items():
                for key in keys:
                    page.keyboard.press(key)
                figures[f"{brush} brush, whole picture"] = _painted(page, given.strokes)
                for key in keys:
                    page.keyboard.press("]" if key == "[" else "[")
            page.mouse.move(*on_screen(page, 2000, 1500))
            page.keyboard.press("z")
            figures["own pixels"] = _painted(page, given.strokes, reach=250)
            page.keyboard.press("0")
            page.keyboard.press("f")
            page.keyboard.press("f")
            for number in range(given.marks):
                x, y = 150 + 360 * (number % 10), 150 + 460 * (number // 10)
                draw(page, (x, y), (x + 250, y + 300))
            for _ in range(2):
                page.keyboard.press("f")
            figures[f"{given.marks} boxes beside it"] = _painted(page, given.strokes)
            browser.close()
    show({"picture": "4000 x 3000", "strokes": given.strokes, "pointer_to_ink_ms": figures})


def _painted(page: Page, strokes: int, reach: int = 1300) -> dict[str, float]:
    """Paint zigzags around the middle and return the times of their movements."""
    page.evaluate("() => { window.inkTimes = []; }")
    for number in range(strokes):
        y = 1500 - reach / 2 + reach * number / strokes
        start, end = on_screen(page, 2000 - reach, y), on_screen(page, 2000 + reach, y + reach / 3)
        page.mouse.move(*start)
        page.mouse.down()
        for step in range(1, 41):
            share = step / 40
            page.mouse.move(
                start[0] + (end[0] - start[0]) * share,
                start[1] + (end[1] - start[1]) * share + 12 * (-1) ** step,
            )
        page.mouse.up()
    times = np.array(page.evaluate("() => window.inkTimes"))
    return {
        "movements": len(times),
        **{f"p{q}": round(float(np.percentile(times, q)), 1) for q in (50, 95, 99)},
        "most": round(float(times.max()), 1),
    }


if __name__ == "__main__":
    main()
