"""Gates for manipulated pairs: something changed, nothing else did, the frame did not move, and no seam shows.

An item of a pair names its two pictures in its evidence, `natural` and `manipulated`, and the region to change as
`editable`: a grid of cells as COCO writes masks. Without a region, the whole picture was to change. No shift is
measured if `moved` is true, because the subject was to move, or if `made_with` names an effect, which moves nothing.

Instruction editors may shift the frame of a picture without being asked to; this shift is measured. The unchanged part
of the first picture is located in the second by normalized correlation under a mask (OpenCV's TM_CCOEFF_NORMED), so
that intended changes and different light have no influence. The whole picture and each quarter are searched for
separately: if a frame was turned or enlarged, the quarters move apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, ClassVar, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from benchwright.diagnostics.pictures.outline_tears import MOST_TEAR, outline_tear
from benchwright.diagnostics.pictures.watermarks import MOST_WATERMARK, watermark
from benchwright.images.covering import cover
from benchwright.records import Item, MaskRuns
from benchwright.steps import Context, Filter, OpenContext, Outcome, Stream

from .paired_pictures import PastedDonor, PicturePair, pair_of
from .part_color import MOST_LEFT, MOST_SPILLED, left_color, spilled_color
from .seams import Joint, halo, seam, smear
from .standing import contact

_SIDE_PX = 512
"""Longer side at which to compare frames."""
_REACH = 0.05
"""Largest shift to search, as a fraction of the longer side."""
_LEAST_PIXELS = 400
_LEAST_SPREAD = 4.0
"""Standard deviation of gray levels from which a window has enough detail to be found again."""
_EQUAL = 0.99995
_FOUND = 0.5
"""Correlation below which a window counts as not found; its shift is then taken to be the largest one searched."""

_Window = tuple[slice, slice]


class _Frame(NamedTuple):
    """Two pictures of the same size, and a mask (0 or 1) of the part of the first that is kept."""

    before: NDArray[np.float32]
    after: NDArray[np.float32]
    kept: NDArray[np.float32]


def _frame_shift(before: NDArray[np.uint8], after: NDArray[np.uint8], kept: NDArray[np.bool_] | None) -> float | None:
    """Return the shift of the frame in pixels of the pictures, or None if no window has enough detail.

    If the kept region is known, the result is the largest shift of a window; otherwise it is the median, since one of
    the windows may contain an intended change.

    Args:
        before: Shape (height, width), gray.
        after: Shape (height, width), gray.
        kept: Shape (height, width), true where nothing was to change; None if unknown.
    """
    height, width = before.shape
    scale = min(1.0, _SIDE_PX / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    first, second, mask = (
        cv2.resize(grey, size, interpolation=cv2.INTER_AREA) for grey in (before, after, _grey(kept, before.shape))
    )
    frame = _Frame(*(np.asarray(grey, np.float32) for grey in (first, second, mask >= 250)))
    shifts = [shift for window in _windows(*first.shape[:2]) if (shift := _shift(frame, window)) is not None]
    if not shifts:
        return None
    furthest, middle = max(shifts), float(np.median(shifts))
    return float((middle if kept is None else furthest) / scale)


def _grey(kept: NDArray[np.bool_] | None, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    return np.full(shape, 255, np.uint8) if kept is None else kept.astype(np.uint8) * 255


def _windows(height: int, width: int) -> list[_Window]:
    """Return the whole frame and its four quarters."""
    halves = (slice(0, height // 2), slice(height // 2, height)), (slice(0, width // 2), slice(width // 2, width))
    return [(slice(0, height), slice(0, width)), *product(*halves)]


def _shift(frame: _Frame, window: _Window) -> float | None:
    """Return the shift of a window in pixels of the frame; None if it has too little detail."""
    reach = max(2, round(_REACH * max(frame.before.shape)))
    inner = tuple(
        slice(max(side.start, reach), min(side.stop, length - reach))
        for side, length in zip(window, frame.before.shape, strict=True)
    )
    if any(side.stop - side.start < 4 for side in inner):
        return None
    pattern, mask = frame.before[inner], frame.kept[inner]
    if mask.sum() < _LEAST_PIXELS or pattern[mask > 0].std() < _LEAST_SPREAD:
        return None
    around = tuple(slice(side.start - reach, side.stop + reach) for side in inner)
    matches = cv2.matchTemplate(frame.after[around], pattern, cv2.TM_CCOEFF_NORMED, mask=np.ascontiguousarray(mask))
    correlation = np.where(np.isfinite(matches) & (np.abs(matches) <= 1.001), matches, -1.0)
    if correlation[reach, reach] >= _EQUAL:
        return 0.0
    row, column = divmod(int(correlation.argmax()), correlation.shape[1])
    if correlation[row, column] < _FOUND:
        return float(reach)
    return float(
        np.hypot(row + _peak(correlation[:, column], row) - reach, column + _peak(correlation[row], column) - reach)
    )


def _peak(values: NDArray[np.float64], at: int) -> float:
    """Return the position of the vertex, -0.5 to 0.5, of the parabola through a peak and its two neighbors."""
    if not 0 < at < len(values) - 1:
        return 0.0
    left, top, right = values[at - 1 : at + 2]
    bend = left - 2 * top + right
    return float(0.5 * (left - right) / bend) if bend < 0 else 0.0


_OTHER_SIZE, _NOTHING, _OUTSIDE, _SHIFTED = "other_size", "nothing_changed", "changed_outside_mask", "frame_shifted"
_HALO, _SMEAR, _SEAM, _TORN, _FLOATING = "halo", "smeared", "seam", "torn", "floating"
_WATERMARKED, _COLOR_LEFT, _COLOR_SPILLED = "watermarked", "color_left", "color_spilled"
_VISIBLE = 8
"""Number of levels by which a channel must differ for a pixel to count as visibly changed."""

_NOTHING_MEASURED: dict[str, bool | float | None] = dict.fromkeys(
    (
        "same_size",
        "changed",
        "outside",
        "shift_px",
        "halo",
        "smear",
        "seam",
        "tear",
        "contact",
        "watermark",
        "left_color",
        "spilled_color",
    )
)


class PairGates(Filter):
    """Drop items of manipulated pairs whose picture does not fulfill the request; other items pass.

    `null` lifts a bound; a new bound needs no new measurement.

    Args:
        min_changed: Smallest proportion, 0-1, of the editable region that must differ visibly; less is
            `nothing_changed`.
        max_outside: Largest proportion, 0-1, of the rest that may differ by more than `tolerance`; more is
            `changed_outside_mask`.
        max_shift_px: Largest shift of the kept part, in pixels; more is `frame_shifted`.
        max_halo: Largest share, 0-1, of a cutout's rim that may show its old background; more is `halo`.
        max_smear: Largest share, 0-1, by which a filling may hold less detail than its surroundings; more is `smeared`.
        max_seam: Largest proportion, 0-1, of a filling's border along which colors may change abruptly; more is `seam`.
        max_tear: How torn a program's outline may look, 0-1, as `masks.max_tear` of `manipulate`; more is `torn`.
            Outlines drawn by people are not judged.
        min_contact: Smallest share, 0-1, by which a new background must be darker under a standing subject; less is
            `floating`.
        max_watermark: How well fine detail of the natural picture, or of the photograph behind the subject, may repeat
            at one lag all over it, 0-1; more is `watermarked`.
        max_left_color: Largest length, 0-1, of a scrap of the old color that borders on a recolored part without an
            edge between, relative to the part; more is `color_left`.
        max_spilled_color: Largest size, 0-1, of a scrap of the new color outside the part's outline, relative to the
            part; more is `color_spilled`.
        tolerance: Number of levels, 0-255, by which a channel may differ outside the editable region.

    Reasons:
        nothing_changed (drop): The manipulated picture looks like the natural one where it was to change.
        changed_outside_mask (drop): It differs where nothing was to change.
        frame_shifted (drop): The kept part is in another place.
        halo (drop): A cutout kept a rim of its old background.
        smeared (drop): A filling is much smoother than its surroundings.
        seam (drop): The color of a filling does not match its surroundings.
        torn (drop): The outline cuts through the subject, or includes a patch of its background.
        floating (drop): A standing subject casts no shadow on the ground under it.
        watermarked (drop): A pattern, such as an agency's name, repeats all over a photograph of the pair.
        color_left (drop): A part has its new color only in places.
        color_spilled (drop): What lies beside a part has its new color too.
        other_size (drop): The two pictures differ in size.
    """

    name: ClassVar[str] = "pair_gates"
    version: ClassVar[int] = 7
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {
        "same_size": "bool",
        "changed": "float64",
        "outside": "float64",
        "shift_px": "float64",
        "halo": "float64",
        "smear": "float64",
        "seam": "float64",
        "tear": "float64",
        "contact": "float64",
        "watermark": "float64",
        "left_color": "float64",
        "spilled_color": "float64",
    }
    thresholds: ClassVar[frozenset[str]] = frozenset(
        {
            "min_changed",
            "max_outside",
            "max_shift_px",
            "max_halo",
            "max_smear",
            "max_seam",
            "max_tear",
            "min_contact",
            "max_watermark",
            "max_left_color",
            "max_spilled_color",
        }
    )

    min_changed: float | None = Field(0.02, ge=0, le=1)
    max_outside: float | None = Field(0.0, ge=0, le=1)
    max_shift_px: float | None = Field(1.5, ge=0)
    max_halo: float | None = Field(0.12, ge=0, le=1)
    max_smear: float | None = Field(0.4, ge=0, le=1)
    max_seam: float | None = Field(0.14, ge=0, le=1)
    max_tear: float | None = Field(MOST_TEAR, ge=0, le=1)
    min_contact: float | None = Field(0.06, ge=0, le=1)
    max_watermark: float | None = Field(MOST_WATERMARK, ge=-1, le=1)
    max_left_color: float | None = Field(MOST_LEFT, ge=0, le=1)
    max_spilled_color: float | None = Field(MOST_SPILLED, ge=0, le=1)
    tolerance: int = Field(0, ge=0, le=255)

    def open(self, ctx: OpenContext) -> dict[str, dict[str, bool | float | None]]:
        """Make a cache for the values of each pair, shared by its items."""
        del ctx
        cv2.setNumThreads(1)
        return {}

    def measure(self, record: Item, ctx: Context) -> dict[str, bool | float | None]:
        """Compare an item's pair of pictures; all values are None if it has no pair."""
        pair = pair_of(record, ctx)
        if pair is None:
            return _NOTHING_MEASURED
        known: dict[str, dict[str, bool | float | None]] = ctx.opened
        if pair.key not in known:
            known[pair.key] = self._compared(pair, ctx)
        return known[pair.key]

    def _compared(self, pair: PicturePair, ctx: Context) -> dict[str, bool | float | None]:
        before, after = ctx.images.rgb(pair.natural), ctx.images.rgb(pair.manipulated)
        if before.shape != after.shape:
            return {**_NOTHING_MEASURED, "same_size": False}
        editable = _cells(pair.editable, before.shape)
        differences = compare(before, after, editable, tolerance=self.tolerance)
        if pair.moved or pair.has_effect:
            differences["shift_px"] = None
        differences |= _seams(pair, before, after, editable, ctx)
        differences |= {"tear": None, "contact": None} | _subject(pair, before, after, editable, ctx)
        differences["watermark"] = _watermark(pair, before, ctx)
        differences |= {"left_color": None, "spilled_color": None} | _colored(pair, before, after)
        return {"same_size": True, **{name: None if v is None else round(v, 6) for name, v in differences.items()}}

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Compare with the thresholds, the clearest fault first."""
        if measured["same_size"] is None:
            return Outcome()
        if not measured["same_size"]:
            return Outcome("drop", _OTHER_SIZE)
        bounds = (
            (_NOTHING, "changed", self.min_changed, -1),
            (_OUTSIDE, "outside", self.max_outside, 1),
            (_SHIFTED, "shift_px", self.max_shift_px, 1),
            (_HALO, "halo", self.max_halo, 1),
            (_SMEAR, "smear", self.max_smear, 1),
            (_SEAM, "seam", self.max_seam, 1),
            (_TORN, "tear", self.max_tear, 1),
            (_FLOATING, "contact", self.min_contact, -1),
            (_WATERMARKED, "watermark", self.max_watermark, 1),
            (_COLOR_LEFT, "left_color", self.max_left_color, 1),
            (_COLOR_SPILLED, "spilled_color", self.max_spilled_color, 1),
        )
        for reason, name, bound, way in bounds:
            value = measured[name]
            if value is not None and bound is not None and way * value > way * bound:
                return Outcome("drop", reason, evidence={name: value, "bound": bound})
        return Outcome()


def _colored(pair: PicturePair, before: NDArray[np.uint8], after: NDArray[np.uint8]) -> dict[str, float | None]:
    """Return how much of a part kept its old color, and how much beside it took the new one; nothing without a color.

    Only a stated outline tells what lies beside the part.
    """
    if not pair.has_color:
        return {}
    beside = None if pair.outline is None else spilled_color(before, after, _cells(pair.outline, before.shape))
    return {"left_color": left_color(before, after), "spilled_color": beside}


def _watermark(pair: PicturePair, before: NDArray[np.uint8], ctx: Context) -> float | None:
    """Return the larger of the values for the natural picture and for the photograph behind its subject."""
    behind = [] if pair.background is None else [ctx.images.rgb(pair.background)]
    measured = [value for pixels in (before, *behind) if (value := watermark(pixels)) is not None]
    return max(measured, default=None)


def _seams(
    pair: PicturePair, before: NDArray[np.uint8], after: NDArray[np.uint8], editable: NDArray[np.bool_], ctx: Context
) -> dict[str, float | None]:
    """Return the faults along the border between two sources of pixels; None if the pair does not state the border."""
    joint = None
    if pair.donor is not None:
        shows = _cells(pair.donor.shows, before.shape)
        joint = Joint(after, _laid(ctx.images.rgb(pair.donor.record), pair.donor, before), shows)
    elif pair.way == "background" and pair.editable is not None:
        joint = Joint(after, before, ~editable)
    if pair.filled is None:
        return {"halo": joint and halo(joint), "smear": None, "seam": None}
    filled = _cells(pair.filled, before.shape)
    apart = None if joint is None else joint.front
    return {"halo": joint and halo(joint), "smear": smear(after, filled, apart), "seam": seam(after, filled, apart)}


def _subject(
    pair: PicturePair, before: NDArray[np.uint8], after: NDArray[np.uint8], editable: NDArray[np.bool_], ctx: Context
) -> dict[str, float | None]:
    """Return whether a subject in front of a new background is whole and stands; nothing if it is absent or
    was moved.
    """
    if pair.way != "background" or pair.editable is None or not (~editable).any():
        return {}
    found: dict[str, float | None] = {}
    front = ~editable if pair.outline is None else _cells(pair.outline, before.shape)
    if pair.outline is not None and not pair.outlined_by_people:
        torn = outline_tear(before, front, pair.subject_box)
        found["tear"] = None if torn is None else torn.tear
    if pair.background is not None:
        behind = cover(ctx.images.rgb(pair.background), (after.shape[1], after.shape[0]))
        found["contact"] = contact(after, behind, front)
    return found


def _laid(donor: NDArray[np.uint8], pasted: PastedDonor, onto: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a donor as it was pasted, with its subject's surroundings; beyond the donor's frame, the underlying
    picture is shown.
    """
    (x0, y0, x1, y1), (left, top), (wide, high) = pasted.from_xyxy, pasted.at_xy, pasted.size_wh
    across, along = wide / (x1 - x0), high / (y1 - y0)
    if pasted.mirrored:
        across, left = -across, left + wide
    matrix = np.array([[across, 0, left - across * x0], [0, along, top - along * y0]], np.float64)
    matrix[:, 2] += (np.abs([across, along]) - 1) / 2 * np.sign([across, along])
    shrinks = abs(across) < 1
    soft = cv2.GaussianBlur(donor, (0, 0), 0.4 / abs(across)) if shrinks else donor
    laid = onto.copy()
    return np.asarray(
        cv2.warpAffine(soft, matrix, onto.shape[1::-1], laid, cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT), np.uint8
    )


