"""Pictures on a page: each is included once, reduced in size, as a data URI; marks are separate layers.

A `RecordMap` applies the function that makes them to the pictures, before the items that show them are processed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from benchwright.canonical import digest
from benchwright.drawing.previews import Preview, marks_preview, preview
from benchwright.images.decode import upright_size
from benchwright.record_map import LostRecord
from benchwright.records import ItemImage, VisualPrompt
from benchwright.release.format.later_pictures import LaterItem

_VERSION = 3
"""Version to raise when the same picture or marks may give a different `page_picture`."""
_TINY_PX = 4096
"""Largest number of pixels of a picture that is not reduced, because it takes few bytes in any case."""


class PagePicture(NamedTuple):
    """The number that identifies an item's picture on the page.

    Args:
        picture: Number of the picture; None if it cannot be shown.
        marks: Number of the layer with its marks; None if it has no marks.
        problem: Reason a part is not shown.
        width: Width of the reduced picture, in pixels.
        height: Height of the reduced picture, in pixels.
    """

    picture: int | None
    marks: int | None = None
    problem: str | None = None
    width: int = 0
    height: int = 0


class WantedPicture(NamedTuple):
    """A picture that a page needs, or its marks as a transparent layer of the same size.

    Args:
        image_id: SHA-256 of the picture's file.
        file: The file, or a function that returns it and is called on first use.
        prompts: Marks; empty for the picture itself.
        max_side_px: Longest side on the page, in pixels.
    """

    image_id: str
    file: bytes | Callable[[], bytes]
    prompts: tuple[VisualPrompt, ...]
    max_side_px: int

    def kept_as(self) -> tuple[str, object]:
        """Return the kind and key of the picture's entry in an `ItemCache`."""
        return f"page picture {_VERSION}", [self.image_id, _marks(self.prompts), self.max_side_px]

    def data(self) -> bytes:
        """Return the file's bytes."""
        return self.file if isinstance(self.file, bytes) else self.file()

    def __reduce__(self) -> tuple[type[WantedPicture], tuple[Any, ...]]:
        return WantedPicture, (self.image_id, self.data(), self.prompts, self.max_side_px)


MakePictures = Callable[[Iterable[WantedPicture]], Iterator[bytes | LostRecord]]
"""Mapper that applies `page_picture` to wanted pictures, in order, on the engine of a run or in this process."""


def page_picture(wanted: WantedPicture) -> bytes:
    """Return a wanted picture in the form used on a page: data URI, width and height, as JSON.

    Raises:
        UnreadableImage: The file is refused, as by `decode_rgb`.
        PromptError: The marks cannot be drawn.
    """
    made: Preview
    data = wanted.data()
    if wanted.prompts:
        full_wh = upright_size(data)
        made = marks_preview(wanted.prompts, full_wh=full_wh, max_side_px=wanted.max_side_px)
    else:
        made = preview(data, max_side_px=wanted.max_side_px, lossless_up_to_px=_TINY_PX, is_small=True)
    text = base64.b64encode(made.data).decode("ascii")
    return json.dumps([f"data:{made.media_type};base64,{text}", made.width, made.height]).encode("ascii")


class WantedPictures:
    """The pictures that a page needs, and the sets of marks on them, each listed once, in the order used by
    `PagePictures`.

    Args:
        max_side_px: Longest side on the page, in pixels.
    """

    def __init__(self, *, max_side_px: int) -> None:
        self._max_side_px = max_side_px
        self._known: set[str] = set()

    def of(self, released: LaterItem) -> list[WantedPicture]:
        """Return the pictures that the next item on the page needs and that no earlier item needed."""
        wanted = []
        for image in released.item.images:
            for key, prompts in _parts(image):
                if key not in self._known:
                    self._known.add(key)
                    file = partial(_file, released, image.image_id)
                    wanted.append(WantedPicture(image.image_id, file, prompts, self._max_side_px))
        return wanted


def _file(released: LaterItem, image_id: str) -> bytes:
    return released.images[image_id]


class PagePictures:
    """Numbering of a page's pictures, from 0; each picture is passed once to `keep`.

    Memory use is one line per picture; `keep` determines what happens to the pictures themselves.
    """

    def __init__(self, keep: Callable[[str, tuple[int, int]], None], made: Iterator[bytes | LostRecord]) -> None:
        """Store the values of `page_picture`, in order, and `keep`, which receives each number's data URI and size."""
        self._keep, self._made = keep, made
        self._known: dict[str, PagePicture] = {}
        self.count = 0

    def show(self, image: ItemImage) -> PagePicture:
        """Return the numbers of an item's picture, or the problem if the picture cannot be drawn."""
        (key, _), *layers = _parts(image)
        shown = self._place(key, "This picture cannot be shown")
        for layer_key, _ in layers:
            if shown.picture is not None:
                layer = self._place(layer_key, "The marks of this picture cannot be drawn")
                shown = shown._replace(marks=layer.picture, problem=layer.problem)
            elif layer_key not in self._known:
                next(self._made)  # a layer without its picture
                self._known[layer_key] = shown
        return shown

    def _place(self, key: str, otherwise: str) -> PagePicture:
        if key not in self._known:
            self._known[key] = self._numbered(next(self._made), otherwise)
        return self._known[key]

    def _numbered(self, made: bytes | LostRecord, otherwise: str) -> PagePicture:
        if isinstance(made, LostRecord):
            return PagePicture(None, problem=f"{otherwise}: {made.message}")
        uri, width, height = json.loads(made)
        self._keep(uri, (width, height))
        self.count += 1
        return PagePicture(self.count - 1, width=width, height=height)


def _parts(image: ItemImage) -> Iterator[tuple[str, tuple[VisualPrompt, ...]]]:
    """Yield what the page needs for an item's picture, first the picture and then its marks: a key, and the marks."""
    yield image.image_id, ()
    if image.prompts:
        yield digest([image.image_id, _marks(image.prompts)]), image.prompts


def _marks(prompts: Iterable[VisualPrompt]) -> list[object]:
    return [prompt.model_dump(mode="json") for prompt in prompts]
