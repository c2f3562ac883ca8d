"""The step `manipulate` with a model behind an endpoint that edits pictures, against a server with real pixels.

- Requests for all three ways follow the vendor's rules on sizes and masks.
- Changes in position or tone outside a mask are reverted to the byte; a different scene is refused.
- Refusals, filters and unusable replies become reasons with their messages; a reply that was paid for is kept.
- The price is stated in advance; a budget ends the run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from edit_server import EditServer, edit_server
from planned_ideas import idea
from pydantic import ValidationError
from step_context import StepContext

from benchwright.construction.item_parts.idea import GroundedSubject, Idea, packed
from benchwright.construction.manipulation.manipulate import Manipulate
from benchwright.construction.manipulation.manipulated import Manipulated, unpacked
from benchwright.drawing.areas import Rect
from benchwright.drawing.masks import PlacedMask
from benchwright.errors import PrerequisiteError
from benchwright.models.endpoints.reply_store import ReplyStore
from benchwright.models.endpoints.usage import BudgetSpent
from benchwright.steps import Outcome

__all__ = ["edit_server"]

CAT = GroundedSubject(phrase="the cat", box=(45, 4, 224, 149), inside=((115, 60), (150, 110)), outside=((15, 75),))
EYE = GroundedSubject(phrase="its left eye", box=(90, 47, 120, 70))
HAT = idea("partial", subject=CAT, target=EYE, instruction="Put a red disc over its eye.")
SEA = idea("background", subject=CAT, instruction="Put the cat before a blue wall.")
NIGHT = idea("direct", subject=CAT, instruction="Make it night.")


class KeptReplies(StepContext):
    """A context of a workspace that keeps replies beside its folder."""

    @property
    def replies(self) -> ReplyStore:  # type: ignore[override]
        return ReplyStore(self.folder.parent / "replies" / "steps.sqlite", tmp=self.folder.parent)


class Asked:
    """A picture of a cat, and the step on it."""

    def __init__(self, folder: Path, server: EditServer, photo: np.ndarray, **editor: Any) -> None:
        folder.mkdir(exist_ok=True)
        self.context, self.photo = KeptReplies(folder), photo
        self.record = self.context.add(photo)
        settings = {"model": "painter-1", "base_url": server.url, "sizes": ("256x256", "384x256", "256x384")}
        self.step = Manipulate.model_validate(
            {
                "backend": "endpoint",
                "editor": {**settings, "retries": 0, **editor},
                "masks": {"partial": "rectangle", "min_box_iou": 0, "max_tear": 1},
            }
        )

    def carry_out(self, *ideas: Idea) -> Outcome:
        self.context._values = {(self.record.image_id, "ideas.planned"): packed(ideas)}
        return self.context.run(self.step, self.record)

    def pixels(self, pair: Manipulated) -> np.ndarray:
        return self.context.stored[pair.manipulated]


@pytest.fixture(scope="module")
def photo() -> np.ndarray:
    """A cat, (150, 226, 3)."""
    from skimage.data import chelsea

    return np.ascontiguousarray(chelsea()[::2, ::2])


def pairs_of(outcome: Outcome) -> dict[str, Manipulated]:
    return {pair.idea_id: pair for pair in unpacked(outcome.values["pairs"])}  # type: ignore[arg-type]


def may_differ(pair: Manipulated) -> np.ndarray:
    """Return the cells in which a pair's pictures may differ."""
    assert pair.editable is not None
    height, width = pair.editable.size
    placed = PlacedMask(pair.editable, Rect(0, 0, width, height), 0)
    return placed.at(np.arange(width) + 0.5, np.arange(height) + 0.5)


def test_all_three_ways_are_made_and_what_lies_outside_a_mask_is_the_photographs(
    tmp_path: Path, edit_server: EditServer, photo: np.ndarray
) -> None:
    asked = Asked(tmp_path, edit_server, photo)
    pairs = pairs_of(asked.carry_out(HAT, SEA, NIGHT))
    assert [pair.editor for pair in pairs.values()] == ["endpoint"] * 3
    for name in ("B2-1", "B1-1"):
        differs = (asked.pixels(pairs[name]) != photo).any(axis=2)
        assert differs[may_differ(pairs[name])].mean() > 0.5
        assert not differs[~may_differ(pairs[name])].any()
    red = asked.pixels(pairs["B2-1"])[58, 105].astype(int)
    assert red[0] > 150
    assert max(red[1:]) < 90
    assert asked.pixels(pairs["E2-1"]).mean() < 0.6 * photo.mean()


