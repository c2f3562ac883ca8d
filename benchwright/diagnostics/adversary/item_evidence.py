"""The adversary's view of one item: its pictures without the task, their files and names, its texts and its id."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.canonical import canonical_json
from benchwright.records import Item, VisualPrompt
from benchwright.source_files.item_files import PicturePlace

from .encoding import encoding_of, hashed, seconds_in, times_of
from .relief import relief_of
from .surface import Floats, Pixels, Surface, surface_of

_MOST_SHOWN = 2
"""Largest number of pictures other than options for which evidence is kept, counted from the first."""
_DIGITS = re.compile(r"\d+")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{8,}")
_MARK_SHARE, _LEAST_MARK_PX, _MARK_CELLS = 0.06, 6, 8
_MODULI = (2, 3, 4, 5, 6, 7, 8, 10)
_MOST_TEXT = 2000


class PictureEvidence(NamedTuple):
    """The evidence of one picture.

    Args:
        light: Measures of light and color, in the order of the first names of `measure_names`.
        spectrum: Measures of the spectrum, of blocks and of small filters, in the order of the second names of
            `measure_names`.
        encoding: Measures of the file, by name.
        border: Outermost lines of the eight halves of the border (`surface.border_lines`).
        thumbnail: Small map of the picture.
        marks: Small map of single pixels that differ from their neighbors.
        corners: Pixels in the corners.
        peaks: Areas that stand out by color, scale and form, and their positions, in the order of the third names.
        relief: Small map from which its surroundings are subtracted.
        strokes: Small maps of the areas that stand out in each color.
        patches: The patch that stands out most in each color.
        spots: Positions of these patches, and how far they stand out (`relief.Relief`).
    """

    light: Floats
    spectrum: Floats
    encoding: Mapping[str, float]
    border: Floats
    thumbnail: Pixels
    marks: Pixels
    corners: Pixels
    peaks: Floats
    relief: NDArray[np.int8]
    strokes: Pixels
    patches: Pixels
    spots: Floats

    def to_json(self) -> dict[str, Any]:
        """Return the evidence as JSON values."""
        document: dict[str, Any] = {"encoding": dict(self.encoding)}
        for name in _ARRAYS:
            values = getattr(self, name)
            document[name] = [values.dtype.str, list(values.shape), base64.b64encode(values.tobytes()).decode("ascii")]
        return document

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> PictureEvidence:
        """Return evidence from the JSON values that `to_json` returned."""
        arrays = {
            name: np.frombuffer(base64.b64decode(data), dtype).reshape(shape)
            for name, (dtype, shape, data) in ((name, document[name]) for name in _ARRAYS)
        }
        return cls(encoding=document["encoding"], **arrays)

    @property
    def pixels(self) -> dict[str, float]:
        """Return measures of light and color by name."""
        return dict(zip(measure_names()[0], self.light.tolist(), strict=True))

    @property
    def frequency(self) -> dict[str, float]:
        """Return measures of spectrum, blocks and filters by name."""
        return dict(zip(measure_names()[1], self.spectrum.tolist(), strict=True))


@cache
def measure_names() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the names of measures of light, of the spectrum and of peaks, which are the same for all pictures."""
    blank = np.zeros((16, 16, 3), np.uint8)
    surface = surface_of(blank, b"")
    return tuple(surface.pixels), tuple(_of_spectrum(surface)), tuple(relief_of(blank).peaks)


def _of_spectrum(surface: Surface) -> dict[str, float]:
    return {**surface.frequency, **surface.convolution}


_ARRAYS = (
    "light", "spectrum", "border", "thumbnail", "marks", "corners", "peaks", "relief", "strokes", "patches", "spots",
)  # fmt: skip
"""Fields of `PictureEvidence` that contain arrays."""


