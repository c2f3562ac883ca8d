"""The tools of the step `manipulate`, chosen by its settings, found, hashed, and opened once per worker."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import PrerequisiteError
from benchwright.models.devices import find_device

from .editors.base import Painter
from .editors.presets import PRESETS, Task
from .manipulation_settings import ManipulationSettings
from .masks.base import Masker
from .models.weights import BY_DIGEST, Weights, find_weights

if TYPE_CHECKING:
    from benchwright.models.endpoints.reply_store import ReplyStore
    from benchwright.models.picture_batches import PictureBatches, PictureModel

    from .masks.sam_encoder import Features

TASKS: tuple[Task, ...] = ("inpaint", "instruct")
MASKS = "masks"
_SAM = "sam_vit_b_01ec64.pth"
_FETCH_SAM = f"curl -O https://dl.fbaipublicfiles.com/segment_anything/{_SAM}"
_OTHERWISE = ", or take another `backend` or `masks.by`"
_FETCH_SAM_FOLDER = "hf download facebook/sam-vit-base --local-dir FOLDER"
_NEEDED = {
    "masks": ("torch", "segment_anything"),
    "inpaint": ("torch", "diffusers"),
    "instruct": ("torch", "diffusers"),
}


class Tools(NamedTuple):
    """The opened tools of a worker.

    Args:
        masker: Finds masks.
        painters: The model for each task that a model performs; pictures of other tasks are composed.
    """

    masker: Masker
    painters: Mapping[Task, Painter]


def used_weights(step: ManipulationSettings, folder: Path | None) -> dict[str, Weights]:
    """Return the weights that a step uses, by `masks`, `inpaint` and `instruct`, without unneeded ones.

    With `auto`, a model is used if its weights and packages are present; otherwise both must be present.

    Args:
        step: Step with its settings.
        folder: Folder that their paths are relative to; None if only their digests are known.

    Raises:
        PrerequisiteError: Weights are missing; the message names the weights and the command to fetch them.
    """
    wanted: dict[str, str | None] = {MASKS: step.masks.weights}
    wanted |= {task: getattr(step, task).weights for task in TASKS}
    weights: dict[str, Weights] = {}
    for task, named in wanted.items():
        backend = step.masks.by if task == MASKS else step.backend
        if backend in {"grabcut", "rectangle", "composite", "endpoint"} or (
            backend == "auto" and not _is_there(task, named, folder)
        ):
            continue
        if task != MASKS and named is None:
            if task in step.tasks:
                raise PrerequisiteError(_nothing_named(step, task))
            continue
        assert named is not None, "settings refuse a SAM without weights"
        weights[task] = _found(step, task, named, folder)
    return weights


def _is_there(task: str, named: str | None, folder: Path | None) -> bool:
    if named is None:
        return False
    if BY_DIGEST.fullmatch(named):
        return True
    path = (folder or Path()) / named
    needed = ("torch", "transformers") if task == MASKS and path.is_dir() else _NEEDED[task]
    return path.exists() and all(find_spec(name) is not None for name in needed)


def _nothing_named(step: ManipulationSettings, task: str) -> str:
    preset = getattr(step, task).preset
    return (
        f"backend 'diffusion' needs weights to {task}: fetch them with `{_fetch(preset)}` and name that folder as "
        f"`{task}.weights`; or leave ideas of the kind out with `ways`, or take backend 'auto' or 'composite'"
    )


def _fetch(preset: str) -> str:
    return f"hf download {PRESETS[preset].hub} --local-dir FOLDER"


def _found(step: ManipulationSettings, task: str, named: str, folder: Path | None) -> Weights:
    if known := BY_DIGEST.fullmatch(named):
        return Weights(Path(), known[1], None)
    path = (folder or Path()) / named
    if task == MASKS:
        is_folder = step.masks.by == "sam_transformers" or path.is_dir()
        fetch, needs = (_FETCH_SAM_FOLDER, "config.json") if is_folder else (_FETCH_SAM, _SAM)
        return find_weights(path, purpose="masks by SAM", fetch=fetch, needs=needs, otherwise=_OTHERWISE)
    preset = getattr(step, task).preset
    purpose = f"the preset {preset!r} to {task}"
    return find_weights(path, purpose=purpose, fetch=_fetch(preset), needs="model_index.json", otherwise=_OTHERWISE)


def open_encoder(step: ManipulationSettings, weights: Weights) -> PictureBatches[Features]:
    """Load the image encoder of a step's SAM.

    Args:
        step: Step with its settings.
        weights: SAM's weights.

    Raises:
        PrerequisiteError: A package is missing, or only the digest of the weights is known.
        DataError: The weights are not a SAM.
    """
    _require_places({MASKS: weights})
    device = find_device(step.hardware.device, step.hardware.dtype)
    if _is_of_transformers(step, weights):
        from .masks.sam_transformers import transformers_encoder

        return transformers_encoder(weights.path, device).in_batches()
    from .masks.sam_package import package_encoder

    return package_encoder(weights.path, device).in_batches()


def open_tools(
    step: ManipulationSettings,
    weights: Mapping[str, Weights],
    encoder: PictureModel[Features] | None,
    replies: ReplyStore | None = None,
) -> Tools:
    """Load all tools of a step except SAM's image encoder.

    Args:
        step: Step with its settings.
        weights: The weights that it uses.
        encoder: SAM's image encoder, in this process or shared by workers; None if masks need no SAM.
        replies: Store of endpoint replies in the workspace; None stores no replies.

    Raises:
        PrerequisiteError: A package or a key is missing, or only the digests of weights are known.
        DataError: The weights are not a model of the required kind.
    """
    _require_places(weights)
    painters: dict[Task, Painter] = {task: _painter(step, task, weights[task]) for task in TASKS if task in weights}
    if step.editor is not None:
        from .editors.endpoint_edits import EndpointEdits

        painters = dict.fromkeys(step.tasks, EndpointEdits(step.editor, replies))
    return Tools(_masker(step, weights.get(MASKS), encoder), painters)


def _require_places(weights: Mapping[str, Weights]) -> None:
    for task, weight in weights.items():
        if not weight.path.name:
            raise PrerequisiteError(f"weights of {task} are known by digest only; run the recipe with their place")


def _is_of_transformers(step: ManipulationSettings, weights: Weights) -> bool:
    return step.masks.by == "sam_transformers" or weights.path.is_dir()


def _masker(step: ManipulationSettings, weights: Weights | None, encoder: PictureModel[Features] | None) -> Masker:
    from .masks.base import GrabCut, Rectangle

    settings = step.masks
    if weights is None:
        return Rectangle() if settings.by == "rectangle" else GrabCut()
    assert encoder is not None, "a SAM needs its image encoder"
    device = find_device(step.hardware.device, step.hardware.dtype)
    if _is_of_transformers(step, weights):
        from .masks.sam_transformers import SamOfTransformers

        return SamOfTransformers(weights.path, weights.sha256, device, encoder)
    from .masks.sam_package import SamPackage

    everything = {
        "points_per_side": settings.points_per_side,
        "pred_iou_thresh": settings.min_iou,
        "stability_score_thresh": settings.min_stability,
    }
    return SamPackage(
        weights.path,
        weights.sha256,
        device,
        encoder,
        prompt=settings.prompt,
        overlap=settings.overlap,
        max_area=settings.max_area,
        settings=everything,
    )


def _painter(step: ManipulationSettings, task: Task, weights: Weights) -> Painter:
    from .editors.diffusion import Diffusion

    hardware, settings = step.hardware, getattr(step, task)
    return Diffusion(
        settings.preset,
        weights,
        find_device(hardware.device, hardware.dtype),
        hardware.running(),
        steps=settings.steps,
        guidance=settings.guidance,
        side_px=settings.side_px,
    )
