"""The step `quality`: eleven measured values per picture, each with a bound that a curator may change or remove."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import cv2
from pydantic import Field

from benchwright.diagnostics.pictures.compression import jpeg_quality
from benchwright.diagnostics.pictures.faults import BOUNDS, FAULTS, Reason, faults_of
from benchwright.diagnostics.pictures.quality import quality_of
from benchwright.records import ImageRecord
from benchwright.steps import Context, Filter, OpenContext, Outcome, Stream


class Quality(Filter):
    """Drop pictures that are too small, blank, blurred, badly lit, strongly compressed or mostly frame.

    All values are measured regardless of the bounds; `null` removes a bound. Pictures are measured at their usual
    display size: larger ones are reduced to a longer side of 1024 pixels.

    A picture with several faults is dropped for the first of its reasons, in the order below, that is not listed in
    `ask`; the evidence contains all of them, each with its value and bound. After a bound is changed, no picture is
    decoded again.

    Args:
        min_side_px: Smallest shorter side, in pixels.
        max_aspect: Largest ratio of the longer to the shorter side.
        min_filled: Smallest share, 0-1, of cells that are not of one color.
        max_blur: Largest blur, from 0 (sharp) to 1, of the sharpest tenth of the picture.
        min_lightest: Smallest lightness, 0-1, that 1 % of the pixels must exceed.
        max_darkest: Largest lightness, 0-1, below which 1 % of the pixels must stay.
        max_clipped: Largest share, 0-1, of pixels that are black or white.
        min_colorfulness: Smallest colorfulness after Hasler and Süsstrunk; 0 is gray.
        min_jpeg_quality: Smallest quality, 1-100, by the tables of a JPEG file; other formats have none.
        max_blockiness: Largest excess of the steps along a grid of 8 pixels; 0 means no excess.
        max_frame: Largest share, 0-1, of the picture that a frame of one color may cover.
        ask: Reason codes for which annotators are asked instead of dropping the picture.

    Reasons:
        too_small (drop or ask): Shorter side in pixels (`short_px`) below `min_side_px`.
        too_long (drop or ask): Ratio of the longer to the shorter side (`aspect`) above `max_aspect`.
        blank (drop or ask): Share of cells of 16 x 16 pixels in which some channel spans 12 levels or more (`filled`)
            below `min_filled`.
        blurred (drop or ask): Blur, 0 sharp to 1 (`blur`), above `max_blur`: how little a second blur reduces the
            steepness between neighbors, in the sharpest tenth of the tiles.
        too_dark (drop or ask): Lightness, 0-1, exceeded by 1 % of the pixels (`lightest`), below `min_lightest`.
        too_bright (drop or ask): Lightness below which 1 % of the pixels stay (`darkest`), above `max_darkest`.
        clipped (drop or ask): Share of pixels that are black or white (`clipped`) above `max_clipped`.
        monochrome (drop or ask): Hasler and Süsstrunk's M (`colorfulness`: 0 gray, 15 slightly, 33 moderately, 59 quite
            colorful) below `min_colorfulness`.
        heavy_compression (drop or ask): Quality on the scale of the Independent JPEG Group that corresponds to the
            file's tables (`jpeg_quality`, JPEG only), below `min_jpeg_quality`.
        blocky (drop or ask): Excess of steps along a grid of 8 pixels over those next to it, in any format
            (`blockiness`), above `max_blockiness`.
        mostly_frame (drop or ask): Share of the picture in a frame of one color along its edges (`frame`) above
            `max_frame`.
    """

    name: ClassVar[str] = "quality"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {
        "short_px": "int64",
        "aspect": "float64",
        "filled": "float64",
        "blur": "float64",
        "lightest": "float64",
        "darkest": "float64",
        "clipped": "float64",
        "colorfulness": "float64",
        "jpeg_quality": "int64",
        "blockiness": "float64",
        "frame": "float64",
    }
    thresholds: ClassVar[frozenset[str]] = frozenset({"ask", *(fault.setting for fault in FAULTS)})
    bounds: ClassVar[Mapping[str, str]] = {fault.setting: fault.value for fault in FAULTS}

    min_side_px: int | None = Field(BOUNDS["min_side_px"], ge=1)
    max_aspect: float | None = Field(BOUNDS["max_aspect"], ge=1)
    min_filled: float | None = Field(BOUNDS["min_filled"], ge=0, le=1)
    max_blur: float | None = Field(BOUNDS["max_blur"], ge=0, le=1)
    min_lightest: float | None = Field(BOUNDS["min_lightest"], ge=0, le=1)
    max_darkest: float | None = Field(BOUNDS["max_darkest"], ge=0, le=1)
    max_clipped: float | None = Field(BOUNDS["max_clipped"], ge=0, le=1)
    min_colorfulness: float | None = Field(BOUNDS["min_colorfulness"], ge=0)
    min_jpeg_quality: int | None = Field(BOUNDS["min_jpeg_quality"], ge=1, le=100)
    max_blockiness: float | None = Field(BOUNDS["max_blockiness"], ge=0)
    max_frame: float | None = Field(BOUNDS["max_frame"], ge=0, le=1)
    ask: tuple[Reason, ...] = ()

    def open(self, ctx: OpenContext) -> None:
        """Limit OpenCV to one thread, as in a worker."""
        del ctx
        cv2.setNumThreads(1)

    def measure(self, record: ImageRecord, ctx: Context) -> dict[str, float | None]:
        """Measure one picture, including the quantization tables of a JPEG file."""
        values = quality_of(ctx.images.rgb(record))
        is_jpeg = record.media_type == "image/jpeg"
        return {**values, "jpeg_quality": jpeg_quality(ctx.images.file_bytes(record)) if is_jpeg else None}

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Compare the values with the bounds. The reason is the first fault that drops a picture, otherwise the first
        fault to ask about.
        """
        faults = faults_of(measured, {fault.setting: getattr(self, fault.setting) for fault in FAULTS})
        if not faults:
            return Outcome()
        dropping = [reason for reason in faults if reason not in self.ask]
        reason = next(iter(dropping or faults))
        return Outcome("drop" if dropping else "ask", reason, evidence={"faults": faults})
