"""The second look: each proposed pair is registered and compared pixel by pixel, under one of its two images."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchwright.errors import UnreadableImage
from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Stream

from ..features.local_features import Features, describe, detector, shrunk
from .registration import Affine, Registered, SceneGeometry, refined, register, scene_geometry
from .structure import BLOCK_PX, Structure, compare

SIDE_PX = 448
"""Longer side at which pictures are compared."""
LEAST_SIDE_PX = 160
"""Tiny pictures of a block and more are enlarged to this, so that they are more than a handful of blocks."""
DECODED_AT_LEAST_PX = 256
_CANDIDATES, _CORNERS = 1500, 600

Verdict = Literal["confirmed", "unsure", "scene", "different"]
_BEST_FIRST: dict[Verdict, int] = {"confirmed": 0, "unsure": 1, "scene": 2, "different": 3}


class SameEnough(NamedTuple):
    """What it takes to be a copy; shares, 0-1.

    Args:
        contained: Least share of one picture that the other shows. A turned copy loses its corners.
        whole: Least share of the larger that a copy shows; a smaller cutting is a detail, and asked about.
        alike: Least share of the overlap's blocks that show the same.
        replaced: Most blocks that show something else in both.
        preserved: Least share of one picture's details that the other has too.
        region: Least share of details, and of those of the worst region, that is preserved where all else is plain.
    """

    contained: float
    whole: float
    alike: float
    replaced: float
    preserved: float
    region: float

    def holds(self, found: Structure) -> bool:
        """Return whether what was measured is enough."""
        return (
            max(found.overlap_fixed, found.overlap_moving) >= self.contained
            and min(found.overlap_fixed, found.overlap_moving) >= self.whole
            and found.alike >= self.alike
            and found.replaced <= self.replaced
            and found.preserved >= self.preserved
            and (found.common >= _SUBSTANCE or min(found.worst, found.preserved) >= self.region)
        )


CONFIRMED = SameEnough(contained=0.85, whole=0.45, alike=0.85, replaced=0.03, preserved=0.85, region=0.8)
UNSURE = SameEnough(contained=0.7, whole=0.1, alike=0.7, replaced=0.12, preserved=0.6, region=0.7)
_SUBSTANCE = 0.38
"""Share of the overlap that two pictures fill with the same, below which all else than their details is plain."""
_NEARLY = 0.5
"""Share of details from which an alignment of plain pictures is worth refining."""
_REFINABLE = 0.15
"""Share of blocks with details from which it can be: one simple shape can be drawn onto another."""
_UNDER_OTHER_WORDS = 0.5
"""Share of the overlap's rows that one band must fill for a picture under other words to be asked about."""
_PLAIN = 0.02
"""Share of blocks with details, below which two pictures are as good as empty: then only shades can be compared."""
_SAME_SHADE, _NEAR_SHADE = 0.01, 0.04
_SCENE_COMMON = 0.2
"""Share of the overlap that two views of a scene fill with the same, where no alignment is right; posters have less."""
_FEW_INLIERS = 12
"""With fewer corners that agree, a transform alone proves nothing: such a pair is asked about at best."""


