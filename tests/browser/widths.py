"""Parts of a page that a narrow screen hides, and parts too small for a finger."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE = {"width": 390, "height": 844}
TABLET = {"width": 820, "height": 1100}
FINGER = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
"""Settings of a context as on a phone."""
LEAST_PX = 44
"""Smallest width and height of a touch target (WCAG 2.5.5)."""
_SMALL = """least => {
  const found = [];
  const inside = [...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean);
  const pressed = "button, select, textarea, summary, input:not([type=hidden], [type=file]), a[href]";
  for (const root of [document, ...inside]) {
    for (const one of root.querySelectorAll(pressed)) {
      if (!one.checkVisibility() || one.closest("[inert]") || one.getBoundingClientRect().width < 2) continue;
      if (one.matches("a") && getComputedStyle(one).display === "inline") continue; // a link within a sentence
      const { width, height } = (one.matches("[type=checkbox], [type=radio]") && one.closest("label") || one).getBoundingClientRect();
      if (width < least - 0.5 || height < least - 0.5) found.push(`${Math.round(width)} x ${Math.round(height)}: ${one.outerHTML.slice(0, 160)}`);
    }
  }
  return found;
}"""
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
    """Return buttons, links and fields outside the window or under another element, and whether the page is wider."""
    found: list[str] = page.evaluate(_UNREACHED)
    return found


def too_small(page: Page) -> list[str]:
    """Return touch targets narrower or lower than `LEAST_PX`, except links within a sentence."""
    found: list[str] = page.evaluate(_SMALL, LEAST_PX)
    return found
