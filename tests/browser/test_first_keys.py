"""Keys pressed at the moment a task appears count, even before it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.review_site import ReviewSite, make_workspace, serve, sign_in

from benchwright.annotation.store.review_store import open_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

# Playwright asks before every frame: a card that it finds is on no screen yet.
PRESS_ONCE_THERE = """([before, keys]) => {
  const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
  const slot = roots.map((root) => root.querySelector(".card[aria-busy=false]")).find(Boolean)?.dataset.slot;
  if (slot === undefined || slot === before) return null;
  for (const key of keys) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  return slot;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("keys"), photographs=4)) as running:
        yield running


@pytest.mark.parametrize("slower", [1, 6])
def test_keys_count_from_the_moment_in_which_a_task_appears(
    site: ReviewSite, new_context: Callable[..., BrowserContext], slower: int
) -> None:
    name = {1: "ann", 6: "ben"}[slower]
    context = new_context()
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        count = len(store.tasks("verify"))
        sign_in(page, site, name)
        slot = None
        for _ in range(count):
            slot = page.wait_for_function(PRESS_ONCE_THERE, arg=[slot, ["2", "x"]]).json_value()
        page.get_by_text("All done").first.wait_for()
        own = [said for said in store.decisions("verify") if said.annotator == name]
    assert [(said.decision, said.reasons) for said in own] == [("reject", ("unclear",))] * count
