"""Presets of editing models: settings, repository of the weights, and license.

A preset is data: the pipeline class of diffusers 0.42 and the arguments of its call. `paper` is MVP-Bench's (section
4.1 and appendix D: 50 steps of DDIM, scale 10; InstructPix2Pix with its defaults, which in diffusers are 100 steps, 7.5
and 1.5). The others have the defaults of their pipeline's call, Z-Image those of its turbo weights. A license is the
one stated for the weights as far as known; users of the weights should read it in the repository.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Task = Literal["inpaint", "instruct", "text"]
_OPENRAIL = "CreativeML Open RAIL-M"


class Preset(NamedTuple):
    """Settings of one model.

    Args:
        editor: Name of the editor, as recorded in pairs.
        task: Task: `inpaint` fills a mask from a caption, `instruct` follows an instruction about the whole picture,
            `text` makes a picture from a caption alone.
        pipeline: Class of diffusers.
        hub: Repository of the weights.
        licence: License of the weights.
        side_px: Longer side of the model's input, in pixels.
        multiple: Number that must divide both sides.
        call: Arguments of the pipeline's call besides picture, mask, prompt, size and generators.
        scheduler: Class that replaces the scheduler of the folder; None keeps the folder's.
        batched: Whether the pipeline takes several different pictures at once.
        loading: Further arguments for loading the pipeline.
    """

    editor: str
    task: Task
    pipeline: str
    hub: str
    licence: str
    side_px: int
    multiple: int
    call: Mapping[str, float | int | str | bool]
    scheduler: str | None = None
    batched: bool = True
    loading: Mapping[str, bool] = {}


PRESETS: Mapping[str, Preset] = {
    "paper": Preset(
        "sd_inpaint", "inpaint", "StableDiffusionInpaintPipeline", "stable-diffusion-v1-5/stable-diffusion-inpainting",
        _OPENRAIL, 512, 32, {"num_inference_steps": 50, "guidance_scale": 10.0}, scheduler="DDIMScheduler",
    ),
    "sd_inpaint": Preset(
        "sd_inpaint", "inpaint", "StableDiffusionInpaintPipeline", "stable-diffusion-v1-5/stable-diffusion-inpainting",
        _OPENRAIL, 512, 32, {"num_inference_steps": 50, "guidance_scale": 7.5},
    ),
    "sdxl_inpaint": Preset(
        "sdxl_inpaint", "inpaint", "StableDiffusionXLInpaintPipeline",
        "diffusers/stable-diffusion-xl-1.0-inpainting-0.1", "CreativeML Open RAIL++-M", 1024, 32,
        {"num_inference_steps": 50, "guidance_scale": 7.5, "strength": 0.9999},
    ),
    "flux_fill": Preset(
        "flux_fill", "inpaint", "FluxFillPipeline", "black-forest-labs/FLUX.1-Fill-dev",
        "FLUX.1 [dev] Non-Commercial License", 1024, 32, {"num_inference_steps": 50, "guidance_scale": 30.0},
        batched=False,
    ),
    "z_image_inpaint": Preset(
        "z_image_inpaint", "inpaint", "ZImageInpaintPipeline", "Tongyi-MAI/Z-Image-Turbo", "Apache-2.0", 1024, 32,
        {"num_inference_steps": 9, "guidance_scale": 0.0, "strength": 1.0}, batched=False,
    ),
    "instruct_pix2pix": Preset(
        "instruct_pix2pix", "instruct", "StableDiffusionInstructPix2PixPipeline", "timbrooks/instruct-pix2pix", "MIT",
        512, 32, {"num_inference_steps": 100, "guidance_scale": 7.5, "image_guidance_scale": 1.5},
    ),
    "flux_kontext": Preset(
        "flux_kontext", "instruct", "FluxKontextPipeline", "black-forest-labs/FLUX.1-Kontext-dev",
        "FLUX.1 [dev] Non-Commercial License", 1024, 32,
        {"num_inference_steps": 28, "guidance_scale": 3.5, "_auto_resize": False}, batched=False,
    ),
    "qwen_image_edit": Preset(
        "qwen_image_edit", "instruct", "QwenImageEditPipeline", "Qwen/Qwen-Image-Edit", "Apache-2.0", 1024, 32,
        {"num_inference_steps": 50, "true_cfg_scale": 4.0, "negative_prompt": " "}, batched=False,
    ),
    "sdxl": Preset(
        # A watermark would distinguish its pictures from photographs.
        "sdxl", "text", "StableDiffusionXLPipeline", "stabilityai/stable-diffusion-xl-base-1.0",
        "CreativeML Open RAIL++-M", 1024, 32, {"num_inference_steps": 50, "guidance_scale": 5.0},
        loading={"add_watermarker": False},
    ),
}  # fmt: skip
"""Presets by their names in recipes."""


def names_of(task: Task) -> tuple[str, ...]:
    """Return the names of a task's presets."""
    return tuple(name for name, preset in PRESETS.items() if preset.task == task)
