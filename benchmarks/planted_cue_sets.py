"""Sets of photograph items in which a kind of cue points to the right option, for the adversary's exam.

A set has one layout: a picture with two or four option pictures, or one picture and four words as options. Every item
has its cue. In a share of the items it points to the right option, in the others to a randomly drawn one, so that
strengths differ only in how often it is right and in how visible a mark is. With a share of 0 a set is clean.
"""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from composites import cut
from numpy.typing import NDArray
from PIL import Image

from benchwright.records import LETTERS, Choice, Item, ItemImage
from benchwright.source_files.item_files import PicturePlace, SourceItem

Pixels = NDArray[np.uint8]
Layout = Literal["two pictures", "four pictures", "four words", "two words"]
WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "islet", "jetty", "knoll", "ledge")
SIZE: dict[Layout, tuple[int, int]] = {
    "two pictures": (320, 240), "four pictures": (240, 180), "four words": (480, 360), "two words": (480, 360),
}  # fmt: skip
OPTIONS: dict[Layout, int] = {"two pictures": 2, "four pictures": 4, "four words": 4, "two words": 2}
QUALITY = 90


class Strength(NamedTuple):
    """The strength of a cue.

    Args:
        share: Share of the items in which it points to the right option.
        alpha: Opacity of a mark on its ground, 0-1.
    """

    share: float
    alpha: float


STRENGTHS = {"strong": Strength(0.9, 0.9), "medium": Strength(0.55, 0.6), "weak": Strength(0.3, 0.4)}


@dataclass
class Shown:
    """A picture of an item in the making: pixels, file format, and name."""

    pixels: Pixels
    saved: dict[str, Any] = field(default_factory=lambda: {"format": "JPEG", "quality": QUALITY})
    name: str = ""

    def data(self) -> bytes:
        """Return the bytes of its file."""
        handle = io.BytesIO()
        Image.fromarray(self.pixels).save(handle, **self.saved)
        return handle.getvalue()


@dataclass
class Draft:
    """An item in the making.

    Args:
        number: Its number in the set.
        pictures: Pictures of the options; empty if options are words.
        shown: The picture outside the options.
        texts: Words of the options; empty if options are pictures.
        question: The question.
        own_id: Its id in the source.
        alpha: Opacity of a mark on its ground, 0-1.
    """

    number: int
    pictures: list[Shown]
    shown: Shown
    texts: list[str]
    question: str
    own_id: str
    alpha: float

    @property
    def options(self) -> int:
        """Return the number of options."""
        return len(self.pictures) or len(self.texts)


Planting = Callable[[Draft, int, np.random.Generator], None]
"""Plants a cue that points to an option, by number, into an item."""


class CueKind(NamedTuple):
    """A kind of cue.

    Args:
        name: Its name.
        group: Group of the kind: `marks in options`, `marks in the question`, `combinations`, `others`.
        layout: Layout of its sets.
        plant: Function that plants it.
    """

    name: str
    group: str
    layout: Layout
    plant: Planting


def made_set(kind: CueKind, photos: Sequence[Pixels], *, items: int, strength: Strength, seed: int) -> list[SourceItem]:
    """Return a set of items with a cue.

    Args:
        kind: The kind of cue.
        photos: Photographs, BGR.
        items: Number of items.
        strength: How strong the cue is; with a share of 0 the set is clean.
        seed: Seed of the set.
    """
    digest = hashlib.sha256(f"{kind.name} {seed}".encode()).digest()
    rng = np.random.default_rng(list(digest[:8]))
    ids = rng.permutation(100_000)[:items]
    made = []
    for number in range(items):
        draft = _draft(kind.layout, photos, number, int(ids[number]), strength.alpha, rng)
        right = int(rng.integers(draft.options))
        told = right if rng.random() < strength.share else int(rng.integers(draft.options))
        kind.plant(draft, told, rng)
        made.append(_item(draft, right, f"{kind.name} {seed}"))
    return made


def crop(photos: Sequence[Pixels], number: int, size: tuple[int, int]) -> Pixels:
    """Return crop `number` of photographs, RGB."""
    pixels = cut(photos, random.Random(number), *size)
    return np.ascontiguousarray(pixels[:, :, ::-1])


def _draft(
    layout: Layout, photos: Sequence[Pixels], number: int, own: int, alpha: float, rng: np.random.Generator
) -> Draft:
    """Return an item without a cue; all sets have the same crops in another order, so that measures can be reused."""
    count = OPTIONS[layout]
    size = SIZE[layout]
    first = 5 * number
    pictures = [Shown(crop(photos, first + n, size)) for n in range(count)] if layout.endswith("pictures") else []
    rng.shuffle(pictures)  # type: ignore[arg-type]
    for picture in (*pictures, shown := Shown(crop(photos, first + 4, size))):
        picture.name = f"{int(rng.integers(10**8)):08d}.jpg"
    texts = [] if pictures else [f"{a} {b}" for a, b in rng.choice(WORDS, (count, 2)).tolist()]
    words = " ".join(rng.choice(WORDS, 3))
    return Draft(number, pictures, shown, texts, f"Which of these goes with {words}?", f"q{own:06d}", alpha)


def _item(draft: Draft, right: int, of: str) -> SourceItem:
    files: dict[str, bytes] = {}
    places: dict[str, PicturePlace] = {}
    shown: list[str] = []
    for picture in (draft.shown, *draft.pictures):
        data = picture.data()
        image_id = hashlib.sha256(data).hexdigest()
        files[image_id], places[image_id] = data, PicturePlace(picture.name)
        shown.append(image_id)
    choices = (
        tuple(Choice(key=key, image_id=image_id) for key, image_id in zip(LETTERS, shown[1:], strict=False))
        if draft.pictures
        else tuple(Choice(key=key, text=text) for key, text in zip(LETTERS, draft.texts, strict=False))
    )
    item = Item(
        item_id=hashlib.sha256(f"{of} {draft.own_id}".encode()).hexdigest()[:32], task="planted",
        kind="multiple_choice", images=tuple(ItemImage(image_id=each, role="picture") for each in shown),
        question=draft.question, choices=choices, answer=LETTERS[right], group_keys=(f"image:{shown[0]}",),
        root_image_id=shown[0], operation_id="0" * 32, made_from=shown[0],
    )  # fmt: skip
    return SourceItem(item, files, draft.own_id, places)
