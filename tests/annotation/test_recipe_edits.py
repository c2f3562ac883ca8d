"""One setting or step changed in the text of a recipe: the rest stays as written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from benchwright.annotation.app.recipe_page.recipe_edits import with_setting, with_step
from benchwright.recipe import parse_recipe

TEXT = """\
# our benchmark
name: ten
steps:
  - exact_duplicates   # first
  - step: quality      # photographs
    min_side_px: 200   # px
  - {step: jigsaw, per_image: 2, likeness: keep}
  - step: verify
    form:
      reasons: [wrong_answer, unclear]
    # who judges
    rule: unanimous(2)
    guidelines: |
      Accept what has **one** right answer.

      Look twice.
# the end
"""


def settings(text: str, number: int) -> dict[str, Any]:
    parse_recipe(text, "ten.yaml", Path())
    step = yaml.safe_load(text)["steps"][number]
    return step if isinstance(step, dict) else {"step": step}


@pytest.mark.parametrize(
    ("number", "keys", "value"),
    [
        (0, ("scope",), None),
        (1, ("min_side_px",), 300),
        (1, ("max_blur",), 0.5),
        (2, ("per_image",), 3),
        (2, ("max_side_px",), 320),
        (3, ("rule",), "at_least(2, of=3)"),
        (3, ("rounds",), 3),
        (3, ("handout", "attention_rate"), 0.1),
        (3, ("form", "reasons"), ["other"]),
        (3, ("guidelines",), "One line.\nAnd: another #1"),
    ],
    ids=str,
)
def test_one_setting_is_set_and_every_other_line_stays(number: int, keys: tuple[str, ...], value: Any) -> None:
    changed = with_setting(TEXT, number, keys, value)
    expected = yaml.safe_load(TEXT)["steps"]
    step = {"step": expected[number]} if isinstance(expected[number], str) else expected[number]
    inner = step
    for key in keys[:-1]:
        inner = inner.setdefault(key, {})
    inner[keys[-1]] = value
    expected[number] = step
    assert yaml.safe_load(changed)["steps"] == expected
    for comment in ("# our benchmark", "# first", "# photographs", "# who judges", "# the end"):
        assert comment in changed
    gone = set(TEXT.splitlines()) - set(changed.splitlines())
    assert len(gone) <= (5 if keys == ("guidelines",) else 1)


def test_a_nested_setting_joins_those_that_are_there() -> None:
    text = with_setting(with_setting(TEXT, 3, ("handout", "gold_rate"), 0.2), 3, ("handout", "pause"), None)
    assert settings(text, 3)["handout"] == {"gold_rate": 0.2, "pause": None}


@pytest.mark.parametrize(
    "text", [TEXT, TEXT.partition("    guidelines")[0].rstrip("\n"), "name: ten\nsteps: [jigsaw, verify]\n"]
)
def test_a_step_is_inserted_where_it_is_wanted(text: str) -> None:
    before = yaml.safe_load(text)["steps"]
    for after in range(len(before)):
        changed = with_step(text, after, {"step": "answer", "annotators_per_item": 2})
        steps = yaml.safe_load(changed)["steps"]
        assert steps.pop(after + 1) == {"step": "answer", "annotators_per_item": 2}
        assert steps == before
