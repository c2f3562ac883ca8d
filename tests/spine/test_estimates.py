"""Deciders on items that a model estimated: people, only simulated annotators, or none."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.errors import RecipeError
from benchwright.release.format.estimates import decided_by, require_people

STAGES = [
    {"stage": "look.vote", "step": "verify"}, {"stage": "screen_items", "step": "screen_items"},
    {"stage": "answer", "step": "answer"},
]  # fmt: skip
PEOPLE: dict[str, Any] = {"simulated": False}
SIMULATED: dict[str, Any] = {"simulated": True}


@pytest.mark.parametrize(
    ("agreement", "expected"),
    [
        pytest.param({"look.vote": SIMULATED, "screen_items": SIMULATED}, "simulated", id="all simulated"),
        pytest.param({"look.vote": SIMULATED, "screen_items": PEOPLE}, "people", id="people in one of two"),
        pytest.param({"look.vote": SIMULATED, "answer": PEOPLE}, "simulated", id="people only answer"),
        pytest.param({"answer": PEOPLE}, None, id="no campaign that decides"),
        pytest.param(
            {"look.vote": SIMULATED, "screen_items": {**PEOPLE, "total": 0}}, "simulated", id="people on nothing"
        ),
    ],
)
def test_people_in_one_deciding_campaign_suffice(agreement: dict[str, Any], expected: str | None) -> None:
    assert decided_by(STAGES, agreement) == expected
    if expected == "simulated":
        with pytest.raises(RecipeError, match="set `accept_simulated: true` on the step 'freeze'"):
            require_people("counting", STAGES, agreement)
    else:
        require_people("counting", STAGES, agreement)
