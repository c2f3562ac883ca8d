"""What of a page cannot be reached on a narrow screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE = {"width": 390, "height": 844}
TABLET = {"width": 820, "height": 1100}
_UNREACHED = """() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
  const inside = [...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean);
  for (const root of [document, ...inside]) {
    for (const one of root.querySelectorAll("button, a[href], textarea, select")) {
      if (one.disabled || one.closest("[data-testid=stElementToolbar]") || !one.checkVisibility()) continue;
      one.scrollIntoView({ block: "center", behavior: "instant" });
      const box = one.getBoundingClientRect();
      if (box.width < 2 || box.height < 2) continue;
      const named = one.outerHTML.slice(0, 120);
      if (box.left < -1 || box.right > innerWidth + 1) found.push(`out of the window: ${named}`);
      const hit = root.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      if (hit && !one.contains(hit) && !hit.contains(one)) found.push(`covered by ${hit.outerHTML.slice(0, 120)}: ${named}`);
    }
  }
  return found;
}"""


def unreached(page: Page) -> list[str]:
    """Return buttons, links and fields that lie outside of the window or under something, and whether the page is wider."""
    found: list[str] = page.evaluate(_UNREACHED)
    return found
