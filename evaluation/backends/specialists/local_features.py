"""Local features: finds the marked point that resembles the reference point, by SIFT descriptors computed at the
points.

A specialist for `visual_correspondence`. One picture has one marked point; the other has one per option, labeled with
its key. Scale and rotation of the second view are unknown, so each option is described at many scales and angles, and
its best description is used.

Source of the descriptor: D. G. Lowe, "Distinctive image features from scale-invariant keypoints", IJCV 60 (2004).
The square root: R. Arandjelovic, A. Zisserman, "Three things everyone should know to improve object retrieval",
CVPR 2012.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log2
from typing import TYPE_CHECKING, ClassVar

from benchwright.errors import DataError, PrerequisiteError
from benchwright.images.decode import decode_rgb
from benchwright.texts.normalization import counted

from ...prompting.question import Question
from ..options import BackendOptions
from .base import ClassicalSpecialist, Fits, Point
from .question_forms import marked_views

if TYPE_CHECKING:
    import cv2
    import numpy as np
    from numpy.typing import NDArray

_DIAMETERS_PX = (8.0, 16.0, 32.0)
"""Keypoint sizes in the reference; a descriptor covers about six times as much. All sizes are used together."""
_SCALES = tuple(2 ** (k / 2) for k in range(-3, 4))
"""Sizes of an option's surroundings relative to those of the reference: 0.35 to 2.8 in half octaves."""
_ANGLES_DEG = tuple(22.5 * k for k in range(16))

_BASE_SIGMA, _LAYERS = 1.6, 3


class LocalFeatures(ClassicalSpecialist):
    """Picks the point whose surroundings have the SIFT descriptor most similar to that of the reference point.

    Raises:
        PrerequisiteError: This build of OpenCV has no SIFT.
    """

    name: ClassVar[str] = "local_features"
    tasks: ClassVar[frozenset[str]] = frozenset({"visual_correspondence"})
    version: ClassVar[int] = 2
    stands_for: ClassVar[str] = "DIFT"

    def __init__(self, argument: str, options: BackendOptions) -> None:
        super().__init__(argument, options)
        require_sift(self.name)

    def fits_of(self, question: Question) -> Fits:
        """Return the negated distances between the options' descriptors and those of the reference."""
        shown = marked_views(question)
        apart = distances(
            decode_rgb(shown.reference.data), shown.point, decode_rgb(shown.view.data), list(shown.candidates.values())
        )
        return {key: -distance for key, distance in zip(shown.candidates, apart.tolist(), strict=True)}


def require_sift(name: str) -> None:
    """Refuse to continue if SIFT is missing.

    Raises:
        PrerequisiteError: This build of OpenCV has no SIFT; the message says what to install.
    """
    import cv2

    if not hasattr(cv2, "SIFT"):
        raise PrerequisiteError(
            f"model {name!r} needs SIFT, and OpenCV {cv2.__version__} has none; install opencv-python-headless>=4.12"
        )


def distances(
    reference: NDArray[np.uint8], point: Point, view: NDArray[np.uint8], candidates: Sequence[Point]
) -> NDArray[np.float64]:
    """Return the dissimilarity of each candidate to the reference point: 0 if they are equal, sqrt(2) if they have
    nothing in common.

    The distances at all diameters are averaged for each scale and angle. The smallest average is used, so that all
    diameters must agree on one scale and angle.

    Args:
        reference: (height, width, 3) RGB.
        point: (x, y) in it; pixel centers lie at +0.5.
        view: (height, width, 3) RGB, of any size.
        candidates: (x, y) in `view`.
    """
    import numpy as np

    wanted = _descriptors(reference, [_keypoint(point, size, 0.0) for size in _DIAMETERS_PX])
    # A diameter at one scale equals another at another scale: each view is described once.
    sizes, places = np.unique(np.outer(_SCALES, _DIAMETERS_PX), return_inverse=True)
    views = [(size, angle) for angle in _ANGLES_DEG for size in sizes.tolist()]
    turned = [_keypoint(candidate, size, angle) for candidate in candidates for size, angle in views]
    described = _descriptors(view, turned).reshape(len(candidates), len(_ANGLES_DEG), len(sizes), wanted.shape[-1])
    apart = np.linalg.norm(described[:, :, places] - wanted, axis=-1).mean(axis=-1).min(axis=(1, 2))
    return np.asarray(apart, dtype=np.float64)


def _descriptors(pixels: NDArray[np.uint8], keypoints: list[cv2.KeyPoint]) -> NDArray[np.float64]:
    """Return root-SIFT descriptors, shape (keypoints, 128), of length 1; those of surroundings without features have
    length 0.
    """
    import cv2
    import numpy as np

    kept, descriptors = cv2.SIFT.create().compute(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), keypoints)
    if descriptors is None or len(kept) != len(keypoints):
        raise DataError(f"SIFT described {len(kept)} of {counted(len(keypoints), 'point')}")
    total = descriptors.sum(axis=1, keepdims=True, dtype=np.float64)
    return np.asarray(np.sqrt(descriptors / np.maximum(total, 1e-12)), dtype=np.float64)


def _keypoint(point: Point, size_px: float, angle_deg: float) -> cv2.KeyPoint:
    """Return a keypoint that specifies the pyramid level at which the image has the right blur for the keypoint's size.

    OpenCV stores octave and layer in the bytes of one integer (octave -1 is the image at twice its size). Without them
    it reads the unblurred image, with 50 times the work and a worse descriptor.
    """
    import cv2

    level = round(log2(size_px / (2 * _BASE_SIGMA)) * _LAYERS)
    octave = max(-1, floor((level - 1) / _LAYERS))
    layer = max(0, level - octave * _LAYERS)
    packed = (octave & 0xFF) | (layer << 8)
    return cv2.KeyPoint(point[0] - 0.5, point[1] - 0.5, size_px, angle_deg, 0.0, packed)
