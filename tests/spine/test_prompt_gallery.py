"""The pictures in the documentation equal those that the code draws."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import numpy as np
import pytest
from conftest import ROOT

from benchwright.images import decode_rgb

IMAGES = ROOT / "docs" / "images"


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    pytest.importorskip("skimage", reason="the demo's photographs are not installed")
    spec = importlib.util.spec_from_file_location("prompt_gallery", ROOT / "examples" / "prompt_gallery.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["kinds", "sizes", "grounds", "labels"])
def test_a_picture_of_the_page_is_what_is_drawn_today(name: str, gallery: ModuleType) -> None:
    drawn = gallery.PICTURES[f"prompts-{name}.png"]().drawn.astype(int)
    kept = decode_rgb(IMAGES / f"prompts-{name}.png").astype(int)
    assert kept.shape == drawn.shape
    # The kept ones have 256 colours.
    assert np.abs(kept - drawn).mean() < 5
    assert (np.abs(kept - drawn).max(axis=-1) > 60).mean() < 0.002


def test_the_pictures_stay_small() -> None:
    assert sum(path.stat().st_size for path in IMAGES.glob("prompts-*.png")) < 400_000