def test_a_request_is_one_that_the_vendor_takes(tmp_path: Path, edit_server: EditServer, photo: np.ndarray) -> None:
    Asked(tmp_path, edit_server, photo, quality="low", sends_seed=True).carry_out(HAT, SEA, NIGHT)
    by_way = {"partial": "disc", "background": "wall", "direct": "night"}
    sent = {way: next(one for one in edit_server.asked if word in one.prompt) for way, word in by_way.items()}
    assert {one.size for one in sent.values()} == {"384x256"}
    assert sent["direct"].mask is None
    assert sent["direct"].image.shape == (256, 384, 3)
    assert 0 < sent["partial"].mask.mean() < 0.3  # type: ignore[union-attr]
    assert sent["partial"].fields["quality"] == "low"
    assert sent["partial"].fields["seed"].isdecimal()
    assert "a cat with a straw hat" in sent["partial"].prompt


@pytest.mark.parametrize(
    ("width", "height", "sizes"),
    [(121, 148, ()), (148, 121, ()), (100, 124, ("1024x1024", "1536x1024", "1024x1536"))],
    ids=["upright", "lying", "sizes of two scales"],
)
def test_a_picture_that_two_sizes_fit_alike_is_sent_in_the_one_that_it_was_scaled_for(
    tmp_path: Path, edit_server: EditServer, photo: np.ndarray, width: int, height: int, sizes: tuple[str, ...]
) -> None:
    cut = np.ascontiguousarray(photo[:height, :width])
    asked = Asked(tmp_path, edit_server, cut, sizes=("256x256", "384x256", "256x384", *sizes))
    pairs = pairs_of(asked.carry_out(idea("direct", instruction="Make it night.")))
    assert asked.pixels(pairs["E2-1"]).shape == cut.shape
    [sent] = edit_server.asked
    assert f"{sent.image.shape[1]}x{sent.image.shape[0]}" == sent.size


def test_what_the_model_moved_is_moved_back(tmp_path: Path, edit_server: EditServer, photo: np.ndarray) -> None:
    edit_server.drift = np.array([[1, 0, 7.0], [0, 1, 5.0]], np.float32)
    pair = pairs_of(Asked(tmp_path, edit_server, photo).carry_out(HAT))["B2-1"]
    assert pair.made_with["aligned"]["moved"] > 0.02
    assert pair.made_with["aligned"]["changed_outside"] < 0.02


@pytest.mark.parametrize(
    "scene", [lambda got: got[:, ::-1], lambda got: np.full_like(got, 90)], ids=["mirrored", "bare"]
)
def test_another_scene_around_the_mask_is_refused(
    tmp_path: Path, edit_server: EditServer, photo: np.ndarray, scene: Any
) -> None:
    edit_server.scene = scene
    outcome = Asked(tmp_path, edit_server, photo).carry_out(HAT)
    assert outcome.evidence["left_out"] == {"B2-1:0": "changed_outside"}
    assert "of the longer side" in outcome.evidence["details"]["B2-1:0"]


BLOCKED = {"message": "Your request was rejected by the safety system.", "code": "moderation_blocked", "type": "x"}


