"""The funnel's page in a real browser: no requests, hostile names as texts, keys for everything, readable colors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image
from skimage import data

from benchwright.funnel import write_funnel
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe

if TYPE_CHECKING:
    from playwright.sync_api import Page

EVIL = '<img src=x onerror="document.title=1">.png'
RECIPE = "name: hostile\nsteps: [exact_duplicates, near_duplicates]\n"


@pytest.fixture(scope="module")
def funnel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run over a picture stored four times, another also smaller, and a file that is none."""
    folder = tmp_path_factory.mktemp("funnel")
    (folder / "p").mkdir()
    for number, name in enumerate((EVIL, "b.png", "c.png", "d.png")):
        Image.fromarray(data.chelsea()).save(folder / "p" / name, compress_level=number + 1)
    cup = Image.fromarray(data.coffee())
    cup.save(folder / "p" / "cup.png")
    cup.resize((300, 200)).save(folder / "p" / "cup small.jpg", quality=70)
    (folder / "p" / "none <i>.png").write_bytes(b"nothing")
    recipe = parse_recipe(RECIPE, "evil.yaml", folder)
    run_recipe(recipe, images=folder / "p", workspace=folder / "w o'rk", workers=1)
    write_funnel(folder / "w o'rk", folder / "page.html")
    return folder / "page.html"


@pytest.fixture
def shown(funnel: Path, page: Page) -> Iterator[Page]:
    """The page, which must have sent no other request and logged no error by the end of the test."""
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(funnel.as_uri())
    yield page
    assert [url for url in asked if not url.startswith("data:")] == [funnel.as_uri()]
    assert complaints == []
    assert page.title() == "hostile: funnel"


def test_hostile_names_are_shown_as_texts_and_pictures_are_shown(shown: Page) -> None:
    assert shown.locator("figcaption", has_text=EVIL).count() > 0
    assert shown.locator("img[src=x]").count() == 0
    assert shown.locator("h1 *").count() == 0
    for picture in shown.locator(".card img").all():
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("async (one) => { await one.decode(); return one.naturalWidth }") > 0


def test_cards_that_are_chosen_make_one_command_line_a_step(shown: Page) -> None:
    assert shown.locator("#bar").is_hidden()
    boxes = shown.locator(".choose input")
    for place in (0, 1):
        boxes.nth(place).check()
    line = shown.locator("#lines").inner_text()
    assert line.startswith("benchwright filter restore ")
    assert "'w o'\"'\"'rk'" in line or "w o'\"'\"'rk" in line
    assert line.endswith(" --step exact_duplicates.groups --why ...")
    assert len([word for word in line.split() if len(word) == 64]) == 2
    assert shown.locator("#count").inner_text() == "2 chosen"
    shown.click("#choose-none")
    assert shown.locator("#bar").is_hidden()


def test_a_line_is_copied_with_its_button(shown: Page) -> None:
    shown.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = shown.locator("button.copy").first
    button.click()
    shown.wait_for_function("document.getElementById('said').textContent !== ''")
    copied = shown.evaluate("navigator.clipboard.readText()")
    assert copied == shown.locator(".act code").first.inner_text()


def test_keys_alone_enlarge_a_pair_and_close_it_again(shown: Page) -> None:
    large = shown.locator("button.large").first
    large.focus()
    shown.keyboard.press("Enter")
    dialog = shown.locator("dialog[open]")
    assert dialog.locator("img").count() == 2
    assert dialog.locator("figcaption").first.inner_text().startswith("dropped")
    shown.keyboard.press("Escape")
    assert shown.locator("dialog[open]").count() == 0
    assert large.evaluate("one => one === document.activeElement")


def test_the_tab_key_reaches_every_button_box_and_command_line(shown: Page) -> None:
    wanted = shown.locator("button:visible, .choose input, .act code").count()
    assert wanted > 8
    reached = shown.evaluate(
        "[...document.querySelectorAll('button, .choose input, .act code')]"
        ".filter(one => one.checkVisibility() && one.tabIndex >= 0).length"
    )
    assert reached == wanted


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_on_their_ground(shown: Page, scheme: Any) -> None:
    """WCAG asks for 4.5 to 1; tags are bold and small, so it holds for them too."""
    shown.emulate_media(color_scheme=scheme)
    poor = shown.evaluate(_CONTRAST)
    assert poor == []


def test_nothing_is_wider_than_a_telephone(shown: Page) -> None:
    shown.set_viewport_size({"width": 390, "height": 800})
    assert shown.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


_CONTRAST = """() => {
  const part = value => { const c = value / 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const numbers = color => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const ground = one => {
    for (let here = one; here; here = here.parentElement) {
      const color = numbers(getComputedStyle(here).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const one of document.querySelectorAll('body *')) {
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !one.checkVisibility() || one.closest('svg, script, style')) continue;
    const [a, b] = [light(numbers(getComputedStyle(one).color)), light(ground(one))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${one.tagName}.${one.className}: ${ratio.toFixed(2)}`);
  }
  for (const one of document.querySelectorAll('svg text[class^="t-f-"]')) {
    const bar = one.previousElementSibling;
    if (one.classList.contains('t-f-ask')) continue;
    const [a, b] = [light(numbers(getComputedStyle(one).fill)), light(numbers(getComputedStyle(bar).fill))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${one.getAttribute('class')}: ${ratio.toFixed(2)}`);
  }
  return [...new Set(poor)];
}"""
