"""Where text stands in a picture, by rapidocr with the models that ship in its wheel: offline, on one thread.

The detector proposes boxes with a confidence. Two kinds of boxes need a second opinion, which the reader gives:

- **giant** ones: on drawings and logos the detector takes a face, or the whole picture, for one word, often with
  the highest confidence;
- **unsure** ones: about as many are lines of a speech bubble as are eyes and twigs.

A box that is read stays where the reader makes out letters or digits. Over II-Bench's 35 dev and some 200 more images
this keeps the giant lines of text and drops the giant boxes around drawings, some of them words drawn as pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from benchwright.canonical import digest, file_digest
from benchwright.errors import PrerequisiteError

from .text_area import union_ratio
from .text_windows import Window, windows

_DETECTOR, _READER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
_INSTALL = "pip install 'benchwright[filters]'"
_STRIDE = 32
"""The detector wants sides that are multiples of this."""

Pixels = NDArray[np.uint8]


class Region(NamedTuple):
    """A box that the detector proposed.

    Args:
        polygon: Corners (x, y) in pixels of the picture, clockwise.
        confidence: Of the detector, 0 to 1.
        text: What the reader makes of it; None where nobody asked.
        legibility: Confidence of the reader, 0 to 1; None where nobody asked.
        is_text: Whether it counts.
    """

    polygon: tuple[tuple[float, float], ...]
    confidence: float
    text: str | None
    legibility: float | None
    is_text: bool


class Rules(NamedTuple):
    """Which proposals count; `TextRatio` says what each means."""

    confidence: float
    sure: float
    giant_box: float
    legible: float
    side_px: int


class TextFinder:
    """One detector and one reader; not for several threads at once.

    Attributes:
        looked_at: Pictures that went through it.
    """

    def __init__(self, rules: Rules) -> None:
        detector, reader = model_files()
        self.looked_at = 0
        self._rules = rules
        self._detect = _engine(
            {
                "Global.use_rec": False, "Det.model_path": str(detector), "Det.box_thresh": rules.confidence,
                # Pictures come in the right size already; rapidocr would enlarge them.
                "Det.limit_type": "max", "Det.limit_side_len": 1 << 20,
            }
        )  # fmt: skip
        self._read = _engine({"Global.use_det": False, "Rec.model_path": str(reader), "Global.text_score": 0.0})

    def find(self, pixels: Pixels) -> list[Region]:
        """Return what the detector proposes in a picture, (height, width, 3) RGB, from top to bottom."""
        self.looked_at += 1
        height, width = pixels.shape[:2]
        found = [
            region
            for window in windows(width=width, height=height, side_px=self._rules.side_px)
            for region in self._find(pixels, window)
        ]
        return sorted(found, key=lambda region: (region.polygon[0][1], region.polygon))

    def _find(self, pixels: Pixels, window: Window) -> Iterator[Region]:
        part = pixels[window.top : window.bottom, window.left : window.right]
        shown, scale = _shrunk(part, side_px=self._rules.side_px)
        origin = np.array([window.left, window.top])
        along = int(pixels.shape[0] > pixels.shape[1])
        proposed = self._detect(_padded(shown))
        if proposed.boxes is None:
            return
        for box, confidence in zip(proposed.boxes, proposed.scores, strict=True):
            corners = np.asarray(cv2.convexHull(np.asarray(box, np.float32)), np.float32).reshape(-1, 2)
            polygon = corners / scale + origin
            if window.owns_from <= polygon[:, along].mean() < window.owns_to:
                yield self._judged(shown, corners, polygon, float(confidence), size=pixels.shape)

    def _judged(
        self, shown: Pixels, corners: NDArray[np.float32], polygon: NDArray[np.float64], confidence: float, *,
        size: tuple[int, ...],
    ) -> Region:  # fmt: skip
        share = union_ratio([polygon], width=size[1], height=size[0])
        text, legibility, is_text = None, None, True
        if share > self._rules.giant_box or confidence < self._rules.sure:
            text, legibility = self._reading(shown, corners)
            is_text = legibility >= self._rules.legible and _says_something(text)
        return Region(tuple((float(x), float(y)) for x, y in polygon), confidence, text, legibility, is_text)

    def _reading(self, shown: Pixels, corners: NDArray[np.float32]) -> tuple[str, float]:
        """Read one box as a line of text; upright boxes as a line that runs down, as rapidocr does."""
        read = self._read(_straightened(shown, corners))
        return (str(read.txts[0]), float(read.scores[0])) if read.txts else ("", 0.0)


def _says_something(text: str) -> bool:
    """Return whether a reading is more than what a reader makes of circles and strokes (`8`, `0.0`, `l`)."""
    characters = [character for character in text.casefold() if character.isalnum()]
    return len(characters) >= 3 or len(set(characters)) >= 2


def _shrunk(part: Pixels, *, side_px: int) -> tuple[Pixels, float]:
    """Return a part with its longer side at most `side_px`, as BGR, and by which factor it was scaled."""
    height, width = part.shape[:2]
    scale = min(1.0, side_px / max(height, width))
    if scale < 1.0:
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    return np.ascontiguousarray(part[:, :, ::-1]), scale


def _padded(shown: Pixels) -> Pixels:
    """Repeat the last row and column up to the detector's stride, so that it does not stretch the picture."""
    height, width = shown.shape[:2]
    below, right = -height % _STRIDE, -width % _STRIDE
    return np.asarray(cv2.copyMakeBorder(shown, 0, below, 0, right, cv2.BORDER_REPLICATE), np.uint8)


