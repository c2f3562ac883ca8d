"""A run in which hardened tasks made few items reports the reason and the remedy.

- The message names the main reason, its remedy, and the cost of mode `paper`.
- There is no message if the task made as many items as it left out, uses mode `paper`, or left items out for other
  reasons.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from dataset_fixtures.diw_files import write_diw

from benchwright.cli.main import invoke
from benchwright.construction.tasks.jigsaw import Jigsaw
from benchwright.construction.tasks.object_localization import ObjectLocalization
from benchwright.construction.tasks.relative_depth import RelativeDepth
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step


def test_the_line_names_the_reason_that_weighs_most_its_remedy_and_the_cue_of_the_papers_mode() -> None:
    said = RelativeDepth().advice(2, {"not_level": 3, "off_centre": 5, "at_border": 40})
    assert said is not None
    assert said.startswith("2 items, and off_centre 5, not_level 3: both points must lie equally far from the middle")
    assert "set a smaller `min_view`" in said
    assert said.endswith("the lower one, and the one nearer to the center, is mostly closer")


def test_jigsaws_say_which_setting_keeps_what_likeness_left_out() -> None:
    said = Jigsaw().advice(1, {"told_by_likeness": 2, "ambiguous_where_even": 5, "ambiguous": 40})
    assert said is not None
    assert said.startswith("1 item, and ambiguous_where_even 5, told_by_likeness 2: pieces look too similar")
    assert "set a smaller `min_difference`" in said
    assert Jigsaw(mode="paper").advice(1, {"ambiguous": 40}) is None


@pytest.mark.parametrize(
    ("mode", "made", "dropped"),
    [
        pytest.param("hardened", 5, {"no_room_around": 5}, id="as many as were left out"),
        pytest.param("paper", 0, {"no_room_around": 5}, id="the paper's mode"),
        pytest.param("hardened", 0, {"too_small": 5}, id="other reasons"),
        pytest.param("hardened", 100, {"no_room_around": 500}, id="enough"),
    ],
)
def test_nothing_is_said_where_hardening_is_not_why(mode: str, made: int, dropped: dict[str, int]) -> None:
    assert ObjectLocalization.model_validate({"mode": mode}).advice(made, dropped) is None


@pytest.mark.slow
def test_a_run_says_it_and_the_command_prints_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_diw(tmp_path / "diw")
    recipe = Recipe(
        "few", [step("dataset", reader="diw", folder="diw"), step("relative_depth", max_tilt_deg=0.1)], folder=tmp_path
    )
    finished = run_recipe(recipe, images=tmp_path / "diw", workspace=tmp_path / "w", workers=1)
    [(entry, advice)] = finished.advice
    assert entry == "relative_depth"
    assert "not_level" in advice
    (tmp_path / "few.yaml").write_text(recipe.to_yaml(), encoding="utf-8")
    words = [str(tmp_path / "few.yaml"), "--images", str(tmp_path / "diw"), "--workspace", str(tmp_path / "w")]
    assert invoke(["run", *words]) == 0
    assert f"few items: relative_depth made {advice}" in capsys.readouterr().out
