"""Jigsaw, as in BLINK (section 3.2): which of two pieces fills the missing corner of a picture?

A picture is cut into 3 by 3 tiles. The reference shows three of 2 by 2 tiles, with the position of the fourth, at the
lower right, filled with one color. The options are that tile and one that is not shown.

In the paper, the missing tile is the center, which usually contains more detail than a tile at the border. The task
therefore has a second mode: only two tiles can be missing, the other one is then not shown, and a random draw decides
which of them is missing. Both are at a side of the region that is cut. If that side is the picture's border, a white
margin or a frame reveals the piece without a look at the join; in this mode, margins and frames are therefore trimmed
and the rest of the border is left out. Lettering and straight strips that run across a join are avoided, since people
would read or follow them instead of comparing the pieces. Since the right piece is usually more similar to the shown
tiles in color, light and texture, the task looks for a part of the picture in which one piece, if it is missing, is
more similar by as much as it is less similar if the other piece is missing; a random draw decides which of the two is
missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from benchwright.records import ImageRecord, Item, ItemImage
from benchwright.steps import (
    Context,
    CueFamily,
    ForecastContext,
    ItemForecast,
    MapStep,
    OpenContext,
    Outcome,
    PictureFidelity,
    Stream,
    TaskRegion,
)

from ..ground_truth.values import RECORDS, records_of
from ..item_parts.options.choices import group_keys, image_choices, place, twin_keys
from ..item_parts.options.modes import Hardening, Mode
from ..item_parts.pictures.scaling import size_within
from ..item_parts.wording.wordings import Wordings, WordingsInUse

if TYPE_CHECKING:
    from ..item_parts.pictures.inner_pictures import InnerBox
    from ..item_parts.pictures.piece_likeness import ReducedPicture, Way
    from ..item_parts.pictures.tiled_pictures import Tile, TiledPicture, TilePair

_GRID = 3

_CENTRE = (1, 1)
HIDDEN = ((0, 2), (1, 2), (2, 0), (2, 1), (2, 2))
"""Tiles not shown if the center is missing."""
_EXCHANGEABLE = ((1, 2), (2, 1))
"""Tiles either of which can be missing, at the lower right of 2 by 2 tiles, while the other is not shown."""
_LEAST_SIZES = (0.92, 0.84, 0.68, 0.0)
"""Smallest sides of the parts that are tried first, second and so on, as fractions of the picture's sides."""
_MOST_ROOM = 2
"""Largest multiple of `max_side_px` at which long pictures are kept so that they satisfy `min_view_px`."""
_OF_HARDENED = frozenset({"margin", "lettering", "strips", "likeness", "twins", "min_view_px", "max_enlargement"})
QUESTIONS = Wordings(
    "The lower right corner of the first image is missing: it is filled with {color}. Which image shows the missing "
    "part, the second or the third?",
    "A piece was cut out of the first image at the lower right, where it is {color} now. Which image is that piece, "
    "the second or the third?",
    "Which image completes the first one, the second or the third? It belongs in the {color} corner at the lower "
    "right.",
)
HARDENING = Hardening(
    {
        "lettering_at_join": "people read on across a join instead of comparing: take pictures with less lettering, or "
        "set `lettering: keep`",
        "strip_at_join": "a straight strip runs across a join, as gutters of comics do: take pictures of one scene "
        "each, or set `strips: keep`",
        "told_by_likeness": "no part of a picture makes the right and the wrong piece equally similar to the rest: "
        "take pictures with more in them than a shaded ground, or set `likeness: keep`",
        "ambiguous_where_even": "pieces look too similar in the parts of a picture that even out similarity: take "
        "larger pictures with more in them, or set a smaller `min_difference`",
    },
    "contrast and the size of files: the piece from the middle of a picture, which is right, mostly has more of both",
)