def _straightened(shown: Pixels, corners: NDArray[np.float32]) -> Pixels:
    """Return a leaning box as an upright picture."""
    box = cv2.boxPoints(cv2.minAreaRect(corners))
    by_x = box[np.argsort(box[:, 0], kind="stable")]
    (left_top, left_bottom), (right_top, right_bottom) = (
        pair[np.argsort(pair[:, 1], kind="stable")] for pair in (by_x[:2], by_x[2:])
    )
    width = max(1, round(float(np.linalg.norm(right_top - left_top))))
    height = max(1, round(float(np.linalg.norm(left_bottom - left_top))))
    source = np.array([left_top, right_top, right_bottom, left_bottom], np.float32)
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    flat = cv2.warpPerspective(
        shown, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )  # fmt: skip
    return np.ascontiguousarray(np.rot90(flat) if height >= 1.5 * width else flat, np.uint8)


def _engine(settings: dict[str, Any]) -> Any:
    from rapidocr import RapidOCR

    return RapidOCR(
        params={
            "Global.log_level": "critical", "Global.use_cls": False, "Global.use_preprocess_img": False,
            "Global.use_vertical_padding": False, "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1, **settings,
        }
    )  # fmt: skip


@cache
def model_files() -> tuple[Path, Path]:
    """Return the detector's and the reader's file.

    Raises:
        PrerequisiteError: A package is not installed, or its wheel came without the models.
    """
    for package in ("rapidocr", "onnxruntime"):
        if find_spec(package) is None:
            raise PrerequisiteError(f"finding text in images needs {package}, which is not installed: {_INSTALL}")
    spec = find_spec("rapidocr")
    folder = Path(str(spec.origin)).parent / "models" if spec else Path()
    for name in (_DETECTOR, _READER):
        if not (folder / name).is_file():
            raise PrerequisiteError(f"rapidocr is installed without its model {name}: {_INSTALL} --force-reinstall")
    return folder / _DETECTOR, folder / _READER


@cache
def models_hash() -> str:
    """Return the digest of both models' files.

    Raises:
        PrerequisiteError: As `model_files`.
    """
    return digest([file_digest(path) for path in model_files()])


def engine_name() -> str:
    """Return what found the text. Its version is in the run's log; the models' hash is in the step's config."""
    return "rapidocr, PP-OCRv6 small"
