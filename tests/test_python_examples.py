"""Examples in Python on the pages: they run, and what they import is what the packages offer."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import ROOT
from doc_pages import DOCS, text_of
from import_graph import modules, tree_of
from walks import make_photographs

from benchwright import Recipe, run_recipe, step

pytestmark = pytest.mark.slow

FACES = (
    "benchwright",
    *(f"benchwright.{room}" for room in ("annotation", "construction", "evaluation", "exports", "filters")),
)
"""Packages whose every name is used in an example or by the audit, which imports other rooms by these names alone."""
OTHER_FACES = (
    "benchwright.audit",
    *(
        f"benchwright.{name}"
        for name in ("diagnostics", "question_files", "regions", "release", "replies", "statistics")
    ),
)
"""Packages that also offer names to other packages of ours."""
PAGES = [path for path in sorted(DOCS.glob("*.md")) if "```python" in text_of(path)]
FACTS = """\
format: benchwright-facts
version: 1
images:
  piece-00.png:
    size_wh: [230, 190]
    subjects: [{name: eye, phrase: the eye, box: [5, 6, 40, 70]}, {name: hand, phrase: the hand, box: [90, 60, 140, 160]}]
"""


class Example(NamedTuple):
    """A block of Python on a page; a title names the file that it is."""

    title: str | None
    code: str


def _examples(page: Path) -> list[Example]:
    found = re.findall(r'^```python(?: title="([^"]+)")?\n(.*?)^```$', text_of(page), flags=re.M | re.S)
    return [Example(title or None, code) for title, code in found]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the pages speak of: photographs, facts, ratings, a release."""
    folder = tmp_path_factory.mktemp("scene")
    make_photographs(folder / "photographs", count=9)
    for name in ("birds", "cups"):
        (folder / f"{name}.facts.yaml").write_text(FACTS, encoding="utf-8")
    rows = [
        f"item-{unit},{rater},{'yes' if (unit * 7 + place) % 5 else 'no'}"
        for unit in range(12)
        for place, rater in enumerate(("ann", "bo", "cy"))
    ]
    rows.remove("item-0,cy,yes")
    (folder / "ratings.csv").write_text("\n".join(["unit,rater,label", *rows]) + "\n", encoding="utf-8")
    recipe = Recipe(
        "demo",
        [step("visual_correspondence", min_side_px=150, min_view_px=90), step("freeze", name="demo", version="1.0")],
    )
    made = run_recipe(recipe, images=folder / "photographs", workspace=folder / "made", workers=1)
    (folder / "releases").mkdir()
    (folder / "made" / made.artifacts["release"]).rename(folder / "releases" / "demo-1.0")
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run_from_top_to_bottom(page: Path, scene: Path) -> None:
    place = scene / page.stem
    place.mkdir()
    for entry in ("photographs", "releases", "ratings.csv", "birds.facts.yaml", "cups.facts.yaml"):
        (place / entry).symlink_to(scene / entry)
    examples = _examples(page)
    rooms = []
    for title, code in examples:
        if title is not None:
            (place / title).parent.mkdir(exist_ok=True)
            (place / title).write_text(code, encoding="utf-8")
            if title.endswith("/room.py"):
                rooms.append(Path(title).parent.name)
    (place / "page.py").write_text("\n".join(code for title, code in examples if title is None), encoding="utf-8")
    if rooms:  # as installing their packages would
        info = place / "examples-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: examples\nVersion: 1.0\n", encoding="utf-8")
        points = "\n".join(f"{room} = {room}.room:ROOM" for room in rooms)
        (info / "entry_points.txt").write_text(f"[benchwright.rooms]\n{points}\n", encoding="utf-8")
    paths = os.pathsep.join(filter(None, [str(place), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", "import page"], cwd=place, env={**os.environ, "PYTHONPATH": paths}, check=False,
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]


def _imported() -> dict[str, set[str]]:
    """Return the names that examples import, by package of ours."""
    found: dict[str, set[str]] = {}
    for page in PAGES:
        for _, code in _examples(page):
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "benchwright":
                    found.setdefault(node.module or "", set()).update(alias.name for alias in node.names)
    return found


def test_examples_import_what_packages_offer_and_nothing_else() -> None:
    imported = _imported()
    assert sorted(set(imported) - {*FACES, *OTHER_FACES}) == []
    assert {name: sorted(names - set(importlib.import_module(name).__all__)) for name, names in imported.items()} == {
        name: [] for name in imported
    }


@pytest.mark.parametrize("face", FACES)
def test_every_name_that_a_package_offers_stands_in_an_example_or_serves_the_audit(face: str) -> None:
    audit = [ast.walk(tree_of(path)) for name, path in modules().items() if name.startswith("benchwright.audit.")]
    imports = [node for nodes in audit for node in nodes if isinstance(node, ast.ImportFrom) and node.module == face]
    used = _imported().get(face, set()) | {alias.name for node in imports for alias in node.names}
    assert sorted(set(importlib.import_module(face).__all__) - used) == []


def test_pages_with_examples_are_found() -> None:
    assert {page.name for page in PAGES} >= {"extender.md", "python.md", "recipes.md", "release-format.md"}
    assert (ROOT / "mkdocs.yml").read_text(encoding="utf-8").count(" python.md") == 1