def compare(
    before: NDArray[np.uint8], after: NDArray[np.uint8], editable: NDArray[np.bool_], *, tolerance: int
) -> dict[str, float | None]:
    """Return the differences between two pictures of one size.

    Args:
        before: Shape (height, width, 3), RGB.
        after: Shape (height, width, 3), RGB.
        editable: Shape (height, width), true where something was to change.
        tolerance: Number of levels, 0-255, by which a channel may differ elsewhere.

    Returns:
        `changed`: proportion of the editable region that differs visibly; None if the region is empty. `outside`:
        proportion of the rest that differs; None if there is no rest. `shift_px`: shift of the rest, in pixels.
    """
    differs = np.max(cv2.absdiff(before, after), axis=2)
    kept = ~editable
    first, second = (np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8) for pixels in (before, after))
    return {
        "changed": float((differs[editable] >= _VISIBLE).mean()) if editable.any() else None,
        "outside": float((differs[kept] > tolerance).mean()) if kept.any() else None,
        "shift_px": _frame_shift(first, second, kept if kept.any() else None),
    }


def _cells(mask: MaskRuns | None, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return a mask of shape (height, width), resized to the pictures if its grid has another size."""
    if mask is None:
        return np.ones(shape[:2], np.bool_)
    rows, columns = mask.size
    values = np.repeat(np.arange(len(mask.runs)) % 2 == 1, mask.runs)
    cells = values.reshape(columns, rows).T
    if cells.shape == shape[:2]:
        return np.asarray(cells, np.bool_)
    grown = cv2.resize(cells.astype(np.uint8), (shape[1], shape[0]), interpolation=cv2.INTER_NEAREST)
    return np.asarray(grown, np.bool_)
