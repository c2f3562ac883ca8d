"""Jigsaw, as in BLINK (section 3.2): which of two pieces fills the missing corner of a picture?

A picture is cut into 3 by 3 tiles. The reference shows three of 2 by 2 tiles, with the place of the fourth, which is at
the lower right, left black. The options are that tile and one that is not shown.

In the paper the missing tile is the centre, which has more to show than a tile at the border. So there is a second
mode: of the only two tiles that can be missing each while the other is not shown, chance takes one. Either lies at a
side of what is cut up. Where that is the picture's border, a white margin or a frame says which side, without a look
at the join; so in this mode margins and frames are trimmed and the rest of the border is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from ..item_parts.scaling import shrink, size_within

if TYPE_CHECKING:
    from ..item_parts.inner_pictures import InnerBox

_GRID = 3
_CENTRE = (1, 1)
HIDDEN = ((0, 2), (1, 2), (2, 0), (2, 1), (2, 2))
"""Tiles that are not shown where the centre is missing."""
_EXCHANGEABLE = ((1, 2), (2, 1))
"""Tiles of which each can be missing, at the lower right of 2 by 2, while the other is not shown."""
QUESTION = (
    "The lower right corner of the first image is missing: it is filled with black. "
    "Which image shows the missing part, the second or the third?"
)

_Tile = tuple[int, int]
"""(row, column), from 0."""


class Jigsaw(MapStep):
    """Make jigsaw items from photographs.

    BLINK's jigsaw (arXiv 2404.12390, section 3.2). The picture is cut into 3 by 3 tiles. The reference shows three of
    2 by 2 tiles, with the place of the fourth, lower right, left black. The two choices are that tile and one that is
    not shown.

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
        per_image: Items made of one image, each with another wrong piece; in mode `hardened` no more than two, in which
            the pieces change places.
        max_side_px: Larger pictures are scaled down to this before they are cut.
        min_tile_px: Shorter side of a tile, as shown; images with smaller tiles are dropped as `too_small`. The default
            suits photographs of 192 px or more, of which `margin` leaves this much.
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
    """

    name: ClassVar[str] = "jigsaw"
    task_cues: ClassVar[frozenset[CueFamily]] = frozenset({"reference_pixels"})
    task_region: ClassVar[TaskRegion] = TaskRegion(join=("top", "left"))
    picture_fidelity: ClassVar[PictureFidelity] = "visual"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    values: ClassVar[Mapping[str, str]] = {"tile_px": "int64", "largest_difference": "float64"}

    dataset: str | None = Field(None, pattern=r"^[a-z0-9_]+$")
    mode: Mode = "hardened"
    per_image: int = Field(1, ge=1, le=len(HIDDEN))
    twins: bool = False
    margin: float = Field(0.06, ge=0, le=0.3)
    lettering: Literal["avoid", "keep"] = "avoid"
    max_side_px: int = Field(1024, ge=48, le=16384)
    min_tile_px: int = Field(56, ge=8)
    min_difference: float = Field(0.08, gt=0, le=1)

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the value that says whether an image is a picture of the dataset."""
        return () if self.dataset is None else (f"{self.dataset}.{RECORDS}",)

    def parameters(self) -> dict[str, Any]:
        """Return the settings that decide the result: the dataset only where one is named, and those of mode `hardened`
        only in it.
        """
        without = set() if self.mode == "hardened" else {"margin", "lettering", "twins"}
        if self.dataset is None:
            without.add("dataset")
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

        pixels = ctx.images.rgb(record)
        whole = InnerBox(0, 0, record.width, record.height)
        inner = within_frames(pixels, self.margin) if self.mode == "hardened" else whole
        if (too_small := self._too_small(*inner.size_wh)) is not None:
            return too_small
        cut = _TiledPicture.of(pixels, inner, self._tile_wh(*inner.size_wh))
        measured: dict[str, Any] = {"tile_px": min(cut.tile_wh)}
        pairs = self._pairs(ctx.rng(record.image_id, "pieces"))
        differences = {pair: edge_difference(cut.tile(pair.missing), cut.tile(pair.wrong)) for pair in pairs}
        measured["largest_difference"] = max(differences.values())
        chosen = self._told_apart(cut, differences)
        if not chosen:
            tile_differences = {f"{pair.wrong[0]},{pair.wrong[1]}": differences[pair] for pair in sorted(pairs)}
            evidence = {"differences": tile_differences, "min_difference": self.min_difference}
            return Outcome("drop", "ambiguous", measured, evidence)
        # Both pieces are asked about, not the missing one alone: else the piece without lettering would be right.
        if self.mode == "hardened" and self.lettering == "avoid" and cut.has_lettering_at(_EXCHANGEABLE):
            return Outcome("drop", "lettering_at_join", measured)
        references = {
            tile: ctx.store_image(cut.reference(tile), parents=[record])
            for tile in dict.fromkeys(pair.missing for pair in chosen)
        }
        pieces = {
            tile: ctx.store_image(cut.tile(tile), parents=[record])
            for tile in dict.fromkeys(tile for pair in chosen for tile in pair)
        }
        items = []
        for pair in chosen:
            shown = references[pair.missing], pieces[pair.missing], pieces[pair.wrong]
            evidence = cut.evidence(pair) | {"difference": differences[pair]}
            items.append(self._item(record, ctx, shown, _number(pair.wrong), evidence))
        return Outcome(values=measured, images=(*references.values(), *pieces.values()), items=tuple(items))

    def _tile_wh(self, width: int, height: int) -> tuple[int, int]:
        shown_wh = size_within(width, height, max_side_px=self.max_side_px)
        return shown_wh[0] // _GRID, shown_wh[1] // _GRID

    def _too_small(self, width: int, height: int) -> Outcome | None:
        """Return that tiles of a picture of that size would be too small; None where they would not."""
        tile_wh = self._tile_wh(width, height)
        if min(tile_wh) >= self.min_tile_px:
            return None
        evidence = {"tile_wh": list(tile_wh), "min_tile_px": self.min_tile_px}
        return Outcome("drop", "too_small", {"tile_px": min(tile_wh)}, evidence)

    def _pairs(self, rng: np.random.Generator) -> list[_OfferedTiles]:
        """Return the pairs of a missing and a wrong tile, in the order in which they are tried."""
        if self.mode == "paper":
            return [_OfferedTiles(_CENTRE, HIDDEN[number]) for number in rng.permutation(len(HIDDEN)).tolist()]
        first, second = (_EXCHANGEABLE[number] for number in rng.permutation(len(_EXCHANGEABLE)).tolist())
        return [_OfferedTiles(first, second), _OfferedTiles(second, first)]

    def _told_apart(self, cut: _TiledPicture, differences: Mapping[_OfferedTiles, float]) -> list[_OfferedTiles]:
        """Choose the first pairs whose pieces differ enough from each other, and from the wrong pieces before."""
        chosen: list[_OfferedTiles] = []
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
        return Item(
            item_id=ctx.item_id(record.image_id, ordinal=number),
            task=self.name,
            kind="multiple_choice",
            images=(
                ItemImage(image_id=reference.image_id, role="reference"),
                *(ItemImage(image_id=image_id, role="choice") for image_id in placed.options),
            ),
            question=QUESTION,
            choices=image_choices(placed),
            answer=placed.answer,
            group_keys=twin_keys(
                group_keys(record), ctx.item_id(record.image_id, "twins") if self._makes_twins else None
            ),
            attributes={"mode": self.mode},
            written_by={"question": "template"},
            root_image_id=record.root_image_id,
            operation_id=ctx.operation_id,
            made_from=record.image_id,
            evidence=dict(evidence),
        )


