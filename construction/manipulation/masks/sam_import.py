"""Import of `segment_anything`, with torchvision or with stand-ins for the four torchvision functions that it needs.

torchvision has no build that works with the CPU build of torch, and `segment_anything` imports it for these four
functions only. The stand-ins are in `sys.modules` only while the package is imported, so that transformers and
diffusers never mistake them for torchvision.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

from benchwright.errors import PrerequisiteError

_INSTALL = "pip install 'benchwright[models]' -c constraints.txt"
_PACKAGE = "segment_anything"


def segment_anything() -> ModuleType:
    """Return the package.

    Raises:
        PrerequisiteError: It is not installed.
    """
    if (known := sys.modules.get(_PACKAGE)) is not None:
        return known
    if importlib.util.find_spec(_PACKAGE) is None:
        raise PrerequisiteError(f"masks by segment_anything need the package segment-anything: {_INSTALL}")
    if _torchvision_works():
        return importlib.import_module(_PACKAGE)
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]  # the remains of a failed import
    names = _stand_ins()
    sys.modules.update(names)
    try:
        return importlib.import_module(_PACKAGE)
    finally:
        for name in names:
            sys.modules.pop(name, None)


def _torchvision_works() -> bool:
    try:
        importlib.import_module("torchvision.ops.boxes")
        importlib.import_module("torchvision.transforms.functional")
    except (ImportError, RuntimeError):  # RuntimeError: operator torchvision::nms does not exist
        return False
    return True


def _stand_ins() -> dict[str, ModuleType]:
    functions: dict[str, dict[str, Any]] = {
        "torchvision": {},
        "torchvision.transforms": {},
        "torchvision.transforms.functional": {"resize": _resize, "to_pil_image": _to_pil_image},
        "torchvision.ops": {},
        "torchvision.ops.boxes": {"batched_nms": _batched_nms, "box_area": _box_area},
    }
    made = {}
    for name, held in functions.items():
        made[name] = ModuleType(name)
        made[name].__dict__.update(held)
    return made


def _to_pil_image(pixels: Any) -> Any:
    from PIL import Image

    return Image.fromarray(pixels)


def _resize(picture: Any, size_hw: Any) -> Any:
    from PIL import Image

    return picture.resize((size_hw[1], size_hw[0]), Image.Resampling.BILINEAR)  # torchvision's choice for PIL


def _box_area(boxes: Any) -> Any:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def _batched_nms(boxes: Any, scores: Any, groups: Any, iou_threshold: float) -> Any:
    """Return the indices of boxes that remain after suppression by better boxes of their group, best first."""
    import torch

    if boxes.numel() == 0:
        return torch.empty((0,), dtype=torch.int64, device=boxes.device)
    # Groups are moved so far apart that their boxes never overlap.
    apart = boxes + (groups.to(boxes) * (boxes.max() + 1))[:, None]
    order = scores.argsort(descending=True, stable=True)
    apart, areas = apart[order], _box_area(apart[order])
    alive = torch.ones(len(apart), dtype=torch.bool, device=boxes.device)
    kept = []
    for at in range(len(apart)):
        if not alive[at]:
            continue
        kept.append(at)
        top_left = torch.maximum(apart[at, :2], apart[at + 1 :, :2])
        bottom_right = torch.minimum(apart[at, 2:], apart[at + 1 :, 2:])
        shared = (bottom_right - top_left).clamp(min=0).prod(dim=1)
        alive[at + 1 :] &= shared / (areas[at] + areas[at + 1 :] - shared) <= iou_threshold
    return order[torch.as_tensor(kept, dtype=torch.long, device=boxes.device)]
