"""Conversion of a question to a message of words and pictures, in the plain wording or in that of its protocol."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .question import Part, Question

VANILLA = "vanilla"

_PLACE = re.compile(r"<image (\d{1,3})>")
_INSTRUCTION = "Reply with the letter of the right option, in parentheses, and nothing else."


def message_of(question: Question) -> tuple[Part, ...]:
    """Return the message for a question: the protocol's, or the plain one."""
    return vanilla(question) if question.message is None else question.message


def vanilla(question: Question, *, instruction: str = _INSTRUCTION) -> tuple[Part, ...]:
    """Return the message that asks a question directly, without examples or reasoning.

    Pictures that are not placed come first, in order; `<image 2>` in the question puts the second one there; a
    picture that is an option stands behind the option's letter. Where there are several, each follows its name
    ("Image 2:"), and the question calls it by that name from then on.

    Example:
        For a reference and two tiles to choose from: "Image 1:", picture, the question, "(A) Image 2:", picture,
        "(B) Image 3:", picture, the instruction.
    """
    number = {p.image_id: k for k, p in reversed(list(enumerate(question.pictures, start=1)))}
    placed = {int(k) for k in _PLACE.findall(question.text)}
    options = {choice.image_id for choice in question.choices if choice.image_id is not None}
    several = len(question.pictures) > 1
    parts: list[Part] = []
    for k, picture in enumerate(question.pictures, start=1):
        if k not in placed and picture.image_id not in options:
            parts += [f"Image {k}:", picture] if several else [picture]
    parts += _with_pictures(question, several=several)
    for choice in question.choices:
        shown = question.picture_of(choice)
        if shown is None:
            parts.append(f"({choice.key}) {choice.text}")
        elif number[shown.image_id] in placed:
            parts.append(f"({choice.key}) Image {number[shown.image_id]}")
        else:
            parts += [f"({choice.key}) Image {number[shown.image_id]}:", shown]
    parts.append(instruction)
    return one_part_a_run(parts)


def _with_pictures(question: Question, *, several: bool) -> list[Part]:
    """Return the question with each placed picture at its first mention."""
    parts: list[Part] = []
    words, shown, at = "", set[int](), 0
    for match in _PLACE.finditer(question.text):
        k = int(match[1])
        if not 1 <= k <= len(question.pictures):
            continue  # the item mentions a picture that it does not have; its words stay unchanged
        words += question.text[at : match.start()]
        at = match.end()
        if k in shown:
            words += f"Image {k}" if several else "the image"
        else:
            parts += [f"{words}Image {k}:" if several else words, question.pictures[k - 1]]
            words = ""
            shown.add(k)
    return [*parts, words + question.text[at:]]


def one_part_a_run(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Join neighbouring words into one part, one line each, and drop empty ones."""
    joined: list[Part] = []
    for part in parts:
        words = part.strip() if isinstance(part, str) else part
        if isinstance(words, str) and joined and isinstance(joined[-1], str):
            joined[-1] = f"{joined[-1]}\n{words}" if words else joined[-1]
        elif words:
            joined.append(words)
    return tuple(joined)
