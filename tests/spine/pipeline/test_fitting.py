"""Recipes with `fitted`: steps without their input are left out and named, and the record states the steps that ran."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from PIL import Image

from benchwright.errors import RecipeError
from benchwright.pipeline import run_recipe
from benchwright.pipeline.planning.fitting import fitted_to
from benchwright.recipe import Recipe, parse_recipe
from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, Outcome, Step

FITTED = "name: fit\nfitted: true\nsteps:\n  - exact_duplicates\n  - step: dataset\n    reader: found\n  - counting\n  - jigsaw\n"


class Named(MapStep):
    """Keep images; needs a file of a name in the image folder."""

    name: ClassVar[str] = "named"
    consumes: ClassVar[Any] = "images"
    wanted: str
    folder: str = ""

    def in_folder(self, folder: Path) -> Step:
        return self.model_copy(update={"folder": str(folder)})

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        return None if (Path(self.folder) / self.wanted).exists() else f"no {self.wanted} after {', '.join(before)}"

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        del record, ctx
        return Outcome()


@pytest.fixture
def photographs(tmp_path: Path) -> Path:
    folder = tmp_path / "photographs"
    folder.mkdir()
    Image.effect_noise((400, 300), 90).convert("RGB").save(folder / "noise.png")
    return folder


def test_steps_that_lack_something_are_left_out_in_order(photographs: Path) -> None:
    fitted = fitted_to(parse_recipe(FITTED, "fit.yaml", photographs), photographs)
    assert [entry for entry, _ in fitted.recipe.steps] == ["exact_duplicates", "jigsaw"]
    assert [step for step, _ in fitted.left_out] == ["dataset", "counting"]
    assert not fitted.recipe.header.fitted
    assert "fitted" not in fitted.recipe.to_yaml()
    assert parse_recipe(fitted.recipe.to_yaml(), "again.yaml", photographs).resolved() == fitted.recipe.resolved()


def test_a_step_sees_the_folder_and_the_steps_that_stay_before_it(photographs: Path) -> None:
    recipe = Recipe("fit", ["exact_duplicates", Named(wanted="absent")])
    recipe.header = recipe.header.model_copy(update={"fitted": True})
    assert fitted_to(recipe, photographs).left_out == (("named", "no absent after exact_duplicates"),)


def test_without_the_key_every_step_stays(photographs: Path) -> None:
    fitted = fitted_to(Recipe("fit", [Named(wanted="absent")]), photographs)
    assert ([entry for entry, _ in fitted.recipe.steps], fitted.left_out) == (["named"], ())


def test_only_an_optional_step_that_lacks_something_is_left_out(
    photographs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "name: fit\noptional: [shortcuts]\nsteps: [jigsaw, counting, shortcuts]\n"
    recipe = parse_recipe(text, "fit.yaml", photographs)
    assert fitted_to(recipe, photographs).left_out == ()
    monkeypatch.setitem(sys.modules, "sklearn", None)
    fitted = fitted_to(recipe, photographs)
    assert [entry for entry, _ in fitted.recipe.steps] == ["jigsaw", "counting"]
    [(entry, lacks)] = fitted.left_out
    assert (entry, "pip install 'benchwright[filters]'" in lacks) == ("shortcuts", True)
    assert "optional" not in fitted.recipe.to_yaml()


def test_an_optional_entry_that_is_no_step_is_a_mistake(photographs: Path) -> None:
    with pytest.raises(RecipeError, match=r"fit.yaml: line 2: optional step 'shortcut' does not exist; .* jigsaw"):
        parse_recipe("name: fit\noptional: [shortcut]\nsteps: [jigsaw]\n", "fit.yaml", photographs)


def test_the_run_names_them_and_records_what_ran(tmp_path: Path, photographs: Path) -> None:
    recipe = parse_recipe(FITTED, "fit.yaml", photographs)
    finished = run_recipe(recipe, images=photographs, workspace=tmp_path / "w", workers=1)
    assert [row["step"] for row in finished.to_json()["left_out"]] == ["dataset", "counting"]
    settings = json.loads((tmp_path / "w" / "workspace.json").read_text())
    recorded = settings.get("recipe") or settings["content"]["recipe"]
    assert [entry["as"] for entry in recorded["steps"]] == ["exact_duplicates", "jigsaw"]
    again = run_recipe(recipe, images=photographs, workspace=tmp_path / "w", workers=1)
    assert again.executed == 0
