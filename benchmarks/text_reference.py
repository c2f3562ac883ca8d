"""A slow and careful measure of a picture's share of text, as a reference for faster ones.

It uses only rapidocr's public call and none of the shortcuts of the step `text_ratio`:

- it looks twice: at 1,280 pixels for small letters, enlarging smaller pictures up to twofold, and at 640 for letters
  so large that the first look takes them for shapes;
- it reads every box, whatever the detector's confidence. A box of which the detector is sure in the first pass counts
  if a letter or digit is legible, any other box if at least two different ones or three are;
- it reads a giant box (more than 5 % of the picture) three times, cut as found, tighter and wider. Such a box counts
  where most readings make out two different letters or digits, or three of them;
- if one pass is much surer of a place than the other, its box is used for both;
- the ratio is the mean of two: what the first look found with what only the second did, and the other way round. Boxes
  of one line differ by several percent from look to look, and the mean differs less from the next look;
- the share is computed on a mask with 4 x 4 points per pixel, by OpenCV's filling of polygons.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

FINE_PX, COARSE_PX, MOST_ENLARGED = 1280, 640, 2.0
CONFIDENCE, SURE, GIANT, LEGIBLE, WELL_LEGIBLE, MUCH_SURER = 0.3, 0.6, 0.05, 0.5, 0.7, 0.2
_POINTS, _MOST_POINTS = 4.0, 4096
_CUTS = (1.0, 0.94, 1.06)

Polygon = NDArray[np.float64]
Pixels = NDArray[np.uint8]


class Box(NamedTuple):
    """A box from one look; `readings` are pairs of text and confidence."""

    polygon: Polygon
    confidence: float
    readings: list[tuple[str, float]]


class Careful:
    """A measurer of pictures; it stores its results in a file of JSON lines, because each picture takes seconds."""

    def __init__(self, kept: Path | None = None) -> None:
        self._kept = kept
        self._known: dict[str, dict[str, Any]] = {}
        self._engines: tuple[Any, Any] | None = None
        if kept is not None and kept.exists():
            for line in kept.read_text(encoding="utf-8").splitlines():
                seen = json.loads(line)
                self._known[seen["sha256"]] = seen

    def ratio(self, sha256: str, pixels: Pixels) -> float:
        """Return the share of a picture, (height, width, 3) RGB, covered by text, 0 to 1."""
        size = (pixels.shape[1], pixels.shape[0])
        seen = self._seen(sha256, pixels)
        fine, coarse = (
            [box for box in map(_box, seen[look]) if counts(box, size=size, sure=sure)]
            for look, sure in (("fine", SURE), ("coarse", 1.0))
        )
        fine, coarse = _unless_much_surer(fine, coarse, size=size), _unless_much_surer(coarse, fine, size=size)
        both = (_with_others(fine, coarse, size=size), _with_others(coarse, fine, size=size))
        return float(
            np.mean([mask([box.polygon for box in boxes], size=size, points=_POINTS).mean() for boxes in both])
        )

    def _seen(self, sha256: str, pixels: Pixels) -> dict[str, Any]:
        """Return the results of both looks, from the file if known."""
        if sha256 not in self._known:
            looks = {side: list(map(_plain, self._look(pixels, side))) for side in (FINE_PX, COARSE_PX)}
            self._known[sha256] = {"sha256": sha256, "fine": looks[FINE_PX], "coarse": looks[COARSE_PX]}
            if self._kept is not None:
                with self._kept.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(self._known[sha256]) + "\n")
        return self._known[sha256]

    def _look(self, pixels: Pixels, side_px: int) -> Iterator[Box]:
        """Yield all boxes of one look; long pictures are read in windows, because reduction loses the letters."""
        from benchwright.diagnostics.picture_text.regions import windows

        height, width = pixels.shape[:2]
        along = int(height > width)
        for window in windows(width=width, height=height, side_px=960):
            part = np.ascontiguousarray(pixels[window.top : window.bottom, window.left : window.right, ::-1])
            for box in self._look_at(part, side_px, total=width * height):
                polygon = box.polygon + np.array([window.left, window.top])
                if window.owns_from <= polygon[:, along].mean() < window.owns_to:
                    yield box._replace(polygon=polygon)

    def _look_at(self, part: Pixels, side_px: int, *, total: int) -> Iterator[Box]:
        find, read = self._engines or self._opened()
        scale = min(MOST_ENLARGED, side_px / max(part.shape[:2]))
        size = (max(32, round(part.shape[1] * scale)), max(32, round(part.shape[0] * scale)))
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        shown = np.asarray(cv2.resize(part, size, interpolation=way), np.uint8)
        found = find(shown)
        if found.boxes is None:
            return
        factors = np.array([part.shape[1] / size[0], part.shape[0] / size[1]])
        for corners, confidence in zip(np.asarray(found.boxes, np.float64), found.scores, strict=True):
            giant = cv2.contourArea((corners * factors).astype(np.float32)) > GIANT * total
            cuts = [_cut(shown, corners, by) for by in (_CUTS if giant else _CUTS[:1])]
            readings = [(str(one.txts[0]), float(one.scores[0])) if one.txts else ("", 0.0) for one in map(read, cuts)]
            yield Box(corners * factors, float(confidence), readings)

    def _opened(self) -> tuple[Any, Any]:
        from rapidocr import RapidOCR

        # One thread each, with unfiltered boxes and readings; everything else as in rapidocr.
        common = {
            "Global.log_level": "critical", "Global.use_cls": False, "Global.text_score": 0.0,
            "Global.use_preprocess_img": False, "EngineConfig.onnxruntime.intra_op_num_threads": 1,
        }  # fmt: skip
        find = {"Global.use_rec": False, "Det.limit_type": "max", "Det.limit_side_len": 4096}
        self._engines = (
            RapidOCR(params={**common, **find, "Det.box_thresh": CONFIDENCE}),
            RapidOCR(params={**common, "Global.use_det": False}),
        )
        return self._engines


def counts(box: Box, *, size: tuple[int, int], sure: float) -> bool:
    """Return whether a box is text, by its readings; `sure` is the confidence at which a letter is enough."""
    letters = [[c for c in text.casefold() if c.isalnum()] for text, _ in box.readings]
    giant = cv2.contourArea(box.polygon.astype(np.float32)) > GIANT * size[0] * size[1]
    if not giant and box.confidence >= sure:
        return bool(letters[0]) and box.readings[0][1] >= LEGIBLE
    words = [
        legible >= WELL_LEGIBLE and (len(found) >= 3 or len(set(found)) >= 2)
        for found, (_, legible) in zip(letters, box.readings, strict=True)
    ]
    return 2 * sum(words) > len(words)


def _unless_much_surer(boxes: list[Box], others: list[Box], *, size: tuple[int, int]) -> list[Box]:
    """Return boxes, without those at whose place the detector is much surer of a box of the other look."""

    def stands(box: Box) -> bool:
        shown = mask([box.polygon], size=size)
        return not any(
            _share_in(shown, other.polygon, size=size) > 0.5
            and _share_in(mask([other.polygon], size=size), box.polygon, size=size) > 1 / 3
            for other in others
            if other.confidence > box.confidence + MUCH_SURER
        )

    return [box for box in boxes if stands(box)]


def _with_others(boxes: list[Box], others: list[Box], *, size: tuple[int, int]) -> list[Box]:
    """Return the boxes of one look, and those of the other that they cover by less than half."""
    shown = mask([box.polygon for box in boxes], size=size)
    return boxes + [box for box in others if _share_in(shown, box.polygon, size=size) < 0.5]


def mask(polygons: list[Polygon], *, size: tuple[int, int], points: float = 1.0) -> NDArray[np.bool_]:
    """Return which points of a picture, (width, height), lie in any polygon, with `points` per pixel."""
    points = min(points, _MOST_POINTS / max(size))
    shape = (max(1, round(size[1] * points)), max(1, round(size[0] * points)))
    drawn = np.zeros(shape, np.uint8)
    for polygon in polygons:
        scaled = polygon * (shape[1] / size[0], shape[0] / size[1]) - 0.5
        cv2.fillPoly(drawn, [np.round(scaled * 16).astype(np.int32)], 1, shift=4)
    return drawn.astype(bool)


def _share_in(shown: NDArray[np.bool_], polygon: Polygon, *, size: tuple[int, int]) -> float:
    own = mask([polygon], size=size)
    return float((own & shown).sum() / max(1, own.sum()))


def _cut(shown: Pixels, corners: Polygon, by: float) -> Pixels:
    from rapidocr.utils.process_img import get_rotate_crop_image

    middle = corners.mean(axis=0)
    return np.asarray(get_rotate_crop_image(shown, (middle + (corners - middle) * by).astype(np.float32)))


def _plain(box: Box) -> list[Any]:
    readings = [[text, round(legible, 4)] for text, legible in box.readings]
    return [np.round(box.polygon, 2).tolist(), round(box.confidence, 4), readings]


def _box(plain: list[Any]) -> Box:
    return Box(np.array(plain[0]), plain[1], [(text, sure) for text, sure in plain[2]])
