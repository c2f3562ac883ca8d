"""When the server goes away, users read our message, and no key of theirs is lost to a dialog of Streamlit's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.review_site import make_workspace, serve, sign_in

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

WORDS = {"en": "The review cannot be reached just now.", "ar": "لا يمكن الوصول إلى المراجعة الآن."}


@pytest.mark.parametrize("locale", ["en", "ar"])
def test_what_is_typed_goes_on_and_pages_say_in_our_words_that_the_server_is_away(
    tmp_path: Path, new_context: Callable[..., BrowserContext], locale: str
) -> None:
    context = new_context(locale=locale)
    with serve(make_workspace(tmp_path, photographs=4)) as site:
        work, home = context.new_page(), context.new_page()
        sign_in(work, site, "ann")
        work.locator(".card[data-slot]").wait_for()
        home.goto(f"{site.url}/home")
        home.locator("[class*=st-key-home-]").first.wait_for()
        for page in (work, home):
            page.wait_for_function("() => document.documentElement.dataset.words === 'translated'")
    home.get_by_role("dialog").wait_for()
    said = home.get_by_role("dialog").inner_text()
    assert WORDS[locale] in said
    assert "Streamlit" not in said
    work.wait_for_timeout(2_000)  # longer than Streamlit takes to say it
    assert work.get_by_role("dialog").count() == 0
    work.keyboard.press("n")
    work.keyboard.type("typed while the server is away")
    assert work.locator(".note textarea").input_value() == "typed while the server is away"
