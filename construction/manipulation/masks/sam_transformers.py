"""Masks from `SamModel` of transformers, loaded from a folder: one box per mask, all boxes of a picture in one decoder
pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchwright.errors import DataError
from benchwright.models.devices import Device

from ...item_parts.cutting_out import Mask
from .base import MaskRequest, Pixels


class SamOfTransformers:
    """A model that embeds each picture once. Boxes are its only prompts: points would make its batches ragged.

    Args:
        folder: Folder in the layout of transformers, with `preprocessor_config.json`.
        weights: Digest of its files.
        device: Device and precision for the model.

    Raises:
        DataError: The folder does not hold such a model.
    """

    def __init__(self, folder: Path, weights: str, device: Device) -> None:
        import torch
        from transformers import SamModel, SamProcessor

        self._device = device
        self._dtype = getattr(torch, device.dtype)
        try:
            self._processor = SamProcessor.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
            model = SamModel.from_pretrained(folder, use_safetensors=True, local_files_only=True, dtype=self._dtype)
        except (OSError, ValueError, KeyError) as error:
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise DataError(f"{folder.name} holds no SAM of transformers: {first[:200]}") from error
        self._model = model.to(device.place).eval()
        self.made_with: Mapping[str, Any] = {
            "by": "sam_transformers",
            "weights": weights,
            "prompt": "box",
            "dtype": device.dtype,
        }

    def masks(self, pixels: Pixels, requests: Sequence[MaskRequest]) -> list[Mask]:
        """Return a mask for each box."""
        import torch

        boxes = [[list(map(float, request.hints.box)) for request in requests]]
        prepared = self._processor(images=np.array(pixels), input_boxes=boxes, return_tensors="pt")
        with torch.inference_mode():
            seen = self._model.get_image_embeddings(prepared["pixel_values"].to(self._device.place, self._dtype))
            output = self._model(
                image_embeddings=seen,
                input_boxes=prepared["input_boxes"].to(self._device.place, self._dtype),
                multimask_output=False,
            )
        [masks] = self._processor.post_process_masks(
            output.pred_masks.float().cpu(), prepared["original_sizes"], prepared["reshaped_input_sizes"]
        )
        return [np.asarray(mask[0].numpy(), np.bool_) for mask in masks]