@dataclass(frozen=True)
class PairComparison:
    """A second look at two pictures.

    Args:
        verdict: As in this module's table.
        structure: What was measured in the best alignment; None where there is none.
        affine: Takes the moving picture onto the fixed one, both `SIDE_PX` long at most; it was mirrored before
            where `mirrored` says so.
        inliers: Corners that agree on the alignment; 0 where the frames were laid over each other as they are.
        mirrored: The moving picture was mirrored left to right.
        scene: What two views of one scene have in common; None where they were not taken for that.
    """

    verdict: Verdict
    structure: Structure | None = None
    affine: Affine | None = None
    inliers: int = 0
    mirrored: bool = False
    scene: SceneGeometry | None = None

    @property
    def likeness(self) -> float:
        """Return the share of the overlap's blocks that show the same, 0-1; 0 without an overlap."""
        return self.structure.alike if self.structure is not None else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return what was measured, rounded, as evidence."""
        document: dict[str, Any] = {"verdict": self.verdict, "inliers": self.inliers, "mirrored": self.mirrored}
        if self.structure is not None and self.affine is not None:
            document |= {name: round(value, 4) for name, value in self.structure._asdict().items()}
            document["affine"] = [round(float(number), 3) for number in self.affine.ravel()]
        if self.scene is not None:
            document["scene"] = {"matches": self.scene.matches, "spread": round(self.scene.spread, 4)}
        return document


class Look:
    """A picture made ready to be compared; corners are found when they are first asked for.

    Args:
        luma: The upright picture in grey, at least `DECODED_AT_LEAST_PX` wide and high where it can be.
    """

    def __init__(self, luma: Image.Image) -> None:
        longer = max(luma.size)
        if min(luma.size) >= BLOCK_PX and longer < LEAST_SIDE_PX:
            factor = LEAST_SIDE_PX / longer
            size = (max(1, round(luma.width * factor)), max(1, round(luma.height * factor)))
            luma = luma.resize(size, Image.Resampling.BILINEAR)
        self.grey: NDArray[np.uint8] = shrunk(luma, side_px=SIDE_PX)

    @cached_property
    def features(self) -> Features:
        """Return the picture's corners."""
        return describe(self.grey, detector(_CANDIDATES), most=_CORNERS)

    @cached_property
    def mirrored(self) -> Look:
        """Return the picture mirrored left to right."""
        return Look(Image.fromarray(np.ascontiguousarray(self.grey[:, ::-1])))


def look_again(fixed: Look, moving: Look, *, mirrored: bool = False) -> PairComparison:
    """Compare two pictures under the alignments that come into question, and return the best comparison.

    Args:
        fixed: One picture.
        moving: The other, which is turned, scaled and shifted onto it.
        mirrored: Also try the moving picture mirrored.
    """
    best = _aligned(fixed, moving, mirrored=False)
    if mirrored and best.verdict != "confirmed":
        best = min(best, _aligned(fixed, moving.mirrored, mirrored=True), key=_order)
    return best


def _aligned(fixed: Look, moving: Look, *, mirrored: bool) -> PairComparison:
    found = PairComparison("different", mirrored=mirrored)
    registered = register(moving.features, fixed.features)
    if registered is not None:
        structure = compare(fixed.grey, moving.grey, registered.affine)
        found = _judged(structure, registered.affine, registered.inliers, mirrored=mirrored)
        if structure is not None and _may_be_off(structure) and found.verdict != "confirmed":
            affine = refined(fixed.grey, moving.grey, registered.affine)
            if affine is not None:
                better = _judged(
                    compare(fixed.grey, moving.grey, affine), affine, registered.inliers, mirrored=mirrored
                )
                found = min(found, better, key=_order)
    if registered is None or (found.verdict != "confirmed" and registered.inliers < _FEW_INLIERS):
        found = min(found, _laid_over(fixed, moving, mirrored=mirrored), key=_order)
    if found.verdict == "different" and registered is not None:
        found = _as_scene(fixed, moving, registered, found)
    return found


def _as_scene(fixed: Look, moving: Look, registered: Registered, found: PairComparison) -> PairComparison:
    """Return `found`, as a scene where corners all over two pictures fit one geometry."""
    if found.structure is None or found.structure.common < _SCENE_COMMON or registered.inliers < _FEW_INLIERS:
        return found
    geometry = scene_geometry(moving.features, fixed.features)
    return replace(found, verdict="scene", scene=geometry) if geometry is not None else found


def _laid_over(fixed: Look, moving: Look, *, mirrored: bool) -> PairComparison:
    """Compare two pictures frame on frame: for those with too few corners to be registered."""
    across, down = fixed.grey.shape[1] / moving.grey.shape[1], fixed.grey.shape[0] / moving.grey.shape[0]
    if max(across, down) > 1.1 * min(across, down):
        return PairComparison("different", mirrored=mirrored)
    affine = np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2]])
    return _judged(compare(fixed.grey, moving.grey, affine), affine, 0, mirrored=mirrored)


def _judged(structure: Structure | None, affine: Affine, inliers: int, *, mirrored: bool) -> PairComparison:
    verdict: Verdict = "different"
    if structure is not None and structure.detailed < _PLAIN and not inliers:
        if structure.alike == 1.0 and structure.shade <= _NEAR_SHADE:
            verdict = "confirmed" if structure.shade <= _SAME_SHADE else "unsure"
    elif structure is not None and UNSURE.holds(structure):
        sure = CONFIRMED.holds(structure) and not 0 < inliers < _FEW_INLIERS
        verdict = "confirmed" if sure else "unsure"
    elif structure is not None and inliers >= _FEW_INLIERS and _is_under_other_words(structure):
        verdict = "unsure"
    return PairComparison(verdict, structure, affine, inliers, mirrored)