class ItemEvidence(NamedTuple):
    """The evidence of one item.

    Args:
        item_id: Id of the item.
        options: Evidence of each option's picture; empty if the options are not pictures.
        shown: Evidence of the first pictures other than options.
        names: Measures of the file name and time of each option's picture; empty if `options` is.
        shown_names: The same measures of the pictures other than options.
        marked: The content under each option's mark: measures, and a small map; None for an option without a mark.
        texts: Measures of the characters of each option, and of its rank in alphabetic or numeric order; empty if the
            options have no text.
        question: Measures of the characters of the question.
        own: Measures of the item's id in its source, and of the dates it states.
    """

    item_id: str
    options: tuple[PictureEvidence, ...] = ()
    shown: tuple[PictureEvidence, ...] = ()
    names: tuple[Mapping[str, float], ...] = ()
    shown_names: tuple[Mapping[str, float], ...] = ()
    marked: tuple[Mapping[str, float] | None, ...] = ()
    texts: tuple[Mapping[str, float], ...] = ()
    question: Mapping[str, float] = {}
    own: Mapping[str, float] = {}

    def to_text(self) -> str:
        """Return the evidence as JSON, about 30 kB per picture."""
        document = self._asdict()
        for name in _PICTURES:
            document[name] = [picture.to_json() for picture in getattr(self, name)]
        return canonical_json(document)

    @classmethod
    def from_text(cls, text: str) -> ItemEvidence:
        """Return the evidence that `to_text` wrote."""
        document: dict[str, Any] = json.loads(text)
        for name in _PICTURES:
            document[name] = tuple(PictureEvidence.from_json(picture) for picture in document[name])
        for name in ("names", "shown_names", "marked", "texts"):
            document[name] = tuple(document[name])
        return cls(**document)


_PICTURES = ("options", "shown")
"""Fields of `ItemEvidence` that contain evidence of pictures."""

EvidenceOf = Callable[[str], PictureEvidence]
"""Function that returns the evidence of a picture by its id."""


def picture_evidence(data: bytes, pixels: NDArray[np.uint8]) -> PictureEvidence:
    """Return the evidence of one picture.

    Args:
        data: Bytes of the picture's file.
        pixels: Upright pixels of the picture, shape (height, width, 3), RGB.
    """
    height, width = pixels.shape[:2]
    surface, relief = surface_of(pixels, data), relief_of(pixels)
    size = {"width": float(width), "height": float(height), "aspect": width / height}
    named = (surface.pixels, _of_spectrum(surface), relief.peaks)
    light, spectrum, peaks = (
        np.array([measures.get(name, 0.0) for name in names], np.float32)
        for names, measures in zip(measure_names(), named, strict=True)
    )
    return PictureEvidence(
        light, spectrum, encoding_of(data) | size, surface.border,
        surface.thumbnail, surface.marks, surface.corners,
        peaks, relief.relief, relief.strokes, relief.patches, relief.spots,
    )  # fmt: skip


def evidence_of_item(
    item: Item,
    option_pictures: Sequence[str],
    *,
    evidence_of: EvidenceOf | None,
    places: Mapping[str, PicturePlace] | None = None,
    own_id: str | None = None,
    marks: Sequence[VisualPrompt | None] = (),
    pixels_of: Callable[[str], NDArray[np.uint8]] | None = None,
) -> ItemEvidence:
    """Return the evidence of an item, without its refusal choice.

    Args:
        item: The item.
        option_pictures: Picture of each option; empty if the options are not pictures.
        evidence_of: Function from a picture's id to its evidence; None if the pictures are missing.
        places: Locations of the pictures' files, by image id.
        own_id: Id of the item in the source.
        marks: Mark of each option; empty if the options have none.
        pixels_of: Function from a picture's id to its pixels, for the content under marks; None if that is the task.

    Raises:
        UnreadableImage: A picture cannot be read.
    """
    places = places or {}
    others = [image.image_id for image in item.images if image.image_id not in option_pictures][:_MOST_SHOWN]
    texts = [choice.text for choice in item.choices]
    with_words = not option_pictures and all(text is not None for text in texts)
    under: tuple[dict[str, float] | None, ...] = ()
    if pixels_of is not None and evidence_of is not None:
        under = tuple(None if mark is None else _under(mark, pixels_of(mark.image_id)) for mark in marks)
    return ItemEvidence(
        item.item_id,
        tuple(evidence_of(picture) for picture in option_pictures) if evidence_of is not None else (),
        tuple(evidence_of(picture) for picture in others) if evidence_of is not None else (),
        _of_files(option_pictures, places),
        _of_files(others, places),
        under,
        _of_options([str(text) for text in texts]) if with_words else (),
        characters_of(item.question, kind="question"),
        _of_id(own_id or item.item_id) | _dates(item),
    )


