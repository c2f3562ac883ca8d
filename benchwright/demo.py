"""The demo's photographs, and its recipe with or without people.

The photographs ship inside the wheels of scikit-image and scikit-learn (extra `demo`), so the demo needs no network.
Among them are put what every raw folder has: a second copy, the same picture in another format, a smaller
version, and a broken download.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import yaml

from benchwright.errors import PrerequisiteError
from benchwright.recipe import Recipe, parse_recipe
from benchwright.recipes import bundled_recipes

PHOTOGRAPHS = {
    "skimage": (
        "data",
        (
            "astronaut.png", "camera.png", "chelsea.png", "coffee.png", "coins.png", "hubble_deep_field.jpg", "ihc.png",
            "motorcycle_left.png", "motorcycle_right.png", "retina.jpg", "rocket.jpg",
        ),
    ),
    "sklearn": ("datasets/images", ("china.jpg", "flower.jpg")),
}  # fmt: skip
"""By package: folder inside it, and files."""


def prepare_photographs(folder: Path) -> None:
    """Copy the photographs into a folder, with the usual blemishes of a raw collection; existing files stay.

    Raises:
        PrerequisiteError: scikit-image or scikit-learn is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for package, (below, names) in PHOTOGRAPHS.items():
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise PrerequisiteError(
                "the demo's photographs come with scikit-image and scikit-learn; "
                "install them with: pip install 'benchwright[demo]' -c constraints.txt"
            )
        for name in names:
            _copy(Path(spec.submodule_search_locations[0]) / below / name, folder / name)
    _copy(folder / "coffee.png", folder / "coffee (1).png")
    _reencode(folder / "chelsea.png", folder / "chelsea.bmp", scale=1.0)
    _reencode(folder / "china.jpg", folder / "china-small.jpg", scale=0.5)
    broken = folder / "rocket-download.jpg"
    if not broken.exists():
        broken.write_bytes((folder / "rocket.jpg").read_bytes()[:40_000])


def _copy(source: Path, target: Path) -> None:
    if not target.exists():
        shutil.copyfile(source, target)


def _reencode(source: Path, target: Path, *, scale: float) -> None:
    if target.exists():
        return
    from PIL import Image

    from benchwright.images import decode_rgb

    image = Image.fromarray(decode_rgb(source))
    image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS).save(target)


def demo_recipe(*, headless: bool) -> Recipe:
    """Return the demo's recipe; without `headless` its verification waits for people."""
    path = bundled_recipes()["demo"]
    text = path.read_text(encoding="utf-8")
    if not headless:
        document = yaml.safe_load(text)
        for step in document["steps"]:
            # Not of `answer`: whoever verified the items has seen their keys, so the baseline stays simulated.
            if isinstance(step, dict) and step.get("step") == "verify":
                del step["simulate"]
        text = yaml.safe_dump(document, sort_keys=False)
    return parse_recipe(text, "demo.yaml", path.parent)
