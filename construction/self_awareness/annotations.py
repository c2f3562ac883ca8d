"""The content of a picture's annotations: whether a text is true of the picture, and whether the annotations answer a
question that the picture should not answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.questions.written import NAMES_NOTHING
from benchwright.texts.normalization import normal

from ..distractors.related_words import singular
from ..distractors.sameness import may_both_be_right
from ..ground_truth.truths import Captions, GroundTruth, LabelledBoxes, VisualQuestion
from ..ground_truth.values import RecordTruth

ANNOTATIONS: tuple[type[GroundTruth], ...] = (VisualQuestion, LabelledBoxes, Captions)
"""Kinds of truth that annotate a picture's content."""
ANSWERED = "answered_by_annotation"
NONEXISTENT_OBJECT = "nonexistent_object"
_MIN_SHARED_WORDS = 0.8
"""Smallest proportion of shared words, among all words of two questions, at which the questions count as the same."""
_SAYS_NOTHING = NAMES_NOTHING | {"image", "photo", "photograph", "picture", "seen", "shown", "visible"}
_DECLINES = re.compile(
    r"\b(?:unknown|unclear|not (?:visible|shown|sure|possible|clear)|can(?:no|')?t (?:tell|see|say))\b"
)


class AnsweredBy(NamedTuple):
    """The annotation that answers a question.

    Args:
        reason: `same_question`, `stated_option` or `object_is_there`.
        annotation: The wording of the annotation.
    """

    reason: str
    annotation: str


class PictureAnnotations:
    """Everything that annotations state about one picture."""

    def __init__(self, truths: Iterable[GroundTruth]) -> None:
        """Collect the truths about one picture, ignoring kinds that do not annotate its content."""
        self.questions: list[VisualQuestion] = []
        self.labels: set[str] = set()
        self.absent: set[str] = set()
        self.captions: list[str] = []
        self.is_complete = False
        for truth in truths:
            if isinstance(truth, VisualQuestion):
                self.questions.append(truth)
            elif isinstance(truth, LabelledBoxes):
                self.labels |= {box.label for box in truth.boxes} | set(truth.incomplete)
                self.absent |= set(truth.absent)
                self.is_complete |= not truth.is_federated
            elif isinstance(truth, Captions):
                self.captions += truth.texts
        self._answers = {normal(answer) for known in self.questions for answer in (known.answer, *known.answers)}
        self._texts = {f" {normal(text)} ": text for text in self.captions}
        self._label_names = {normal(label) for label in self.labels}

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is stated about the picture."""
        return not (self.questions or self.labels or self.captions or self.absent)

    def is_true(self, text: str) -> bool:
        """Return whether an annotation states that a text is true of the picture, as a label, as an answer or in a
        caption.
        """
        word = normal(text)
        if any(may_both_be_right(text, known) for known in (*self._label_names, *self._answers)):
            return True
        return any(f" {word} " in caption for caption in self._texts)

    def answered_by(self, question: str, options: Sequence[str], *, why: str) -> AnsweredBy | None:
        """Return the annotation that answers a question that the picture should not answer, or None if there is none.

        An annotation answers the question if it is the same question with an answer, or if it states one of the
        options. Numbers and options that are only yes or no are ignored, because they occur too often by chance. A
        question about an object that should be absent (`nonexistent_object`) is answered if annotations name all its
        words.

        Args:
            question: The question.
            options: The options, except the one that declines.
            why: Category of the question, as in MM-SAP's appendix A.2.
        """
        words = _content_words(question)
        for known in self.questions:
            theirs = _content_words(known.question)
            shared = len(words & theirs) / len(words | theirs) if words | theirs else 0.0
            if shared >= _MIN_SHARED_WORDS and not _DECLINES.search(normal(known.answer)):
                return AnsweredBy("same_question", f"{known.question} {known.answer}")
        for option in options:
            text = normal(option)
            if len(_content_words(option)) == 0 or text.replace(" ", "").isdigit() or text in ("yes", "no"):
                continue
            if why != NONEXISTENT_OBJECT and (caption := self._caption_with(text)) is not None:
                return AnsweredBy("stated_option", caption)
        if why == NONEXISTENT_OBJECT and words and (named := self._named(words)):
            return AnsweredBy("object_is_there", ", ".join(sorted(named)))
        return None

    def _caption_with(self, text: str) -> str | None:
        return next((whole for padded, whole in self._texts.items() if f" {text} " in padded), None)

    def _named(self, words: frozenset[str]) -> set[str]:
        """Return the annotations that together contain all of the words, or none if a word is missing."""
        texts = {*self.labels, *self.captions, *(f"{known.question} {known.answer}" for known in self.questions)}
        naming: set[str] = set()
        for word in words:
            with_word = [text for text in sorted(texts) if word in _content_words(text)]
            if not with_word:
                return set()
            naming.add(with_word[0])
        return naming


def _content_words(text: str) -> frozenset[str]:
    """Return the content words of a text, in the singular, without question words, pointers and conjunctions."""
    return frozenset(singular(word) for word in normal(text).split() if word not in _SAYS_NOTHING)


def annotations_by_picture(truths: Sequence[RecordTruth[Any]]) -> Mapping[str, PictureAnnotations]:
    """Return the content of the annotations of each picture, from records with a single picture."""
    by_picture: dict[str, list[GroundTruth]] = {}
    for truth in truths:
        if len(truth.image_ids) == 1:
            by_picture.setdefault(truth.image_ids[0], []).append(truth.truth)
    return {image_id: PictureAnnotations(stated) for image_id, stated in by_picture.items()}
