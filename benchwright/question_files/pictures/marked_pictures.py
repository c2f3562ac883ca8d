"""Marks for pictures in the text of a question, such as `<image 2>`: the picture to which each mark refers, and whether
it is present.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from benchwright.source_files.rows import BadRow
from benchwright.texts.normalization import counted

from ..questions.asked_question import AskedPicture

_MARK = re.compile(
    r"(?P<before><\|?(?:image|img|picture|fig(?:ure)?)[ _-]?#?|\[(?:image|picture)[ _-]?#?|\{(?:image|picture)[ _-]?#?)"
    r"(?P<number>\d{1,2})(?P<after>\|?>|\]|\})",
    re.I,
)
"""`<image 2>`, `<image_2>`, `<|image_2|>`, `[Image 2]`, `{image2}`."""
_STARTS = re.compile(r"[<\[{]")
_PLAIN = re.compile(r"<\|?image\|?>", re.I)
"""A mark without a number; such marks denote the pictures in order."""


def number_of_mark(text: str) -> int | None:
    """Return the number of the picture in a text that consists only of a mark; None for any other text."""
    match = _MARK.fullmatch(text.strip())
    return None if match is None else int(match["number"])


def numbered_options(words: str, options: Sequence[str | AskedPicture], *, pictures: int) -> list[str | AskedPicture]:
    """Return options in which each bare `<image>` has been replaced by a mark with its picture's number.

    Marks without a number denote the pictures in order: those of the question, then those of the options. If the text
    has no mark, the pictures before those of the options belong to the question.

    Args:
        words: Text of the question.
        options: Its options.
        pictures: Number of pictures of the row.

    Raises:
        BadRow: The numbers of pictures and marks differ, so that an option's picture is unclear.
    """
    if not any(isinstance(option, str) and option[:1] == "<" and _PLAIN.fullmatch(option) for option in options):
        return [*options]
    texts = [option if isinstance(option, str) else "" for option in options]
    in_words, in_options = len(_PLAIN.findall(words)), sum(len(_PLAIN.findall(text)) for text in texts)
    is_numbered = any(_MARK.search(text) for text in (words, *texts))
    if is_numbered or (in_words and pictures > in_words + in_options):
        raise BadRow(
            f"an option is <image>, but which of {counted(pictures, 'picture')} is unclear: the row has "
            f"{in_words + in_options} such marks{', and others with numbers' if is_numbered else ''}",
            "unclear_picture",
        )
    before = in_words or max(0, pictures - in_options)
    numbered: list[str | AskedPicture] = []
    for option, text in zip(options, texts, strict=True):
        numbered.append(f"<image {before + 1}>" if _PLAIN.fullmatch(text) else option)
        before += len(_PLAIN.findall(text))
    return numbered


def with_marked(
    pictures: Mapping[int, AskedPicture], texts: Iterable[str], *, others: int = 0
) -> tuple[list[AskedPicture], dict[int, int]]:
    """Return the pictures of a row in order, including those that its text shows but the row lacks.

    Args:
        pictures: Pictures by number, from 1; numbers without a picture are optional.
        texts: The question and its options, as text.
        others: Number of options that are pictures; they have the next numbers.

    Returns:
        The pictures, and the new number of each by its number in the text.
    """
    found = dict(pictures)
    marks: dict[int, str] = {}
    plain = 0
    for text in texts:
        if not _STARTS.search(text):
            continue
        plain += len(_PLAIN.findall(text))
        for match in _MARK.finditer(text):
            marks.setdefault(int(match["number"]), match[0])
    shift = 1 if 0 in marks else 0  # the words count from 0, the columns from 1
    marks = {number + shift: mark for number, mark in marks.items()}
    last = max(found, default=0)
    for number, mark in sorted(marks.items()):
        if number not in found and not last < number <= last + others:
            found[number] = AskedPicture(mark, is_only_named=True)
    free = (number for number in count(1) if number not in found)
    for _ in range(plain - len(found) - others):
        found[next(free)] = AskedPicture("<image>", is_only_named=True)
    order = sorted(found)
    return [found[number] for number in order], {number - shift: place for place, number in enumerate(order, start=1)}


def renumbered(text: str, places: Mapping[int, int]) -> str:
    """Return a text in which each mark has the form `<image 2>`, with its picture's number among those present.

    `[Image 2]` stays as written except for its number, since it may be a word of the sentence.
    """

    def mark(found: re.Match[str]) -> str:
        number = places.get(int(found["number"]), int(found["number"]))
        return f"{found['before']}{number}{found['after']}" if found[0][0] == "[" else f"<image {number}>"

    return _MARK.sub(mark, text) if _STARTS.search(text) else text
