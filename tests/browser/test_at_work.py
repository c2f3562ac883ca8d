"""A curator sees on *Progress* which annotator works on which task, with the current picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from browser.axe import findings
from browser.review_site import make_workspace, serve, sign_in, slot_on_screen

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


def test_progress_names_who_is_at_work_with_the_picture_before_them(
    tmp_path: Path, new_context: Callable[..., BrowserContext]
) -> None:
    with serve(make_workspace(tmp_path, photographs=4)) as site:
        work = new_context().new_page()
        sign_in(work, site, "ann")
        slot_on_screen(work)
        page = new_context().new_page()
        sign_in(page, site, "cur", path="/progress")
        place = page.get_by_role("region", name="At work now")
        place.wait_for()
        [row] = place.locator("tbody tr").all()
        assert row.locator("td").first.inner_text() == "ann"
        page.wait_for_function(
            "() => { const image = document.querySelector('.bw-at-work img'); return image.complete && image.naturalWidth > 9; }"
        )
        assert findings(page) == []
