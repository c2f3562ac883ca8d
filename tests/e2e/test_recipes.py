"""The bundled recipes: all can be read, run until people decide, and be copied for changes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from walks import in_process, run_json

from benchwright.cli import prepare_photographs
from benchwright.pipeline.planning.fitting import fitted_to
from benchwright.recipe import load_recipe
from benchwright.recipes import bundled_recipes, companions
from benchwright.rooms import catalogue
from benchwright.steps import CampaignStep

PAPERS = ("blink", "ii-bench", "mm-sap", "mvp-bench")


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    every, few = tmp_path_factory.mktemp("every"), tmp_path_factory.mktemp("few")
    prepare_photographs(every)
    for name in ("coffee.png", "china.jpg", "astronaut.png"):
        (few / name).write_bytes((every / name).read_bytes())
    return few


@pytest.mark.parametrize("name", sorted(bundled_recipes()))
def test_every_one_can_be_read_and_says_in_its_first_line_what_it_is_for(name: str) -> None:
    path = bundled_recipes()[name]
    assert load_recipe(path).header.name == name
    assert path.read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize(
    ("name", "waits_at"),
    [("blink", "screen_items"), ("ii-bench", "screen"), ("mm-sap", "verify"), ("mvp-bench", "verify")],
)
def test_a_papers_recipe_runs_by_name_as_far_as_people(
    name: str, waits_at: str, photographs: Path, tmp_path: Path
) -> None:
    if name == "mm-sap":  # its example speaks of one photograph
        (tmp_path / "images").mkdir()
        (tmp_path / "images" / "coffee.png").write_bytes((photographs / "coffee.png").read_bytes())
        photographs = tmp_path / "images"
    done = run_json("run", name, "--images", photographs, "--workspace", tmp_path / "workspace", "--workers", 1)
    assert done["state"] == "waiting"
    assert [f"campaign '{waits_at}'" in line for line in done["waits"]] == [True]
    assert done["steps"][-1]["kept"] > 0
    assert done["failed"] == []


def test_the_recipe_with_most_kinds_of_campaigns_runs_to_a_release_without_people(
    photographs: Path, tmp_path: Path
) -> None:
    """II-Bench's way asks people four times: about pairs, images, what these convey, and questions."""
    recipe = yaml.safe_load(bundled_recipes()["ii-bench"].read_text(encoding="utf-8"))
    steps = [{"step": one} if isinstance(one, str) else one for one in recipe["steps"]]
    asked = {one for one, entry in catalogue("steps").items() if issubclass(entry.load(), CampaignStep)}
    simulated = [{**one, "simulate": {"annotators": 5}} if one["step"] in asked else one for one in steps]
    assert len([one for one in simulated if "simulate" in one]) == 4
    (tmp_path / "headless.yaml").write_text(yaml.safe_dump({**recipe, "steps": simulated}), encoding="utf-8")
    done = run_json(
        "run", tmp_path / "headless.yaml", "--images", photographs, "--workspace", tmp_path / "w", "--workers", 1
    )
    assert (done["state"], done["failed"]) == ("done", [])
    [release] = (tmp_path / "w" / "releases").iterdir()
    card = (release / "README.md").read_text(encoding="utf-8")
    assert "`pair`: there are no decisions" in card  # three pictures make no pair
    for name in ("screen", "describe", "review"):
        assert f"`{name}`: **simulated** annotators, not people" in card


@pytest.mark.parametrize("name", PAPERS)
def test_a_copy_comes_with_what_it_needs_and_is_never_written_over(name: str, tmp_path: Path) -> None:
    copied = run_json("recipes", name, "--to", tmp_path / "mine")["copied"]
    originals = [bundled_recipes()[name], *companions(bundled_recipes()[name])]
    assert [Path(one).read_bytes() for one in copied] == [one.read_bytes() for one in originals]
    copy, original = (fitted_to(load_recipe(Path(path)), tmp_path).recipe for path in (copied[0], originals[0]))
    assert copy.resolved() == original.resolved()
    Path(copied[0]).write_text("name: edited\n", encoding="utf-8")
    refused = in_process("recipes", name, "--to", tmp_path / "mine")
    assert refused.returncode == 2
    assert "already exists and is not overwritten" in refused.stderr
    assert Path(copied[0]).read_text(encoding="utf-8") == "name: edited\n"


def test_they_are_listed_and_printed() -> None:
    listed = {row["name"]: row["help"] for row in run_json("recipes")["recipes"]}
    assert set(listed) == set(bundled_recipes())
    assert listed["blink"].startswith("BLINK's way")
    assert (
        in_process("recipes", "blink").stdout.strip() == bundled_recipes()["blink"].read_text(encoding="utf-8").strip()
    )
