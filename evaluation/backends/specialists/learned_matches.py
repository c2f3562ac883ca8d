"""Learned matches: points that a transformers matcher finds in two pictures, and the geometry they agree on.

A specialist for `visual_correspondence` and `multi_view_reasoning`. The default is Efficient LoFTR (Y. Wang et al.,
CVPR 2024), the successor of BLINK's LoFTR, whose own weights transformers does not load; SuperGlue and LightGlue are
available by name.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ...prompting.question import Question
from .base import Fits
from .matching import MATCHING_TASKS, Matches, ViewPair, fits_of_matches, pair_of
from .weights import ModelSpecialist, require_model_type

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_CONFIDENCE = 0.2


class LearnedMatches(ModelSpecialist[ViewPair]):
    """Matches points of two pictures with a model, and answers from the homography or camera motion they imply."""

    name: ClassVar[str] = "learned_matches"
    tasks: ClassVar[frozenset[str]] = MATCHING_TASKS
    version: ClassVar[int] = 1
    stands_for: ClassVar[str] = "LoFTR"
    repository: ClassVar[str] = "zju-community/efficientloftr"

    def content_of(self, question: Question) -> ViewPair:
        """Return the two pictures."""
        return pair_of(question)

    def alike(self, content: ViewPair) -> Hashable:
        """Return the sizes of both pictures."""
        return content.first.shape, content.second.shape

    def fits(self, batch: Sequence[ViewPair]) -> list[Fits | str]:
        """Return how well each option agrees with the matches."""
        matches = self.matches([(pair.first, pair.second) for pair in batch])
        return [fits_of_matches(pair, found) for pair, found in zip(batch, matches, strict=True)]

    def matches(self, pairs: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint8]]]) -> list[Matches]:
        """Return the matched points in pairs of pictures, (height, width, 3) RGB, in pixels of each picture."""
        import numpy as np
        import torch

        model, processor = self.opened
        images = [[np.array(picture) for picture in pair] for pair in pairs]
        inputs = processor(images=images, return_tensors="pt").to(model.device)
        with torch.inference_mode():
            outputs = model(**inputs)
        sizes = [[picture.shape[:2] for picture in pair] for pair in pairs]
        found = processor.post_process_keypoint_matching(outputs, sizes, threshold=LEAST_CONFIDENCE)
        return [
            Matches(*(matched[name].cpu().numpy().astype(np.float64).reshape(-1, 2) + 0.5 for name in _SIDES))
            for matched in found
        ]

    def load(self, place: str) -> Any:
        """Return the matcher and its input processor."""
        from transformers import AutoImageProcessor, AutoModelForKeypointMatching

        require_model_type(self.folder, "efficientloftr", "superglue", "lightglue")
        processor = AutoImageProcessor.from_pretrained(self.folder, local_files_only=True)
        model = AutoModelForKeypointMatching.from_pretrained(
            self.folder, use_safetensors=True, trust_remote_code=False, local_files_only=True
        )
        return model.float().to(place).eval(), processor


_SIDES = ("keypoints0", "keypoints1")
