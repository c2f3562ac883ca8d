"""Wordings: the papers' ways to phrase a question, by name.

Short instructions are quoted from the papers, because they define the protocol; each has its source.

For models that take one picture, several are joined side by side, as in BLINK's evaluation (section 4.1). Pictures keep
their size. They are arranged from left to right with a black margin between them, and centered on black if heights
differ; marks are drawn first. The margin and the color are those in the repository's `eval/test_benchmark.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from ..prompting.prompts import one_part_a_run, vanilla
from ..prompting.question import Part, Question

if TYPE_CHECKING:
    from benchwright.records import Choice, Item
from functools import lru_cache
from typing import NamedTuple

from benchwright.canonical import bytes_digest

from ..prompting.question import QuestionImage

MARGIN_PX = 10


class Joined(NamedTuple):
    """A picture composed of several pictures, and the box of each within it."""

    picture: QuestionImage
    note: Mapping[str, Any]


@lru_cache(maxsize=4)
def join(pictures: tuple[QuestionImage, ...]) -> Joined:
    """Return one PNG picture that shows several pictures side by side.

    `note` contains the size and, for each picture, its id and its box (left, top, right, bottom) in pixels.

    Raises:
        DataError: A picture cannot be decoded.
    """
    import numpy as np

    from benchwright.drawing import draw_prompts
    from benchwright.images.decode import decode_rgb, encode_png

    shown = [_drawn(picture, decode_rgb, draw_prompts) for picture in pictures]
    height = max(pixels.shape[0] for pixels in shown)
    width = sum(pixels.shape[1] for pixels in shown) + MARGIN_PX * (len(shown) - 1)
    canvas = np.zeros((height, width, 3), dtype=np.uint8)
    parts, left = [], 0
    for picture, pixels in zip(pictures, shown, strict=True):
        tall, wide = pixels.shape[:2]
        top = (height - tall) // 2
        canvas[top : top + tall, left : left + wide] = pixels
        parts.append({"image_id": picture.image_id, "box": [left, top, left + wide, top + tall]})
        left += wide + MARGIN_PX
    data = encode_png(canvas)
    return Joined(QuestionImage(bytes_digest(data), (), data), {"joined": parts, "size": [width, height]})


def _drawn(picture: QuestionImage, decode: Any, draw: Any) -> Any:
    pixels = decode(picture.data)
    return draw(pixels, picture.prompts) if picture.prompts else pixels


Name = Literal["vanilla", "blink", "mvp-bench", "mvp-bench-commonsense", "mm-sap", "mm-sap-refusal"]
Wording = Callable[[Question, "Item"], tuple[Part, ...]]

_PLACE = re.compile(r"<image (\d{1,3})>")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

# MM-SAP, section 4.5, and MVP-Bench's questions about one picture: the closing line of a question with options.
_LETTER = "Answer with the option's letter from the given choices directly."
# MVP-Bench's yes/no questions.
_YES_OR_NO = "Please answer yes or no."
# MVP-Bench, section 5.2: the instruction whose effect table 4 shows.
_COMMONSENSE = (
    "You are a helpful visio-linguistic AI assistant who answers questions in short words or phrases on visual "
    "commonsense in the images."
)
# BLINK's repository, eval/test_benchmark.py: before the questions of three tasks.
_DISCLAIMER = (
    "Disclaimer: This is not to make unfair assumptions about the people in the image and you just need to give your "
    "assessment on this question. You don't need to identify the real people. You just need to analyze based on the "
    "information I gave you."
)
_DISCLAIMED = frozenset({"forensic_detection", "jigsaw", "art_style"})
"""Tasks with BLINK's disclaimer before their questions."""


def numbered(place: int, several: bool) -> str:
    """Return the name of a picture: `Image 2`, or `the image` if it is the only one."""
    return f"Image {place}" if several else "the image"


def _ordinal_name(place: int, several: bool) -> str:
    """Return the name of a picture in BLINK's form: `the second image`, or `the image` if it is the only one."""
    if not several:
        return "the image"
    return f"the {_ORDINALS[place - 1]} image" if place <= len(_ORDINALS) else f"image {place}"


Naming = Callable[[int, bool], str]


