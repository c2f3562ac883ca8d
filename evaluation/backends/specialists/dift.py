"""DIFT: finds the marked point whose diffusion features are most similar to those of a reference point.

A specialist for the correspondence tasks, and the one in BLINK's table 2 for visual and semantic correspondence: L.
Tang et al., "Emergent correspondence from image diffusion", NeurIPS 2023. Noise of one time step is added to a
picture's latents, the denoiser runs once, and the output of one of its upward blocks is the feature map. A late step
and an early block capture meaning; no noise and a later block capture the same point of a scene (section 4 and
appendix). The picture's id seeds the noise, so that a picture always has the same features.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from benchwright.errors import PrerequisiteError
from benchwright.images.decode import decode_rgb
from benchwright.seeds import seed_for

from ...prompting.question import Question, QuestionImage
from .base import Fits, Point, cosines
from .question_forms import MarkedViews, marked_views
from .weights import ModelSpecialist

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DRAWS = 8
"""Number of noise draws whose features are averaged."""


class FeatureLevel(NamedTuple):
    """The source of features: the time step of the noise, and an upward block, counted from the end of the denoiser."""

    step: int
    block_from_end: int


LEVELS = {
    "semantic_correspondence": FeatureLevel(261, 3),
    "functional_correspondence": FeatureLevel(261, 3),
    "visual_correspondence": FeatureLevel(0, 2),
}
"""Levels by task. Stable Diffusion has four upward blocks: 3 from the end is DIFT's block 1, 2 from the end its block
2."""


class CorrespondenceViews(NamedTuple):
    """Two views with their points, and the feature level for their task."""

    views: MarkedViews
    level: FeatureLevel


class Dift(ModelSpecialist[CorrespondenceViews]):
    """Picks the point whose features in a denoiser have the largest cosine with those of the reference point."""

    name: ClassVar[str] = "dift"
    tasks: ClassVar[frozenset[str]] = frozenset(LEVELS)
    version: ClassVar[int] = 1
    stands_for: ClassVar[str] = "DIFT"
    repository: ClassVar[str] = "stable-diffusion-v1-5/stable-diffusion-v1-5"
    needs: ClassVar[tuple[str, ...]] = ("model_index.json",)

    def content_of(self, question: Question) -> CorrespondenceViews:
        """Return the views and the feature level."""
        return CorrespondenceViews(marked_views(question), LEVELS[question.task])

    def fits(self, batch: Sequence[CorrespondenceViews]) -> list[Fits | str]:
        """Return the cosines with the reference point's features; each batch consists of several draws of noise."""
        return [self._fits_of(content) for content in batch]

    def _fits_of(self, content: CorrespondenceViews) -> Fits:
        import numpy as np

        views, level = content
        [wanted] = self._features(views.reference, [views.point], level)
        features = self._features(views.view, list(views.candidates.values()), level)
        return dict(zip(views.candidates, cosines(wanted, np.stack(features)).tolist(), strict=True))

    def _features(
        self, picture: QuestionImage, points: Sequence[Point], level: FeatureLevel
    ) -> list[NDArray[np.float64]]:
        """Return the features at some points of a picture, interpolated between the cells of the feature map."""
        import numpy as np
        import torch

        pixels = decode_rgb(picture.data)
        height, width = pixels.shape[:2]
        feature_map = self.feature_map(pixels, seed_for(0, "dift", picture.image_id), level)
        grid = torch.tensor([[[(2 * x / width - 1, 2 * y / height - 1) for x, y in points]]], dtype=torch.float32)
        taken = torch.nn.functional.grid_sample(
            feature_map.cpu(), grid[0][None], mode="bilinear", padding_mode="border", align_corners=False
        )
        return list(taken[0, :, 0].T.numpy().astype(np.float64))

    def feature_map(self, pixels: NDArray[np.uint8], seed: int, level: FeatureLevel) -> Any:
        """Return a picture's feature map as a tensor of shape (1, channels, rows, columns).

        Args:
            pixels: Picture, (height, width, 3) RGB.
            seed: Seed of the noise.
            level: Time step and block.
        """
        import torch

        parts = self.opened
        values = (
            torch.from_numpy(resized(pixels, side_px=parts.side_px, multiple_px=parts.multiple_px))
            .permute(2, 0, 1)[None]
            .float()
            .to(self.place)
            / 127.5
            - 1
        )
        taken: list[Any] = []
        block = parts.unet.up_blocks[max(0, len(parts.unet.up_blocks) - level.block_from_end)]
        hook = block.register_forward_hook(lambda *call: taken.append(call[-1]))
        try:
            with torch.inference_mode():
                latents = parts.vae.encode(values).latent_dist.mode() * parts.vae.config.scaling_factor
                noise = torch.randn(
                    (_DRAWS, *latents.shape[1:]), generator=torch.Generator().manual_seed(seed % 2**63)
                ).to(latents)
                step = torch.tensor([level.step], device=latents.device)
                noisy = parts.scheduler.add_noise(latents.expand(_DRAWS, -1, -1, -1), noise, step)
                words = parts.words.expand(_DRAWS, -1, -1)
                parts.unet(noisy, step, encoder_hidden_states=words)
        finally:
            hook.remove()
        return taken[0].float().mean(dim=0, keepdim=True)

    def load(self, place: str) -> DenoiserParts:
        """Return the parts of a pipeline that are needed to compute features, with the encoded empty prompt."""
        import torch
        from diffusers import AutoencoderKL, DDIMScheduler, UNet2DConditionModel
        from transformers import CLIPTextModel, CLIPTokenizer

        at: dict[str, Any] = {"use_safetensors": True, "local_files_only": True}
        unet = UNet2DConditionModel.from_pretrained(self.folder, subfolder="unet", **at)
        if unet.config.in_channels != unet.config.out_channels or unet.config.addition_embed_type is not None:
            raise PrerequisiteError(
                f"{self.folder.name} has a denoiser for inpainting or from SDXL; DIFT needs a text-to-image "
                "model, such as Stable Diffusion 1.5 or 2.1"
            )
        vae = AutoencoderKL.from_pretrained(self.folder, subfolder="vae", **at)
        encoder = CLIPTextModel.from_pretrained(self.folder, subfolder="text_encoder", **at)
        tokenizer = CLIPTokenizer.from_pretrained(self.folder, subfolder="tokenizer", local_files_only=True)
        scheduler = DDIMScheduler.from_pretrained(self.folder, subfolder="scheduler", local_files_only=True)
        tokens = tokenizer(
            "", padding="max_length", max_length=tokenizer.model_max_length, truncation=True, return_tensors="pt"
        )
        with torch.inference_mode():
            words = encoder.float().eval()(tokens.input_ids)[0]
        latent_px = 2 ** (len(vae.config.block_out_channels) - 1)
        sides = unet.config.sample_size * latent_px, latent_px * 2 ** (len(unet.config.block_out_channels) - 1)
        unet, vae = (model.float().to(place).eval() for model in (unet, vae))
        return DenoiserParts(unet, vae, scheduler, words.to(place), *sides)


class DenoiserParts(NamedTuple):
    """The parts of a pipeline that are needed to compute features.

    Args:
        unet: Denoiser.
        vae: Autoencoder.
        scheduler: Scheduler of the noise.
        words: The encoded empty prompt.
        side_px: Longer side of the denoiser's training pictures, to which its input is resized.
        multiple_px: Number of which picture sides must be multiples, so that the denoiser can halve its maps.
    """

    unet: Any
    vae: Any
    scheduler: Any
    words: Any
    side_px: int
    multiple_px: int


def resized(pixels: NDArray[np.uint8], *, side_px: int, multiple_px: int) -> NDArray[np.uint8]:
    """Return a picture resized to a longer side of about `side_px`, with sides that are multiples of `multiple_px`."""
    import numpy as np
    from PIL import Image

    height, width = pixels.shape[:2]
    scale = side_px / max(height, width) / multiple_px
    size_wh = (max(1, round(width * scale)) * multiple_px, max(1, round(height * scale)) * multiple_px)
    return np.array(Image.fromarray(pixels).resize(size_wh, Image.Resampling.BICUBIC))
