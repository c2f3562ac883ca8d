"""Where the faces of a picture are: a cascade that needs no weights of its own, or YuNet from a file."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import PrerequisiteError, UnreadableImage

LONGEST_SIDE_PX = 480
"""Pictures are looked at in this size, larger and smaller ones alike: sizes of faces are fractions of the picture."""


_WINDOW_PX = 24
"""Side of the smallest face that the cascade knows."""

_SEEN_TIMES = 8
"""Windows about one place that must look like a face."""


class Face(NamedTuple):
    """A face's box as fractions, 0-1, of the picture's width and height."""

    left: float
    top: float
    wide: float
    high: float


class FaceDetector(Protocol):
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
        seen = _looked_at(pixels)
        high, wide = seen.shape[:2]
        smallest, largest = max(_WINDOW_PX, int(self._min_size * min(high, wide))), min(high, wide)
        found = self._cascade.detect_multi_scale(
            img=seen, scale_factor=1.1, step_ratio=1, min_size=(smallest, smallest), max_size=(largest, largest),
            min_neighbor_number=_SEEN_TIMES,
        )  # fmt: skip
        return _largest_first(
            [Face(one["c"] / wide, one["r"] / high, one["width"] / wide, one["height"] / high) for one in found]
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

        seen = _looked_at(pixels)
        high, wide = seen.shape[:2]
        self._net.setInputSize((wide, high))
        _, found = self._net.detect(cv2.cvtColor(seen, cv2.COLOR_RGB2BGR))
        least = self._min_size * min(wide, high)
        rows = [] if found is None else [row for row in found[:, :4].tolist() if row[3] >= least]
        return _largest_first([Face(x / wide, y / high, w / wide, h / high) for x, y, w, h in rows])


def _looked_at(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    import cv2

    scale = LONGEST_SIDE_PX / max(pixels.shape[:2])
    size_wh = tuple(max(1, round(side * scale)) for side in pixels.shape[1::-1])
    if min(size_wh) < _WINDOW_PX:
        raise UnreadableImage("too_narrow", f"{pixels.shape[1]} x {pixels.shape[0]} pixels hold no face")
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.ascontiguousarray(cv2.resize(pixels, size_wh, interpolation=way), np.uint8)


def _largest_first(faces: list[Face]) -> list[Face]:
    return sorted(faces, key=lambda face: (-face.high * face.wide, face))
