"""Masks from the package `segment_anything`: from each box and its points, or chosen among masks of everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchwright.models.device_pixels import DevicePixels, hw_at_longer_side
from benchwright.models.devices import Device
from benchwright.models.picture_batches import PictureModel

from ...item_parts.cutting_out import Mask
from .base import MaskRequest, PictureRequests, Pixels
from .choosing import Overlap, choose
from .sam_architecture import load_sam
from .sam_encoder import Features, SamEncoder, features_of, on_device
from .sam_import import segment_anything

if TYPE_CHECKING:
    import torch

Prompt = Literal["box", "everything"]
_EVERYTHING: Mapping[str, float] = {"points_per_side": 32, "pred_iou_thresh": 0.88, "stability_score_thresh": 0.95}
"""SAM's own defaults, which MVP-Bench keeps (appendix D)."""


def package_encoder(checkpoint: Path, device: Device) -> SamEncoder:
    """Load the image encoder of a checkpoint for `load_sam`.

    In half precision, only the encoder computes in it; the small decoder keeps full precision.
    """
    import torch

    model = load_sam(checkpoint)
    side_px = model.image_encoder.img_size
    resize = segment_anything().predictor.ResizeLongestSide(side_px).apply_image
    mean, std = (tuple((values.flatten() / 255).tolist()) for values in (model.pixel_mean, model.pixel_std))
    normalized = model.preprocess
    encoder = model.image_encoder.to(device.place)

    def prepare(pictures: Sequence[Pixels]) -> torch.Tensor:
        resized = (torch.from_numpy(resize(np.array(pixels))) for pixels in pictures)
        return torch.cat([normalized(pixels.permute(2, 0, 1).contiguous()[None]) for pixels in resized])

    def network(inputs: torch.Tensor) -> torch.Tensor:
        dtype = getattr(torch, device.dtype)
        with torch.autocast(device.kind, dtype=dtype, enabled=device.dtype != "float32"):
            features: torch.Tensor = encoder(inputs)
        return features

    return SamEncoder(network, prepare, side_px, DevicePixels(mean, std, "bilinear"), device)


class SamPackage:
    """A model that embeds each picture once for all requests.

    Args:
        checkpoint: Path of a checkpoint for `load_sam`.
        weights: Digest of the checkpoint.
        device: Device for the decoder, and the precision that `encoder` has.
        encoder: Encoder of the same checkpoint, in this process or shared by workers.
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
        encoder: PictureModel[Features],
        *,
        prompt: Prompt,
        overlap: Overlap,
        max_area: float,
        settings: Mapping[str, float] = _EVERYTHING,
    ) -> None:
        package = segment_anything()
        self._prompt, self._overlap, self._max_area = prompt, overlap, max_area
        self._device, self._encoder = device, encoder
        model = load_sam(checkpoint, encodes=False).to(device.place)
        self._generator = package.SamAutomaticMaskGenerator(model, **settings)
        self._predictor = self._generator.predictor
        self.made_with: Mapping[str, Any] = {
            "by": "segment_anything",
            "weights": weights,
            "prompt": prompt,
            "dtype": device.dtype,
            **({"overlap": overlap, **settings} if prompt == "everything" else {}),
        }

    def masks(self, pictures: Sequence[PictureRequests]) -> list[list[Mask]]:
        """Return a mask for each request; with `everything`, the mask that its box chooses, empty if none overlaps the
        box.
        """
        import torch

        seen = features_of(self._encoder, [picture.pixels for picture in pictures])
        find = self._chosen if self._prompt == "everything" else self._from_boxes
        with torch.inference_mode():
            return [find(*picture, features) for picture, features in zip(pictures, seen, strict=True)]

    def _from_boxes(self, pixels: Pixels, requests: Sequence[MaskRequest], features: Features) -> list[Mask]:
        set_features(self._predictor, pixels.shape[:2], on_device(features, self._device))
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

    def _chosen(self, pixels: Pixels, requests: Sequence[MaskRequest], features: Features) -> list[Mask]:
        given = on_device(features, self._device)
        # The generator has its predictor embed the picture, which is its only crop.
        self._predictor.set_image = lambda crop: set_features(self._predictor, crop.shape[:2], given)
        everything = [
            np.asarray(segment["segmentation"], np.bool_) for segment in self._generator.generate(np.array(pixels))
        ]
        numbers = [
            choose(everything, request.hints.box, overlap=self._overlap, max_area=self._max_area)
            for request in requests
        ]
        return [np.zeros(pixels.shape[:2], np.bool_) if number is None else everything[number] for number in numbers]


def set_features(predictor: Any, size_hw: tuple[int, ...], features: torch.Tensor) -> None:
    """Put a `SamPredictor` into the state in which `set_image` leaves it, without embedding the picture.

    Args:
        predictor: The predictor.
        size_hw: The picture's height and width.
        features: Its features, (1, channels, rows, columns), on the predictor's device.
    """
    predictor.reset_image()
    predictor.original_size = size_hw
    predictor.input_size = hw_at_longer_side(size_hw, predictor.transform.target_length)
    predictor.features = features
    predictor.is_image_set = True
