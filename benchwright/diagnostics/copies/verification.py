"""Comparison of proposed pairs: local features register each pair, which is compared where the pictures overlap.

| verdict | measured result |
|---|---|
| `confirmed` | one shows nearly all of the other, or a large part of it, and the overlap shows the same content |
| `unsure` | much is the same, but parts were replaced, or one is only a detail of the other |
| `scene` | two views of one scene: no alignment lays one over the other, but corners all over both fit one geometry |
| `different` | any other result: other pictures, look-alikes, views that merely share a part |

If nearly all of the overlap is plain background, the few other regions decide: two posters made from one template with
different words are different pictures, however much paper they share (`other_words`). Drawings that differ at a
location by more than the noise of a copy are `unsure` (`other_marks`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
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
from .other_marks import are_graphics, has_other_marks
from .other_words import other_words
from .registration import FEW_INLIERS, Affine, Registered, SceneGeometry, refine, register, scene_geometry
from .strokes import aligned_strokes
from .structure import BLOCK_PX, Structure, compare

_SIDE_PX = 448
"""Longer side, in pixels, at which pictures are compared."""
LEAST_SIDE_PX = 160
"""Longer side to which small pictures, of at least one block, are enlarged so that they have more than a few blocks."""
DECODED_AT_LEAST_PX = 256
_CANDIDATES, _CORNERS = 1500, 600

Verdict = Literal["confirmed", "unsure", "scene", "different"]
BEST_FIRST: Mapping[str, int] = {"confirmed": 0, "unsure": 1, "scene": 2, "different": 3}
"""Rank of each verdict: among several pairs or alignments, the first in rank gives the result."""


class _SameEnough(NamedTuple):
    """Limits of the measured values within which a pair is considered a copy; all are proportions, 0-1.

    Args:
        contained: Smallest share of one picture that the other shows. A rotated copy loses its corners.
        whole: Smallest share of the larger picture that a copy shows; a smaller crop is a detail and counts as unsure.
        alike: Smallest share of the overlap's blocks that show the same content.
        replaced: Largest share of blocks in which the two pictures show different content.
        preserved: Smallest share of one picture's details that the other picture also has.
        region: Smallest share of preserved details, overall and in the worst region, if everything else is plain.
    """

    contained: float
    whole: float
    alike: float
    replaced: float
    preserved: float
    region: float

    def holds(self, structure: Structure) -> bool:
        """Return whether the measured values are within these limits."""
        return (
            max(structure.overlap_fixed, structure.overlap_moving) >= self.contained
            and min(structure.overlap_fixed, structure.overlap_moving) >= self.whole
            and structure.alike >= self.alike
            and structure.replaced <= self.replaced
            and structure.preserved >= self.preserved
            and (structure.common >= _SUBSTANCE or min(structure.worst, structure.preserved) >= self.region)
        )


_CONFIRMED = _SameEnough(contained=0.85, whole=0.45, alike=0.85, replaced=0.03, preserved=0.85, region=0.8)
_UNSURE = _SameEnough(contained=0.7, whole=0.1, alike=0.7, replaced=0.12, preserved=0.6, region=0.7)
_SUBSTANCE = 0.38
"""Share of the overlap that both pictures fill with the same substance; below it, everything except the details is
plain."""
_NEARLY = 0.5
"""Smallest share of preserved details at which an alignment of plain pictures is worth refining."""
_REFINABLE = 0.15
"""Smallest share of blocks with details for a refinement: with fewer, it would fit one simple shape onto another."""
_UNDER_OTHER_WORDS = 0.5
"""Smallest share of the overlap's rows in one band for pictures with different words to count as unsure."""
_PLAIN = 0.02
"""Share of blocks with details below which two pictures count as empty, with only shades to compare."""
_SAME_SHADE, _NEAR_SHADE = 0.01, 0.04
_SCENE_COMMON = 0.2
"""Smallest share of the overlap that two views of a scene fill with the same substance, although no alignment is right;
posters have less."""


