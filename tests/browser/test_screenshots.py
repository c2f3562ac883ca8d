"""The pictures of the guides are complete, small, used, and show the current app."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from browser.conftest import NO_CHROMIUM
from conftest import ROOT

from benchwright.images import decode_rgb

pytestmark = pytest.mark.thorough

IMAGES = ROOT / "docs" / "images"
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]


@pytest.fixture(scope="module")
def screenshots() -> ModuleType:
    spec = importlib.util.spec_from_file_location("screenshots", ROOT / "examples" / "screenshots.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(spec.origin and Path(spec.origin).parent)
        spec.loader.exec_module(module)
    return module


def test_every_picture_of_the_app_is_taken_by_the_script_and_shown_in_a_page(screenshots: ModuleType) -> None:
    shown = {name for page in PAGES for name in re.findall(r"images/(review-[a-z-]+\.png)", page.read_text("utf-8"))}
    kept = {path.name for path in IMAGES.glob("review-*.png")}
    assert shown == kept == set(screenshots.PICTURES)


def test_the_pictures_are_of_one_size_and_stay_small(screenshots: ModuleType) -> None:
    for name in screenshots.PICTURES:
        assert decode_rgb(IMAGES / name).shape == (800, 1280, 3)
        assert (IMAGES / name).stat().st_size < 200_000


def test_a_picture_taken_today_shows_what_the_page_shows(tmp_path: Path) -> None:
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make test")
    if shutil.which("chromium") is None:
        pytest.skip(NO_CHROMIUM)
    names = ["review-pair.png", "review-slider.png"]
    # A process of its own: this one has a Playwright running for other tests, and there can be but one.
    script = [sys.executable, str(ROOT / "examples" / "screenshots.py"), str(tmp_path), *names]
    subprocess.run(script, check=True, timeout=300)
    for name in names:
        taken, kept = decode_rgb(tmp_path / name).astype(int), decode_rgb(IMAGES / name).astype(int)
        # Another machine has other fonts, so lines may break elsewhere; a broken or empty page differs by far more.
        assert np.abs(taken - kept).mean() < 12, name
