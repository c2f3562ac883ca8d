"""SAM's image encoder, which is nearly all of its work, apart from its decoder, which finds the masks.

The encoder needs only the picture. Workers with a GPU therefore share it (`Manipulate.open_shared`), send it pictures
and receive features; each has a decoder of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.models.batching import OutOfMemory
from benchwright.models.device_pixels import DevicePixels
from benchwright.models.devices import Device
from benchwright.models.picture_batches import PictureBatches, PictureModel

from .base import Pixels

if TYPE_CHECKING:
    import torch

Features = NDArray[np.float16] | NDArray[np.float32]
"""A picture's features, (channels, rows, columns): 256 x 64 x 64 of every official SAM, 2 or 4 MiB."""
BATCH_SIZE = 4
"""Number of pictures in a batch on a GPU: by default as many as `manipulate` works on together."""


class SamEncoder(NamedTuple):
    """A loaded image encoder.

    Args:
        network: Function from the input, (pictures, 3, side, side), to features, (pictures, channels, rows, columns).
        prepare: Function from pictures to the input, by the model's own library on the CPU.
        side_px: Side of the input in pixels.
        pixels: What a GPU does in place of `prepare`; None if that would differ.
        device: Device of the network. In half precision, features are float16: their rounding is finer than the
            network's.
    """

    network: Callable[[torch.Tensor], torch.Tensor]
    prepare: Callable[[Sequence[Pixels]], torch.Tensor]
    side_px: int
    pixels: DevicePixels | None
    device: Device

    def features(self, pictures: Sequence[Pixels]) -> list[Features]:
        """Return the features of each picture, (height, width, 3) RGB; all pictures form one batch."""
        import torch

        with torch.inference_mode():
            if self.pixels is None or self.device.kind == "cpu":
                inputs = self.prepare(pictures).to(self.device.place)
            else:
                inputs = self.pixels.padded(pictures, self.side_px, self.device.place)
            features = self.network(inputs)
            exact = self.device.dtype == "float32"
            return list(features.to(torch.float32 if exact else torch.float16).cpu().numpy())

    def in_batches(self) -> PictureBatches[Features]:
        """Return the encoder for pictures of any number and size; on a CPU one at a time, which is no slower there."""
        return PictureBatches(self.features, batch_size=1 if self.device.kind == "cpu" else BATCH_SIZE)


def features_of(encoder: PictureModel[Features], pictures: Sequence[Pixels]) -> list[Features]:
    """Return the features of pictures.

    Raises:
        OutOfMemory: Memory did not suffice for one of them alone.
    """
    found: list[Features] = []
    for features in encoder.run(pictures):
        if isinstance(features, OutOfMemory):
            raise features
        found.append(features)
    return found


def on_device(features: Features, device: Device) -> Any:
    """Return a picture's features as a decoder's input in float32, (1, channels, rows, columns)."""
    import torch

    return torch.from_numpy(np.array(features[None])).to(device.place).float()