class _OfferedTiles(NamedTuple):
    """The tile that is missing, and the one that is offered besides."""

    missing: _Tile
    wrong: _Tile


class _TiledPicture(NamedTuple):
    """A picture in tiles of one size, as shown and as in the upright source."""

    pixels: NDArray[np.uint8]
    tile_wh: tuple[int, int]
    source_tile_wh: tuple[int, int]
    corner: tuple[int, int]

    @classmethod
    def of(cls, pixels: NDArray[np.uint8], inner: InnerBox, tile_wh: tuple[int, int]) -> _TiledPicture:
        """Scale what three equal tiles cover of a part; boxes in the source are whole pixels, and the rest is left."""
        width, height = (side // _GRID for side in inner.size_wh)
        covered = inner.of(pixels)[: _GRID * height, : _GRID * width]
        shown = shrink(covered, (_GRID * tile_wh[0], _GRID * tile_wh[1]))
        return cls(shown, tile_wh, (width, height), (inner.left, inner.top))

    def has_lettering_at(self, tiles: Iterable[_Tile]) -> bool:
        """Return whether a line of lettering runs across the upper or left edge of one of these tiles."""
        from ..item_parts.inner_pictures import lines_of_lettering

        lines = lines_of_lettering(self.pixels)
        for tile in tiles:
            left, top, right, bottom = _box(tile, self.tile_wh)
            for line in lines:
                gap = line.bottom - line.top  # between two words
                is_across = line.left - gap < left < line.right + gap and line.top < bottom and line.bottom > top
                is_cut_along = line.top < top < line.bottom and line.left < right and line.right > left
                if is_across or is_cut_along:
                    return True
        return False

    def tile(self, tile: _Tile) -> NDArray[np.uint8]:
        left, top, right, bottom = _box(tile, self.tile_wh)
        return self.pixels[top:bottom, left:right]

    def reference(self, missing: _Tile) -> NDArray[np.uint8]:
        width, height = self.tile_wh
        left, top, right, bottom = _box(missing, self.tile_wh)
        pixels = self.pixels[top - height : bottom, left - width : right].copy()
        pixels[height:, width:] = 0
        return pixels

    def evidence(self, pair: _OfferedTiles) -> dict[str, Any]:
        """Say which tiles were used and where they lie in the upright source, in pixels."""
        return {
            "grid": [_GRID, _GRID],
            "tile_wh": list(self.tile_wh),
            "shown_boxes_xyxy": [self._source_box(tile) for tile in _shown_beside(pair.missing)],
            "right": {"tile": list(pair.missing), "box_xyxy": self._source_box(pair.missing)},
            "wrong": {"tile": list(pair.wrong), "box_xyxy": self._source_box(pair.wrong)},
        }

    def _source_box(self, tile: _Tile) -> list[int]:
        x, y = self.corner
        left, top, right, bottom = _box(tile, self.source_tile_wh)
        return [left + x, top + y, right + x, bottom + y]


def _box(tile: _Tile, tile_wh: tuple[int, int]) -> list[int]:
    row, column = tile
    width, height = tile_wh
    return [column * width, row * height, (column + 1) * width, (row + 1) * height]


def _shown_beside(missing: _Tile) -> tuple[_Tile, ...]:
    """Return the three tiles above and to the left of the missing one."""
    row, column = missing
    return (row - 1, column - 1), (row - 1, column), (row, column - 1)


def _number(tile: _Tile) -> int:
    return tile[0] * _GRID + tile[1]


def edge_difference(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> float:
    """Return how much two pieces differ where they would join the reference, 0-1, to four places.

    The strips along the top and the left edge, a sixth of the shorter side deep, are averaged in six cells
    each; the result is the mean absolute difference of the cells' colours. What lies deeper can tell pieces
    apart too, but where the joining edges are alike, people have to guess.

    Args:
        first: (height, width, 3).
        second: Second piece, of the same shape.
    """
    return round(float(np.abs(_edges(first) - _edges(second)).mean()) / 255, 4)


def _edges(tile: NDArray[np.uint8], *, cells: int = 6) -> NDArray[np.float32]:
    import cv2

    depth = max(1, min(tile.shape[:2]) // 6)
    top = cv2.resize(tile[:depth].astype(np.float32), (cells, 1), interpolation=cv2.INTER_AREA)
    left = cv2.resize(tile[:, :depth].astype(np.float32), (1, cells), interpolation=cv2.INTER_AREA)
    return np.concatenate([top.reshape(cells, 3), left.reshape(cells, 3)]).astype(np.float32)
