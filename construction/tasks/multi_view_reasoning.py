"""Multi-view reasoning, as in BLINK (section 3.2): did the camera move to the left or to the right between two frames?

BLINK takes two frames of a video of an object from Wild6D and describes the camera's motion by its direction alone.
Photographers may prefer one direction, and light or focus may reveal which frame is earlier. In mode `hardened`, one
random draw decides which frame comes first, and a second one whether both pictures are mirrored. Both sides are then
right equally often, whatever is known about the temporal order and the way people walk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import asin, atan2, degrees, sqrt
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from benchwright.records import ImageRecord, Item
from benchwright.steps import Context

from ..ground_truth.truths import CameraPose, CameraPoses, GroundTruth
from ..ground_truth.values import RecordTruth
from ..item_parts.marks.picture_views import VIEWS, whole_view
from ..item_parts.options.modes import Mode
from ..item_parts.pictures.side_by_side import side_by_side
from ..item_parts.wording.english_words import with_article
from ..item_parts.wording.wordings import Wordings
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, TruthPictures
from ..truth_tasks.truth_tasks import TruthTask

Vector = tuple[float, float, float]
Side = Literal["left", "right"]
_FRAMES = {
    "single": "The first image is an earlier frame and the second a later frame of a video",
    "concatenated": "The image shows two frames of a video side by side, the earlier one on the left",
}
OF_FRAMES = Wordings(
    "{shown}. The camera moved around {thing}, which stood still. For whoever held the camera, did it move to the left "
    "or to the right between the two frames?",
    "A person walked around {thing} that did not move and filmed it. {shown}. From that person's point of view, in "
    "which direction did the camera move from the earlier frame to the later one?",
    "{shown}. The video shows {thing} that did not move, filmed by a person who walked around it. Did that person walk "
    "to their own left or to their own right?",
)  # phrase: allowed
_PLACES = {
    "single": "The two images show {thing} that did not move, taken from two places with the camera turned toward it",
    "concatenated": "The image shows two pictures side by side, the first one on the left. Both are of {thing} that "
    "did not move, taken from two places with the camera turned toward it",
}
OF_PLACES = Wordings(
    "{shown}. For whoever holds the camera, does it have to move to the left or to the right to get from the place of "
    "the first picture to that of the second?",
    "{shown}. Imagine standing where the first picture was taken. In which direction would you step to get to where "
    "the second one was taken?",
    "{shown}. From the point of view of the camera that took the first picture, on which side of it was the second "
    "picture taken?",
)  # phrase: allowed
_OTHER: dict[Side, Side] = {"left": "right", "right": "left"}
_TURNS = 40
"""Number of pairs of frames to try per video."""


def dot(first: Vector, second: Vector) -> float:
    """Return the scalar product of two vectors."""
    return sum(a * b for a, b in zip(first, second, strict=True))


def cross(first: Vector, second: Vector) -> Vector:
    """Return the vector product of two vectors."""
    (a, b, c), (d, e, f) = first, second
    return b * f - c * e, c * d - a * f, a * e - b * d


def turn_deg(first: CameraPose, second: CameraPose, up: Vector) -> float:
    """Return by how many degrees the camera goes around the object's upright axis, -180 to 180.

    Counter-clockwise from above is positive: facing the object, that is to the right.
    """
    axis = _unit(up)
    level = [_level(pose.centre, axis) for pose in (first, second)]
    return degrees(atan2(dot(axis, cross(level[0], level[1])), dot(level[0], level[1])))


def side_of(first: CameraPose, second: CameraPose) -> Side | None:
    """Return on which side of the first camera the second one is, by left and right in the first camera's picture.

    Returns None if the second camera does not see the first one on the opposite side, for example because that is
    almost straight ahead or because the camera was rolled over in between.
    """
    there, back = _sideways(first, second.centre), _sideways(second, first.centre)
    if there * back >= 0:
        return None
    return "right" if there > 0 else "left"


def _sideways(pose: CameraPose, point: Vector) -> float:
    """Return how far to the right of a camera a point in the object's coordinates lies."""
    return dot(pose.rotation[0], point) + pose.translation[0]