@dataclass(frozen=True)
class PairComparison:
    """The result of comparing two pictures.

    Args:
        verdict: As in this module's table.
        structure: Values measured in the best alignment; None if there is none.
        affine: Maps the moving picture onto the fixed one, both at most `_SIDE_PX` long; if `mirrored` is set, the
            moving picture was mirrored first.
        inliers: Number of corners that agree on the alignment; 0 if the frames were compared without one.
        mirrored: Whether the moving picture was mirrored left to right.
        scene: Common geometry of two views of one scene; None if the pictures are not considered such views.
    """

    verdict: Verdict
    structure: Structure | None = None
    affine: Affine | None = None
    inliers: int = 0
    mirrored: bool = False
    scene: SceneGeometry | None = None

    @property
    def likeness(self) -> float:
        """Return the proportion of the overlap's blocks that show the same content, 0-1; 0 if there is no overlap."""
        return self.structure.alike if self.structure is not None else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the measured values, rounded, as evidence."""
        document: dict[str, Any] = {"verdict": self.verdict, "inliers": self.inliers, "mirrored": self.mirrored}
        if self.structure is not None and self.affine is not None:
            document |= {name: round(value, 4) for name, value in self.structure._asdict().items()}
            document["affine"] = [round(float(number), 3) for number in self.affine.ravel()]
        if self.scene is not None:
            document["scene"] = {"matches": self.scene.matches, "spread": round(self.scene.spread, 4)}
        return document


class PreparedPicture:
    """A picture prepared for comparison; its corners are computed on first use.

    Args:
        luma: The upright picture in gray, at least `DECODED_AT_LEAST_PX` wide and high if the file is that large.
    """

    def __init__(self, luma: Image.Image) -> None:
        longer = max(luma.size)
        if min(luma.size) >= BLOCK_PX and longer < LEAST_SIDE_PX:
            factor = LEAST_SIDE_PX / longer
            size = (max(1, round(luma.width * factor)), max(1, round(luma.height * factor)))
            luma = luma.resize(size, Image.Resampling.BILINEAR)
        self.grey: NDArray[np.uint8] = shrunk(luma, side_px=_SIDE_PX)

    @cached_property
    def features(self) -> Features:
        """Return the picture's corners."""
        return describe(self.grey, detector(_CANDIDATES), most=_CORNERS)

    @cached_property
    def mirrored(self) -> PreparedPicture:
        """Return the picture mirrored left to right."""
        return PreparedPicture(Image.fromarray(np.ascontiguousarray(self.grey[:, ::-1])))


def compare_pictures(fixed: PreparedPicture, moving: PreparedPicture, *, mirrored: bool = False) -> PairComparison:
    """Compare two pictures under each possible alignment and return the best result.

    Args:
        fixed: Picture that is not transformed.
        moving: Picture to be rotated, scaled and shifted onto the fixed one.
        mirrored: Whether to try the mirrored moving picture as well; default False.
    """
    best = _aligned(fixed, moving, mirrored=False)
    if mirrored and best.verdict != "confirmed":
        best = min(best, _aligned(fixed, moving.mirrored, mirrored=True), key=_order)
    return best


def _aligned(fixed: PreparedPicture, moving: PreparedPicture, *, mirrored: bool) -> PairComparison:
    best = PairComparison("different", mirrored=mirrored)
    registered = register(moving.features, fixed.features)
    if registered is not None:
        structure = compare(fixed.grey, moving.grey, registered.affine)
        best = _judge(structure, registered.affine, registered, fixed, moving, mirrored=mirrored)
        if structure is not None and _may_be_off(structure) and best.verdict != "confirmed":
            affine = refine(fixed.grey, moving.grey, registered.affine)
            if affine is not None:
                refined = compare(fixed.grey, moving.grey, affine)
                better = _judge(refined, affine, registered, fixed, moving, mirrored=mirrored)
                best = min(best, better, key=_order)
    if registered is None or (best.verdict != "confirmed" and registered.inliers < FEW_INLIERS):
        best = min(best, _laid_over(fixed, moving, mirrored=mirrored), key=_order)
    if best.verdict == "different" and registered is not None:
        best = _as_scene(fixed, moving, registered, best)
    return best


def _as_scene(
    fixed: PreparedPicture, moving: PreparedPicture, registered: Registered, comparison: PairComparison
) -> PairComparison:
    """Return `comparison`, with the verdict `scene` if corners all over both pictures fit one geometry."""
    if comparison.structure is None or comparison.structure.common < _SCENE_COMMON or registered.inliers < FEW_INLIERS:
        return comparison
    geometry = scene_geometry(moving.features, fixed.features, registered)
    return replace(comparison, verdict="scene", scene=geometry) if geometry is not None else comparison


def _laid_over(fixed: PreparedPicture, moving: PreparedPicture, *, mirrored: bool) -> PairComparison:
    """Compare two pictures frame to frame; this is for pictures with too few corners for registration."""
    across, down = fixed.grey.shape[1] / moving.grey.shape[1], fixed.grey.shape[0] / moving.grey.shape[0]
    if max(across, down) > 1.1 * min(across, down):
        return PairComparison("different", mirrored=mirrored)
    affine = np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2]])
    return _judge(compare(fixed.grey, moving.grey, affine), affine, None, fixed, moving, mirrored=mirrored)


def _judge(
    structure: Structure | None,
    affine: Affine,
    registered: Registered | None,
    fixed: PreparedPicture,
    moving: PreparedPicture,
    *,
    mirrored: bool,
) -> PairComparison:
    """Return the verdict on an alignment; `registered` is its origin, None for a frame-to-frame comparison."""
    inliers = 0 if registered is None else registered.inliers
    verdict: Verdict = "different"
    if structure is not None and structure.detailed < _PLAIN and registered is None:
        if structure.alike == 1.0 and structure.shade <= _NEAR_SHADE:
            verdict = "confirmed" if structure.shade <= _SAME_SHADE else "unsure"
    elif structure is not None and _UNSURE.holds(structure):
        sure = _CONFIRMED.holds(structure) and (registered is None or registered.is_proof)
        verdict = "confirmed" if sure else "unsure"
    elif structure is not None and inliers >= FEW_INLIERS and _is_under_other_words(structure):
        verdict = "unsure"
    if structure is not None and verdict in {"confirmed", "unsure"}:  # needed only if everything else agrees
        strokes = aligned_strokes(fixed.grey, moving.grey, affine)
        words = other_words(strokes)
        if words.differ:
            verdict = "different" if words.are_all else "unsure"
        elif verdict == "confirmed" and are_graphics(strokes):
            verdict = "unsure" if has_other_marks(fixed.grey, moving.grey, affine) else "confirmed"
    return PairComparison(verdict, structure, affine, inliers, mirrored)


