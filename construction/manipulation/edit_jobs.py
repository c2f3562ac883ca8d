"""A candidate before painting: the picture, the region that may change, and the prompt.

Instruction editors may shift the frame; this module measures the shift and reverses it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from benchwright.drawing.masks import mask_of
from benchwright.records import ImageRecord, MaskRuns

from ..item_parts.cutting_out import Mask, bounds, opacity
from ..item_parts.idea import Idea
from ..item_parts.matting import LEAST_BAND, band_of, matted
from .editors.base import Edit
from .editors.subject_transform import draw_move, moved
from .editors.windows import Alpha, EditWindow, described, mixed, put_back, scaled, scaled_mask, softened, window_around
from .manipulation_settings import Edges, ManipulationSettings
from .masks.base import Pixels

_SURE = 0.15
"""Smallest proportion of agreeing phases at which a shift is accepted."""


class Shift(NamedTuple):
    """The shift in pixels, to the right and down, from one picture to another.

    Args:
        across: Shift to the right.
        along: Shift down.
        sure: Share of the phases that agree, 0-1.
    """

    across: float
    along: float
    sure: float

    @property
    def length(self) -> float:
        """Return the shift's length in pixels."""
        return float(np.hypot(self.across, self.along))


def _shift_of(before: Pixels, after: Pixels) -> Shift:
    """Return the shift between two pictures of one size by phase correlation (Kuglin and Hines 1975)."""
    import cv2

    first, second = (
        np.asarray(cv2.cvtColor(np.array(picture), cv2.COLOR_RGB2GRAY), np.float32) for picture in (before, after)
    )
    window = cv2.createHanningWindow((first.shape[1], first.shape[0]), cv2.CV_32F)
    (across, along), sure = cv2.phaseCorrelate(first, second, window)
    return Shift(round(across, 2), round(along, 2), round(max(0.0, sure), 3))


def registered(after: Pixels, shift: Shift, *, max_px: float) -> tuple[Pixels, bool]:
    """Return a picture shifted back by whole pixels, with its edge pixels repeated in the gap, and whether it was
    shifted.

    The picture is left unchanged if the shift is uncertain, below half a pixel or beyond `max_px`; a gate then judges
    it.
    """
    across, along = round(shift.across), round(shift.along)
    if shift.sure < _SURE or shift.length > max_px or (across, along) == (0, 0):
        return after, False
    height, width = after.shape[:2]
    rows = np.clip(np.arange(height) + along, 0, height - 1)
    columns = np.clip(np.arange(width) + across, 0, width - 1)
    return np.ascontiguousarray(after[rows[:, None], columns[None, :]]), True


Draw = Callable[..., np.random.Generator]
"""Returns a random generator that depends only on the picture and on the words in the call."""
_WHOLLY = 0.999
"""Opacity from which nothing behind is visible: it contributes at most 1/255 of a level."""


class EditJob(NamedTuple):
    """A candidate ready for painting.

    Args:
        idea: The idea to carry out.
        candidate: Number of the candidate.
        seed: Seed for a model.
        prompt: Prompt for a model; empty until one is chosen.
        base: The picture at the size of the pair, with the subject already moved if it is to move.
        window: Part of the picture that a model gets.
        mask: Region of the picture that the model may paint on; None for all of it.
        alpha: Opacity of the painted pixels; None if all of them show.
        stays: Whether the kept region keeps its position, so that gates can compare it.
        facts: Record of the preparation, as JSON values.
    """

    idea: Idea
    candidate: int
    seed: int
    prompt: str
    base: Pixels
    window: EditWindow
    mask: Mask | None
    alpha: Alpha | None
    stays: bool
    facts: Mapping[str, Any]

    def edit(self, size_wh: tuple[int, int]) -> Edit:
        """Return the edit that a model gets, at the model's size."""
        mask = None if self.mask is None else scaled_mask(self.mask[self.window.cut], size_wh)
        return Edit(scaled(self.base[self.window.cut], size_wh), mask, self.prompt, self.seed)


class FinishedEdit(NamedTuple):
    """A candidate's picture.

    Args:
        pixels: Pixels, in the size of the natural picture.
        editable: Region that may differ from the natural picture; None for all of it.
        facts: Record of how it was made, as JSON values.
        donors: Other photographs that lent pixels.
    """

    pixels: Pixels
    editable: MaskRuns | None
    facts: Mapping[str, Any]
    donors: tuple[ImageRecord, ...] = ()