def _height_deg(pose: CameraPose, up: Vector) -> float:
    """Return the elevation of the camera above the object's horizontal plane, in degrees."""
    centre = pose.centre
    length = sqrt(dot(centre, centre))
    return degrees(asin(max(-1.0, min(1.0, dot(centre, _unit(up)) / length)))) if length else 90.0


def _unit(vector: Vector) -> Vector:
    length = sqrt(dot(vector, vector))
    x, y, z = (value / length for value in vector)
    return x, y, z


def _level(vector: Vector, axis: Vector) -> Vector:
    along = dot(vector, axis)
    x, y, z = (value - along * unit for value, unit in zip(vector, axis, strict=True))
    return x, y, z


class MultiViewReasoning(TruthTask):
    """Make items that ask whether the camera moved left or right between two frames; needs Wild6D before it.

    Follows BLINK's multi-view reasoning. Poses state on which side of the earlier camera the later one is, and by what
    angle the camera went around the object. Angles below `min_turn_deg` are a dead zone: such frames are not asked
    about. All frames in between must turn the same way. For objects that look the same from all sides, such as bottles,
    a dataset's poses may turn with the camera; inspect such items.

    Args:
        mode: `hardened` decides at random which of the two frames comes first, and whether both are mirrored; each of
            these reverses the side. Therefore, neither the temporal order nor the way most people walk reveals the
            side. Frames in which a cheap test finds lettering, which mirroring would reveal, yield no item. `paper`
            keeps the temporal order, as the paper does.
        pictures: How frames are shown: `single`, as one image each; `concatenated`, side by side in one image; `both`
            makes an item of each form, with the same key, so that the two can be compared.
        min_turn_deg: Smallest angle, in degrees.
        max_turn_deg: Largest angle, in degrees; beyond half a turn, left and right are exchanged.
        max_tilt_deg: Largest change of the angle at which the camera looks down, in degrees.
        max_height_deg: Largest angle, in degrees, at which either frame looks down on the object; from straight above,
            there is no left or right.

    Reasons:
        too_few_frames (drop): Fewer than two frames of the video are in the run.
        dead_zone (drop): No two frames fit the limits on angles.
        other_sizes (drop): The frames differ in size.
        lettering (drop): In mode `hardened`: a frame, which could be mirrored, shows lettering.
    """

    name: ClassVar[str] = "multi_view_reasoning"
    version: ClassVar[int] = 2
    mirrors: ClassVar[bool] = True
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (CameraPoses,)

    mode: Mode = "hardened"
    pictures: Literal["single", "concatenated", "both"] = "single"
    min_turn_deg: float = Field(12.0, gt=0, lt=180)
    max_turn_deg: float = Field(90.0, gt=0, lt=180)
    max_tilt_deg: float = Field(20.0, gt=0, le=180)
    max_height_deg: float = Field(65.0, gt=0, le=90)

    @model_validator(mode="after")
    def _limits_are_in_order(self) -> MultiViewReasoning:
        if self.max_turn_deg <= self.min_turn_deg:
            raise ValueError(f"max_turn_deg {self.max_turn_deg} is not above min_turn_deg {self.min_turn_deg}")
        return self

    def planned(
        self, truth: RecordTruth[CameraPoses], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Choose two frames at random."""
        video = truth.truth
        if len(video.poses) < 2 or len(truth.image_ids) != len(video.poses):
            return "too_few_frames"
        if len(set(pictures.sizes_wh)) > 1:
            return "other_sizes"
        steps = [turn_deg(first, second, video.up) for first, second in pairwise(video.poses)]
        for _ in range(_TURNS):
            start, end = sorted(rng.choice(len(video.poses), 2, replace=False).tolist())
            between = steps[start:end]
            turn = sum(between)
            if self._fits(video, start, end, between, turn):
                is_turned = self.mode == "hardened" and bool(rng.integers(2))
                first, second = (end, start) if is_turned else (start, end)
                side = side_of(video.poses[first], video.poses[second])
                assert side is not None, "the frames fit"
                document: dict[str, Any] = {
                    "frames": [video.poses[first].frame, video.poses[second].frame],
                    "turn_deg": round(-turn if is_turned else turn, 3),
                    "side": side,
                    "category": video.category,
                }
                if self.mode == "hardened":
                    document |= self._perhaps_mirrored(document, pictures, bool(rng.integers(2)))
                # Both orders are balanced for either side.
                answer = f"{document['side']}, later frame first" if is_turned else document["side"]
                return ItemPlan((0, 1), answer, document, (first, second))
        return "dead_zone"

    def _perhaps_mirrored(
        self, document: Mapping[str, Any], pictures: TruthPictures, is_mirrored: bool
    ) -> dict[str, Any]:
        """Return the part of a plan that depends on whether both pictures are mirrored; in either case, both are
        redrawn.
        """
        view = whole_view(pictures.sizes_wh[0], pictures.shown_wh[0], is_mirrored=is_mirrored).document()
        return {
            "mirrored": is_mirrored,
            "side": _OTHER[document["side"]] if is_mirrored else document["side"],
            "turn_deg": -document["turn_deg"] if is_mirrored else document["turn_deg"],
            VIEWS: [view, view],
        }

    def _fits(self, video: CameraPoses, start: int, end: int, between: Sequence[float], turn: float) -> bool:
        heights = [_height_deg(video.poses[number], video.up) for number in (start, end)]
        return (
            self.min_turn_deg <= abs(turn) <= self.max_turn_deg
            and side_of(video.poses[start], video.poses[end]) is not None
            and all(step * turn > 0 or abs(step) < self.min_turn_deg / 4 for step in between)
            and abs(heights[1] - heights[0]) <= self.max_tilt_deg
            and max(abs(height) for height in heights) <= self.max_height_deg
        )

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Ask about two frames, with one image for each."""
        del shown
        return self._wording(chosen, ((0, "view", ()), (1, "view", ())), "single")

    def _wording(self, chosen: ChosenRecord, images: Any, way: Literal["single", "concatenated"]) -> ItemWording:
        right = chosen.plan["side"]
        sides = [_OTHER[right]]
        sides.insert(chosen.letter, right)
        thing = with_article(chosen.plan["category"].replace("_", " "))
        shown, questions = (_FRAMES, OF_FRAMES) if self.mode == "paper" else (_PLACES, OF_PLACES)
        return ItemWording(
            questions.filled(shown=shown[way].format(thing=thing), thing=thing),
            tuple(f"To the {side}" for side in sides),
            images,
            evidence={name: value for name, value in chosen.plan.items() if name != VIEWS},
            attributes={"pictures": way, "object": chosen.plan["category"]},
        )

    def made(
        self,
        record: ImageRecord,
        ctx: Context,
        chosen: ChosenRecord,
        shown: Sequence[ImageRecord],
        made: dict[str, ImageRecord],
    ) -> list[Item]:
        """Return one item for each way of showing the frames."""
        pair = f"pair:{ctx.item_id(record.image_id, chosen.record)}"
        items = []
        if self.pictures != "concatenated":
            items.append(self.item(record, ctx, chosen, shown, self.worded(chosen, shown), group_keys=(pair,)))
        if self.pictures != "single":
            frames = [ctx.image(image_id) for image_id in chosen.image_ids]
            first, second = (ctx.images.rgb(frame) for frame in frames)
            if chosen.plan.get("mirrored"):
                first, second = first[:, ::-1], second[:, ::-1]
            pixels = side_by_side(first, second, max_side_px=2 * self.max_side_px)
            both = ctx.store_image(pixels, parents=frames)
            made[both.image_id] = both
            wording = self._wording(chosen, ((0, "view", ()),), "concatenated")
            items.append(self.item(record, ctx, chosen, [both], wording, ordinal=1, group_keys=(pair,)))
        return items
