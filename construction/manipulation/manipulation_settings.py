"""Settings of the step `manipulate`, in groups as a recipe writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from benchwright.diagnostics.pictures.outline_tears import MOST_TEAR
from benchwright.facts import Way
from benchwright.models.devices import Precision

from .editors.blending import Blending
from .editors.diffusion import Attention, Running
from .editors.endpoint_edits import EndpointEditing
from .editors.presets import PRESETS, Task, names_of
from .masks.choosing import Overlap
from .models.weights import Weights

_BESIDE_WEIGHTS_MB = 10_000
ENCODER_MB = 22_000
"""GPU memory in MB, beside its weights, of SAM's image encoder when workers share it: two batches of four pictures run
at a time, and ViT-H took 2.7 GiB for one picture of 1024 pixels.
"""

Backend = Literal["composite", "diffusion", "endpoint", "auto"]
TASK_OF: Mapping[Way, Task] = {"partial": "inpaint", "background": "inpaint", "direct": "instruct"}
MaskedBy = Literal["auto", "grabcut", "rectangle", "segment_anything", "sam_transformers"]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Masking(_Settings):
    """Rules for finding and judging masks.

    Args:
        by: The masker; `auto` is SAM if its weights are present, otherwise GrabCut.
        weights: Checkpoint of `segment_anything`, or a folder of transformers, relative to the recipe.
        prompt: Prompt of `segment_anything`: the box, or everything in the picture, followed by equation (1).
        overlap: Rule that chooses a mask from everything: `paper` takes the raw intersection.
        points_per_side: Number of points per side of the grid that prompts for everything.
        min_iou: Smallest quality that SAM predicts for a mask of everything.
        min_stability: Smallest stability of such a mask.
        partial: Mask of a part: its `shape`, or the `rectangle` of its box.
        box_alone: Whether GrabCut may cut out a subject from its box alone before a new background; otherwise a subject
            without points or a mask is `outline_unstated`.
        subject_margin: Growth of the subject's box before a part is cut to it, as a fraction of its sides.
        min_area: Smallest area of a mask, as a fraction of the picture; below it the mask is `mask_empty`.
        max_area: Largest area; above it the mask is `mask_everything`.
        min_box_iou: Smallest intersection over union of the mask's bounds with the box; below it is `mask_off_box`.
        max_tear: Largest tear, 0-1, of the outline of a subject or donor found by GrabCut or SAM; above it is
            `outline_torn`. Outlines that people drew are not judged.
    """

    RETIRED: ClassVar[Mapping[str, str]] = {
        "min_edges": "`masks.max_tear` takes its place: remove `min_edges`, and state `max_tear` (0-1, by default "
        f"{MOST_TEAR}; smaller is stricter) where another bound is wanted"
    }

    by: MaskedBy = "grabcut"
    weights: str | None = None
    prompt: Literal["box", "everything"] = "box"
    overlap: Overlap = "iou"
    points_per_side: int = Field(32, ge=1, le=128)
    min_iou: float = 0.88
    min_stability: float = 0.95
    partial: Literal["shape", "rectangle"] = "shape"
    box_alone: bool = False
    subject_margin: float = Field(0.25, ge=0)
    min_area: float = Field(0.0005, gt=0, lt=1)
    max_area: float = Field(0.85, gt=0, lt=1)
    min_box_iou: float = Field(0.5, ge=0, le=1)
    max_tear: float = Field(MOST_TEAR, ge=0, le=1)

    @property
    def decoder_mb(self) -> int:
        """Return the GPU memory in MB of a worker that shares SAM's image encoder: of torch, CUDA and the decoder.

        For masks of everything, the decoder of ViT-H took up to 5.1 GiB; the rest is an estimate.
        """
        return 6_000 if self.prompt == "everything" else 2_000

    def checks(self) -> dict[str, float]:
        """Return the limits for `cutting_out.fault`."""
        return {"min_area": self.min_area, "max_area": self.max_area, "min_box_iou": self.min_box_iou}

    @model_validator(mode="after")
    def _fits(self) -> Masking:
        if self.max_area <= self.min_area:
            raise ValueError(f"max_area {self.max_area} is not above min_area {self.min_area}; no mask has both")
        if self.prompt == "everything" and self.by not in {"segment_anything", "auto"}:
            raise ValueError(f"prompt 'everything' is one of segment_anything; {self.by} is asked by box")
        if self.by in {"segment_anything", "sam_transformers"} and self.weights is None:
            raise ValueError(f"masks by {self.by} need `weights`: the checkpoint's file or folder")
        return self


class _Painting(_Settings):
    """A model of diffusers.

    Args:
        preset: Name of the preset.
        weights: Its folder in the layout of diffusers, relative to the recipe. Workspace and release record the digest
            of its files instead of its name.
        steps: Number of denoising steps; by default the preset's.
        guidance: Guidance scale; by default the preset's.
        side_px: Longer side of the model's input, a multiple of 64; by default the preset's.
    """

    preset: str
    weights: str | None = None
    steps: int | None = Field(None, ge=1, le=1000)
    guidance: float | None = None
    side_px: int | None = Field(None, ge=64, le=4096, multiple_of=64)


class Inpainting(_Painting):
    """The model that paints into masks.

    Args:
        preset: `paper`, `sd_inpaint`, `sdxl_inpaint`, `flux_fill` or `z_image_inpaint`.
    """

    preset: str = "paper"

    @field_validator("preset")
    @classmethod
    def _known(cls, name: str) -> str:
        return _preset_of("inpaint", name)


class Instructing(_Painting):
    """The model that follows instructions about whole pictures.

    Args:
        preset: `instruct_pix2pix`, `flux_kontext` or `qwen_image_edit`.
    """

    preset: str = "instruct_pix2pix"

    @field_validator("preset")
    @classmethod
    def _known(cls, name: str) -> str:
        return _preset_of("instruct", name)


def _preset_of(task: Task, name: str) -> str:
    if name not in PRESETS or PRESETS[name].task != task:
        raise ValueError(f"no preset {name!r} to {task}; there are {', '.join(names_of(task))}")
    return name


class Moving(_Settings):
    """Limits of a subject's move before its new background; no move by default.

    Args:
        max_shift: Largest shift, as a fraction of the picture's width or height.
        min_scale: Smallest factor of the subject's size.
        max_scale: Largest factor of its size.
        horizon: Row of the horizon in the new backgrounds, as a fraction of the height. A subject that stands below it
            is then moved up as far as it becomes smaller, and down as far as it becomes larger; `max_shift` moves it
            only sideways. None leaves size and row independent.
    """

    max_shift: float = Field(0.0, ge=0, le=1)
    min_scale: float = Field(1.0, gt=0.1, le=4)
    max_scale: float = Field(1.0, gt=0.1, le=4)
    horizon: float | None = Field(None, ge=0, lt=1)

    @model_validator(mode="after")
    def _in_order(self) -> Moving:
        if self.max_scale < self.min_scale:
            raise ValueError(f"max_scale {self.max_scale} is below min_scale {self.min_scale}")
        return self


class Edges(_Settings):
    """The transition between the painted pixels and the rest.

    Args:
        context: Context that a model sees around a part, as a fraction of the part's longer side, on each side.
        min_window_px: Smallest side of the model's view, if the picture is that large.
        grow: Growth of a part's mask, as a fraction of its box's shorter side.
        feather: Standard deviation of its softening, as a fraction of the same side.
        rim_px: Standard deviation of the softening of a subject's rim before a new background, for pictures whose
            shorter side is 512 px.
    """

    context: float = Field(0.5, ge=0, le=10)
    min_window_px: int = Field(256, ge=8, le=4096)
    grow: float = Field(0.06, ge=0, le=1)
    feather: float = Field(0.02, ge=0, le=1)
    rim_px: float = Field(1.2, ge=0, le=20)


class Hardware(_Settings):
    """Devices and modes for running models. Only `dtype` affects the painted pixels; the other settings change only
    rounding.

    Args:
        device: Device, such as `cuda:0`; by default the first GPU, otherwise the CPU.
        dtype: `auto` is bfloat16 or float16 on a GPU, float32 on the CPU.
        batch_size: Number of pictures that a model paints at a time; halved when memory runs out.
        images_together: Number of source images prepared, painted and then journaled together.
        gpus: Number of GPUs per worker on a Ray cluster.
        channels_last: Memory layout of convolutions.
        attention: `native`, or `slicing` to save memory.
        compile: Whether to compile the denoising network.
        offload: Whether to keep only the running part of a model on the GPU.
    """

    device: str | None = None
    dtype: Precision = "auto"
    batch_size: int = Field(4, ge=1, le=256)
    images_together: int = Field(4, ge=1, le=256)
    gpus: float = Field(0.0, ge=0)
    channels_last: bool = False
    attention: Attention = "native"
    compile: bool = False
    offload: bool = False

    def gpu_memory_mb(self, weights: Iterable[Weights]) -> int:
        """Return the GPU memory in MB that a worker needs with these weights; 0 if models run on the CPU.

        In addition to the weights of SAM ViT-H and SDXL, a batch of four pictures of 1024 pixels, torch and CUDA used 8
        GB.
        """
        sizes_mb = [model.size_mb for model in weights]
        return 0 if self.device == "cpu" or not sizes_mb else _BESIDE_WEIGHTS_MB + sum(sizes_mb)

    def running(self) -> Running:
        """Return the settings for running a model of diffusers."""
        return Running(self.batch_size, self.channels_last, self.attention, self.compile, self.offload)


class ManipulationSettings(_Settings):
    """Settings of the step `manipulate`, which documents each of them."""

    backend: Backend = "composite"
    ways: tuple[Way, ...] = Field(("partial", "background", "direct"), min_length=1)
    candidates: int = Field(1, ge=1, le=16)
    max_side_px: int = Field(1024, ge=64, le=4096)
    max_enlargement: float = Field(2.0, gt=0)
    min_visible: float = Field(0.3, ge=0, le=1)
    max_frame_shift: float = Field(0.02, ge=0, le=0.5)
    inpaint: Inpainting = Inpainting()
    instruct: Instructing = Instructing()
    editor: EndpointEditing | None = None
    masks: Masking = Masking()
    subject: Moving = Moving()
    edges: Edges = Edges()
    blend: Blending = Blending()
    hardware: Hardware = Hardware()

    @model_validator(mode="after")
    def _names_an_editor(self) -> ManipulationSettings:
        if (self.backend == "endpoint") != (self.editor is not None):
            raise ValueError(
                "backend `endpoint` needs `editor`, such as {model: gpt-image-1}; the other backends use none"
            )
        return self

    @property
    def tasks(self) -> frozenset[Task]:
        """Return the tasks for models."""
        return frozenset(TASK_OF[way] for way in self.ways)
