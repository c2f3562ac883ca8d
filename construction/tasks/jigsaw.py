"""Jigsaw, as in BLINK (section 3.2): which of two pieces fills the missing corner of a picture?

A picture is cut into 3 by 3 tiles. The reference shows three of 2 by 2 tiles, with the place of the fourth, which is at
the lower right, filled with one color. The options are that tile and one that is not shown.

In the paper the missing tile is the centre, which has more to show than a tile at the border. So there is a second
mode: of the only two tiles that can be missing each while the other is not shown, chance takes one. Either lies at a
side of what is cut up. Where that is the picture's border, a white margin or a frame says which side, without a look
at the join; so in this mode margins and frames are trimmed and the rest of the border is left out. Lettering and
straight strips that run across a join are avoided, since people read on or follow them instead of comparing: where one
does, another part of the picture is cut up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from ..item_parts.choices import group_keys, image_choices, place, twin_keys
from ..item_parts.modes import Mode
from ..item_parts.scaling import size_within
from ..item_parts.wordings import Wordings, WordingsInUse

if TYPE_CHECKING:
    from ..item_parts.inner_pictures import InnerBox
    from ..item_parts.tiled_pictures import CutLines, Tile, TiledPicture, TilePair

_GRID = 3

_CENTRE = (1, 1)
HIDDEN = ((0, 2), (1, 2), (2, 0), (2, 1), (2, 2))
"""Tiles that are not shown where the centre is missing."""
_EXCHANGEABLE = ((1, 2), (2, 1))
"""Tiles of which each can be missing, at the lower right of 2 by 2, while the other is not shown."""
_MOST_ROOM = 2
"""Largest multiple of `max_side_px` that long pictures keep for the sake of `min_view_px`."""
_OF_HARDENED = frozenset({"margin", "lettering", "strips", "twins", "min_view_px", "max_enlargement"})
QUESTIONS = Wordings(
    "The lower right corner of the first image is missing: it is filled with {color}. Which image shows the missing "
    "part, the second or the third?",
    "A piece was cut out of the first image at the lower right, where it is {color} now. Which image is that piece, "
    "the second or the third?",
    "Which image completes the first one, the second or the third? It belongs in the {color} corner at the lower "
    "right.",
)


class Jigsaw(MapStep):
    """Make jigsaw items from photographs.

    BLINK's jigsaw (arXiv 2404.12390, section 3.2). The picture is cut into 3 by 3 tiles. The reference shows three of
    2 by 2 tiles, with the place of the fourth, lower right, in one color: black, or, in mode `hardened`, another one
    where black does not stand out there; the question names it. The two choices are that tile and one that is not
    shown.

    Args:
        dataset: Entry of a step `dataset` whose pictures alone are used, such as one that reads TARA or LVIS; null for
            every image.
        mode: `hardened` takes the tiles (1, 2) and (2, 1), in rows and columns from 0, and lets chance say which of
            them is missing; each is as large, and lies as near to the border, as the other. `paper` always lacks the
            centre, against a tile at the border, as the paper does; the larger file, or the piece with more contrast,
            is then right in about six of ten items.
        twins: In mode `hardened`, whether each image makes two items that show the same two pieces, of which the other
            is missing; both have a group key `twin:...`, by which scores count them together.
        margin: In mode `hardened`, share of each side, 0-0.3, that is not cut up: what is left of frames once lines of
            one colour are trimmed. 0 only trims.
        lettering: In mode `hardened`, whether images are used in which lettering runs across the edge of a piece, where
            people read on instead of comparing: `avoid` or `keep` them. A cheap test finds printed lines on a plain
            ground; single letters, slanted ones and those on a busy ground it misses.
        strips: In mode `hardened`, whether straight strips of one color may run along rows or columns across the edge
            of a piece, as gutters of comics and montages do, and settle which piece goes on: `avoid` or `keep` them.
            Where a picture has lettering or a strip there, smaller parts of it are tried.
        per_image: Items made of one image, each with another wrong piece; in mode `hardened` no more than two, in which
            the pieces change places.
        max_side_px: Larger pictures are scaled down to this before they are cut; in mode `hardened` no further than
            `min_view_px` allows, up to twice as much. Pieces are not enlarged beyond it.
        min_view_px: In mode `hardened`, shorter side that pieces have wherever the image allows it, 16-4096: larger
            images are scaled down no further, smaller pieces are enlarged by `max_enlargement` at most.
        max_enlargement: In mode `hardened`, largest factor, 1-8, by which pieces are enlarged for that; 1 shows them as
            they are.
        min_tile_px: Shorter side of a tile, before it is enlarged; images with smaller tiles are dropped as
            `too_small`. The default suits photographs of 192 px or more, of which `margin` leaves this much. With
            `min_tile_px: 150` all pieces have the 300 px of `min_view_px`, of photographs of 512 px or more.
        wordings: Wordings of the question that are used: `all`, of which each item has the one that its seed draws, or
            `1`, the first one alone. Items name theirs under the attribute `wording`.
        min_difference: Difference, 0-1, of two pieces along the edges that join the reference
            (`edge_difference`) from which they can be told apart. Wrong pieces that are closer to the right
            one, or to each other, are not used; an image without any is dropped as `ambiguous`. Grass,
            gravel, brick and stars stay below 0.08 where tiles have 120 px; nine in ten pairs of pieces of
            photographs and drawings are above.

    Reasons:
        other_source (drop): The image is no picture of `dataset`.
        too_small (drop): Tiles are smaller than `min_tile_px`.
        ambiguous (drop): Choices would look too much alike.
        lettering_at_join (drop): In mode `hardened`: lettering runs across an edge at which a piece joins.
        strip_at_join (drop): In mode `hardened`: a straight strip of one color runs across an edge at which a piece
            joins.
    """

    name: ClassVar[str] = "jigsaw"
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
    max_side_px: int = Field(1024, ge=48, le=16384)
    min_view_px: int = Field(300, ge=16, le=4096)
    max_enlargement: float = Field(2.0, ge=1, le=8)
    min_tile_px: int = Field(56, ge=8)
    min_difference: float = Field(0.08, gt=0, le=1)
    wordings: WordingsInUse = "all"

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the value that says whether an image is a picture of the dataset."""
        return () if self.dataset is None else (f"{self.dataset}.{RECORDS}",)

    def parameters(self) -> dict[str, Any]:
        """Return the settings that decide the result: the dataset only where one is named, and those of mode `hardened`
        only in it.
        """
        without = frozenset[str]() if self.mode == "hardened" else _OF_HARDENED
        without |= frozenset[str]() if self.dataset is not None else {"dataset"}
        return {name: value for name, value in super().parameters().items() if name not in without}

    def forecast(self, ctx: ForecastContext) -> Sequence[ItemForecast]:
        """Return how many items it will make, by a sample of the pictures."""
        from ..truth_tasks.forecasts import forecast_of_photographs

        return forecast_of_photographs(self, ctx, self.dataset)

    def open(self, ctx: OpenContext) -> None:
        """Keep OpenCV to the one thread that a worker has."""
        import cv2

        del ctx
        cv2.setNumThreads(1)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make this image's items; decodes it once, or not at all where it is too small."""
        if self.dataset is not None and not records_of(record, ctx, dataset=self.dataset):
            return Outcome("drop", "other_source")
        if (too_small := self._too_small(record.width, record.height)) is not None:
            return too_small
        from ..item_parts.inner_pictures import InnerBox, within_frames
        from ..item_parts.tiled_pictures import CutLines, TiledPicture

        pixels = ctx.images.rgb(record)
        whole = InnerBox(0, 0, record.width, record.height)
        inner = within_frames(pixels, self.margin) if self.mode == "hardened" else whole
        if (too_small := self._too_small(*inner.size_wh)) is not None:
            return too_small
        cut = TiledPicture.of(pixels, inner, self._tile_wh(*inner.size_wh))
        chosen = self._chosen(cut, ctx.rng(record.image_id, "pieces"))
        if isinstance(chosen, Outcome):
            return chosen
        # Both pieces are asked about, not the missing one alone: else the piece without lettering would be right.
        lines = CutLines(cut, lettering=self._avoids(self.lettering), strips=self._avoids(self.strips))
        if (reason := lines.reason_against(inner, _EXCHANGEABLE)) is None:
            found: tuple[TiledPicture, _ChosenPairs] | None = cut, chosen
        else:
            found = self._elsewhere(record, pixels, inner, lines, ctx)
        return Outcome("drop", reason, chosen.measured) if found is None else self._made(record, ctx, *found)

    def _elsewhere(
        self, record: ImageRecord, pixels: NDArray[np.uint8], inner: InnerBox, lines: CutLines, ctx: Context
    ) -> tuple[TiledPicture, _ChosenPairs] | None:
        """Return a smaller part of a picture that can be cut up, with its pieces; None where there is none."""
        from ..item_parts.inner_pictures import parts_of
        from ..item_parts.tiled_pictures import TiledPicture

        for part in parts_of(inner, ctx.rng(record.image_id, "parts")):
            if self._too_small(*part.size_wh) is None and lines.reason_against(part, _EXCHANGEABLE) is None:
                cut = TiledPicture.of(pixels, part, self._tile_wh(*part.size_wh))
                chosen = self._chosen(cut, ctx.rng(record.image_id, "pieces"))
                if not isinstance(chosen, Outcome):
                    return cut, chosen
        return None

    def _avoids(self, setting: Literal["avoid", "keep"]) -> bool:
        return self.mode == "hardened" and setting == "avoid"

    def _chosen(self, cut: TiledPicture, rng: np.random.Generator) -> _ChosenPairs | Outcome:
        """Return the pairs of pieces of a cut picture that make items, or that they look too much alike."""
        from ..item_parts.tiled_pictures import edge_difference

        measured: dict[str, Any] = {"tile_px": min(cut.tile_wh), "view_px": min(self._shown_wh(cut))}
        pairs = self._pairs(rng)
        differences = {pair: edge_difference(cut.tile(pair.missing), cut.tile(pair.wrong)) for pair in pairs}
        measured["largest_difference"] = max(differences.values())
        chosen = self._told_apart(cut, differences)
        if not chosen:
            tile_differences = {f"{pair.wrong[0]},{pair.wrong[1]}": differences[pair] for pair in sorted(pairs)}
            evidence = {"differences": tile_differences, "min_difference": self.min_difference}
            return Outcome("drop", "ambiguous", measured, evidence)
        return _ChosenPairs({pair: differences[pair] for pair in chosen}, measured)

    def _made(self, record: ImageRecord, ctx: Context, cut: TiledPicture, chosen: _ChosenPairs) -> Outcome:
        """Make the items of a cut picture; stores each picture once."""
        from benchwright.drawing.clear_colors import FILL_COLORS

        shown_wh = self._shown_wh(cut)
        fills = {
            tile: cut.clear_fill(tile) if self.mode == "hardened" else FILL_COLORS[0]
            for tile in dict.fromkeys(pair.missing for pair in chosen.differences)
        }
        references = {
            tile: ctx.store_image(cut.reference(tile, shown_wh, fill), parents=[record]) for tile, fill in fills.items()
        }
        pieces = {
            tile: ctx.store_image(cut.piece(tile, shown_wh), parents=[record])
            for tile in dict.fromkeys(tile for pair in chosen.differences for tile in pair)
        }
        items = []
        for pair, difference in chosen.differences.items():
            shown = references[pair.missing], pieces[pair.missing], pieces[pair.wrong]
            fill = fills[pair.missing]
            evidence = cut.evidence(pair) | {"difference": difference, "shown_wh": list(shown_wh), "fill": fill.name}
            items.append(self._item(record, ctx, shown, _number(pair.wrong), evidence))
        return Outcome(values=chosen.measured, images=(*references.values(), *pieces.values()), items=tuple(items))

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
        """Return that tiles of a picture of that size would be too small; None where they would not."""
        tile_wh = self._tile_wh(width, height)
        if min(tile_wh) >= self.min_tile_px:
            return None
        evidence = {"tile_wh": list(tile_wh), "min_tile_px": self.min_tile_px}
        return Outcome("drop", "too_small", {"tile_px": min(tile_wh)}, evidence)

    def _pairs(self, rng: np.random.Generator) -> list[TilePair]:
        """Return the pairs of a missing and a wrong tile, in the order in which they are tried."""
        from ..item_parts.tiled_pictures import TilePair

        if self.mode == "paper":
            return [TilePair(_CENTRE, HIDDEN[number]) for number in rng.permutation(len(HIDDEN)).tolist()]
        first, second = (_EXCHANGEABLE[number] for number in rng.permutation(len(_EXCHANGEABLE)).tolist())
        return [TilePair(first, second), TilePair(second, first)]

    def _told_apart(self, cut: TiledPicture, differences: Mapping[TilePair, float]) -> list[TilePair]:
        """Choose the first pairs whose pieces differ enough from each other, and from the wrong pieces before."""
        from ..item_parts.tiled_pictures import edge_difference

        chosen: list[TilePair] = []
        for pair, difference in differences.items():
            before = [edge_difference(cut.tile(pair.wrong), cut.tile(other.wrong)) for other in chosen]
            if min(difference, *before, 1.0) >= self.min_difference:
                chosen.append(pair)
        return chosen[: len(_EXCHANGEABLE) if self._makes_twins else self.per_image]

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
        """Ask for the right piece; `shown` are the reference, the right and the wrong piece, and `number` is the wrong
        tile's, so that an item's id and order outlive the settings.
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


class _ChosenPairs(NamedTuple):
    """Pairs of pieces that make items, with how much they differ, and what was measured."""

    differences: Mapping[TilePair, float]
    measured: Mapping[str, Any]


def _number(tile: Tile) -> int:
    return tile[0] * _GRID + tile[1]
