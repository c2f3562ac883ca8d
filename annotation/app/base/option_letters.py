"""The letters of an item's options, which are the same in the list, on pictures, on keys and in the question.

Pictures that are not options get names by position, such as `Image 1`.
"""

from __future__ import annotations

import re

from benchwright.texts.hidden_characters import escaped

from ...forms.task_content import TaskContent
from ..wording.texts import TEXTS

_PLACED = re.compile(r"<image (\d+)>")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def letters_of_pictures(item: TaskContent) -> list[str]:
    """Return the option letter of each of an item's pictures; empty for a picture that is not an option.

    A picture for several options has all their letters, separated by commas.
    """
    keys: dict[str, list[str]] = {}
    for choice in item.choices:
        if choice.image_id is not None:
            keys.setdefault(choice.image_id, []).append(choice.key)
    return [", ".join(keys.get(image.image_id, ())) for image in item.images]


def captions(item: TaskContent) -> list[str]:
    """Return a caption for each of an item's pictures: its option letter, or else its position."""
    return [
        TEXTS["picture_of_option"].format(key=letter) if letter else TEXTS["image"].format(place=place)
        for place, letter in enumerate(letters_of_pictures(item), 1)
    ]


def options_of(item: TaskContent) -> list[dict[str, str]]:
    """Return an item's options as cards show them: the key, and the text or the caption of the picture.

    Invisible characters are spelled out, here and in the question.
    """
    return [
        {"key": choice.key, "words": escaped(choice.text or "") or TEXTS["picture_of_option"].format(key=choice.key)}
        for choice in item.choices
    ]


def question_in_words(item: TaskContent) -> str:
    """Return an item's question with the captions of its pictures.

    A placeholder such as `<image 2>` becomes that picture's caption. If all options are pictures and the question lists
    them by position ("the second or the third"), the list becomes one of letters ("A or B").
    """
    names = captions(item)

    def caption(match: re.Match[str]) -> str:
        place = int(match[1])
        return names[place - 1] if 0 < place <= len(names) else TEXTS["image"].format(place=place)

    question = _PLACED.sub(caption, escaped(item.question))
    listed = _listed_by_place(item)
    if listed is None:
        return question
    keys = [choice.key for choice in item.choices]
    return listed.sub(f"{', '.join(keys[:-1])} or {keys[-1]}", question)


def _listed_by_place(item: TaskContent) -> re.Pattern[str] | None:
    """Return a pattern for a list of all options by position, or None unless each option is a different picture."""
    places = {image.image_id: place for place, image in enumerate(item.images)}
    image_ids = [choice.image_id for choice in item.choices]
    if len(image_ids) < 2 or len(set(image_ids)) < len(image_ids):
        return None
    words = []
    for image_id in image_ids:
        place = None if image_id is None else places.get(image_id)
        if place is None or place >= len(_ORDINALS):
            return None
        words.append(rf"(?:the )?{_ORDINALS[place]}(?: (?:image|picture))?")
    return re.compile(rf"\b{'(?:, or |, | or )'.join(words)}\b", re.IGNORECASE)
