"""Text in pictures that gives the answer: the right option occurs in the picture, as read by OCR.

Text that contains options by chance, or because the question is about reading, contains wrong options as often as right
ones; text that gives answers away contains the right ones. Both are counted over the items of a task.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from benchwright.texts.normalization import normal

from ..check import AuditContext, CheckSkipped, require_enough
from ..evidence import require_pictures
from ..findings.finding import Finding, Severity
from ..read_texts import read_texts
from ..source.audited_items import AuditedItem, AuditedItems
from .guessing import cue_severity

_NEEDS_OCR = "it needs OCR: let rapidocr, in the extra `filters`, read the text in pictures with --ocr"
_SURELY_GIVEN = 0.01
"""Holm-adjusted p-value, over tasks, below which the text in a task's pictures gives keys away."""
_AS_OFTEN = 0.1
"""p-value from which keys are considered to occur in pictures no more often than wrong options do."""
_READING = re.compile(
    r"\b(?:reads?|says?|said|writ(?:e|es|ing|ten)|words?|texts?|letters?|digits?|numbers?|spell(?:s|ed)?|printed|"
    r"captions?|titles?|titled|headlines?|labels?|labell?ed|logos?|brands?|slogans?|signs?|names?|named|called)\b",
    re.I,
)
_ARTICLE = re.compile(r"^(?:a|an|the) (?=.)")
_MOST_LINES = 40


class TextInPictures:
    """Right options that occur in the picture while no wrong option does, for questions that are not about reading."""

    name: ClassVar[str] = "text_in_pictures"
    title: ClassVar[str] = "Text in pictures that gives the answer"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each item whose key, but no wrong option, occurs in a picture.

        Raises:
            CheckSkipped: OCR is not requested or not installed, or there is no picture or no item with a key.
        """
        if not context.ocr:
            raise CheckSkipped(_NEEDS_OCR)
        require_pictures(audited)
        items = [each for each in audited.keyed if _is_asked(each, audited)]
        require_enough(
            items, 1, of="items with a key, options in words and a picture whose question is not about reading"
        )
        shown = dict.fromkeys(image.image_id for each in items for image in each.item.images)
        texts = read_texts([audited.pictures[image_id] for image_id in shown if image_id in audited.pictures], context)
        read = [each for each in items if any(image.image_id in texts for image in each.item.images)]
        require_enough(read, 1, of="such items with a picture that OCR can read")

        def looked_up(each: AuditedItem) -> _Read:
            lines = [line for image in each.item.images for line in texts.get(image.image_id, ())]
            options = [choice.key for choice in each.item.choices if occurs_in(choice.text or "", lines)]
            return _Read(each, lines, options)

        by_task: defaultdict[str, list[_Read]] = defaultdict(list)
        for each, its in context.check_each(read, looked_up):
            by_task[each.task].append(its)
        yield from _given_away(by_task)


class _Read(NamedTuple):
    """An item with the lines of text in its pictures and the letters of the options that occur there."""

    item: AuditedItem
    lines: Sequence[str]
    options: Sequence[str]

    @property
    def has_key(self) -> bool:
        return self.item.item.right_key in self.options

    @property
    def chance(self) -> float:
        """Return the probability that the key is among this many options drawn at random."""
        return len(self.options) / len(self.item.item.choices)


def _is_asked(each: AuditedItem, audited: AuditedItems) -> bool:
    item = each.item
    return (
        any(shown.image_id in audited.pictures for shown in item.images)
        and len(item.choices) > 1
        and all(choice.text for choice in item.choices)
        and not _READING.search(item.question)
    )


def occurs_in(option: str, lines: Sequence[str]) -> bool:
    """Return whether an option occurs in the text of a picture, as consecutive whole words.

    Case, punctuation, a leading article and line breaks do not matter, nor do spaces, which OCR loses.

    Example:
        >>> occurs_in("the red chair", ["REDCHAIR", "for sale"]), occurs_in("7", ["Gate 7"]), occurs_in("7", ["1974"])
        (True, True, False)
    """
    wanted = _ARTICLE.sub("", normal(option)).replace(" ", "")
    words = normal(" ".join(lines)).split()
    for start in range(len(words)):
        joined = ""
        for word in words[start:]:
            joined += word
            if not wanted.startswith(joined):
                break
            if joined == wanted:
                return True
    return False


def _given_away(by_task: Mapping[str, Sequence[_Read]]) -> Iterator[Finding]:
    from benchwright.statistics import holm, wilson

    tasks = {task: reads for task, reads in sorted(by_task.items()) if any(read.has_key for read in reads)}
    # If all options of an item occur in its picture, or none, the text prefers none.
    telling = {task: [read for read in reads if 0 < read.chance < 1] for task, reads in tasks.items()}
    keys = {task: sum(read.has_key for read in reads) for task, reads in telling.items()}
    p_values = [at_least(keys[task], [read.chance for read in telling[task]]) for task in tasks]
    for (task, reads), p, p_holm in zip(tasks.items(), p_values, holm(p_values), strict=True):
        could_tell = at_least(len(telling[task]), [read.chance for read in telling[task]]) < _SURELY_GIVEN
        if could_tell and p >= _AS_OFTEN:
            continue  # a task of reading
        severity: Severity = "low"
        if p_holm < _SURELY_GIVEN:
            chance = sum(read.chance for read in telling[task]) / len(reads)
            severity = cue_severity(wilson(keys[task], len(reads)).interval or (0.0, 1.0), chance)
        counted = {
            "task": task,
            "items": len(reads),
            "with_an_option": len(telling[task]),
            "with_the_key": keys[task],
            "with_the_key_by_chance": round(sum(read.chance for read in telling[task]), 2),
            "p_holm": float(f"{p_holm:.3g}"),
        }
        for read in telling[task]:
            if [read.item.item.right_key] == read.options:
                right = next(choice.text for choice in read.item.item.choices if choice.key in read.options)
                yield Finding(
                    "answer_in_picture",
                    severity,
                    (read.item.item_id,),
                    f"The right option, {right!r}, occurs in the picture, and no wrong one does.",
                    {"answer": right, "text_read": list(read.lines[:_MOST_LINES]), **counted},
                    "likely" if severity != "low" else "possible",
                )


def at_least(count: int, chances: Sequence[float]) -> float:
    """Return the probability, 0-1, that at least `count` of some independent events with these probabilities occur."""
    import numpy as np

    spread = np.ones(1)
    for chance in chances:
        spread = np.convolve(spread, [1 - chance, chance])
    return float(min(1.0, spread[count:].sum()))