def _of_files(pictures: Sequence[str], places: Mapping[str, PicturePlace]) -> tuple[dict[str, float], ...]:
    if not pictures or any(picture not in places for picture in pictures):
        return ()
    return tuple(_name(places[picture]) for picture in pictures)


def _name(place: PicturePlace) -> dict[str, float]:
    """Return measures of a picture's file name and of the time at which the file was modified."""
    folder, _, file = place.name.rpartition("/")
    stem, dot, suffix = file.rpartition(".")
    stem = stem if dot else file
    measures = {
        "length": float(len(stem)), "capitals": float(sum(map(str.isupper, stem))),
        "digits": float(sum(map(str.isdigit, stem))), "underscores": float(stem.count("_")),
        "hyphens": float(stem.count("-")), "dots": float(stem.count(".")), "spaces": float(stem.count(" ")),
        "folders": float(place.name.count("/")), "suffix capital": float(suffix[:1].isupper()),
        "first character": float(ord((stem or " ")[0])), "last character": float(ord((stem or " ")[-1])),
        **_numbers(stem), **hashed(stem, kind="name"), **hashed(folder, kind="folder"), **hashed(suffix, kind="suffix"),
    }  # fmt: skip
    if place.modified_s is not None:
        measures |= times_of("modified", place.modified_s)
    return measures


def _numbers(text: str) -> dict[str, float]:
    """Return the last number of a text and its remainders after division by small numbers."""
    found = _DIGITS.findall(text)
    measures: dict[str, float] = {}
    if found:
        last = int(found[-1][-15:])
        measures |= {"last number": float(last), "leading noughts": float(len(found[-1]) - len(str(int(found[-1]))))}
        measures |= {f"last number mod {of}": float(last % of) for of in (2, 3, 4, 5, 10)}
        measures["sum of digits odd"] = float(sum(map(int, "".join(found)[-40:])) % 2)
    if (code := _HEXADECIMAL.search(text)) is not None:
        value = int(code[0][-8:], 16)
        measures |= {"code odd": float(value % 2), "code mod 4": float(value % 4), "code": float(int(code[0][:8], 16))}
    return measures


def _of_id(text: str) -> dict[str, float]:
    """Return an id as binary measures: the remainders of its numbers after division, and its characters."""
    measures: dict[str, float] = {"id length": float(len(text)), **hashed(text, kind="id")}
    numbers = [int(found[-15:]) for found in _DIGITS.findall(text)]
    values = {"last number": numbers[-1] if numbers else None, "first number": numbers[0] if len(numbers) > 1 else None}
    code = _HEXADECIMAL.search(text)
    values["code"] = None if code is None else int(code[0][-8:], 16)
    values["start of code"] = None if code is None else int(code[0][:8], 16)
    values["sum of digits"] = sum(map(int, filter(str.isdigit, text))) if numbers else None
    values["sum of characters"] = sum(map(ord, text))
    for name, value in values.items():
        if value is not None:
            measures |= {f"{name} mod {of} is {value % of}": 1.0 for of in _MODULI}
    if text:
        measures |= {f"first character {text[0]!r}": 1.0, f"last character {text[-1]!r}": 1.0}
    return measures


def _dates(item: Item) -> dict[str, float]:
    measures: dict[str, float] = {}
    for name, value in list(item.attributes.items())[:50]:
        if isinstance(value, str) and (seconds := seconds_in(value[:200])) is not None:
            measures |= times_of(name, seconds)
            measures |= {f"{name} second mod {of} is {int(seconds) % of}": 1.0 for of in (3, 4, 5)}
    return measures


