"""Positions of a question's pictures within its text: the rule that evaluation and all exports use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from benchwright.records import Choice

_PLACE = re.compile(r"<image (\d{1,3})>")


def placed_pictures(text: str, pictures: int) -> frozenset[int]:
    """Return the numbers, from 1, of the pictures that a question places with `<image 2>`.

    Args:
        text: Text of the question.
        pictures: Number of the item's pictures; higher numbers are treated as text.
    """
    return frozenset(number for match in _PLACE.findall(text) if 1 <= (number := int(match)) <= pictures)


def question_parts(text: str, pictures: int, *, later: Collection[int] = ()) -> list[str | int]:
    """Return a question as texts and numbers of pictures, in display order.

    Pictures without a mark come first, in order; `<image 2>` places the second picture at that point. If there are
    several, each follows its name ("Image 2:"), by which the question then refers to it.

    Args:
        text: Text of the question.
        pictures: Number of the item's pictures.
        later: Numbers of pictures shown elsewhere, such as with options, unless the question places them.

    Example:
        >>> question_parts("Does <image 2> fit?", 2)
        ['Image 1:', 1, 'Does Image 2:', 2, ' fit?']
    """
    placed = placed_pictures(text, pictures)
    several = pictures > 1
    parts: list[str | int] = []
    for number in range(1, pictures + 1):
        if number not in placed and number not in later:
            parts += [f"Image {number}:", number] if several else [number]
    words, shown, at = "", set[int](), 0
    for match in _PLACE.finditer(text):
        number = int(match[1])
        if number not in placed:
            continue  # the question names a missing picture; its words stay unchanged
        words += text[at : match.start()]
        at = match.end()
        if number in shown:
            words += _name(number, several=several)
        else:
            parts += [f"{words}Image {number}:" if several else words, number]
            words = ""
            shown.add(number)
    return [*parts, words + text[at:]]


def question_in_words(text: str, pictures: int) -> str:
    """Return a question with the names of pictures in place of `<image 2>`, for display after all pictures.

    Example:
        >>> question_in_words("Does <image 2> fit <image 1>?", 2)
        'Does Image 2 fit Image 1?'
    """
    placed = placed_pictures(text, pictures)

    def name(match: re.Match[str]) -> str:
        number = int(match[1])
        return _name(number, several=pictures > 1) if number in placed else match[0]

    return _PLACE.sub(name, text)


def _name(number: int, *, several: bool) -> str:
    return f"Image {number}" if several else "the image"


class PictureWithId(Protocol):
    """A picture of a question or of an item, identified by its id."""

    @property
    def image_id(self) -> str:
        """SHA-256 of the picture's file."""


def option_pictures(choices: Iterable[Choice], images: Sequence[PictureWithId]) -> dict[str, int]:
    """Return the number of the picture that each option shows, by key; options in words are excluded.

    A picture that occurs more than once has the number of its first position.
    """
    number = {image.image_id: k for k, image in reversed(list(enumerate(images, start=1)))}
    return {choice.key: number[choice.image_id] for choice in choices if choice.image_id in number}


def beside_options(choices: Iterable[Choice], images: Sequence[PictureWithId]) -> frozenset[int]:
    """Return the numbers of all pictures that options show."""
    shown = {choice.image_id for choice in choices}
    return frozenset(number for number, image in enumerate(images, start=1) if image.image_id in shown)


def option_in_words(choice: Choice, pictures: Mapping[str, int]) -> str:
    """Return an option's text, or the name of the picture that the option shows.

    Args:
        choice: The option.
        pictures: Numbers of the pictures that options show, by key.
    """
    return f"Image {pictures[choice.key]}" if choice.key in pictures else str(choice.text)
