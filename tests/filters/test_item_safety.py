"""The gate `item_safety`: the pictures that an item shows, made ones too, by a real and tiny classifier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from color_classifier import color_classifier
from rival_items import Rivalry, rivalry

from benchwright.filters.safety import ItemSafety, Safety
from benchwright.steps import Outcome


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return color_classifier(tmp_path_factory.mktemp("models") / "colors")


def judged(rivals: Rivalry, model: Path, **settings: Any) -> list[Outcome]:
    return rivals.judged(ItemSafety(model=str(model), device="cpu", **{"refuse": {"red": 0.5}, **settings}))


def test_items_that_show_a_made_picture_which_is_unsafe_are_dropped(tmp_path: Path, model: Path) -> None:
    rivals = rivalry(tmp_path, grey=(120, 120, 120))
    found = judged(rivals, model)
    shown = [(item.evidence["candidate"], item.images[0].role) for item in rivals.items]
    assert [one.verdict for one in found] == ["drop" if one == (1, "manipulated") else "keep" for one in shown]
    assert {one.reason for one in found if one.verdict == "drop"} == {"unsafe"}


def test_a_picture_that_items_share_is_looked_at_once_in_any_batch(tmp_path: Path, model: Path) -> None:
    rivals = rivalry(tmp_path)
    before = rivals.context.images.asked
    one = judged(rivals, model, batch_size=1)
    assert rivals.context.images.asked - before == 5
    assert [said.values for said in one] == [said.values for said in judged(rivals, model, batch_size=64)]


def test_an_item_whose_picture_cannot_be_decoded_fails_alone(tmp_path: Path, model: Path) -> None:
    rivals = rivalry(tmp_path)
    broken = rivals.context.path(rivals.context.image(rivals.items[1].images[0].image_id))
    broken.write_bytes(broken.read_bytes()[:60])
    [scores, _] = ItemSafety(model=str(model), refuse={"red": 0.5}, device="cpu").parts()
    rivals.context.opened = scores.open(rivals.context)
    verdicts = [one.verdict for one in scores.many(rivals.items, rivals.context)]
    assert verdicts.count("failed") == 2
    assert verdicts[0] == "keep"


def test_it_has_the_settings_of_safety(model: Path) -> None:
    assert ItemSafety.model_fields.keys() == Safety.model_fields.keys()
    one, other = (kind(model=str(model), refuse={"red": 0.5}) for kind in (Safety, ItemSafety))
    assert one.weights_hash() == other.weights_hash() == other.parts()[0].weights_hash()
