"""The tutorials are tests: each is followed as written, in an empty folder, with people in a real browser.

- Every bundled recipe has a tutorial in the site's navigation.
- Commands, their output, people's actions and the screens agree with the page.
- Every picture is taken on the way, shown, small, and of the current app.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from browser.conftest import NO_CHROMIUM
from conftest import ROOT
from follow_tutorials import MOST_BYTES, PAGES, Walk, free_port
from tutorial_pages import Command, Picture, Printed, Row, SavedFile, differences, parts_of
from tutorial_people import chromium

from benchwright.images import decode_rgb
from benchwright.recipes import bundled_recipes

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PICTURES = ROOT / "docs" / "images" / "tutorials"


def _shown(name: str) -> set[str]:
    return {part.name for part in parts_of(PAGES / f"{name}.md") if isinstance(part, Picture)}


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def browser(port: int) -> Iterator[Browser]:
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make test")
    if shutil.which("chromium") is None:
        pytest.skip(NO_CHROMIUM)
    with chromium(port) as running:
        yield running


@pytest.mark.parametrize("name", sorted(bundled_recipes()))
def test_a_tutorial_runs_as_it_is_written(name: str, browser: Browser, port: int, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    pictures = Walk(folder, browser, port).follow(PAGES / f"{name}.md")
    assert set(pictures) == _shown(name)
    for picture, written in pictures.items():
        (tmp_path / picture).write_bytes(written)
        taken, kept = (decode_rgb(path / picture).astype(int) for path in (tmp_path, PICTURES))
        assert taken.shape == kept.shape, picture
        # Another machine has other fonts, so lines may break elsewhere; a broken or empty page differs by far more.
        assert np.abs(taken - kept).mean() < 12, f"{picture} is stale: make screenshots"


def test_every_bundled_recipe_has_a_tutorial_that_the_site_leads_to() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert {path.stem for path in PAGES.glob("*.md")} == {"index", *bundled_recipes()}
    assert set(re.findall(r"tutorials/([\w-]+)\.md", navigation)) == {"index", *bundled_recipes()}


def test_every_picture_is_shown_in_one_tutorial_and_small() -> None:
    shown = [picture for name in bundled_recipes() for picture in _shown(name)]
    assert sorted(shown) == sorted(path.name for path in PICTURES.iterdir())
    assert [path.name for path in PICTURES.iterdir() if path.stat().st_size >= MOST_BYTES] == []


@pytest.mark.parametrize("name", sorted(bundled_recipes()))
def test_a_tutorial_has_commands_people_and_pictures(name: str) -> None:
    parts = parts_of(PAGES / f"{name}.md")
    assert {Command, Printed, Row, Picture} <= {type(part) for part in parts}
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert "of your own:*" in text
    assert "A real model*" in text or "a real model" in text
    assert [heading for heading in ("## If something goes wrong", "## What next") if heading not in text] == []


PAGE = """\
Prose with `code`, and a | in it.

```sh
benchwright steps
```

```text
one
```

```yaml title="my.yaml"
name: mine
```

| Who | Where | What they do |
|---|---|---|
| ann, ben | *Progress* | `Y`, until **All done** |
| you | | *Save* |

![Progress](../images/tutorials/mine.png)

| another | table |
|---|---|
| a | b |
"""


def test_a_page_is_read_in_its_order(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    assert parts_of(tmp_path / "page.md") == [
        Command("benchwright steps\n"),
        Printed("one\n"),
        SavedFile("my.yaml", "name: mine\n"),
        Row(("ann", "ben"), "*Progress*", "`Y`, until **All done**"),
        Row(("you",), "", "*Save*"),
        Picture("mine.png"),
    ]


@pytest.mark.parametrize(
    ("shown", "printed", "missing"),
    [
        pytest.param("a  b\n", "x\na b\ny\n", [], id="spaces-and-lines-around"),
        pytest.param("made 3\n", "made 4\n", ["made 3"], id="another-number"),
        pytest.param("b\na\n", "a\nb\n", ["a"], id="another-order"),
        pytest.param("a ... d\n...\nz\n", "a b c d\ny\nz\n", [], id="dots"),
        pytest.param("jigsaw 3 0.45\n", "step seconds\njigsaw 3 1.02\n", [], id="seconds-may-differ"),
        pytest.param("jigsaw 3 0.45\n", "step seconds\njigsaw 4 0.45\n", ["jigsaw 3 0.45"], id="counts-may-not"),
        pytest.param("random 0.45\n", "random 0.46\n", ["random 0.45"], id="scores-may-not"),
    ],
)
def test_what_a_page_shows_is_what_a_command_printed(shown: str, printed: str, missing: list[str]) -> None:
    assert differences(shown, printed) == missing
