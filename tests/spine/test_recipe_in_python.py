"""Recipes written in Python: checked like those in YAML, written as YAML, and equal to these in their results."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest
from odd_steps import Batched
from walks import make_photographs

from benchwright.construction.tasks.jigsaw import Jigsaw
from benchwright.errors import RecipeError
from benchwright.pipeline import run_recipe
from benchwright.pipeline.planning.fitting import fitted_to
from benchwright.pipeline.planning.plan import plan
from benchwright.recipe import Recipe, load_recipe, parse_recipe, step
from benchwright.recipes import bundled_recipes

pytestmark = pytest.mark.slow

BUNDLED = [pytest.param(path, id=name) for name, path in sorted(bundled_recipes().items())]


def _stages(recipe: Recipe) -> list[tuple[str, str, str]]:
    return [(stage.id, stage.entry, stage.config) for stage in plan(recipe.steps)]


def _birds(**changed: Any) -> Recipe:
    settings: dict[str, Any] = {
        "seed": 7,
        "steps": [
            "exact_duplicates",
            step("near_duplicates", distance=6),
            step("jigsaw", as_="small_jigsaw", per_image=2),
        ],
    }
    return Recipe("birds", **{**settings, **changed})


def test_a_recipe_in_python_is_the_one_that_yaml_gives() -> None:
    text = (
        "name: birds\nseed: 7\nsteps:\n- exact_duplicates\n- step: near_duplicates\n  distance: 6\n"
        "- step: jigsaw\n  as: small_jigsaw\n  per_image: 2\n"
    )
    assert _birds().to_yaml() == text
    assert _birds().resolved() == parse_recipe(text, "birds.yaml", Path()).resolved()
    assert _stages(_birds()) == _stages(parse_recipe(text, "birds.yaml", Path()))


@pytest.mark.parametrize("path", BUNDLED)
def test_a_recipe_file_is_written_as_it_was_read(path: Path, tmp_path: Path) -> None:
    read = fitted_to(load_recipe(path), tmp_path).recipe
    again = parse_recipe(read.to_yaml(), "again.yaml", path.parent)
    assert (again.header, again.resolved(), _stages(again)) == (read.header, read.resolved(), _stages(read))


@pytest.mark.parametrize("path", BUNDLED)
def test_a_recipe_of_step_objects_is_the_one_that_names_them(path: Path, tmp_path: Path) -> None:
    read = fitted_to(load_recipe(path), tmp_path).recipe
    objects = [made for entry, made in read.steps if entry == made.name]  # an object has no other name
    made = Recipe(read.header.name, objects, seed=read.header.seed, folder=path.parent)
    again = parse_recipe(made.to_yaml(), "again.yaml", path.parent)
    assert made.resolved()["steps"] == [one for one in read.resolved()["steps"] if one["as"] == one["step"]]
    assert again.resolved() == made.resolved()


def test_both_forms_make_the_same_tables_to_the_byte(tmp_path: Path) -> None:
    make_photographs(tmp_path / "images", count=5)
    made = _birds(steps=["exact_duplicates", step("near_duplicates", distance=6), Jigsaw(per_image=2), "splits"])
    (tmp_path / "birds.yaml").write_text(made.to_yaml(), encoding="utf-8")
    for name, recipe in (("python", made), ("yaml", load_recipe(tmp_path / "birds.yaml"))):
        run_recipe(recipe, images=tmp_path / "images", workspace=tmp_path / name, workers=1)
    trees = [
        {path.relative_to(root): path.read_bytes() for path in (root / "tables").rglob("*") if path.is_file()}
        for root in (tmp_path / "python", tmp_path / "yaml")
    ]
    assert len(trees[0]) > 20
    assert trees[0] == trees[1]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        pytest.param(
            {"steps": ["jigsaw", step("near_duplicates", distence=6)]},
            "recipe 'birds': step 2 (near_duplicates): unknown key 'distence' (value 6); did you mean 'distance'?",
            id="key of a step",
        ),
        pytest.param(
            {"steps": [step("near_duplicates", distance=600)]},
            "recipe 'birds': step 1 (near_duplicates): key 'distance': 600 is not valid", id="value",
        ),
        pytest.param(
            {"steps": ["jigsaw", step("jigsav")]},
            "recipe 'birds': step 2 (jigsav): there is no step named 'jigsav'; did you mean 'jigsaw'?", id="step",
        ),
        pytest.param({"steps": ["jigsaw", 12]}, "recipe 'birds': step 2: a step must be a name or a mapping", id="no step"),
        pytest.param({"steps": ["jigsaw", Jigsaw()]}, "recipe 'birds': step 2 (jigsaw): entry 'jigsaw' occurs twice", id="twice"),
        pytest.param(
            {"steps": [step("jigsaw", as_="../x")]}, "recipe 'birds': step 1 (jigsaw): key 'as': '../x' is not a name",
            id="path as name",
        ),
        pytest.param({"steps": []}, "recipe 'birds': key 'steps': [] is not valid", id="no steps"),
        pytest.param({"steps": "jigsaw"}, "recipe 'birds': key 'steps': 'jigsaw' is not valid", id="a name alone"),
        pytest.param({"shards": 33}, "recipe 'birds': key 'shards': 33 is not valid", id="not a power of two"),
        pytest.param({"seed": object}, "recipe 'birds': key 'seed': <class 'object'> is not valid", id="seed"),
        pytest.param(
            {"limits": {"maxpixels": 1}}, "recipe 'birds': unknown key 'limits.maxpixels' (value 1); did you mean 'max_pixels'?",
            id="nested key",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_step_and_key(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        _birds(**changed)
    assert str(caught.value).startswith(message)


def test_all_mistakes_of_a_recipe_are_told_at_once() -> None:
    with pytest.raises(RecipeError) as caught:
        Recipe("Birds!", [step("near_duplicates", distance=600, cosine=2), "jigsav"], shards=3)
    lines = str(caught.value).split("\n  ")
    assert lines[0] == "recipe 'Birds!': 5 mistakes"
    assert [line.split(":")[1:3] for line in lines[1:]] == [
        [" key 'name'", " 'Birds!' is not valid"],
        [" key 'shards'", " 3 is not valid"],
        [" step 1 (near_duplicates)", " key 'distance'"],
        [" step 1 (near_duplicates)", " key 'cosine'"],
        [" step 2 (jigsav)", " there is no step named 'jigsav'; did you mean 'jigsaw'?"],
    ]


def test_types_that_yaml_does_not_have_are_written_as_what_they_stand_for(tmp_path: Path) -> None:
    shares = {"val": 0.25, "test": 0.75}
    recipe = Recipe(
        "birds",
        ["jigsaw", step("splits", fractions=shares), step("splits", as_="again", fractions=shares)],
        images=tmp_path / "images",
    )
    again = parse_recipe(recipe.to_yaml(), "again.yaml", tmp_path)
    assert (again.header.images, again.resolved()) == (str(tmp_path / "images"), recipe.resolved())


class Renamed(Batched):
    """A step of a name that another one has."""

    name: ClassVar[str] = "jigsaw"


@pytest.mark.parametrize("made", [Batched(), Renamed()])
def test_what_a_recipe_file_cannot_name_is_not_written_as_one(made: Batched) -> None:
    with pytest.raises(RecipeError, match=f"recipe 'x': step 1: {type(made).__name__} is not what recipe files call"):
        Recipe("x", [made]).to_yaml()
