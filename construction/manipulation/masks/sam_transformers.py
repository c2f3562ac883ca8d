"""Masks from `SamModel` of transformers, loaded from a folder: one box per mask, all boxes of a picture in one decoder
pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchwright.errors import DataError
from benchwright.models.device_pixels import DevicePixels, hw_at_longer_side
from benchwright.models.devices import Device
from benchwright.models.picture_batches import PictureModel

from ...item_parts.cutting_out import Mask
from .base import MaskRequest, PictureRequests, Pixels
from .sam_encoder import Features, SamEncoder, features_of, on_device

if TYPE_CHECKING:
    import torch


def load_sam_folder(folder: Path, dtype: str, *, encodes: bool = True) -> tuple[Any, Any]:
    """Return the processor and the model of a folder, on the CPU, in evaluation mode.

    Args:
        folder: Folder in the layout of transformers, with `preprocessor_config.json`.
        dtype: Number format of the model.
        encodes: Whether to load the layers of the image encoder.

    Raises:
        DataError: The folder does not hold such a model.
    """
    import torch
    from transformers import SamConfig, SamModel, SamProcessor

    class Decoder(SamModel):  # type: ignore[misc]
        _keys_to_ignore_on_load_unexpected = (r"^vision_encoder\.layers\.",)

    try:
        processor = SamProcessor.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
        config = SamConfig.from_pretrained(folder, local_files_only=True)
        if not encodes:
            config.vision_config.num_hidden_layers = 0
        model = (SamModel if encodes else Decoder).from_pretrained(
            folder, config=config, use_safetensors=True, local_files_only=True, dtype=getattr(torch, dtype)
        )
    except (OSError, ValueError, KeyError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(f"{folder.name} holds no SAM of transformers: {first[:200]}") from error
    return processor, model.eval()


def transformers_encoder(folder: Path, device: Device) -> SamEncoder:
    """Load the image encoder of a folder for `load_sam_folder`."""
    processor, model = load_sam_folder(folder, device.dtype)
    model.vision_encoder.to(device.place)
    images = processor.image_processor

    def prepare(pictures: Sequence[Pixels]) -> torch.Tensor:
        prepared: torch.Tensor = images([np.array(pixels) for pixels in pictures], return_tensors="pt")["pixel_values"]
        return prepared

    def network(inputs: torch.Tensor) -> torch.Tensor:
        features: torch.Tensor = model.get_image_embeddings(inputs.to(model.dtype))
        return features

    pixels = DevicePixels.of_processor(images, to_longest_edge=True)
    return SamEncoder(network, prepare, images.size["longest_edge"], pixels, device)


class SamOfTransformers:
    """A model that embeds each picture once. Boxes are its only prompts: points would make its batches ragged.

    Args:
        folder: Folder for `load_sam_folder`.
        weights: Digest of its files.
        device: Device for the decoder, and the precision that `encoder` has. The small decoder has full precision: in
            bfloat16, a coordinate of 1,000 pixels would be rounded to a multiple of 4.
        encoder: Encoder of the same folder, in this process or shared by workers.

    Raises:
        DataError: The folder does not hold such a model.
    """

    def __init__(self, folder: Path, weights: str, device: Device, encoder: PictureModel[Features]) -> None:
        self._device, self._encoder = device, encoder
        self._processor, model = load_sam_folder(folder, "float32", encodes=False)
        self._model = model.to(device.place)
        self.made_with: Mapping[str, Any] = {
            "by": "sam_transformers",
            "weights": weights,
            "prompt": "box",
            "dtype": device.dtype,
        }

    def masks(self, pictures: Sequence[PictureRequests]) -> list[list[Mask]]:
        """Return a mask for each box."""
        seen = features_of(self._encoder, [picture.pixels for picture in pictures])
        return [self._decoded(*picture, features) for picture, features in zip(pictures, seen, strict=True)]

    def _decoded(self, pixels: Pixels, requests: Sequence[MaskRequest], features: Features) -> list[Mask]:
        import torch

        size_hw = pixels.shape[:2]
        input_hw = hw_at_longer_side(size_hw, self._processor.target_size)
        scale_xy = [input_hw[1] / size_hw[1], input_hw[0] / size_hw[0]]
        boxes = np.array([request.hints.box for request in requests], np.float32).astype(np.float64) * (2 * scale_xy)
        with torch.inference_mode():
            output = self._model(
                image_embeddings=on_device(features, self._device),
                input_boxes=torch.from_numpy(boxes[None]).to(self._device.place, torch.float32),
                multimask_output=False,
            )
        [masks] = self._processor.post_process_masks(output.pred_masks.float().cpu(), [size_hw], [input_hw])
        return [np.asarray(mask[0].numpy(), np.bool_) for mask in masks]
