"""Masks from the package `segment_anything`: from each box and its points, or chosen among masks of everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchwright.models.devices import Device

from ...item_parts.cutting_out import Mask
from .base import MaskRequest, Pixels
from .choosing import Overlap, choose
from .sam_architecture import load_sam
from .sam_import import segment_anything

Prompt = Literal["box", "everything"]
_EVERYTHING: Mapping[str, float] = {"points_per_side": 32, "pred_iou_thresh": 0.88, "stability_score_thresh": 0.95}
"""SAM's own defaults, which MVP-Bench keeps (appendix D)."""


class SamPackage:
    """A model that embeds each picture once for all requests.

    Args:
        checkpoint: Path of a checkpoint for `load_sam`.
        weights: Digest of the checkpoint.
        device: Device and precision for the model.
        prompt: `box`: prompts the decoder with each box and its points. `everything`: prompts it with a grid of points,
            and each box then chooses.
        overlap: Rule by which a mask is chosen.
        max_area: Largest area, as in `choose`.
        settings: Settings that replace those of `_EVERYTHING`.
    """

    def __init__(
        self,
        checkpoint: Path,
        weights: str,
        device: Device,
        *,
        prompt: Prompt,
        overlap: Overlap,
        max_area: float,
        settings: Mapping[str, float] = _EVERYTHING,
    ) -> None:
        package = segment_anything()
        self._prompt, self._overlap, self._max_area = prompt, overlap, max_area
        model = load_sam(checkpoint).to(device.place)
        if device.dtype != "float32":
            _embed_in(model.image_encoder, device)
        self._predictor = package.SamPredictor(model)
        self._generator = package.SamAutomaticMaskGenerator(model, **settings)
        self.made_with: Mapping[str, Any] = {
            "by": "segment_anything",
            "weights": weights,
            "prompt": prompt,
            "dtype": device.dtype,
            **({"overlap": overlap, **settings} if prompt == "everything" else {}),
        }

    def masks(self, pixels: Pixels, requests: Sequence[MaskRequest]) -> list[Mask]:
        """Return a mask for each request; with `everything`, the mask that its box chooses, empty if none overlaps the
        box.
        """
        import torch

        with torch.inference_mode():
            if self._prompt == "everything":
                return self._chosen(pixels, requests)
            self._predictor.set_image(np.array(pixels))
            masks = [self._asked(request) for request in requests]
            self._predictor.reset_image()
            return masks

    def _asked(self, request: MaskRequest) -> Mask:
        points = [*request.hints.inside, *request.hints.outside]
        labels = [1] * len(request.hints.inside) + [0] * len(request.hints.outside)
        masks, _, _ = self._predictor.predict(
            point_coords=np.array(points, np.float32) if points else None,
            point_labels=np.array(labels) if points else None,
            box=np.array(request.hints.box, np.float32),
            multimask_output=False,  # a box is not ambiguous
        )
        return np.asarray(masks[0], np.bool_)

    def _chosen(self, pixels: Pixels, requests: Sequence[MaskRequest]) -> list[Mask]:
        everything = [
            np.asarray(segment["segmentation"], np.bool_) for segment in self._generator.generate(np.array(pixels))
        ]
        numbers = [
            choose(everything, request.hints.box, overlap=self._overlap, max_area=self._max_area)
            for request in requests
        ]
        return [np.zeros(pixels.shape[:2], np.bool_) if number is None else everything[number] for number in numbers]


def _embed_in(encoder: Any, device: Device) -> None:
    """Let a model embed pictures, which is most of its work, in half precision; the small decoder keeps full
    precision.
    """
    import torch

    exact, dtype = encoder.forward, getattr(torch, device.dtype)

    def half(pixels: Any) -> Any:
        with torch.autocast(device.kind, dtype=dtype):
            return exact(pixels).float()

    encoder.forward = half