def characters_of(text: str, *, kind: str) -> dict[str, float]:
    """Return measures of a text's characters: kinds, first and last ones, rare ones, remainders of the length."""
    text = text[:_MOST_TEXT]
    letters = [character for character in text if character.isalpha()]
    count = len(text)
    return {
        f"{kind} length": float(count), f"{kind} words": float(len(text.split())),
        **{f"{kind} length mod {of} is {count % of}": 1.0 for of in (2, 3, 4)},
        f"{kind} words odd": float(len(text.split()) % 2),
        f"{kind} capitals": float(sum(map(str.isupper, letters))), f"{kind} first capital": float(text[:1].isupper()),
        f"{kind} digits": float(sum(map(str.isdigit, text))),
        f"{kind} beyond ASCII": float(sum(ord(character) > 127 for character in text)),
        f"{kind} unseen": float(sum(not character.isprintable() or character in "\u00a0\u00ad" for character in text)),
        f"{kind} double spaces": float(text.count("  ")), f"{kind} spaces": float(text.count(" ")),
        **{f"{kind} has {mark}": float(text.count(mark)) for mark in ".,;:!?'\"-()/…’“"},
        f"{kind} ends in {text[-1:]!r}": 1.0, f"{kind} ends in a mark": float(bool(text) and not text[-1].isalnum()),
        f"{kind} vowels": sum(letter in "aeiouAEIOU" for letter in letters) / max(1, len(letters)),
        f"{kind} letters a word": len(letters) / max(1, len(text.split())),
        **hashed(text, kind=kind),
    }  # fmt: skip


def _of_options(texts: Sequence[str]) -> tuple[dict[str, float], ...]:
    """Return measures of the characters of options, and of their ranks in alphabetic or numeric order."""
    by_name = sorted(range(len(texts)), key=lambda number: (texts[number].casefold(), number))
    by_length = sorted(range(len(texts)), key=lambda number: (len(texts[number]), number))
    rows = []
    for number, text in enumerate(texts):
        neighbours = [texts[near].casefold() for near in (number - 1, number + 1) if 0 <= near < len(texts)]
        before = number > 0 and neighbours[0] > text.casefold()
        after = number + 1 < len(texts) and neighbours[-1] < text.casefold()
        rows.append(
            characters_of(text, kind="option")
            | {
                "place in the alphabet": float(by_name.index(number)),
                "first in the alphabet": float(by_name[0] == number),
                "last in the alphabet": float(by_name[-1] == number),
                "off the alphabet": float(by_name.index(number) != number),
                "breaks the alphabet": float(before) + float(after),
                "place by length": float(by_length.index(number)),
            }
        )
    return tuple(rows)


def _under(mark: VisualPrompt, pixels: NDArray[np.uint8]) -> dict[str, float]:
    """Return the content under a mark: color, texture, corners, and a small map, by name."""
    import cv2

    height, width = pixels.shape[:2]
    xs, ys = [x for x, _ in mark.points], [y for _, y in mark.points]
    radius = max(_LEAST_MARK_PX, round(_MARK_SHARE * min(height, width)))
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    left, top = int(np.clip(x - radius, 0, width - 1)), int(np.clip(y - radius, 0, height - 1))
    patch = np.ascontiguousarray(pixels[top : int(y) + radius + 1, left : int(x) + radius + 1])
    if not patch.size:
        return {}
    grey = cv2.cvtColor(patch, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, (_MARK_CELLS, _MARK_CELLS), interpolation=cv2.INTER_AREA).astype(float)
    corners = cv2.cornerMinEigenVal(grey, 3)
    middle = corners[corners.shape[0] // 4 : -(corners.shape[0] // 4) or None, corners.shape[1] // 4 :]
    means = patch.reshape(-1, 3).mean(axis=0)
    return {
        **{f"{name} under the mark": float(value) for name, value in zip("RGB", means, strict=True)},
        "contrast under the mark": float(grey.std()),
        "edges under the mark": float(cv2.Laplacian(grey, cv2.CV_32F).std()),
        "corner under the mark": float(np.log(middle.max() + 1e-6)),
        "corners under the mark": float(np.log(corners.mean() + 1e-6)),
        "at the mark": float(small[3:5, 3:5].mean() - small.mean()),
        "color under the mark": float((patch.max(axis=2).astype(float) - patch.min(axis=2)).mean()),
        **{f"cell {row} {column}": float(small[row, column] - small.mean())
           for row in range(_MARK_CELLS) for column in range(_MARK_CELLS)},
    }  # fmt: skip
