"""The interface of maskers, which find the masks of all requested objects of a picture at once.

Two maskers need no model: the box itself, and GrabCut from box and points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from benchwright.diagnostics.pictures.outline_tears import outline_tear

from ...item_parts.border_refining import REDUCED_SIDE_PX
from ...item_parts.cutting_out import ITERATIONS, Hints, Mask, find_mask, rectangle, stated_mask
from ...item_parts.idea import GroundedSubject

Pixels = NDArray[np.uint8]
"""(height, width, 3) RGB."""
FoundMask = tuple[Mask, Mapping[str, Any]]
"""A mask, (height, width), with its record as JSON values."""
_NO_BOX, _BOX_OUTSIDE, _OFF_SUBJECT, _TORN = "no_box", "box_outside", "target_off_subject", "outline_torn"
_LEAST_SIDE_PX = 2.0


class MaskRequest(NamedTuple):
    """One object to find.

    Args:
        hints: Box and points of the subject, in pixels of the picture, within it.
        seed: Seed of the random parts.
    """

    hints: Hints
    seed: int


class PictureRequests(NamedTuple):
    """The objects to find in one picture.

    Args:
        pixels: The picture.
        requests: One request per object, at least one.
    """

    pixels: Pixels
    requests: Sequence[MaskRequest]


class Masker(Protocol):
    """A finder of masks that does the costly work on a picture only once for all requests."""

    @property
    def made_with(self) -> Mapping[str, Any]:
        """Return all factors that determine the masks, as JSON values."""

    def masks(self, pictures: Sequence[PictureRequests]) -> list[list[Mask]]:
        """Return a mask for each request of each picture, (height, width); empty if nothing was found."""


def hints_within(grounded: GroundedSubject, *, scale: float, size_wh: tuple[int, int]) -> Hints | str:
    """Return an object's stated location in pixels of the shown picture, or the reason why it is unusable.

    A box that extends beyond the picture is clipped to it. The reason is `no_box` without a box, and `box_outside` if
    nothing of the box is left.

    Args:
        grounded: Its location in the source; points outside the picture are left out.
        scale: Pixels of the picture per pixel of the source.
        size_wh: Width and height of the picture.
    """
    if (box := grounded.box) is None:
        return _NO_BOX
    width, height = size_wh
    x0, y0, x1, y1 = (float(side) * scale for side in box)
    cut = max(0.0, x0), max(0.0, y0), min(float(width), x1), min(float(height), y1)
    if cut[2] - cut[0] < _LEAST_SIDE_PX or cut[3] - cut[1] < _LEAST_SIDE_PX:
        return _BOX_OUTSIDE
    inside, outside = (
        [(x * scale, y * scale) for x, y in points if 0 <= x * scale < width and 0 <= y * scale < height]
        for points in (grounded.inside, grounded.outside)
    )
    return Hints(cut, inside, outside, grounded.mask)


def constrained(target: Hints, subject: Hints, *, margin: float, least: float = 0.5) -> Hints | str:
    """Return a part's location, clipped to its subject's box, as MVP-Bench lets the subject's box constrain the
    object's.

    Args:
        target: The part.
        subject: The subject it belongs to.
        margin: Growth of the subject's box on every side before the cut, as a fraction of its width or height, because
            held objects stick out.
        least: Smallest fraction of the part's box that must remain; with less, the result is `target_off_subject`.
    """
    x0, y0, x1, y1 = subject.box
    grow_x, grow_y = (x1 - x0) * margin, (y1 - y0) * margin
    a0, b0, a1, b1 = target.box
    cut = max(a0, x0 - grow_x), max(b0, y0 - grow_y), min(a1, x1 + grow_x), min(b1, y1 + grow_y)
    left = max(0.0, cut[2] - cut[0]) * max(0.0, cut[3] - cut[1])
    if left < least * (a1 - a0) * (b1 - b0):
        return _OFF_SUBJECT
    return target._replace(box=cut)


def masks_found(masker: Masker, pictures: Sequence[PictureRequests]) -> list[list[FoundMask]]:
    """Return a mask for each request of each picture: the mask that people outlined, otherwise the masker's.

    If the settings ask for the box itself, the mask is the box.
    """
    wants_boxes = isinstance(masker, Rectangle)
    outlined = [
        [None if wants_boxes else stated_mask(request.hints, pixels.shape) for request in requests]
        for pixels, requests in pictures
    ]
    wanted = [
        PictureRequests(pixels, [request for request, mask in zip(requests, known, strict=True) if mask is None])
        for (pixels, requests), known in zip(pictures, outlined, strict=True)
    ]
    masks = chain.from_iterable(masker.masks([picture for picture in wanted if picture.requests]))
    return [
        [
            (next(masks), {**masker.made_with, "box_xyxy": list(request.hints.box), "seed": request.seed})
            if mask is None
            else (mask, {"by": "facts", "box_xyxy": list(request.hints.box)})
            for request, mask in zip(requests, known, strict=True)
        ]
        for (_, requests), known in zip(pictures, outlined, strict=True)
    ]


def judged_outline(
    pixels: Pixels, mask: Mask, facts: Mapping[str, Any], *, most: float
) -> tuple[Mapping[str, Any], str | None]:
    """Return the facts of a mask with the tear of its outline added, and `outline_torn` if the tear is too large.

    Outlines that people drew, and the box itself, are not judged.

    Args:
        pixels: The picture.
        mask: Its mask, not empty.
        facts: Its record from `masks_found`.
        most: Largest `tear`, 0-1.
    """
    if facts["by"] in {"facts", "rectangle"}:
        return facts, None
    torn = outline_tear(pixels, mask, facts["box_xyxy"])
    if torn is None:
        return facts, None
    return {**facts, "tear": round(torn.tear, 4)}, _TORN if torn.tear > most else None


class Rectangle:
    """The box itself, as MVP-Bench blanks an object (section 2.1)."""

    made_with: Mapping[str, Any] = {"by": "rectangle"}

    def masks(self, pictures: Sequence[PictureRequests]) -> list[list[Mask]]:
        """Return all pixels that each box touches."""
        return [[rectangle(request.hints.box, pixels.shape) for request in requests] for pixels, requests in pictures]


class GrabCut:
    """GrabCut; far better with a few points than from the box alone."""

    made_with: Mapping[str, Any] = {"by": "grabcut", "iterations": ITERATIONS, "side_px": REDUCED_SIDE_PX}

    def masks(self, pictures: Sequence[PictureRequests]) -> list[list[Mask]]:
        """Return, for each box, the largest connected part with the colors of the box's inside."""
        return [
            [find_mask(pixels, request.hints, seed=request.seed % 2**31) for request in requests]
            for pixels, requests in pictures
        ]