@pytest.mark.parametrize(
    ("status", "error", "reason", "words"),
    [
        (400, BLOCKED, "unsafe", "rejected by the safety system"),
        (400, {"message": "The image is too dark", "code": "invalid"}, "endpoint_refused", "too dark"),
    ],
)
def test_a_refusal_is_a_reason_with_its_words_and_costs_no_other_idea(
    tmp_path: Path, edit_server: EditServer, photo: np.ndarray, status: int, error: Any, reason: str, words: str
) -> None:
    edit_server.refuses = lambda prompt: (status, error) if "disc" in prompt else None
    outcome = Asked(tmp_path, edit_server, photo).carry_out(HAT, NIGHT)
    assert outcome.evidence["left_out"] == {"B2-1:0": reason}
    assert words in outcome.evidence["details"]["B2-1:0"]
    assert list(pairs_of(outcome)) == ["E2-1"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([{"url": "http://127.0.0.1:1/x.png"}], "does not download it"),
        ([{"b64_json": "!!"}], "not base64"),
        ([{"b64_json": "AAAA"}], "cannot be read"),
        ([], "contains no picture"),
    ],
)
def test_a_reply_without_a_picture_is_unusable_and_nothing_is_fetched(
    tmp_path: Path, edit_server: EditServer, photo: np.ndarray, data: Any, words: str
) -> None:
    edit_server.answer = lambda document: document | {"data": data}
    outcome = Asked(tmp_path, edit_server, photo).carry_out(NIGHT)
    assert outcome.evidence["left_out"] == {"E2-1:0": "endpoint_unusable_reply"}
    assert words in outcome.evidence["details"]["E2-1:0"]


def test_an_endpoint_that_stays_busy_fails_the_image_so_that_the_next_run_asks_again(
    tmp_path: Path, edit_server: EditServer, photo: np.ndarray
) -> None:
    edit_server.refuses = lambda prompt: (503, {"message": "overloaded"})
    outcome = Asked(tmp_path, edit_server, photo).carry_out(NIGHT)
    assert (outcome.verdict, outcome.reason) == ("failed", "endpoint_busy")


def test_a_picture_that_was_paid_for_is_kept_and_gives_the_same_bytes(
    tmp_path: Path, edit_server: EditServer, photo: np.ndarray
) -> None:
    first, second = (Asked(tmp_path / name, edit_server, photo) for name in "ab")
    made = [pairs_of(asked.carry_out(HAT, NIGHT)) for asked in (first, second)]
    assert len(edit_server.asked) == 2
    assert [pair.manipulated for pair in made[0].values()] == [pair.manipulated for pair in made[1].values()]


def test_the_price_is_told_before_and_a_budget_ends_the_run(
    tmp_path: Path, edit_server: EditServer, photo: np.ndarray
) -> None:
    asked = Asked(tmp_path, edit_server, photo, price_picture=0.04, budget=0.05, concurrency=1)
    [plan] = asked.step.planned_requests(10) or ()
    assert (plan.requests, plan.cost) == (130, pytest.approx(5.2))
    partly = asked.step.model_copy(update={"ways": ("direct",)})
    [fewer] = partly.planned_requests(10) or ()
    assert fewer.requests == 20  # E2 and S2
    with pytest.raises(BudgetSpent, match=r"cost 0\.0400"):
        asked.carry_out(HAT, NIGHT)
    assert len(edit_server.asked) == 1


def test_a_model_without_masks_is_sent_none_and_its_edit_is_kept_to_the_mask(
    tmp_path: Path, edit_server: EditServer, photo: np.ndarray
) -> None:
    asked = Asked(tmp_path, edit_server, photo, takes_mask=False)
    pair = pairs_of(asked.carry_out(HAT))["B2-1"]
    assert edit_server.asked[0].mask is None
    assert not (asked.pixels(pair) != photo).any(axis=2)[~may_differ(pair)].any()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"backend": "endpoint"}, "needs `editor`"),
        ({"editor": {"model": "m"}}, "other backends use none"),
        ({"backend": "endpoint", "editor": {"model": "m", "sizes": ["big"]}}, "'big' is not a size"),
        ({"backend": "endpoint", "editor": {"model": "m", "budget": 3}}, "price_picture"),
        (
            {"backend": "endpoint", "editor": {"model": "m", "price_picture": 1, "price_in": 1, "price_out": 1}},
            "give either price_picture",
        ),
    ],
)
def test_settings_that_cannot_work_say_what_to_write(settings: Any, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Manipulate.model_validate(settings)


def test_the_hosted_service_needs_a_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    step = Manipulate.model_validate({"backend": "endpoint", "editor": {"model": "gpt-image-1"}})
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY"):
        step.open(StepContext(tmp_path))