class Jigsaw(MapStep):
    """Make jigsaw items from photographs.

    Follows BLINK's jigsaw (arXiv 2404.12390, section 3.2). The picture is cut into 3 by 3 tiles. The reference shows
    three of 2 by 2 tiles, with the position of the fourth, at the lower right, filled with one color: black or, in mode
    `hardened`, another color if black does not stand out there; the question names the color. The two choices are that
    tile and one that is not shown.

    Args:
        dataset: Entry of a step `dataset`, such as one that reads TARA or LVIS, to use only its pictures; null for
            every image.
        mode: `hardened` takes the tiles (1, 2) and (2, 1), in rows and columns from 0, and decides at random which of
            them is missing; both are equally large and equally close to the border. In `paper` mode the center is
            always missing, against a tile at the border, as in the paper; the larger file, or the piece with more
            contrast, is then right in about six of ten items.
        twins: In mode `hardened`, whether each image makes two items that show the same two pieces, each with a
            different one missing; both have a group key `twin:...`, by which scores count them together.
        margin: In mode `hardened`, fraction of each side, 0-0.3, that is left out of the cut to exclude remains of
            frames after lines of one color are trimmed. 0 only trims.
        lettering: In mode `hardened`, whether to `avoid` or `keep` images in which lettering runs across the edge of a
            piece, where people would read on instead of comparing. A cheap test finds printed lines on a uniform
            ground; it misses single letters, slanted letters and those on a busy ground.
        strips: In mode `hardened`, whether to `avoid` or `keep` straight strips of one color that run along rows or
            columns across the edge of a piece, as gutters of comics and montages do, and reveal which piece fits. If a
            picture has lettering or a strip there, smaller parts of it are tried.
        likeness: In mode `hardened`, whether the right piece may be more similar to the shown tiles than the wrong one,
            measured away from the join. `even` looks for the picture, or a part of it with 60 % of its side or more, in
            which the wrong piece is more similar if one tile is missing by as much as the right piece is if the other
            tile is missing, and decides at random which tile is missing. `keep` cuts the largest part, for which
            similarity points to the right piece in about two of three items.
        per_image: Number of items made from one image, each with a different wrong piece; in mode `hardened` at most
            two, in which the pieces exchange roles.
        max_side_px: Larger pictures are scaled down to this before they are cut; in mode `hardened` no further than
            `min_view_px` allows, up to twice as much. Pieces are not enlarged beyond it.
        min_view_px: In mode `hardened`, shorter side that pieces have if the image allows it, 16-4096: larger images
            are scaled down no further, and smaller pieces are enlarged by at most `max_enlargement`.
        max_enlargement: In mode `hardened`, largest factor, 1-8, by which pieces are enlarged to reach `min_view_px`; 1
            shows them unchanged.
        min_tile_px: Shorter side of a tile, before it is enlarged; images with smaller tiles are dropped as
            `too_small`. The default suits photographs of 192 px or more, of which `margin` leaves enough. With
            `min_tile_px: 150`, all pieces reach the 300 px of `min_view_px`, if photographs have 512 px or more.
        wordings: Wordings of the question: `all`, from which each item's seed draws one, or `1`, for only the first.
            Items record theirs in the attribute `wording`.
        min_difference: Difference, 0-1, of two pieces along the edges that join the reference
            (`edge_difference`) from which people can distinguish them. Wrong pieces that are closer to the right one,
            or to each other, are not used; an image without usable pieces is dropped as `ambiguous`. Grass, gravel,
            brick and stars stay below 0.08 with tiles of 120 px; nine in ten pairs of pieces of photographs and
            drawings are above.

    Reasons:
        other_source (drop): The image is not a picture of `dataset`.
        too_small (drop): Tiles are smaller than `min_tile_px`.
        ambiguous (drop): The choices would look too similar.
        lettering_at_join (drop): In mode `hardened`: lettering runs across an edge at which a piece joins.
        strip_at_join (drop): In mode `hardened`: a straight strip of one color runs across an edge at which a piece
            joins.
        told_by_likeness (drop): In mode `hardened`: in no part of the picture are the right and the wrong piece equally
            similar to the shown tiles on balance.
        ambiguous_where_even (drop): In mode `hardened`: there are balanced parts, but the pieces of each differ by less
            than `min_difference`.
    """  # phrase: allowed

    name: ClassVar[str] = "jigsaw"
    hardening: ClassVar[Hardening] = HARDENING
    task_cues: ClassVar[frozenset[CueFamily]] = frozenset({"reference_pixels"})
    task_region: ClassVar[TaskRegion] = TaskRegion(join=("top", "left"))
    picture_fidelity: ClassVar[PictureFidelity] = "visual"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    values: ClassVar[Mapping[str, str]] = {"tile_px": "int64", "view_px": "int64", "largest_difference": "float64"}

    dataset: str | None = Field(None, pattern=r"^[a-z0-9_]+$")
    mode: Mode = "hardened"
    per_image: int = Field(1, ge=1, le=len(HIDDEN))
    twins: bool = False
    margin: float = Field(0.06, ge=0, le=0.3)
    lettering: Literal["avoid", "keep"] = "avoid"
    strips: Literal["avoid", "keep"] = "avoid"
    likeness: Literal["even", "keep"] = "even"
    max_side_px: int = Field(1024, ge=48, le=16384)
    min_view_px: int = Field(300, ge=16, le=4096)
    max_enlargement: float = Field(2.0, ge=1, le=8)
    min_tile_px: int = Field(56, ge=8)
    min_difference: float = Field(0.08, gt=0, le=1)
    wordings: WordingsInUse = "all"

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the value that states whether an image is a picture of the dataset."""
        return () if self.dataset is None else (f"{self.dataset}.{RECORDS}",)

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result, including the dataset only if one is named and the settings of
        mode `hardened` only in that mode.
        """
        without = frozenset[str]() if self.mode == "hardened" else _OF_HARDENED
        without |= frozenset[str]() if self.dataset is not None else {"dataset"}
        return {name: value for name, value in super().parameters().items() if name not in without}

    def advice(self, made: int, dropped: Mapping[str, int]) -> str | None:
        """Return the reason why mode `hardened` made few items, and the remedy."""
        return self.hardening.advice(self.mode, made, dropped)

    def forecast(self, ctx: ForecastContext) -> Sequence[ItemForecast]:
        """Return how many items the task will make, estimated from a sample of the pictures."""
        from ..truth_tasks.forecasts import forecast_of_photographs

        return forecast_of_photographs(self, ctx, self.dataset)

    def open(self, ctx: OpenContext) -> None:
        """Limit OpenCV to one thread, as in a worker."""
        import cv2

        del ctx
        cv2.setNumThreads(1)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make the items of one image, which is decoded once, or not at all if it is too small."""
        if self.dataset is not None and not records_of(record, ctx, dataset=self.dataset):
            return Outcome("drop", "other_source")
        if (too_small := self._too_small(record.width, record.height)) is not None:
            return too_small
        from ..item_parts.pictures.inner_pictures import InnerBox, within_frames
        from ..item_parts.pictures.tiled_pictures import TiledPicture

        pixels = ctx.images.rgb(record)
        whole = InnerBox(0, 0, record.width, record.height)
        inner = within_frames(pixels, self.margin) if self.mode == "hardened" else whole
        if (too_small := self._too_small(*inner.size_wh)) is not None:
            return too_small
        cut = TiledPicture.of(pixels, inner, self._tile_wh(*inner.size_wh))
        chosen = self._told_apart(cut, ctx.rng(record.image_id, "pieces"))
        if isinstance(chosen, Outcome):
            return chosen
        if self.mode == "hardened":
            return self._hardened(record, pixels, inner, chosen, ctx)
        return self._made(record, ctx, chosen)

    def _hardened(
        self, record: ImageRecord, pixels: NDArray[np.uint8], inner: InnerBox, whole: Sequence[_Cut], ctx: Context
    ) -> Outcome:
        """Make items from a picture, or from parts of it, in which no strip, lettering or similarity reveals
        the key.
        """
        from ..item_parts.pictures.piece_likeness import ReducedPicture
        from ..item_parts.pictures.tiled_pictures import CutLines

        # Both pieces are asked about, not the missing one alone: else the piece without lettering would be right.
        lines = CutLines(whole[0].picture, lettering=self.lettering == "avoid", strips=self.strips == "avoid")
        order = 1 if whole[0].pair.missing == _EXCHANGEABLE[0] else -1  # by chance
        tried = {inner: (whole[0].picture, whole[0].evidence["difference"])}
        reduced = ReducedPicture.of(pixels) if self.likeness == "even" else None
        against = cache(lambda part: lines.reason_against(part, _EXCHANGEABLE))
        reason, is_any_usable = "told_by_likeness", False
        for parts in self._parts(inner, ctx.rng(record.image_id, "parts")):
            usable = {part: size for part, size in parts.items() if against(part) is None}
            is_any_usable |= bool(usable)
            for ways in self._ways(reduced, usable) if usable else ():
                reason = "ambiguous_where_even" if self.likeness == "even" else "ambiguous"
                cuts = [self._cut_of(pixels, list(usable)[way.part], way, tried) for way in ways]
                if cuts[0].evidence["difference"] >= self.min_difference:
                    return self._made(record, ctx, cuts[::order][: len(cuts) if self._makes_twins else self.per_image])
        if not is_any_usable:
            reason = against(inner) or reason
        return Outcome("drop", reason, whole[0].measured)

    def _parts(self, inner: InnerBox, rng: np.random.Generator) -> Iterator[Mapping[InnerBox, float]]:
        """Yield the parts of a picture in the order in which they are tried, each with its side as a fraction of the
        picture's: from large to small and then, to balance similarity, parts at further positions.
        """
        from ..item_parts.pictures.inner_pictures import FURTHER_PLACES, sized_parts_of

        def large_enough(sized: Sequence[tuple[float, InnerBox]]) -> dict[InnerBox, float]:
            return {part: size for size, part in sized if self._too_small(*part.size_wh) is None}

        near = large_enough(sized_parts_of(inner, rng))
        for most, least in pairwise((2.0, *_LEAST_SIZES)):
            yield {part: size for part, size in near.items() if least <= size < most}
        if self.likeness == "even":
            further = large_enough(sized_parts_of(inner, rng, FURTHER_PLACES))
            yield {part: size for part, size in further.items() if part not in near}

    def _cut_of(
        self, pixels: NDArray[np.uint8], part: InnerBox, way: Way, tried: dict[InnerBox, tuple[TiledPicture, float]]
    ) -> _Cut:
        """Return a part cut in one way. Parts that were already tried are cached with the difference between their
        pieces.
        """
        from ..item_parts.pictures.tiled_pictures import TiledPicture, TilePair, edge_difference

        if part not in tried:
            picture = TiledPicture.of(pixels, part, self._tile_wh(*part.size_wh))
            tried[part] = picture, edge_difference(*map(picture.tile, _EXCHANGEABLE))
        picture, difference = tried[part]
        pair = TilePair(_EXCHANGEABLE[way.missing], _EXCHANGEABLE[1 - way.missing])
        measured = self._sizes_of(picture) | {"largest_difference": difference}
        return _Cut(picture, pair, {"difference": difference, **way.evidence}, measured)

    @staticmethod
    def _ways(picture: ReducedPicture | None, usable: Mapping[InnerBox, float]) -> Iterator[tuple[Way, Way]]:
        """Yield the two ways to cut each part of a picture, the best part first, or in the given order if there is no
        picture to compare; the caller chooses one of the two at random.
        """
        from ..item_parts.pictures.piece_likeness import Way, even_ways, likeness_margins

        if picture is None:
            return ((Way(part, 0), Way(part, 1)) for part in range(len(usable)))
        margins = likeness_margins(picture, list(usable))
        return even_ways(margins, list(usable.values()))

    def _sizes_of(self, cut: TiledPicture) -> dict[str, Any]:
        return {"tile_px": min(cut.tile_wh), "view_px": min(self._shown_wh(cut))}

    def _made(self, record: ImageRecord, ctx: Context, cuts: Sequence[_Cut]) -> Outcome:
        """Make the items of cut pictures, and store each picture once."""
        from benchwright.drawing.clear_colors import FILL_COLORS

        stored: dict[tuple[InnerBox, Tile, bool], ImageRecord] = {}
        items: list[Item] = []
        for picture, pair, said, _ in cuts:
            shown_wh = self._shown_wh(picture)
            fill = picture.clear_fill(pair.missing) if self.mode == "hardened" else FILL_COLORS[0]
            for tile, is_piece in ((pair.missing, False), (pair.missing, True), (pair.wrong, True)):
                if (picture.part, tile, is_piece) not in stored:
                    pixels = picture.piece(tile, shown_wh) if is_piece else picture.reference(tile, shown_wh, fill)
                    stored[picture.part, tile, is_piece] = ctx.store_image(pixels, parents=[record])
            reference, right = (stored[picture.part, pair.missing, is_piece] for is_piece in (False, True))
            shown = reference, right, stored[picture.part, pair.wrong, True]
            evidence = {**picture.evidence(pair), **said, "shown_wh": list(shown_wh), "fill": fill.name}
            items.append(self._item(record, ctx, shown, _number(pair.wrong), evidence))
        return Outcome(values=cuts[0].measured, images=tuple(stored.values()), items=tuple(items))

    def _tile_wh(self, width: int, height: int) -> tuple[int, int]:
        """Return the size of tiles as they are cut, never larger than in the picture."""
        largest = self.max_side_px
        if self.mode == "hardened":
            wanted = -(-_GRID * self.min_view_px * max(width, height) // max(1, min(width, height)))
            largest = min(max(largest, wanted), _MOST_ROOM * largest)
        cut_wh = size_within(width, height, max_side_px=largest)
        return cut_wh[0] // _GRID, cut_wh[1] // _GRID

    def _shown_wh(self, cut: TiledPicture) -> tuple[int, int]:
        """Return the size of tiles as items show them."""
        width, height = cut.tile_wh
        if self.mode == "paper" or min(width, height) >= self.min_view_px:
            return width, height
        most = max(1.0, self.max_side_px / max(width, height))
        factor = min(self.max_enlargement, self.min_view_px / min(width, height), most)
        return round(factor * width), round(factor * height)

    def _too_small(self, width: int, height: int) -> Outcome | None:
        """Return a message that tiles of a picture of that size would be too small; None if they are large enough."""
        tile_wh = self._tile_wh(width, height)
        if min(tile_wh) >= self.min_tile_px:
            return None
        evidence = {"tile_wh": list(tile_wh), "min_tile_px": self.min_tile_px}
        return Outcome("drop", "too_small", {"tile_px": min(tile_wh)}, evidence)

    def _pairs(self, rng: np.random.Generator) -> list[TilePair]:
        """Return the pairs of a missing tile and a wrong tile, in the order in which they are tried."""
        from ..item_parts.pictures.tiled_pictures import TilePair

        if self.mode == "paper":
            return [TilePair(_CENTRE, HIDDEN[number]) for number in rng.permutation(len(HIDDEN)).tolist()]
        first, second = (_EXCHANGEABLE[number] for number in rng.permutation(len(_EXCHANGEABLE)).tolist())
        return [TilePair(first, second), TilePair(second, first)]

    def _told_apart(self, cut: TiledPicture, rng: np.random.Generator) -> list[_Cut] | Outcome:
        """Return the first pairs whose pieces differ enough from each other and from the earlier wrong pieces, or an
        outcome if there are none.
        """
        from ..item_parts.pictures.tiled_pictures import edge_difference

        pairs = self._pairs(rng)
        differences = {pair: edge_difference(cut.tile(pair.missing), cut.tile(pair.wrong)) for pair in pairs}
        measured = self._sizes_of(cut) | {"largest_difference": max(differences.values())}
        chosen: list[_Cut] = []
        for pair, difference in differences.items():
            before = [edge_difference(cut.tile(pair.wrong), cut.tile(other.pair.wrong)) for other in chosen]
            if min(difference, *before, 1.0) >= self.min_difference:
                chosen.append(_Cut(cut, pair, {"difference": difference}, measured))
        if chosen:
            return chosen[: self.per_image]
        tile_differences = {f"{pair.wrong[0]},{pair.wrong[1]}": differences[pair] for pair in sorted(pairs)}
        evidence = {"differences": tile_differences, "min_difference": self.min_difference}
        return Outcome("drop", "ambiguous", measured, evidence)

    @property
    def _makes_twins(self) -> bool:
        return self.twins and self.mode == "hardened"

    def _item(
        self,
        record: ImageRecord,
        ctx: Context,
        shown: tuple[ImageRecord, ImageRecord, ImageRecord],
        number: int,
        evidence: Mapping[str, Any],
    ) -> Item:
        """Return an item that asks for the right piece. `shown` contains the reference, the right and the wrong piece;
        `number` is that of the wrong tile, so that an item's id and order do not depend on the settings.
        """
        reference, right, wrong = shown
        placed = place(right.image_id, [wrong.image_id], ctx.rng(record.image_id, "place", number))
        # Twins have one wording, so that they differ in nothing but what is missing.
        names = ("wording",) if self._makes_twins else ("wording", number)
        wording = QUESTIONS.filled(color=evidence["fill"]).drawn(self.wordings, ctx.rng(record.image_id, *names))
        return Item(
            item_id=ctx.item_id(record.image_id, ordinal=number),
            task=self.name,
            kind="multiple_choice",
            images=(
                ItemImage(image_id=reference.image_id, role="reference"),
                *(ItemImage(image_id=image_id, role="choice") for image_id in placed.options),
            ),
            question=wording.template,
            choices=image_choices(placed),
            answer=placed.answer,
            group_keys=twin_keys(
                group_keys(record), ctx.item_id(record.image_id, "twins") if self._makes_twins else None
            ),
            attributes={**wording.attributes, "mode": self.mode},
            written_by={"question": "template"},
            root_image_id=record.root_image_id,
            operation_id=ctx.operation_id,
            made_from=record.image_id,
            evidence=dict(evidence),
        )


class _Cut(NamedTuple):
    """A cut picture from which an item is made: its pieces, their evidence, and the measurements of the picture."""

    picture: TiledPicture
    pair: TilePair
    evidence: Mapping[str, float]
    measured: Mapping[str, Any]


def _number(tile: Tile) -> int:
    return tile[0] * _GRID + tile[1]
