"""Axe's findings on a page: barriers for people with impaired sight, or without a mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from browser.rest import at_rest

if TYPE_CHECKING:
    from playwright.sync_api import Page

SERIOUS = {"serious", "critical"}
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
}


def findings(page: Page) -> list[str]:
    """Return axe's serious findings, each with the affected elements."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed: make test").Axe()
    found: list[dict[str, Any]] = axe.run(page, options=RULES).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: "
        + " | ".join(
            f"{node['target']} {node['html'][:160]} {node['failureSummary'][:300]}" for node in one["nodes"][:5]
        )
        for one in found
        if one["impact"] in SERIOUS
    ]


def findings_by_theme(page: Page) -> dict[str, list[str]]:
    """Return the findings of a loaded page, in the light theme and in the dark one."""
    found = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(_IS_GROUND[scheme])
        at_rest(page)  # colors change over a moment
        found[scheme] = findings(page)
    return found


_GROUND = (
    "Math.max(...getComputedStyle(document.querySelector('.stApp') ?? document.body).backgroundColor.match(/\\d+/g))"
)
_IS_GROUND = {"light": f"() => {_GROUND} > 200", "dark": f"() => {_GROUND} < 60"}
NOTHING: dict[str, list[str]] = {"light": [], "dark": []}
