"""Pairs in which a face vanished, appeared or changed its size although the manipulation did not require it.

Faces are found by a cascade that needs no separate weights, or by YuNet from a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import file_digest
from benchwright.errors import PrerequisiteError, UnreadableImage
from benchwright.records import ImageRecord, Item
from benchwright.steps import FOLDER, Context, Filter, Measured, OpenContext, Outcome, Stream

from .paired_pictures import pair_of

_LONGEST_SIDE_PX = 480
"""Longer side, in pixels, to which all pictures are scaled for the search; face sizes are fractions of it."""


_WINDOW_PX = 24
"""Side of the smallest face that the cascade finds, in pixels."""

_SEEN_TIMES = 8
"""Smallest number of windows at one position that must look like a face."""


class Face(NamedTuple):
    """A face's box as fractions, 0-1, of the picture's width and height."""

    left: float
    top: float
    wide: float
    high: float


class _FaceDetector(Protocol):
    """Finds faces."""

    def faces(self, pixels: NDArray[np.uint8]) -> list[Face]:
        """Return the faces of a picture, (height, width, 3) RGB, largest first."""


class CascadeFaces:
    """The frontal-face cascade of local binary patterns that ships with scikit-image (from OpenCV's)."""

    def __init__(self, *, min_size: float) -> None:
        self._min_size = min_size
        if find_spec("skimage") is None:
            raise PrerequisiteError(
                "looking for faces without a model needs scikit-image: pip install 'benchwright[demo]', or name a "
                "YuNet file as `model`"
            )
        import skimage.data
        from skimage.feature import Cascade

        where: Any = skimage.data  # untyped
        self._cascade: Any = Cascade(where.lbp_frontal_face_cascade_filename())

    def faces(self, pixels: NDArray[np.uint8]) -> list[Face]:
        """Return the faces of a picture, largest first."""
        seen = _resized(pixels)
        high, wide = seen.shape[:2]
        smallest, largest = max(_WINDOW_PX, int(self._min_size * min(high, wide))), min(high, wide)
        detections = self._cascade.detect_multi_scale(
            img=seen,
            scale_factor=1.1,
            step_ratio=1,
            min_size=(smallest, smallest),
            max_size=(largest, largest),
            min_neighbor_number=_SEEN_TIMES,
        )
        return _largest_first(
            [Face(box["c"] / wide, box["r"] / high, box["width"] / wide, box["height"] / high) for box in detections]
        )


class YuNetFaces:
    """YuNet through OpenCV, from the ONNX file of OpenCV's model zoo (MIT)."""

    def __init__(self, path: Path, *, min_score: float, min_size: float) -> None:
        import cv2

        self._min_size = min_size

        try:
            self._net: Any = cv2.FaceDetectorYN.create(str(path), "", (64, 64), min_score)
        except cv2.error as error:
            raise PrerequisiteError(
                f"{path} cannot be loaded as a YuNet model ({str(error.err)[:200]}); download "
                "face_detection_yunet_2023mar.onnx of OpenCV's model zoo"
            ) from error

    def faces(self, pixels: NDArray[np.uint8]) -> list[Face]:
        """Return the faces of a picture, largest first."""
        import cv2

        seen = _resized(pixels)
        high, wide = seen.shape[:2]
        self._net.setInputSize((wide, high))
        _, detections = self._net.detect(cv2.cvtColor(seen, cv2.COLOR_RGB2BGR))
        least = self._min_size * min(wide, high)
        rows = [] if detections is None else [row for row in detections[:, :4].tolist() if row[3] >= least]
        return _largest_first([Face(x / wide, y / high, w / wide, h / high) for x, y, w, h in rows])


def _resized(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    import cv2

    scale = _LONGEST_SIDE_PX / max(pixels.shape[:2])
    size_wh = tuple(max(1, round(side * scale)) for side in pixels.shape[1::-1])
    if min(size_wh) < _WINDOW_PX:
        raise UnreadableImage("too_narrow", f"{pixels.shape[1]} x {pixels.shape[0]} pixels hold no face")
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.ascontiguousarray(cv2.resize(pixels, size_wh, interpolation=way), np.uint8)


def _largest_first(faces: list[Face]) -> list[Face]:
    return sorted(faces, key=lambda face: (-face.high * face.wide, face))


_VANISHED, _APPEARED, _RESIZED = "face_vanished", "face_appeared", "face_resized"
_DIGEST = "sha256:"
_NOTHING_MEASURED: dict[str, Any] = {"category": None, "natural": None, "manipulated": None, "size_ratio": None}


class _OpenDetector(NamedTuple):
    detector: _FaceDetector
    known: dict[str, list[Face]]


class Faces(Filter):
    """Ask about items of pairs in which faces vanished, appeared or changed size, or drop them.

    Args:
        model: YuNet's ONNX file, relative to the recipe's folder; None for a cascade that ships with scikit-image and
            finds upright frontal faces. A run writes the file's digest instead.
        min_score: Smallest score, 0-1, of a face that YuNet finds.
        min_size: Smallest face to count, as a fraction, 0-1, of the picture's shorter side; below it, the cascade
            reports false faces.
        may_change: Categories that require other faces: these pairs pass.
        max_resize: Factor by which the largest face may grow or shrink; None lifts the bound.
        verdict: Verdict on an item: `ask` or `drop`.

    Reasons:
        face_vanished (ask or drop): A face is gone.
        face_appeared (ask or drop): A face is new.
        face_resized (ask or drop): The largest face has another size.
    """

    name: ClassVar[str] = "faces"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {
        "category": "string",
        "natural": "int64",
        "manipulated": "int64",
        "size_ratio": "float64",
    }
    thresholds: ClassVar[frozenset[str]] = frozenset({"may_change", "max_resize", "verdict"})

    model: str | None = Field(None, min_length=1)
    min_score: float = Field(0.8, gt=0, le=1)
    min_size: float = Field(0.12, gt=0, le=1)
    may_change: tuple[str, ...] = ("B1", "R1", "R3", "S1", "S2")
    max_resize: float | None = Field(1.5, ge=1)
    verdict: Literal["ask", "drop"] = "ask"
    _path: Path | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _place(self, info: ValidationInfo) -> Faces:
        if self.model is not None and not self.model.startswith(_DIGEST):
            self._path = (info.context or {}).get(FOLDER, Path()) / self.model
        return self

    def weights_hash(self) -> str | None:
        """Return the digest of YuNet's file, so that another file triggers a new measurement of all pictures.

        Raises:
            PrerequisiteError: The file does not exist.
        """
        if self._path is None:
            return self.model and self.model.removeprefix(_DIGEST)
        if not self._path.is_file():
            raise PrerequisiteError(
                f"{self._path} does not exist; download face_detection_yunet_2023mar.onnx from OpenCV's model zoo, or "
                "leave `model` out to look with a cascade"
            )
        return file_digest(self._path)

    def parameters(self) -> dict[str, Any]:
        """Return the settings with the digest of the model's file instead of its name."""
        digest = self.weights_hash()
        return {**super().parameters(), "model": digest and f"{_DIGEST}{digest}"}

    def open(self, ctx: OpenContext) -> _OpenDetector:
        """Load the detector.

        Raises:
            PrerequisiteError: The model or its library is missing.
        """
        del ctx
        if self.model is None:
            return _OpenDetector(CascadeFaces(min_size=self.min_size), {})
        if self._path is None:
            raise PrerequisiteError(f"the model {self.model} is known by digest only; run the recipe with its file")
        return _OpenDetector(YuNetFaces(self._path, min_score=self.min_score, min_size=self.min_size), {})

    def measure(self, record: Item, ctx: Context) -> Measured:
        """Count the faces of both pictures and compare the largest; all values are None if an item has no pair."""
        pair = pair_of(record, ctx)
        if pair is None:
            return Measured(_NOTHING_MEASURED)
        before, after = self._faces(pair.natural, ctx), self._faces(pair.manipulated, ctx)
        ratio = round(after[0].high / before[0].high, 4) if before and after else None
        values = {
            "category": record.category,
            "natural": len(before),
            "manipulated": len(after),
            "size_ratio": ratio,
        }
        return Measured(values, {"natural": _rounded(before), "manipulated": _rounded(after)})

    def _faces(self, picture: ImageRecord, ctx: Context) -> list[Face]:
        opened: _OpenDetector = ctx.opened
        if picture.image_id not in opened.known:
            opened.known[picture.image_id] = opened.detector.faces(ctx.images.rgb(picture))
        return opened.known[picture.image_id]

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Compare the counts, then the sizes."""
        before, after, ratio = measured["natural"], measured["manipulated"], measured["size_ratio"]
        if before is None or measured["category"] in self.may_change:
            return Outcome()
        if before != after:
            evidence = {"natural": before, "manipulated": after}
            return Outcome(self.verdict, _VANISHED if after < before else _APPEARED, evidence=evidence)
        if ratio is not None and self.max_resize is not None and max(ratio, 1 / ratio) > self.max_resize:
            return Outcome(self.verdict, _RESIZED, evidence={"size_ratio": ratio, "bound": self.max_resize})
        return Outcome()


def _rounded(faces: list[Face]) -> list[list[float]]:
    return [[round(side, 4) for side in face] for face in faces]
