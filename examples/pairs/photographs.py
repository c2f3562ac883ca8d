"""Copy the photographs for the bundled recipe mvp-bench from the wheels of scikit-image and scikit-learn.

    python examples/pairs/photographs.py FOLDER

Needs the extra `demo` (pip install 'benchwright[demo]').
"""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import yaml

from benchwright.recipes import bundled_recipes, companions

FACTS = companions(bundled_recipes()["mvp-bench"])[0]
PLACES = (("skimage", "data"), ("sklearn", "datasets/images"))


def copy_photographs(folder: Path) -> list[Path]:
    """Copy every photograph of the facts file into a folder and return their paths, sorted."""
    folder.mkdir(parents=True, exist_ok=True)
    copied = []
    for name in sorted(yaml.safe_load(FACTS.read_text(encoding="utf-8"))["images"]):
        copied.append(folder / name)
        shutil.copyfile(_find(name), folder / name)
    return copied


def _find(name: str) -> Path:
    for package, below in PLACES:
        spec = find_spec(package)
        for place in (spec.submodule_search_locations or []) if spec else []:
            if (path := Path(place) / below / name).is_file():
                return path
    raise SystemExit(f"{name} is in neither wheel; install them with: pip install 'benchwright[demo]'")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(f"{len(copy_photographs(Path(sys.argv[1])))} photographs in {sys.argv[1]}")