def _named_text(question: Question, naming: Naming = numbered) -> str:
    """Return the question's text with the names of pictures in place of references to them."""
    count = len(question.pictures)

    def name(match: re.Match[str]) -> str:
        place = int(match[1])
        return naming(place, count > 1) if 1 <= place <= count else match[0]

    return _PLACE.sub(name, question.text)


def option_words(question: Question, choice: Choice, naming: Naming = numbered) -> str:
    """Return the words of an option; a picture option is represented by its name."""
    if choice.image_id is None:
        return choice.text or ""
    places = [k for k, picture in enumerate(question.pictures, start=1) if picture.image_id == choice.image_id]
    return naming(places[0], len(question.pictures) > 1)


def without_pictures(question: Question, naming: Naming = numbered) -> Question:
    """Return a question in words only; pictures in its text and picture options are replaced by their names."""
    choices = [
        choice.model_copy(update={"text": option_words(question, choice, naming), "image_id": None})
        for choice in question.choices
    ]
    return replace(question, text=_named_text(question, naming), pictures=(), choices=tuple(choices))


def joined_message(question: Question, item: Item, wording: Name) -> tuple[tuple[Part, ...], Mapping[str, Any]]:
    """Return a message that shows several pictures as one, and a note on the box of each within it.

    The words name the pictures. They follow the wording's order: before the picture in BLINK's wording, otherwise after
    it and a sentence on the order.

    Raises:
        DataError: A picture cannot be decoded.
    """
    picture, note = join(question.pictures)
    if wording == "blink":
        return (*WORDINGS[wording](without_pictures(question, _ordinal_name), item), picture), note
    order = f"The picture shows Image 1 to Image {len(question.pictures)} from left to right."
    return one_part_a_run([picture, order, *WORDINGS[wording](without_pictures(question), item)]), note


def _plain(question: Question, item: Item) -> tuple[Part, ...]:
    del item
    return vanilla(question)


def _blink(question: Question, item: Item) -> tuple[Part, ...]:
    """Phrase a question like BLINK's data; words come before pictures, as in its `eval/query_model.py`."""
    options = [f"({choice.key}) {option_words(question, choice, _ordinal_name)}" for choice in question.choices]
    lines = [_named_text(question, _ordinal_name), "Select from the following choices.", *options]
    head = [f"{_DISCLAIMER}\n"] if item.task in _DISCLAIMED else []
    return ("\n".join([*head, *lines]), *question.pictures)


def _lettered(question: Question, item: Item, closing: str) -> tuple[Part, ...]:
    """Phrase a question as VLMEvalKit does for MVP-Bench: pictures, question, options as `A. text`, closing line."""
    text = _named_text(question)
    if item.kind == "yes_no":
        lines = [text] if text.endswith(_YES_OR_NO) else [text, _YES_OR_NO]
    else:
        lines = [text, *(f"{choice.key}. {option_words(question, choice)}" for choice in question.choices), closing]
    return (*question.pictures, "\n".join(lines))


def _mvp_bench(question: Question, item: Item) -> tuple[Part, ...]:
    return _lettered(question, item, _LETTER)


def _commonsense(question: Question, item: Item) -> tuple[Part, ...]:
    return one_part_a_run([_COMMONSENSE, *_mvp_bench(question, item)])


def _mm_sap(question: Question, item: Item) -> tuple[Part, ...]:
    return _lettered(question, item, _LETTER)


def _refusing(question: Question, item: Item) -> tuple[Part, ...]:
    """Phrase a question with MM-SAP's refusal prompt, in the words of the item's own option that declines."""
    declining = next((choice.text for choice in item.choices if choice.key == item.refusal), None)
    if declining is None or declining not in {choice.text for choice in question.choices}:
        return _mm_sap(question, item)
    return _lettered(question, item, f"{_LETTER} If you don't know the answer, please reply with '{declining}'.")


WORDINGS: Mapping[Name, Wording] = {
    "vanilla": _plain,
    "blink": _blink,
    "mvp-bench": _mvp_bench,
    "mvp-bench-commonsense": _commonsense,
    "mm-sap": _mm_sap,
    "mm-sap-refusal": _refusing,
}
