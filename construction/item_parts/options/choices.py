"""Choices: the right answer among distractors, at a random position.

Items made from the same photograph share a group key (`group_keys`), which keeps them in one split.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from benchwright.records import LETTERS, Choice

if TYPE_CHECKING:
    import numpy as np
from benchwright.records import ImageRecord


def group_keys(record: ImageRecord) -> tuple[str, ...]:
    """Return the group keys of an item made from this image: its source image; a run adds the groups of that image."""
    return (f"image:{record.root_image_id}",)


TWIN_KEY = "twin:"
"""Prefix of the group key that twins share."""


def twin_keys(keys: Iterable[str], pair: str | None) -> tuple[str, ...]:
    """Return the sorted group keys, including the key of the twins, which are two items that differ only in their key.

    Args:
        keys: The item's other group keys.
        pair: Name of the pair of twins; None for an item without a twin.
    """
    return tuple(sorted({*keys, *([] if pair is None else [f"{TWIN_KEY}{pair}"])}))


T = TypeVar("T")


class PlacedChoices(NamedTuple, Generic[T]):
    """Options in the order of the keys A, B, C, ..., and the key of the right one."""

    options: tuple[T, ...]
    answer: str

    @property
    def keyed(self) -> tuple[tuple[str, T], ...]:
        """Return the pairs (key, option) in order."""
        return tuple(zip(LETTERS, self.options, strict=False))


def place(right: T, distractors: Sequence[T], rng: np.random.Generator) -> PlacedChoices[T]:
    """Return the right option placed among distractors, which keep their order; every position is equally likely.

    Raises:
        ValueError: The distractors are missing or more than 25, or two options are equal.
    """
    count = 1 + len(distractors)
    if not 2 <= count <= len(LETTERS):
        raise ValueError(f"an item has 2 to {len(LETTERS)} choices, not {count}")
    if any(option in distractors[:number] or option == right for number, option in enumerate(distractors)):
        raise ValueError(f"{right!r} and {list(distractors)!r} hold an option twice; give each option once")
    index = int(rng.integers(count))
    return PlacedChoices((*distractors[:index], right, *distractors[index:]), LETTERS[index])


def text_choices(placed: PlacedChoices[str]) -> tuple[Choice, ...]:
    """Return texts in their placed order as an item's choices."""
    return tuple(Choice(key=key, text=text) for key, text in placed.keyed)


class AskedChoices(NamedTuple):
    """The choices of an item, with the keys of the right choice and of the refusal choice; a key is None if its choice
    is absent.
    """

    choices: tuple[Choice, ...]
    answer: str | None
    refusal: str | None


def asked_choices(
    right: str | None, wrong: Sequence[str], refusal: str | None, rng: np.random.Generator
) -> AskedChoices:
    """Return options in random order, with the refusal choice equally likely at every position.

    Args:
        right: Option that answers; None if the picture does not answer the question.
        wrong: Wrong options.
        refusal: Refusal choice; None to offer none.
        rng: Random generator of the item.

    Raises:
        ValueError: Both the right option and the refusal choice are absent, or two options are equal.
    """
    answers = [*wrong, *([right] if right is not None and refusal is not None else [])]
    first = right if refusal is None else refusal
    if first is None:
        raise ValueError("a question needs an option that answers it, or one that declines")
    placed = place(first, [answers[number] for number in rng.permutation(len(answers)).tolist()], rng)
    answer = next((key for key, text in placed.keyed if text == right), None)
    return AskedChoices(text_choices(placed), answer, None if refusal is None else placed.answer)


def image_choices(placed: PlacedChoices[str]) -> tuple[Choice, ...]:
    """Return images, given by id in their placed order, as an item's choices."""
    return tuple(Choice(key=key, image_id=image_id) for key, image_id in placed.keyed)


def drawn(texts: Sequence[str], most: int, rng: np.random.Generator) -> list[str]:
    """Return up to `most` of these texts, in random order."""
    return [texts[number] for number in rng.permutation(len(texts))[:most].tolist()]


def capital(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]