def _may_be_off(structure: Structure) -> bool:
    """Return whether plain pictures have much in common, but less than copies that were laid over each other well."""
    return (
        structure.common < _SUBSTANCE
        and structure.detailed >= _REFINABLE
        and structure.alike >= UNSURE.alike
        and structure.preserved >= _NEARLY
    )


def _is_under_other_words(structure: Structure) -> bool:
    """Return whether one band across both is the same picture, and what is above or below it other words."""
    return (
        max(structure.overlap_fixed, structure.overlap_moving) >= UNSURE.contained
        and structure.common >= _SUBSTANCE
        and structure.band >= _UNDER_OTHER_WORDS
    )


def _order(one: PairComparison) -> tuple[int, float]:
    return _BEST_FIRST[one.verdict], -one.likeness


_KEPT_BYTES = 16 << 20
"""Grey pixels that a worker keeps ready, some 0.2 MB a picture: partners often come again."""


class Looks:
    """Pictures made ready to be compared, the latest few of them."""

    def __init__(self) -> None:
        self._ready: OrderedDict[str, Look] = OrderedDict()
        self._bytes = 0

    def of(self, record: ImageRecord, ctx: Context) -> Look:
        """Return a picture, decoded in reduced size where its format allows.

        Raises:
            UnreadableImage: As `ImageReader.luma`.
        """
        look = self._ready.pop(record.image_id, None)
        if look is None:
            look = Look(ctx.images.luma(record, at_least_px=DECODED_AT_LEAST_PX))
            self._bytes += look.grey.nbytes
        self._ready[record.image_id] = look
        while self._bytes > _KEPT_BYTES:
            _, oldest = self._ready.popitem(last=False)
            self._bytes -= oldest.grey.nbytes
        return look


class SecondLooks(MapStep):
    """Compare an image with the partners that were proposed for it; drops nothing."""

    name: ClassVar[str] = "looks"
    version: ClassVar[int] = 3
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {
        "confirmed": "list<string>", "unsure": "list<string>", "scene": "list<string>",
    }  # fmt: skip
    reads: ClassVar[tuple[str, ...]] = ("pairs.partners", "pairs.mirrored")
    costly: ClassVar[bool] = True

    def open(self, ctx: OpenContext) -> object:
        """Make a place for pictures that are ready."""
        del ctx
        return Looks()

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Compare with each partner. A partner that cannot be read is left to its own row."""
        partners, mirrored = (ctx.value(record.image_id, name) or () for name in self.reads)
        if not partners:
            return Outcome()
        looks: Looks = ctx.opened
        looks.of(record, ctx)  # what is wrong with this image itself is this row's failure
        found: list[dict[str, Any]] = []
        for partner in partners:
            try:
                measured = _looked(record, ctx.image(partner), partner in mirrored, ctx)
            except UnreadableImage as error:
                measured = {"verdict": "unreadable", "reason": error.reason}
            found.append({"image_id": partner, **measured})
        by = {verdict: [one["image_id"] for one in found if one["verdict"] == verdict] for verdict in self.values}
        return Outcome(values={name: ids for name, ids in by.items() if ids}, evidence={"partners": found})


class ChainLooks(SecondLooks):
    """Compare the images of a chain of copies that were not proposed to each other; drops nothing."""

    name: ClassVar[str] = "chain_looks"
    version: ClassVar[int] = 1
    reads: ClassVar[tuple[str, ...]] = ("chains.partners", "chains.mirrored")


def _looked(one: ImageRecord, other: ImageRecord, mirrored: bool, ctx: Context) -> dict[str, Any]:
    # The larger stays as it is, so that the answer does not depend on which of the two bears the pair.
    fixed, moving = sorted((one, other), key=lambda image: (-image.width * image.height, image.image_id))
    looks: Looks = ctx.opened
    return look_again(looks.of(fixed, ctx), looks.of(moving, ctx), mirrored=mirrored).to_json()