def _may_be_off(structure: Structure) -> bool:
    """Return whether plain pictures have much in common, but less than well aligned copies."""
    return (
        structure.common < _SUBSTANCE
        and structure.detailed >= _REFINABLE
        and structure.alike >= _UNSURE.alike
        and structure.preserved >= _NEARLY
    )


def _is_under_other_words(structure: Structure) -> bool:
    """Return whether one band across both pictures is the same, and only the words above or below it differ."""
    return (
        max(structure.overlap_fixed, structure.overlap_moving) >= _UNSURE.contained
        and structure.common >= _SUBSTANCE
        and structure.band >= _UNDER_OTHER_WORDS
    )


def _order(comparison: PairComparison) -> tuple[int, float]:
    return BEST_FIRST[comparison.verdict], -comparison.likeness


_KEPT_BYTES = 16 << 20
"""Bytes of gray pixels that a worker keeps in memory, some 0.2 MB per picture, because the same partners often
recur."""


class PreparedPictures:
    """A cache of the most recently prepared pictures."""

    def __init__(self) -> None:
        self._ready: OrderedDict[str, PreparedPicture] = OrderedDict()
        self._bytes = 0

    def of(self, record: ImageRecord, ctx: Context) -> PreparedPicture:
        """Return a picture, decoded in reduced size if its format allows.

        Raises:
            UnreadableImage: As for `ImageReader.luma`.
        """
        return self.prepared(record.image_id, lambda: ctx.images.luma(record, at_least_px=DECODED_AT_LEAST_PX))

    def prepared(self, image_id: str, luma: Callable[[], Image.Image]) -> PreparedPicture:
        """Return a picture; if it is not in memory, `luma` decodes it in at least `DECODED_AT_LEAST_PX`."""
        look = self._ready.pop(image_id, None)
        if look is None:
            look = PreparedPicture(luma())
            self._bytes += look.grey.nbytes
        self._ready[image_id] = look
        while self._bytes > _KEPT_BYTES:
            _, oldest = self._ready.popitem(last=False)
            self._bytes -= oldest.grey.nbytes
        return look


class SecondLooks(MapStep):
    """Compare an image with its proposed partners; drops nothing."""

    name: ClassVar[str] = "looks"
    version: ClassVar[int] = 9
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {
        "confirmed": "list<string>",
        "unsure": "list<string>",
        "scene": "list<string>",
    }
    reads: ClassVar[tuple[str, ...]] = ("pairs.partners", "pairs.mirrored")
    costly: ClassVar[bool] = True

    def open(self, ctx: OpenContext) -> object:
        """Create the cache of prepared pictures."""
        del ctx
        return PreparedPictures()

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Compare an image with each of its partners. An unreadable partner is reported in its own row."""
        partners, mirrored = (ctx.value(record.image_id, name) or () for name in self.reads)
        if not partners:
            return Outcome()
        looks: PreparedPictures = ctx.opened
        looks.of(record, ctx)  # an unreadable image fails in its own row
        comparisons: list[dict[str, Any]] = []
        for partner in partners:
            try:
                measured = _compared(record, ctx.image(partner), partner in mirrored, ctx)
            except UnreadableImage as error:
                measured = {"verdict": "unreadable", "reason": error.reason}
            comparisons.append({"image_id": partner, **measured})
        by = {
            verdict: [comparison["image_id"] for comparison in comparisons if comparison["verdict"] == verdict]
            for verdict in self.values
        }
        return Outcome(values={name: ids for name, ids in by.items() if ids}, evidence={"partners": comparisons})


class ChainLooks(SecondLooks):
    """Compare the images of a chain of copies that were not proposed as pairs; drops nothing."""

    name: ClassVar[str] = "chain_looks"
    version: ClassVar[int] = 7
    reads: ClassVar[tuple[str, ...]] = ("chains.partners", "chains.mirrored")


def _compared(record: ImageRecord, partner: ImageRecord, mirrored: bool, ctx: Context) -> dict[str, Any]:
    # The larger picture is the fixed one, so that the result does not depend on which image lists the pair.
    fixed, moving = sorted((record, partner), key=lambda image: (-image.width * image.height, image.image_id))
    looks: PreparedPictures = ctx.opened
    return compare_pictures(looks.of(fixed, ctx), looks.of(moving, ctx), mirrored=mirrored).to_json()
