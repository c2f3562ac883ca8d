"""Resizing and normalization of pictures in batches, on the same device as the network.

On a CPU, Pillow and the transformers processors do this, one picture at a time. This module runs the same filters on a
GPU. Values differ from Pillow's by rounding, .1 of 255 on average, because Pillow rounds between rows and columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

if TYPE_CHECKING:
    import torch

SUFFICIENT_RATIO = 2
"""Smallest ratio of a picture's size to its target size at which it may be decoded at that smaller size.

On photographs and drawings, the result differs by .2 of 255 on average, hardly more than resizing alone causes. At a
ratio of 1.5, it differs by .3 to .9; at a ratio of 1, by .8 to 1.3.
"""


class DevicePixels(NamedTuple):
    """A network's requirements for its input pixels.

    Args:
        mean: Mean of red, green and blue, 0-1, to subtract.
        std: Standard deviation of each, by which to divide.
        filtered: Filter used for resizing, whose support grows as pictures shrink.
    """

    mean: tuple[float, ...]
    std: tuple[float, ...]
    filtered: Literal["bilinear", "bicubic"] = "bicubic"

    @classmethod
    def of_processor(cls, processor: Any, *, to_longest_edge: bool = False) -> DevicePixels | None:
        """Return what a transformers processor does after the choice of a size; None if it includes any other step.

        Args:
            processor: Image processor.
            to_longest_edge: Whether the processor should scale pictures to one longer side and pad them, as for
                `padded`.
        """
        filters: dict[Any, Literal["bilinear", "bicubic"]] = {
            Image.Resampling.BILINEAR: "bilinear",
            Image.Resampling.BICUBIC: "bicubic",
        }
        settings = processor.to_dict()
        known = (
            all(settings.get(name) is True for name in ("do_resize", "do_rescale", "do_normalize"))
            and not any(settings.get(name) for name in ("do_center_crop", "do_flip_channel_order"))
            and bool(settings.get("do_pad")) == to_longest_edge
            and abs(settings.get("rescale_factor", 0) - 1 / 255) < 1e-9
            and settings.get("resample") in filters
            and settings["size"].keys() == ({"longest_edge"} if to_longest_edge else {"height", "width"})
        )
        if not known:
            return None
        mean, std = (tuple(map(float, settings[name])) for name in ("image_mean", "image_std"))
        return cls(mean, std, filters[settings["resample"]])

    def batch(self, pictures: Sequence[NDArray[np.uint8]], size_hw: tuple[int, int], place: str) -> torch.Tensor:
        """Return pictures of any sizes as the network's input, (pictures, 3, height, width) in float32 on a device.

        Pictures of the same size are copied and resized together; a GPU copies them while it does other work.
        """
        import torch

        alike: dict[tuple[int, ...], list[int]] = {}
        for number, picture in enumerate(pictures):
            alike.setdefault(picture.shape, []).append(number)
        batch = torch.empty((len(pictures), 3, *size_hw), device=place)
        for numbers in alike.values():
            pixels = torch.from_numpy(np.stack([pictures[number] for number in numbers]))
            if batch.is_cuda:
                pixels = pixels.pin_memory()
            planes = pixels.to(batch.device, non_blocking=True).permute(0, 3, 1, 2).float()
            resized = torch.nn.functional.interpolate(planes, size_hw, mode=self.filtered, antialias=True)
            batch[numbers] = resized.round_().clamp_(0, 255)
        mean, std = (torch.tensor(of, device=place).view(3, 1, 1) for of in (self.mean, self.std))
        return batch.div_(255).sub_(mean).div_(std)

    def padded(self, pictures: Sequence[NDArray[np.uint8]], side_px: int, place: str) -> torch.Tensor:
        """Return pictures scaled to a longer side of `side_px`, (pictures, 3, side_px, side_px) in float32 on a device.

        After normalization, zeros fill the space below and to the right.
        """
        import torch

        alike: dict[tuple[int, int], list[int]] = {}
        for number, picture in enumerate(pictures):
            alike.setdefault(hw_at_longer_side(picture.shape[:2], side_px), []).append(number)
        batch = torch.zeros((len(pictures), 3, side_px, side_px), device=place)
        for (height, width), numbers in alike.items():
            resized = self.batch([pictures[number] for number in numbers], (height, width), place)
            batch[numbers, :, :height, :width] = resized
        return batch


def hw_at_longer_side(size_hw: tuple[int, ...], side_px: int) -> tuple[int, int]:
    """Return the height and width after the longer side is scaled to `side_px`.

    Halves are rounded up, as SAM does (`ResizeLongestSide.get_preprocess_shape` of `segment_anything`).
    """
    height, width = size_hw
    scale = side_px / max(height, width)
    return int(height * scale + 0.5), int(width * scale + 0.5)
