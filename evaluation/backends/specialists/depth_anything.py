"""Depth Anything: finds the nearer of two marked points on an estimated depth map.

A specialist for `relative_depth`, and the one in BLINK's table 2: by default its second version; a folder with the
first version may be given instead (L. Yang et al., "Depth Anything: Unleashing the power of large-scale unlabeled
data", CVPR 2024).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from benchwright.images.decode import decode_rgb

from ...prompting.question import Question
from .base import Fits, Point
from .question_forms import labelled_points
from .weights import ModelSpecialist, require_model_type

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RADIUS = 0.01
"""Half the side of the square around a point whose median depth is used, as a fraction of the map's rows."""


class PointsInPicture(NamedTuple):
    """A picture's pixels, its labeled points, and the label that each option names."""

    pixels: NDArray[np.uint8]
    points: dict[str, Point]
    labels: dict[str, str | None]


class DepthAnything(ModelSpecialist[PointsInPicture]):
    """Picks the point that is nearer on the map of a Depth Anything model."""

    name: ClassVar[str] = "depth_anything"
    tasks: ClassVar[frozenset[str]] = frozenset({"relative_depth"})
    version: ClassVar[int] = 1
    stands_for: ClassVar[str] = "Depth Anything"
    repository: ClassVar[str] = "depth-anything/Depth-Anything-V2-Small-hf"

    def content_of(self, question: Question) -> PointsInPicture:
        """Return the picture and its points."""
        shown = labelled_points(question)
        return PointsInPicture(decode_rgb(shown.picture.data), shown.points, shown.labels)

    def alike(self, content: PointsInPicture) -> Hashable:
        """Return the size of the picture."""
        return content.pixels.shape

    def fits(self, batch: Sequence[PointsInPicture]) -> list[Fits | str]:
        """Return how near the point of each option is; an option that names no point has the worst fit."""
        maps = self._nearness([content.pixels for content in batch])
        return [nearest_fits(nearness, content) for nearness, content in zip(maps, batch, strict=True)]

    def _nearness(self, pictures: Sequence[NDArray[np.uint8]]) -> list[NDArray[np.float64]]:
        """Return a nearness map for each of several pictures of the same size; larger values are nearer."""
        import numpy as np
        import torch

        model, processor = self.opened
        inputs = processor(images=[np.array(picture) for picture in pictures], return_tensors="pt").to(model.device)
        with torch.inference_mode():
            depth = model(**inputs).predicted_depth.float().cpu().numpy().astype(np.float64)
        is_metric = getattr(model.config, "depth_estimation_type", "relative") == "metric"
        return list(-depth if is_metric else depth)

    def load(self, place: str) -> Any:
        """Return the model and its input processor."""
        from transformers import AutoImageProcessor, DepthAnythingForDepthEstimation

        require_model_type(self.folder, "depth_anything")
        processor = AutoImageProcessor.from_pretrained(self.folder, local_files_only=True)
        model = DepthAnythingForDepthEstimation.from_pretrained(
            self.folder, use_safetensors=True, local_files_only=True
        )
        return model.float().to(place).eval(), processor


def nearest_fits(nearness: NDArray[np.float64], content: PointsInPicture) -> Fits:
    """Return how near the point of each option is on a map (rows by columns) in which larger values are nearer."""
    import numpy as np

    rows, columns = nearness.shape
    height, width = content.pixels.shape[:2]
    radius = max(1, round(_RADIUS * rows))
    level: dict[str | None, float] = {None: float("-inf")}
    for label, (x, y) in content.points.items():
        row, column = min(rows - 1, int(y * rows / height)), min(columns - 1, int(x * columns / width))
        around = nearness[max(0, row - radius) : row + radius + 1, max(0, column - radius) : column + radius + 1]
        level[label] = float(np.median(around))
    return {key: level[label] for key, label in content.labels.items()}
