"""A workspace over real photographs about which people state facts: by themselves, and from a model's drafts."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from browser.kinds_site import make_images
from browser.review_site import add_accounts
from chat_server import ChatServer

from benchwright.annotation.campaigns.state.model_drafts import DraftSettings
from benchwright.annotation.campaigns.state.step import State
from benchwright.annotation.forms.kind_forms.statements import SECTIONS
from benchwright.models.endpoints.chat import ChatSettings
from benchwright.steps import CampaignContext
from benchwright.workspace.store_place import settle_store

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SCRIPT = '<img src=x onerror="window.hacked=1">'
DRAFT: dict[str, Any] = {
    "caption": "A cup of coffee on a wooden table.", "background": f"a wooden table {SCRIPT}",
    "subjects": [{"name": "cup", "phrase": "the cup"}, {"name": "spoon", "phrase": "the spoon"}],
    "answerable": [
        {"name": "table", "ask": "What does the cup stand on?", "right": "A table", "wrong": ["A chair", "A tray", "A bed"]},
        {"name": "drink", "ask": "What is in the cup?", "right": "Coffee", "wrong": ["Tea", "Milk", "Soup"]},
    ],
    "unanswerable": [
        {
            "name": "taste", "why": "other_modality", "ask": "How does the coffee taste?",
            "wrong": ["Bitter", "Sour", "Very sweet", "Burnt"],
        }
    ],
}  # fmt: skip


def make_site(folder: Path) -> Path:
    """Open a campaign with all questions, one with a model's drafts, and accounts; return the workspace."""
    sizes = {f"piece{number}": (200 + 31 * number, 180 + 17 * number) for number in range(8)}
    done = make_images(folder, sizes=sizes)
    images = list(done.images())
    with closing(ChatServer()) as server:
        server.behave = lambda words, attempt, handler: json.dumps(DRAFT)
        draft = DraftSettings(chat=ChatSettings(model="tiny-vlm", base_url=server.url))
        optional = tuple(section for section in SECTIONS if section not in {"caption", "unanswerable"})
        steps = {"state": State(sections=SECTIONS, optional=optional), "drafted": State(draft=draft)}
        for name, step in steps.items():
            context = CampaignContext(3, name, done.workspace, settle_store(done.workspace))
            assert step.advance(images, context).waiting is not None
    add_accounts(done.workspace)
    return done.workspace


def section(page: Page, words: str) -> Locator:
    """Return the section of the form whose heading has these words."""
    return page.locator("details.section", has=page.locator(".section-name", has_text=words))


def begin(page: Page) -> None:
    """Mark the picture as stated, unless a draft already does."""
    choice = page.get_by_role("button", name="State what it shows")
    if choice.get_attribute("aria-pressed") == "false":
        choice.click()


def unfold(page: Page, words: str) -> Locator:
    """Unfold a section, and return it."""
    part = section(page, words)
    if part.get_attribute("open") is None:
        part.locator("summary").click()
    return part
