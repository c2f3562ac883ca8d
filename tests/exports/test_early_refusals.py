"""A recipe that could not finish is refused before it begins, since annotators may work for weeks until then.

- Splits that several steps name, that none names, or that items made later would lack.
- Sealed answers that a seed or a file's format reveals, or of splits that will not exist.
- Estimates on which only simulated annotators would decide.
- Scores of a release that no step makes, of a split that it will not have, of an unknown model.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from benchwright.errors import BenchwrightError, RecipeError
from benchwright.pipeline.planning.plan import check_final_steps, plan
from benchwright.recipe import parse_recipe

ITEMS = "  - {step: items, file: quiz.csv}\n"
JIGSAW = "  - jigsaw\n"
SPLITS = "  - splits\n"
FREEZE = "  - {step: freeze, name: quiz%s}\n"
ESTIMATED = "  - {step: estimated_depth, maps: depth}\n  - {step: relative_depth, dataset: estimated_depth}\n"
SIMULATED = "  - {step: verify, rule: single, simulate: {annotators: 1}}\n"


def check(folder: Path, steps: str, *, seed: int = 1) -> None:
    """Plan a recipe as a run does before it makes anything."""
    if not (folder / "quiz.csv").exists():
        Image.new("RGB", (40, 30), "red").save(folder / "a.png")
        (folder / "quiz.csv").write_text("id,image,question,A,B,answer\n1,a.png,What is it?,a cat,a dog,A\n")
    recipe = parse_recipe(f"name: quiz\nseed: {seed}\nshards: 2\nsteps:\n{steps}", "quiz.yaml", folder)
    check_final_steps(plan(recipe.steps), seed=seed)


@pytest.mark.parametrize(
    ("steps", "named"),
    [
        pytest.param(ITEMS + SPLITS + FREEZE % "", "split_value: splits.split", id="several-name-splits"),
        pytest.param(JIGSAW + SPLITS + FREEZE % ", split_value: split.split", "'split.split'", id="nobody-gives-it"),
        pytest.param(
            ITEMS + JIGSAW + FREEZE % ", split_value: items.own_splits.split", "'jigsaw' makes items", id="made-later"
        ),
        pytest.param(JIGSAW + SPLITS + FREEZE % ", sealed: [test]", "seed 1 can be guessed", id="seed"),
        pytest.param(
            JIGSAW + SPLITS + FREEZE % ", sealed: [tset], accept_known_seed: true", "'tset'", id="sealed-split"
        ),
        pytest.param(
            JIGSAW + FREEZE % ", sealed: [test], accept_known_seed: true, pictures: by_content",
            "by_content",
            id="format",
        ),
        pytest.param(ESTIMATED + SIMULATED + FREEZE % "", "only simulated", id="estimates"),
        pytest.param(JIGSAW + "  - {step: evaluate, models: [random]}\n", "put 'freeze' before it", id="no-release"),
        pytest.param(
            JIGSAW + SPLITS + FREEZE % "" + "  - {step: evaluate, models: [random], split: tset}\n",
            "'tset'",
            id="split",
        ),
        pytest.param(JIGSAW + FREEZE % "" + "  - {step: evaluate, models: [random, rnadom]}\n", "'rnadom'", id="model"),
    ],
)
def test_it_is_refused_before_anything_runs(steps: str, named: str, tmp_path: Path) -> None:
    with pytest.raises(BenchwrightError) as refused:
        check(tmp_path, steps)
    assert isinstance(refused.value, RecipeError)
    assert named in str(refused.value)


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(ITEMS + SPLITS + FREEZE % ", split_value: splits.split", id="chosen"),
        pytest.param(ITEMS + FREEZE % "" + "  - {step: evaluate, models: [random], split: anything}\n", id="of-data"),
        pytest.param(JIGSAW + FREEZE % ", sealed: [test], accept_known_seed: true", id="only-split"),
        pytest.param(ESTIMATED + SIMULATED + FREEZE % ", accept_simulated: true", id="estimates"),
    ],
)
def test_what_can_be_frozen_is_not_refused(steps: str, tmp_path: Path) -> None:
    check(tmp_path, steps)
