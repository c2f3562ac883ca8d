"""Faults of pictures: each with the measured value that shows it, the setting that limits it, and its reason code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Reason = Literal[
    "too_small",
    "too_long",
    "blank",
    "blurred",
    "too_dark",
    "too_bright",
    "clipped",
    "monochrome",
    "heavy_compression",
    "blocky",
    "mostly_frame",
]


class MeasureBound(NamedTuple):
    """A bound on one measured value.

    Args:
        reason: Reason code of pictures beyond the bound.
        value: Name of the measured value.
        setting: Name of the setting; `min_...` is a smallest value, `max_...` a largest value.
    """

    reason: Reason
    value: str
    setting: str

    def is_beyond(self, value: float, bound: float) -> bool:
        """Return whether a value is beyond the bound; a value equal to the bound is not."""
        return value < bound if self.setting.startswith("min_") else value > bound


FAULTS: tuple[MeasureBound, ...] = (
    MeasureBound("too_small", "short_px", "min_side_px"),
    MeasureBound("too_long", "aspect", "max_aspect"),
    MeasureBound("blank", "filled", "min_filled"),
    MeasureBound("blurred", "blur", "max_blur"),
    MeasureBound("too_dark", "lightest", "min_lightest"),
    MeasureBound("too_bright", "darkest", "max_darkest"),
    MeasureBound("clipped", "clipped", "max_clipped"),
    MeasureBound("monochrome", "colorfulness", "min_colorfulness"),
    MeasureBound("heavy_compression", "jpeg_quality", "min_jpeg_quality"),
    MeasureBound("blocky", "blockiness", "max_blockiness"),
    MeasureBound("mostly_frame", "frame", "max_frame"),
)
"""All faults, in the order in which they are reported for pictures with several."""


BOUNDS: Mapping[str, Any] = {
    "min_side_px": 200,
    "max_aspect": 4.0,
    "min_filled": 0.01,
    "max_blur": 0.5,
    "min_lightest": 0.15,
    "max_darkest": 0.75,
    "max_clipped": None,
    "min_colorfulness": None,
    "min_jpeg_quality": 20,
    "max_blockiness": 3.0,
    "max_frame": 0.95,
}
"""Default of each setting; None for no bound."""


def faults_of(measured: Mapping[str, Any], bounds: Mapping[str, float | None]) -> dict[Reason, dict[str, float]]:
    """Return the faults of a picture, each with its value and bound; a value or bound of None gives no fault.

    Args:
        measured: Measured values by name.
        bounds: Settings by name.
    """
    faults: dict[Reason, dict[str, float]] = {}
    for fault in FAULTS:
        value, bound = measured[fault.value], bounds[fault.setting]
        if value is not None and bound is not None and fault.is_beyond(value, bound):
            faults[fault.reason] = {fault.value: value, fault.setting: bound}
    return faults
