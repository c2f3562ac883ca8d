"""Recipes: valid ones are read; mistakes are reported by file, line, key, value and the nearest valid key."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.errors import RecipeError
from benchwright.pipeline.planning.plan import phases, plan
from benchwright.recipe import load_recipe, parse_recipe

GOOD = """\
name: birds
seed: 7
shards: 32
limits:
  max_pixels: 1000000
steps:
  - exact_duplicates
  - step: near_duplicates
    distance: 6
  - step: jigsaw
    as: small_jigsaw
    per_image: 2
"""


def _parse(text: str) -> object:
    return parse_recipe(text, "birds.yaml", Path())


def test_a_recipe_gives_its_steps_in_order_with_defaults_filled_in() -> None:
    recipe = parse_recipe(GOOD, "birds.yaml", Path())
    assert [entry for entry, _ in recipe.steps] == ["exact_duplicates", "near_duplicates", "small_jigsaw"]
    resolved = recipe.resolved()
    assert resolved["steps"][1]["distance"] == 6
    assert resolved["steps"][2] | {"as": "small_jigsaw", "step": "jigsaw", "per_image": 2} == resolved["steps"][2]
    assert resolved["limits"]["max_frames"] == 1000


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param(
            "seed: 7", "sed: 7", "birds.yaml: line 2: unknown key 'sed' (value 7); did you mean 'seed'?", id="key at the top"
        ),
        pytest.param(
            "    distance: 6", "    distence: 6",
            "birds.yaml: line 9: unknown key 'distence' (value 6); did you mean 'distance'?", id="key of a step",
        ),
        pytest.param(
            "  max_pixels: 1000000", "  maxpixels: 1",
            "birds.yaml: line 5: unknown key 'limits.maxpixels' (value 1); did you mean 'max_pixels'?", id="nested key",
        ),
        pytest.param("    distance: 6", "    distance: far", "birds.yaml: line 9: key 'distance': 'far' is not valid", id="type"),
        pytest.param("    distance: 6", "    distance: 600", "birds.yaml: line 9: key 'distance': 600 is not valid", id="range"),
        pytest.param("    distance: 6", "    distance: .nan", "birds.yaml: line 9: key 'distance': nan", id="not a number"),
        pytest.param("shards: 32", "shards: 33", "birds.yaml: line 3: key 'shards': 33 is not valid", id="not a power of two"),
        pytest.param(
            "step: jigsaw", "step: jigsav", "birds.yaml: line 10: there is no step named 'jigsav'; did you mean 'jigsaw'?",
            id="step",
        ),
        pytest.param("as: small_jigsaw", "as: near_duplicates", "birds.yaml: line 10: entry 'near_duplicates' occurs twice", id="twice"),
        pytest.param("as: small_jigsaw", "as: ../x", "birds.yaml: line 11: key 'as': '../x' is not a name", id="path as name"),
        pytest.param("name: birds\n", "", "birds.yaml: line 1: key 'name' is missing", id="missing"),
        pytest.param("name: birds", "name: Birds!", "birds.yaml: line 1: key 'name': 'Birds!' is not valid", id="name"),
        pytest.param("seed: 7", "seed: 7\nseed: 8", "birds.yaml: line 3: key 'seed' occurs twice", id="repeated key"),
        pytest.param("seed: 7", "seed: [7", "birds.yaml: line 3: not valid YAML", id="syntax"),
        pytest.param("seed: 7", "seed: &a 7\nx: *a", "birds.yaml: line 3: aliases (*a) are not allowed", id="alias"),
        pytest.param("seed: 7", "seed: !!python/object:os.system 7", "birds.yaml: line 2: not valid YAML", id="tag"),
        pytest.param("seed: 7", "7: seed", "birds.yaml: line 2: key 7 is not text", id="key not text"),
        pytest.param("  - exact_duplicates", "  - 12", "birds.yaml: line 7: a step must be a name or a mapping", id="step not text"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(RecipeError) as caught:
        _parse(GOOD.replace(old, new, 1))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("text", ["", "# nothing", "- a\n- b", "just text", "name: x\nsteps: []", "steps: {}\nname: x"])
def test_what_is_no_recipe_at_all_is_refused(text: str) -> None:
    with pytest.raises(RecipeError, match=r"birds.yaml: line \d+: "):
        _parse(text)


def test_a_file_nested_ten_thousand_deep_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"birds\.yaml: line 2: nested too deeply"):
        _parse("name: x\nsteps: " + "[" * 10_000 + "]" * 10_000)


@pytest.mark.parametrize("text", ["[" * 40_000, "- " * 20_000 + "a", "? " * 20_000, "{a: " * 10_000])
def test_deep_nesting_is_refused_where_it_begins_and_not_read_to_its_end(text: str) -> None:
    with pytest.raises(RecipeError, match="nested too deeply; the limit is 50 levels"):
        parse_recipe(text, "birds.yaml", Path())


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param("7" * 100_000, "is an integer of 100,000 characters", id="decimal"),
        pytest.param("0x" + "f" * 90_000, "is an integer of 90,002 characters", id="hexadecimal"),
        pytest.param("1" + ":59" * 9_000, "is an integer of 27,001 characters", id="base sixty"),
        pytest.param("2020-99-99", "'2020-99-99' cannot be read: month must be in 1..12; put it in quotes", id="a day"),
    ],
)
def test_a_number_or_day_that_no_key_takes_is_refused_in_words(value: str, words: str) -> None:
    with pytest.raises(RecipeError) as caught:
        parse_recipe(f"name: birds\nseed: {value}\nsteps: [jigsaw]\n", "birds.yaml", Path())
    assert str(caught.value).startswith("birds.yaml: line 2: ")
    assert words in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("content", "message"), [(b"\xff\xfe\x00", "not UTF-8"), (b"#" * ((1 << 20) + 1), "larger than")]
)
def test_a_file_that_is_no_text_or_too_long_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "r.yaml").write_bytes(content)
    with pytest.raises(RecipeError, match=message):
        load_recipe(tmp_path / "r.yaml")


def test_a_recipe_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"nowhere\.yaml cannot be read: No such file"):
        load_recipe(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        pytest.param(
            "[splits]", "'splits' works on items, but no earlier step makes any", id="items before any are made"
        ),
        pytest.param(
            "[jigsaw, near_duplicates]",
            "'near_duplicates' filters images, but 'jigsaw' before it",
            id="filter too late",
        ),
    ],
)
def test_steps_in_an_impossible_order_are_refused(steps: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        plan(parse_recipe(f"name: x\nsteps: {steps}", "x.yaml", Path()).steps)


def test_one_step_twice_is_refused_where_both_would_make_the_same_items() -> None:
    text = "name: x\nsteps:\n  - jigsaw\n  - step: jigsaw\n    as: again\n    min_tile_px: 99\n"
    with pytest.raises(RecipeError, match="'again' makes items of the same identity as 'jigsaw'"):
        plan(parse_recipe(text, "x.yaml", Path()).steps)


def test_consecutive_map_stages_run_as_one_pass() -> None:
    recipe = parse_recipe("name: x\nsteps: [near_duplicates, jigsaw, visual_correspondence, splits]", "x.yaml", Path())
    found = [tuple(stage.id for stage in phase.stages) for phase in phases(plan(recipe.steps))]
    assert found == [
        ("near_duplicates.hashes", "near_duplicates.features"), ("near_duplicates.pairs",), ("near_duplicates.looks",),
        ("near_duplicates.chains",), ("near_duplicates.chain_looks",), ("near_duplicates.kept",),
        ("jigsaw", "visual_correspondence"), ("splits",),
    ]  # fmt: skip


def test_all_mistakes_of_a_recipe_are_told_at_once_each_with_its_line() -> None:
    text = (
        "name: Birds\nsed: 7\nsteps:\n  - exact_duplicatess\n"
        "  - step: near_duplicates\n    distance: 99\n    kep: [id]\n  - jigsaw\n  - jigsaw\n"
    )
    with pytest.raises(RecipeError) as caught:
        _parse(text)
    assert [line.split(": ")[1] for line in caught.value.mistakes] == [f"line {n}" for n in (1, 2, 4, 6, 7, 9)]
    assert str(caught.value).splitlines()[0] == "birds.yaml: 6 mistakes"
    assert [line.strip() for line in str(caught.value).splitlines()[1:]] == list(caught.value.mistakes)


def test_a_value_that_fits_no_member_of_a_union_is_one_mistake() -> None:
    with pytest.raises(RecipeError) as caught:
        _parse("name: birds\nsteps:\n  - step: verify\n    rule: [1]\n    form: 7\n")
    assert len(caught.value.mistakes) == 2


def test_the_mistakes_of_a_facts_file_are_told_with_the_recipes_own(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").write_text("format: benchwright-facts\nversion: 1\nimages:\n  a.png: {size: 3}\n")
    with pytest.raises(RecipeError) as caught:
        parse_recipe("name: birds\nsteps:\n  - step: facts\n    file: f.yaml\n  - jigsawe\n", "birds.yaml", tmp_path)
    assert [line.split(":")[0].rsplit("/", 1)[-1] for line in caught.value.mistakes] == ["f.yaml", "birds.yaml"]


def test_beyond_forty_mistakes_only_their_number_is_told() -> None:
    steps = "".join(f"  - nonsense_{number}\n" for number in range(45))
    with pytest.raises(RecipeError) as caught:
        _parse(f"name: birds\nsteps:\n{steps}")
    assert len(caught.value.mistakes) == 45
    assert str(caught.value).splitlines()[-1].strip() == "... and 5 more"
