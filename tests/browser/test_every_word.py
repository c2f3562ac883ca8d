"""Every word of the app is translated: in a language made of English with other letters, no English word is left.

The language is made here, from all English texts, with an accent on each ASCII letter. Plain letters on a screen are
then data (names, items, codes, keys), or were forgotten. Titles, labels for screen readers, placeholders and
descriptions of pictures count as shown words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from string import ascii_letters
from typing import TYPE_CHECKING, Any

import pytest
from browser.all_screens import KINDS, SCREENS, go_to
from browser.full_site import make_full_workspace
from browser.kinds_site import every_kind, make_images, open_campaigns
from browser.rest import at_rest
from browser.review_site import ReviewSite, serve

from benchwright.annotation.app.base.own_texts import english_texts

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.thorough

TAG = "eo"
_ACCENTED = str.maketrans(ascii_letters, "áƀćđéƒǵĥíĵķĺḿńóṕɋŕśťúṽẃẋýźÁɃĆĐÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼẂẊÝŹ")
_KEPT = re.compile(r"\{[^}]*\}|`[^`]*`|\]\([^)]*\)|\b[A-Z]\b|\bCtrl\+Enter\b|\bEnter\b|\bEsc\b")
"""Places for values, code, addresses, and names of keys."""


def accented(text: str) -> str:
    """Return a text with other letters; places for values stay as they are."""
    parts, end = [], 0
    for match in _KEPT.finditer(text):
        parts += [text[end : match.start()].translate(_ACCENTED), match[0]]
        end = match.end()
    return "".join([*parts, text[end:].translate(_ACCENTED)])


def write_language(folder: Path) -> None:
    """Write the file of the made language."""
    lines = []
    for section, entries in english_texts().items():
        lines.append(f"[{section}]")
        for key, text in entries.items():
            forms = (
                json.dumps(accented(text), ensure_ascii=False)
                if isinstance(text, str)
                else "{ "
                + ", ".join(
                    f"{name} = {json.dumps(form if name == 'by' else accented(form), ensure_ascii=False)}"
                    for name, form in text.items()
                )
                + " }"
            )
            lines.append(f"{json.dumps(key, ensure_ascii=False)} = {forms}")
    (folder / f"{TAG}.toml").write_text("\n".join(lines), encoding="utf-8")


SHOWN = """() => {
  const found = [];
  const isSeen = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !element.closest("style, script, code, pre");
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      if (!isSeen(element)) continue;
      for (const name of ["title", "aria-label", "placeholder", "alt", "aria-valuetext", "aria-description"]) {
        if (element.getAttribute(name)) found.push([name, element.getAttribute(name)]);
      }
      for (const node of element.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
        if (element.closest("[data-testid=stIconMaterial]")) continue; // letters of a font of pictures
        found.push([element.tagName.toLowerCase() + "." + (element.className?.baseVal ?? element.className), node.data.trim()]);
      }
    }
  };
  walk(document);
  found.push(["document", document.title]);
  return found;
}"""
NAMES = {"ann", "ben", "cur", "new", "Benchwright", "English", "Esperanto", "esperanto"}
OF_CODE = {"recipe, text", "recipe, a step"}
"""Screens of recipe text and of steps' settings, whose names and descriptions are those of the reference, in English."""
KEYS = {"Esc", "Enter", "Ctrl", "Shift", "Space"}
CODES = {
    "verify", "review", "baseline", "form", "voted", "talked", "screen", "pair", "describe", "collect", "write", "jigsaw", "quality", "ten",
    "USD", "ingest", "splits", "freeze", "near_duplicates", "SHA", "id", "name", "role", "campaigns", "picture", "csv", "annotator", "adjudicator", "curator",
}  # fmt: skip
ITEMS = re.compile(
    r"The lower right corner[^?]*\?|A piece was cut out[^?]*\?|See the|Which image completes[^.]*\.|Which piece belongs there\?|Which of the two\?|a red cup|Accept what has.*answer\.|"
    r"The model's reply|It is \(A\)\.|What is it|\bRight\b|\bWrong\b|\bWhich\b|\bOne\b|\bTwo\b|\bWhy\b|In your words|"
    r"piece-\d+|\b(?:jpg|png)\b|\d+ [A-Z][a-z]{2} \d\d:\d\d|\bwebp\b|\d+MB\b|Accept what has|right answer\.|^one$|\*\*one\*\*|"
    r"\b(?:short|min_side)_px\b|The edges go on\.|cc0?-[a-z0-9.-]+|[0-9a-f]{8,}|/\S+|\S+\.(?:png|yaml|csv|svg|toml)\b|CC BY"
)
_WORD = re.compile(r"[A-Za-z]{2,}")


def english_left(shown: list[Any]) -> list[str]:
    """Return words that are neither translated nor data."""
    left = []
    for where, text in shown:
        rest = ITEMS.sub(" ", text)
        words = [word for word in _WORD.findall(rest) if word not in NAMES | KEYS | CODES and word.lower() not in CODES]
        if words:
            left.append(f"{where[:40]}: {text[:120]!r} ({', '.join(words[:6])})")
    return sorted(set(left))


@pytest.fixture(scope="module")
def languages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("languages")
    write_language(folder)
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, languages: Path) -> Iterator[ReviewSite]:
    with serve(make_full_workspace(tmp_path_factory.mktemp("full")), languages=languages) as running:
        yield running


@pytest.fixture(scope="module")
def kinds_site(tmp_path_factory: pytest.TempPathFactory, languages: Path) -> Iterator[ReviewSite]:
    done = make_images(tmp_path_factory.mktemp("kinds"))
    open_campaigns(done, every_kind(done))
    with serve(done.workspace, languages=languages) as running:
        yield running


_UNFOLD = """() => {
  const roots = [document, ...[...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean)];
  for (const root of roots) for (const summary of root.querySelectorAll("details:not([open]) > summary")) summary.click();
}"""


def unfold(page: Page) -> None:
    """Open all collapsed sections."""
    page.evaluate(_UNFOLD)
    at_rest(page)


@pytest.mark.parametrize("screen", [name for name in SCREENS if name not in OF_CODE])
def test_no_word_of_a_screen_is_left_in_english(
    site: ReviewSite, new_context: Callable[..., BrowserContext], screen: str
) -> None:
    page = new_context(locale=TAG).new_page()
    go_to(page, site, SCREENS[screen])
    unfold(page)
    left = english_left(page.evaluate(SHOWN))
    assert left == [], "\n".join(left)


@pytest.mark.parametrize("screen", KINDS)
def test_no_word_of_another_kind_is_left_in_english(
    kinds_site: ReviewSite, new_context: Callable[..., BrowserContext], screen: str
) -> None:
    page = new_context(locale=TAG).new_page()
    go_to(page, kinds_site, KINDS[screen])
    unfold(page)
    left = english_left(page.evaluate(SHOWN))
    assert left == [], "\n".join(left)
