"""The outlines of a facts file, found and judged, each shown on its picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.canonical import file_digest
from benchwright.facts import Facts, names_of
from benchwright.images.decode import decode_rgb
from benchwright.images.identify import path_for

from ...item_parts.cutting_out import Hints, Mask, find_mask, stated_mask
from ...stated_facts.resolved_facts import grounded
from ..manipulation_settings import Masking
from ..masks.base import hints_within
from .outline_figures import OutlineFigures, outline_figures

_SEED = 1
_SIDE_PX = 1024
_DIMMED, _LINE = 0.25, (255, 0, 200)


class SeenOutline(NamedTuple):
    """An outline of a facts file.

    Args:
        picture: Key of the picture.
        subject: Name of the subject.
        by: `people` or `grabcut`; `box` if only a box is stated, from which GrabCut makes poor outlines.
        figures: The measurements; None if there is no outline.
        faults: Faults in words.
        seen: The picture with all but the subject dimmed and the outline drawn; None if there is no outline.
    """

    picture: str
    subject: str
    by: str
    figures: OutlineFigures | None
    faults: Sequence[str]
    seen: NDArray[np.uint8] | None


def files_of_pictures(facts: Facts, folder: Path, uris: Sequence[str]) -> Mapping[str, Path]:
    """Return the file of each of the facts file's pictures that the folder contains, by the picture's key.

    Args:
        facts: The facts.
        folder: Image folder.
        uris: URIs of its files, sorted, as a run has them.
    """
    keys = {name: key for key, picture in facts.images.items() for name in (key, *picture.also)}
    found: dict[str, Path] = {}
    for uri in uris:
        path = folder / path_for(uri)
        known = next((keys[name] for name in names_of(uri, file_digest(path)) if name in keys), None)
        if known is not None:
            found.setdefault(known, path)
    return found


def seen_outlines(facts: Facts, files: Mapping[str, Path], masks: Masking) -> Iterator[SeenOutline]:
    """Yield the outline of each subject with `cut_out` on its picture, as the step `manipulate` would find it.

    Args:
        facts: The facts.
        files: Files of the pictures, from `files_of_pictures`.
        masks: Limits for outlines.

    Raises:
        UnreadableImage: A picture cannot be decoded.
    """
    for key, picture in facts.images.items():
        subjects = [subject for subject in picture.subjects if subject.cut_out is not None]
        if not subjects or key not in files:
            continue
        pixels, scale = _shown(decode_rgb(files[key]))
        for subject in subjects:
            hints = hints_within(grounded(subject), scale=scale, size_wh=(pixels.shape[1], pixels.shape[0]))
            if isinstance(hints, str):
                yield SeenOutline(key, subject.name, "box", None, [f"its box cannot be used ({hints})"], None)
                continue
            yield _seen(key, subject.name, pixels, hints, masks)


def _seen(key: str, name: str, pixels: NDArray[np.uint8], hints: Hints, masks: Masking) -> SeenOutline:
    drawn = stated_mask(hints, pixels.shape)
    mask = find_mask(pixels, hints, seed=_SEED) if drawn is None else drawn
    by = "people" if drawn is not None else "grabcut" if hints.inside or hints.outside else "box"
    if not mask.any():
        return SeenOutline(key, name, by, None, ["nothing inside its box can be told from what is outside"], None)
    figures = outline_figures(pixels, mask, hints, seed=None if drawn is not None else _SEED)
    faults = figures.faults(max_tear=masks.max_tear)
    if by == "box" and not masks.box_alone:
        faults.append("is found by its box alone: add points, or outline it in the app")
    return SeenOutline(key, name, by, figures, faults, on_picture(pixels, mask))


def _shown(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], float]:
    import cv2

    scale = min(1.0, _SIDE_PX / max(pixels.shape[:2]))
    if scale == 1:
        return pixels, 1.0
    size_wh = round(pixels.shape[1] * scale), round(pixels.shape[0] * scale)
    return np.asarray(cv2.resize(pixels, size_wh, interpolation=cv2.INTER_AREA), np.uint8), scale


def on_picture(pixels: NDArray[np.uint8], mask: Mask) -> NDArray[np.uint8]:
    """Return a picture with everything but the subject dimmed and a line around the subject, (height, width, 3)."""
    import cv2

    seen = np.where(mask[..., None], pixels, (pixels * _DIMMED).astype(np.uint8)).astype(np.uint8)
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    width = max(1, round(min(mask.shape) / 256))
    return np.asarray(cv2.drawContours(np.ascontiguousarray(seen), contours, -1, _LINE, width), np.uint8)
