"""Bundled recipes with facts from annotators instead of a file, edited as docs/facts.md says, run without people.

Simulated annotators mark the things in the demo's facts, a little off, and state that no person looked.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT

from benchwright.cli import prepare_photographs
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.recipes import bundled_recipes
from benchwright.release import Release

pytestmark = pytest.mark.slow
RECIPES = ROOT / "benchwright" / "recipes"
HEADING = "### The papers' recipes, with people's marks"
TRUE_FACTS = {"mvp-bench": "mvp-bench.facts.yaml", "blink": "demo.facts.yaml", "mm-sap": "demo.facts.yaml"}
"""What simulated annotators take as true."""
CAMPAIGNS = {"mark", "state", "screen_items", "verify", "answer"}


def documented_steps(recipe: str) -> list[Any]:
    """Return the entries that the page gives for a recipe."""
    section = (ROOT / "docs" / "facts.md").read_text(encoding="utf-8").partition(HEADING)[2]
    blocks = re.findall(r"^`([a-z-]+)` .*?^```yaml\n(.*?)^```$", section, re.M | re.S)
    [block] = [block for name, block in blocks if name == recipe]
    return list(yaml.safe_load(block))


def with_marks(recipe: str) -> dict[str, Any]:
    """Return a bundled recipe with the documented entries where the page puts them, and with simulated annotators."""
    document: dict[str, Any] = yaml.safe_load(bundled_recipes()[recipe].read_text(encoding="utf-8"))
    steps = document["steps"]
    names = [entry if isinstance(entry, str) else entry["step"] for entry in steps]
    if "facts" in names:
        place = names.index("facts")
        steps[place : place + 1] = documented_steps(recipe)
    else:
        place = names.index("near_duplicates") + 1
        steps[place:place] = documented_steps(recipe)
    steps = [
        {**({"step": entry} if isinstance(entry, str) else entry), "simulate": {"annotators": 5}}
        if (entry if isinstance(entry, str) else entry["step"]) in CAMPAIGNS
        else entry
        for entry in steps
    ]
    for entry in steps:
        if isinstance(entry, dict) and entry["step"] == "mark":
            entry["simulate"] |= {"truth": "known.subjects", "jitter": 0.002}
    steps.insert(place, {"step": "facts", "as": "known", "file": TRUE_FACTS[recipe]})
    return {**document, "steps": steps}


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some of the demo's photographs: enough for each of the recipes."""
    folder = tmp_path_factory.mktemp("photographs")
    prepare_photographs(folder / "all")
    (folder / "some").mkdir()
    for name in ("coffee.png", "coins.png", "hubble_deep_field.jpg", "rocket.jpg", "astronaut.png"):
        shutil.copyfile(folder / "all" / name, folder / "some" / name)
    return folder / "some"


@pytest.mark.parametrize(
    ("recipe", "by", "task"),
    [
        pytest.param("mm-sap", {"answerable": ["state"], "unanswerable": ["state"]}, "beyond_the_image", id="mm-sap"),
        pytest.param("mvp-bench", {"subjects": ["file", "mark"]}, "pair_yes_no", id="mvp-bench"),
        pytest.param("blink", {"subjects": ["mark"]}, "object_localization", id="blink"),
    ],
)
def test_a_bundled_recipe_takes_what_people_mark_and_state_as_its_page_says(
    recipe: str, by: dict[str, Any], task: str, photographs: Path, tmp_path: Path
) -> None:
    text = yaml.safe_dump(with_marks(recipe), sort_keys=False)
    done = run_recipe(
        parse_recipe(text, f"{recipe}.yaml", RECIPES), images=photographs, workspace=tmp_path / "w", workers=1
    )
    assert done.state == "done"
    evidence = [row["evidence"] for row in done.outcomes("facts") if row["evidence"].get("stated_by")]
    assert evidence
    assert all(entry["stated_by"].items() >= by.items() for entry in evidence)
    assert {entry["simulated"] for entry in evidence} == {True}
    release = Release.open(done.workspace / done.artifacts["release"])
    assert task in {released.item.task for released in release.items()}
    campaigns = json.loads((release.path / "agreement.json").read_text(encoding="utf-8"))["campaigns"]
    assert {campaign["simulated"] for campaign in campaigns.values()} == {True}
