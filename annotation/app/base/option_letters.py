"""What the options of an item are called: one letter each, in the list, on pictures, on keys and in the question.

The pictures that are no option are called by their places: `Image 1`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...forms.task_content import TaskContent
from .texts import TEXTS

_PLACED = re.compile(r"<image (\d+)>")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def letters_of_pictures(item: TaskContent) -> list[str]:
    """Return for each of an item's pictures the letter of the option that it is; empty where it is none.

    A picture that is several options has all their letters, parted by commas.
    """
    keys: dict[str, list[str]] = {}
    for choice in item.choices:
        if choice.image_id is not None:
            keys.setdefault(choice.image_id, []).append(choice.key)
    return [", ".join(keys.get(image.image_id, ())) for image in item.images]


def captions(item: TaskContent) -> list[str]:
    """Return what people call each of an item's pictures: by its letter as an option, else by its place."""
    return [
        TEXTS["picture_of_option"].format(key=letter) if letter else TEXTS["image"].format(place=place)
        for place, letter in enumerate(letters_of_pictures(item), 1)
    ]


def options_of(item: TaskContent) -> list[dict[str, str]]:
    """Return an item's options as cards show them: by key, in words or as the picture with that letter."""
    return [
        {"key": choice.key, "words": choice.text or TEXTS["picture_of_option"].format(key=choice.key)}
        for choice in item.choices
    ]


def question_in_words(item: TaskContent) -> str:
    """Return an item's question with its pictures called as everywhere else.

    A place such as `<image 2>` becomes that picture's name. Where all options are pictures and the question lists them
    by their places ("the second or the third"), the list becomes one of letters ("A or B").
    """
    names = captions(item)

    def named(match: re.Match[str]) -> str:
        place = int(match[1])
        return names[place - 1] if 0 < place <= len(names) else TEXTS["image"].format(place=place)

    question = _PLACED.sub(named, item.question)
    listed = _listed_by_place(item)
    if listed is None:
        return question
    keys = [choice.key for choice in item.choices]
    return listed.sub(f"{', '.join(keys[:-1])} or {keys[-1]}", question)


def _listed_by_place(item: TaskContent) -> re.Pattern[str] | None:
    """Return what finds all options listed by their places; None where they are not all pictures, one each."""
    places = {image.image_id: place for place, image in enumerate(item.images)}
    shown = [choice.image_id for choice in item.choices]
    if len(shown) < 2 or len(set(shown)) < len(shown):
        return None
    words = []
    for image_id in shown:
        place = None if image_id is None else places.get(image_id)
        if place is None or place >= len(_ORDINALS):
            return None
        words.append(rf"(?:the )?{_ORDINALS[place]}(?: (?:image|picture))?")
    return re.compile(rf"\b{'(?:, or |, | or )'.join(words)}\b", re.IGNORECASE)


def keys_told(name: str, letters: Iterable[str]) -> str:
    """Return the line that tells the keys of a card.

    Args:
        name: Of the line among the app's texts.
        letters: Of options; a command whose letter is one of them takes Shift.
    """
    known = list(letters)
    last = known[-1] if known else ""
    told = TEXTS[name].format(last=last, count=min(9, len(known)))
    parts = told.split(" · ")
    return " · ".join(f"Shift+{part}" if part.partition(" ")[0] in known else part for part in parts)