def part_canvas(idea: Idea, candidate: int, draw: Draw, pixels: Pixels, mask: Mask, edges: Edges) -> EditJob:
    """Return the canvas of a partial component substitution: a window around the part, a grown and softened mask."""
    x0, y0, x1, y1 = bounds(mask)
    shorter = min(x1 - x0, y1 - y0)
    grow_px, feather_px = max(1, round(edges.grow * shorter)), round(edges.feather * shorter, 3)
    alpha = softened(mask, grow_px=grow_px, feather_px=feather_px)
    window = window_around(alpha > 0, context=edges.context, least_px=edges.min_window_px)
    facts = {"grow_px": grow_px, "feather_px": feather_px}
    return EditJob(
        idea,
        candidate,
        _seed(draw, idea, candidate),
        "",
        pixels,
        window,
        alpha > 0,
        alpha,
        stays=True,
        facts=facts,
    )


def background_canvas(
    idea: Idea, candidate: int, draw: Draw, pixels: Pixels, mask: Mask, step: ManipulationSettings
) -> EditJob:
    """Return the canvas of an overall background substitution: everything but the subject, which may first be moved."""
    moving = step.subject
    move = draw_move(
        mask,
        draw(idea.idea_id, candidate, "move"),
        max_shift=moving.max_shift,
        min_scale=moving.min_scale,
        max_scale=moving.max_scale,
        horizon=moving.horizon,
    )
    base, placed = moved(pixels, mask, move)
    base, shows, edge = _cut_out(base, placed, step, moved_away=not move.stays)
    alpha = np.asarray(np.where(shows >= _WHOLLY, 0.0, 1.0 - shows), np.float32)
    facts = {
        **edge,
        "subject": {"from_xyxy": list(move.from_xyxy), "to_xy": list(move.to_xy), "scale": move.scale},
    }
    return EditJob(
        idea,
        candidate,
        _seed(draw, idea, candidate),
        "",
        base,
        _whole(pixels),
        alpha > 0,
        alpha,
        stays=move.stays,
        facts=facts,
    )


def _cut_out(
    base: Pixels, mask: Mask, step: ManipulationSettings, *, moved_away: bool
) -> tuple[Pixels, Alpha, dict[str, float]]:
    """Return the picture with the subject's own color along its rim, the subject's opacity, and a record of both.

    The pixels behind a moved subject belong to another location and reveal nothing about its rim.
    """
    band = round(band_of(mask.shape, step.blend.matte_px), 3)
    if band >= LEAST_BAND and step.edges.rim_px > 0 and not moved_away:
        matte = matted(base, mask, band=band)
        return matte.pixels, matte.alpha, {"matte_px": band}
    feather_px = round(step.edges.rim_px * min(mask.shape) / 512, 3)
    return base, opacity(mask, feather_px=feather_px), {"feather_px": feather_px}


def direct_canvas(idea: Idea, candidate: int, draw: Draw, pixels: Pixels) -> EditJob:
    """Return the canvas of a direct alteration: the whole picture."""
    return EditJob(
        idea,
        candidate,
        _seed(draw, idea, candidate),
        "",
        pixels,
        _whole(pixels),
        None,
        None,
        stays=True,
        facts={},
    )


def _seed(draw: Draw, idea: Idea, candidate: int) -> int:
    return int(draw(idea.idea_id, candidate, "paint").integers(2**63))


def _whole(pixels: Pixels) -> EditWindow:
    return EditWindow(0, 0, pixels.shape[1], pixels.shape[0])


def finished(canvas: EditJob, painted: Pixels, *, max_shift: float) -> FinishedEdit:
    """Return a candidate from the pixels painted in its window, at any size.

    Args:
        canvas: The job as requested.
        painted: Pixels from a model, or a background.
        max_shift: Largest shift of the frame that is reversed in an altered picture, as a fraction of the longer side.
    """
    facts = {**canvas.facts, **described(canvas.window, (painted.shape[1], painted.shape[0]))}
    whole = put_back(canvas.base, canvas.window, painted)
    if canvas.alpha is not None:
        return FinishedEdit(mixed(canvas.base, whole, canvas.alpha), _editable(canvas.alpha, stays=canvas.stays), facts)
    shift = _shift_of(canvas.base, whole)
    whole, was_registered = registered(whole, shift, max_px=max_shift * max(whole.shape[:2]))
    facts["frame"] = {"shift_px": [shift.across, shift.along], "sure": shift.sure, "registered": was_registered}
    return FinishedEdit(whole, None, facts)


def _editable(alpha: Alpha, *, stays: bool) -> MaskRuns | None:
    return mask_of(alpha > 0) if stays and (alpha > 0).any() else None


def pasted(canvas: EditJob, pixels: Pixels, alpha: Alpha, facts: Mapping[str, Any]) -> FinishedEdit:
    """Return a candidate with a picture composed at full size."""
    return FinishedEdit(pixels, _editable(alpha, stays=canvas.stays), {**canvas.facts, **facts})
