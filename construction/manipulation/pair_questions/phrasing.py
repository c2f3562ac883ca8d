"""Questions about perceptions, in plain English, with several wordings of each, by the subject of the question.

A wording contains `{subject}`, `{value}`, `{target}` (the replaced object) and `{both}` (the name for both pictures),
and verbs that agree with the subject: `{is}`, `{does}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from benchwright.facts import CATEGORIES, IdeaCategory, Perception

from ...item_parts.idea import Change, Idea, Level
from ...item_parts.options.choices import capital
from ...item_parts.wording.english_words import names_several
from ...item_parts.wording.wordings import DrawnWording, Wordings, WordingsInUse

Shown = Literal["two_images", "side_by_side"]
"""How a question about both pictures displays them."""
_BOTH: Mapping[Shown, str] = {
    "two_images": "the two images",
    "side_by_side": "the left and right halves of this picture",
}


class _Phrases(NamedTuple):
    """The wordings of questions about one aspect of perception.

    Args:
        yes_no: Questions that ask whether a picture shows a value.
        open: Questions about what one picture shows, with options.
        across: Questions about what two pictures show.
    """

    yes_no: Wordings
    open: Wordings | None = None
    across: Wordings | None = None


_OF_SUBJECT = Wordings("{is} {subject} {value}?", "In this picture, {is} {subject} {value}?")
_SEEMS_TO_BE = Wordings(
    "{does} {subject} seem to be {value}?",
    "{does} {subject} look like {value}?",
    "Judging by this picture, {is} {subject} {value}?",
)
_PHRASES: Mapping[str, _Phrases] = {
    "behaviour": _Phrases(
        Wordings(
            "{is} {subject} {value}?",
            "In this picture, {is} {subject} {value}?",
            "Does the picture show {subject} {value}?",
        ),
        Wordings(
            "What {is} {subject} doing?",
            "What {is} {subject} most likely doing in this picture?",
            "Which of these {is} {subject} most likely doing?",
        ),
        Wordings(
            "What {is} {subject} doing in {both}?",
            "How do {both} differ in what {subject} {is} doing?",
        ),
    ),
    "role": _Phrases(
        _SEEMS_TO_BE,
        Wordings(
            "What role {does} {subject} have here?",
            "Which of these {is} {subject} most likely to be?",
            "What {does} {subject} appear to be?",
        ),
        Wordings("What {does} {subject} appear to be in {both}?", "What role {does} {subject} have in {both}?"),
    ),
    "identity": _Phrases(
        _SEEMS_TO_BE,
        Wordings(
            "Who {is} {subject}?",
            "Which of these {is} {subject} most likely to be?",
            "What kind of person {does} {subject} appear to be?",
        ),
        Wordings("Who {is} {subject} in {both}?", "What kind of person {does} {subject} appear to be in {both}?"),
    ),
    "emotion": _Phrases(
        Wordings(
            "{does} {subject} look {value}?", "{does} {subject} seem {value}?", "{does} {subject} appear to be {value}?"
        ),
        Wordings("How {does} {subject} feel?", "How {does} {subject} seem to feel in this picture?"),
        Wordings("How {does} {subject} feel in {both}?", "How {does} {subject} look in {both}?"),
    ),
    "scenario": _Phrases(
        Wordings(
            "Does the picture show {value}?",
            "Is this a picture of {value}?",
            "Does the scene look like {value}?",
        ),
        Wordings(
            "What does the picture show?",
            "Which of these does the picture show?",
            "What kind of scene is this?",
        ),
        Wordings("What do {both} show?", "Which scenes do {both} show?"),
    ),
    "background": _Phrases(
        Wordings(
            "Does the background show {value}?",
            "Can {value} be seen in the background?",
            "In this picture, does the background show {value}?",
        )
    ),
    "object": _Phrases(
        Wordings(
            "{does} {subject} hold or use {value}?",
            "{is} {subject} holding or using {value}?",
            "Does the picture show {subject} with {value}?",
        )
    ),
    "movement": _Phrases(_OF_SUBJECT),
    "content": _Phrases(
        Wordings(
            "Does {target} show {value}?",
            "Can {value} be seen on {target}?",
            "In this picture, does {target} show {value}?",
        )
    ),
    "group": _Phrases(
        Wordings(
            "{is} {subject} among {value}?",
            "{is} {subject} surrounded by {value}?",
            "In this picture, {is} {subject} among {value}?",
        )
    ),
    "attire": _Phrases(
        Wordings(
            "{is} {subject} wearing {value}?",
            "{does} {subject} wear {value}?",
            "In this picture, {is} {subject} wearing {value}?",
        )
    ),
    "character": _Phrases(
        Wordings(
            "Does the picture show {value}?",
            "Can {value} be seen in the picture?",
            "In this picture, can {value} be seen?",
        )
    ),
    "features": _Phrases(
        Wordings(
            "{does} {subject} have {value}?",
            "In this picture, {does} {subject} have {value}?",
            "Does the picture show {subject} with {value}?",
        )
    ),
    "figure": _Phrases(_SEEMS_TO_BE),
    "gesture": _Phrases(_OF_SUBJECT),
    "expression": _Phrases(_OF_SUBJECT),
    "style": _Phrases(
        Wordings(
            "Does the picture look like {value}?",
            "Does this look like {value}?",
            "Does the picture have the look of {value}?",
        ),
    ),
}
"""Phrases by the name of a perception (`benchwright.facts.Perception`)."""

_ASPECTS = Wordings(
    "Which aspect of {subject} or of the scene differs between {both}?",
    "Which aspect of {subject} or of the scene has changed between {both}?",
    "In which aspect of {subject} or of the scene do {both} differ?",
)
_EDITED = Wordings(
    "What was changed between {both}?",
    "What is the difference between {both}?",
    "How do {both} differ?",
)


class Phrasing(NamedTuple):
    """Words for the questions of one idea.

    Args:
        idea: The idea.
        wordings: Wordings in use.
    """

    idea: Idea
    wordings: WordingsInUse

    def yes_no(self, level: Level, value: str, rng: np.random.Generator) -> DrawnWording:
        """Return the question that asks whether a picture shows a value of a level's change."""
        change = self._change(level)
        phrases = self._phrases(level)
        if phrases is None:
            return DrawnWording(_described(change.aspect, value), 1)
        return self._drawn(phrases.yes_no, rng, value=value)

    def open(self, rng: np.random.Generator) -> DrawnWording:
        """Return the question that asks what a picture shows at the high level, for use with options."""
        phrases = self._phrases("high")
        if phrases is None or phrases.open is None:
            return DrawnWording(f"What best describes {self.idea.high.aspect} in the image?", 1)
        return self._drawn(phrases.open, rng)

    def across(self, shown: Shown, rng: np.random.Generator) -> DrawnWording:
        """Return the question that asks what two pictures show at the high level."""
        phrases = self._phrases("high")
        if phrases is None or phrases.across is None:
            return DrawnWording(f"How do {_BOTH[shown]} differ in {self.idea.high.aspect}?", 1)
        return self._drawn(phrases.across, rng, both=_BOTH[shown])

    def aspects(self, shown: Shown, rng: np.random.Generator) -> DrawnWording:
        """Return the question that asks which aspect differs between two pictures."""
        return self._drawn(_ASPECTS, rng, both=_BOTH[shown])

    def edited(self, shown: Shown, rng: np.random.Generator) -> DrawnWording:
        """Return the question that asks how one picture was turned into the other."""
        return self._drawn(_EDITED, rng, both=_BOTH[shown])

    def _change(self, level: Level) -> Change:
        return self.idea.low if level == "low" else self.idea.high

    def _phrases(self, level: Level) -> _Phrases | None:
        """Return the phrases for a level's perception, or None if the change has a custom aspect."""
        category: IdeaCategory = CATEGORIES[self.idea.category]  # type: ignore[index]
        perception: Perception = category.low if level == "low" else category.high
        is_own = self._change(level).aspect != perception.aspect_of(self.idea.subject.phrase)
        return None if is_own else _PHRASES[perception.name]

    def _drawn(self, wordings: Wordings, rng: np.random.Generator, **values: str) -> DrawnWording:
        drawn = wordings.drawn(self.wordings, rng)
        subject = self.idea.subject.phrase
        several = names_several(subject)
        verbs = {"is": "are", "does": "do"} if several else {"is": "is", "does": "does"}
        target = "the picture" if self.idea.target is None else self.idea.target.phrase
        words = drawn.template.format(subject=subject, target=target, **verbs, **values)
        return drawn._replace(template=capital(words))


def _described(aspect: str, value: str) -> str:
    """Return a yes/no question about an aspect stated in words, such as `what the badge stands for`."""
    if aspect.startswith(("what ", "who ")):
        return f"Is {value} {aspect}?"
    return f"Does this describe {aspect} in the image: {value}?"
