"""Models of diffusers, loaded once from a folder and run on batches of one size with a generator per picture.

The generators run on the CPU, whatever the device, so a picture's initial noise depends only on its seed.
docs/manipulated-pairs.md states the tolerance for the rounding differences between batches.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from benchwright.errors import DataError, PrerequisiteError
from benchwright.models.batching import Batches, OutOfMemory
from benchwright.models.devices import Device

from ..models.weights import Weights
from .base import NO_MEMORY, UNSAFE, Edit, Painted, Unpainted
from .presets import PRESETS, Preset
from .windows import model_size

if TYPE_CHECKING:
    from ...item_parts.idea import Idea

_INSTALL = "pip install 'benchwright[models]' -c constraints.txt"
Attention = Literal["native", "slicing"]


class Running(NamedTuple):
    """Settings for running a model; they change the result only by rounding.

    Args:
        batch_size: Largest number of pictures at a time; halved permanently when memory runs out.
        channels_last: Memory layout of convolutions.
        attention: `native` is torch's own; `slicing` needs less memory and more time.
        compile: Whether to compile the denoising network; worthwhile from some hundred pictures of one size.
        offload: Whether to keep only the running part of the model on the GPU.
    """

    batch_size: int = 4
    channels_last: bool = False
    attention: Attention = "native"
    compile: bool = False
    offload: bool = False


class Diffusion:
    """A model that is loaded and ready (a `Painter`).

    Args:
        name: Name of the preset.
        weights: Folder in the layout of diffusers.
        device: Device and precision for the model.
        running: Settings for running it.
        steps: Number of denoising steps; None for the preset's. The same applies to the next two settings.
        guidance: Guidance scale, passed under the name that the preset's pipeline uses.
        side_px: Longer side of the model's input, in pixels.

    Raises:
        PrerequisiteError: diffusers is not installed.
        DataError: The folder does not hold such a model.
    """

    def __init__(
        self,
        name: str,
        weights: Weights,
        device: Device,
        running: Running,
        *,
        steps: int | None = None,
        guidance: float | None = None,
        side_px: int | None = None,
    ) -> None:
        preset = PRESETS[name]
        self._preset = _with(preset, steps, guidance, side_px)
        self.pipeline = _loaded(self._preset, weights, device, running)
        self._batches = Batches(running.batch_size if preset.batched else 1)
        self._takes = frozenset(inspect.signature(self.pipeline.__call__).parameters)
        self.editor = preset.editor
        self.made_with: Mapping[str, Any] = {
            "preset": name,
            "pipeline": preset.pipeline,
            "weights": weights.sha256,
            "revision": weights.revision,
            "scheduler": type(self.pipeline.scheduler).__name__,
            "call": dict(self._preset.call),
            "dtype": device.dtype,
            "device": device.kind,
        }

    def size_for(self, size_wh: tuple[int, int]) -> tuple[int, int]:
        """Return the size at which the model gets a picture."""
        return model_size(size_wh, side_px=self._preset.side_px, multiple=self._preset.multiple)

    def prompt_of(self, idea: Idea) -> str:
        """Return the caption of the intended picture for inpainting, as in the paper, otherwise the instruction."""
        return idea.instruction if self._preset.task == "instruct" else idea.manipulated_caption

    def paint(self, edits: Sequence[Edit]) -> list[Painted | Unpainted]:
        """Return the painted picture for each edit, or `unsafe` or `out_of_memory`."""
        painted = dict(self.painting(edits))
        return [painted[place] for place in range(len(edits))]

    def painting(self, edits: Sequence[Edit]) -> Iterator[tuple[int, Painted | Unpainted]]:
        """Yield the index of each edit with its painted picture, batch by batch, or with `unsafe` or
        `out_of_memory`.
        """
        for place, result in self._batches.each(edits, self._together, key=lambda edit: edit.pixels.shape):
            yield place, Unpainted(NO_MEMORY) if isinstance(result, OutOfMemory) else result

    def _together(self, edits: Sequence[Edit]) -> list[Painted | Unpainted]:
        import torch

        height, width = edits[0].pixels.shape[:2]
        arguments: dict[str, Any] = {
            "prompt": [edit.prompt for edit in edits],
            "generator": [torch.Generator("cpu").manual_seed(edit.seed) for edit in edits],
        }
        if self._preset.task != "text":  # otherwise only the size of the pixels counts
            arguments["image"] = [_picture(edit.pixels) for edit in edits]
        if self._preset.task == "inpaint":
            masks = [np.ones((height, width), bool) if edit.mask is None else edit.mask for edit in edits]
            arguments["mask_image"] = [_picture(mask.astype(np.uint8) * 255) for mask in masks]
        if not self._preset.batched:
            arguments = {name: value for name, [value] in arguments.items()}
        if "height" in self._takes:
            arguments |= {"height": height, "width": width}
        if "max_area" in self._takes:  # FLUX Kontext scales everything to this
            arguments["max_area"] = height * width
        with torch.inference_mode():
            output = self.pipeline(**arguments, **self._preset.call, output_type="pil")
        flagged = getattr(output, "nsfw_content_detected", None) or [False] * len(edits)
        pictures = [np.asarray(image.convert("RGB"), np.uint8) for image in output.images]
        return [Unpainted(UNSAFE) if bad else Painted(picture) for picture, bad in zip(pictures, flagged, strict=True)]


def _with(preset: Preset, steps: int | None, guidance: float | None, side_px: int | None) -> Preset:
    scale = "true_cfg_scale" if "true_cfg_scale" in preset.call else "guidance_scale"
    own = {name: value for name, value in (("num_inference_steps", steps), (scale, guidance)) if value is not None}
    return preset._replace(call={**preset.call, **own}, side_px=side_px or preset.side_px)


def _picture(pixels: Any) -> Any:
    from PIL import Image

    return Image.fromarray(np.array(pixels))


def _loaded(preset: Preset, weights: Weights, device: Device, running: Running) -> Any:
    """Return the pipeline on its device, without downloading anything or unpickling or running files from the
    folder.
    """
    try:
        import diffusers
        import torch
    except ImportError as error:
        raise PrerequisiteError(f"the preset's {preset.pipeline} needs diffusers and torch: {_INSTALL}") from error
    try:
        pipeline = getattr(diffusers, preset.pipeline).from_pretrained(
            weights.path,
            dtype=getattr(torch, device.dtype),
            variant=_variant(weights),
            use_safetensors=True,
            local_files_only=True,
            low_cpu_mem_usage=True,
            **preset.loading,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(
            f"{weights.path.name} cannot be loaded as {preset.pipeline} ({first[:300]}); it should hold {preset.hub}"
        ) from error
    if preset.scheduler is not None:
        pipeline.scheduler = getattr(diffusers, preset.scheduler).from_config(pipeline.scheduler.config)
    pipeline.set_progress_bar_config(disable=True)
    return _prepared(pipeline, device, running)


def _prepared(pipeline: Any, device: Device, running: Running) -> Any:
    import torch

    if running.offload and device.kind == "cuda":
        pipeline.enable_model_cpu_offload(device=device.place)
    else:
        pipeline.to(device.place)
    if running.attention == "slicing":
        pipeline.enable_attention_slicing()
    denoiser = getattr(pipeline, "unet", None) or pipeline.transformer
    if running.channels_last:
        for network in (denoiser, pipeline.vae):
            network.to(memory_format=torch.channels_last)
    if running.compile:
        denoiser.compile(dynamic=False)
    return pipeline


def _variant(weights: Weights) -> str | None:
    """Return `fp16` if a folder holds weights in half precision only."""
    names = [path.name for path in weights.path.rglob("*.safetensors")]
    return "fp16" if names and all(".fp16." in name or name.endswith(".fp16.safetensors") for name in names) else None
