"""Autoencoder error: finds the picture that the autoencoder of a diffusion model reproduces worst.

A specialist for `forensic_detection`. Pictures from a latent diffusion model lie in the range of its decoder, which
reproduces them almost unchanged; a photograph loses detail (J. Ricker, D. Lukovnikov, A. Fischer, "AEROBLADE:
Training-free detection of latent diffusion images using autoencoder reconstruction error", CVPR 2024; here with the
squared error in place of its LPIPS). It replaces DIRE (Z. Wang et al., ICCV 2023), which reconstructs by the
whole diffusion process and trains a classifier on the error; its weights exist in no format that this module loads.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from benchwright.errors import DataError
from benchwright.images.decode import decode_rgb

from ...prompting.question import Question
from .base import Fits
from .question_forms import choice_pictures
from .weights import ModelSpecialist

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEP_PX = 8
"""Pixels per latent along a picture's side; pictures are cropped to whole latents."""


class ChoicePixels(NamedTuple):
    """The pixels of each option's picture, by key, with sides cropped to multiples of 8."""

    pixels: dict[str, NDArray[np.uint8]]


class AutoencoderError(ModelSpecialist[ChoicePixels]):
    """Picks the picture that changes most when the autoencoder of a diffusion model encodes and decodes it."""

    name: ClassVar[str] = "autoencoder_error"
    tasks: ClassVar[frozenset[str]] = frozenset({"forensic_detection"})
    version: ClassVar[int] = 1
    stands_for: ClassVar[str] = "DIRE"
    repository: ClassVar[str] = "stabilityai/sdxl-vae"
    needs: ClassVar[tuple[str, ...]] = ("config.json", "vae/config.json")

    def content_of(self, question: Question) -> ChoicePixels:
        """Return the pictures of the options."""
        cropped = {}
        for key, picture in choice_pictures(question).items():
            pixels = decode_rgb(picture.data)
            height, width = (side // _STEP_PX * _STEP_PX for side in pixels.shape[:2])
            if not height or not width:
                raise DataError(f"item {question.item_id} has a picture with a side of less than {_STEP_PX} pixels")
            cropped[key] = pixels[:height, :width]
        return ChoicePixels(cropped)

    def alike(self, content: ChoicePixels) -> Hashable:
        """Return the sizes of the pictures."""
        return tuple(pixels.shape for pixels in content.pixels.values())

    def fits(self, batch: Sequence[ChoicePixels]) -> list[Fits | str]:
        """Return the mean squared change of each picture, for values from -1 to 1."""
        import numpy as np

        found: list[dict[str, float]] = [{} for _ in batch]
        for key in batch[0].pixels:
            errors = self._errors(np.stack([content.pixels[key] for content in batch]))
            for number, error in enumerate(errors):
                found[number][key] = error
        return list(found)

    def _errors(self, pictures: NDArray[np.uint8]) -> list[float]:
        import torch

        model = self.opened
        values = torch.from_numpy(pictures).permute(0, 3, 1, 2).float().to(model.device) / 127.5 - 1
        with torch.inference_mode():
            decoded = model.decode(model.encode(values).latent_dist.mode()).sample
        errors: list[float] = ((decoded - values) ** 2).mean(dim=(1, 2, 3)).cpu().tolist()
        return errors

    def load(self, place: str) -> Any:
        """Return the autoencoder."""
        from diffusers import AutoencoderKL

        folder = self.folder if (self.folder / "config.json").is_file() else self.folder / "vae"
        model = AutoencoderKL.from_pretrained(folder, use_safetensors=True, local_files_only=True)
        return model.float().to(place).eval()
