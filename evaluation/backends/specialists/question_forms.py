"""The parts of a question that specialists read: pictures with a reference point, picture options, marked points.

Marks are vectors stored separately from the pictures, so specialists see the pixels below them. Benchmarks published
with marks drawn into their pictures have no such vectors, so specialists cannot read their items.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import DataError

from ...prompting.question import Question, QuestionImage
from .base import Point

if TYPE_CHECKING:
    from benchwright.records import VisualPrompt


class MarkedViews(NamedTuple):
    """A picture with a reference point, and a picture with a point for each option.

    Args:
        reference: Picture with the reference point.
        point: The reference point.
        view: Picture with the options' points.
        candidates: Points of the options, by key, in the order of keys.
    """

    reference: QuestionImage
    point: Point
    view: QuestionImage
    candidates: dict[str, Point]


class ReferenceAndChoices(NamedTuple):
    """A reference picture, and the picture of each option by key."""

    reference: QuestionImage
    choices: dict[str, QuestionImage]


class LabelledPoints(NamedTuple):
    """A picture with labeled points and, for each option, the label that the option names; None if it names no label or
    several.
    """

    picture: QuestionImage
    points: dict[str, Point]
    labels: dict[str, str | None]


def marked_views(question: Question) -> MarkedViews:
    """Return the two pictures of a question about a point that is marked in one picture and also visible in the other.

    An option refers to the point whose label its words name, as in `Point C`, or otherwise to the point with its key.
    The order of the options therefore does not matter.

    Raises:
        DataError: The question does not have one picture with one point and one with a labeled point for each option.
    """
    views: list[tuple[QuestionImage, dict[str, Point]]] = []
    for picture in question.pictures:
        points = _points_by_label(picture)
        labels = {choice.key: _only_label(choice.text or "", points) or choice.key for choice in question.choices}
        if set(labels.values()) <= set(points) and len(set(labels.values())) == len(labels):
            views.append((picture, {key: points[label] for key, label in sorted(labels.items())}))
    references = [
        picture
        for picture in question.pictures
        if len(picture.prompts) == 1 and all(picture is not view for view, _ in views)
    ]
    if len(views) != 1 or len(references) != 1:
        keys = ", ".join(sorted(choice.key for choice in question.choices))
        raise DataError(
            f"item {question.item_id} does not mark one point in one picture and the points {keys} in another"
        )
    [(view, candidates)] = views
    return MarkedViews(references[0], _marked_point(references[0].prompts[0]), view, candidates)


def _marked_point(prompt: VisualPrompt) -> Point:
    """Return the point that a mark indicates: an arrow's tip, or the mean of the points of any other mark."""
    if prompt.kind == "arrow":
        return prompt.points[-1]
    xs, ys = zip(*prompt.points, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def _points_by_label(picture: QuestionImage) -> dict[str, Point]:
    """Return the marked points of a picture by label; unlabeled marks are left out."""
    return {prompt.label: _marked_point(prompt) for prompt in picture.prompts if prompt.label}


def reference_and_choices(question: Question) -> ReferenceAndChoices:
    """Return the only picture that is not an option, together with the pictures of the options.

    Raises:
        DataError: An option is not a picture, or the number of other pictures is not one.
    """
    choices = choice_pictures(question)
    shown = {picture.image_id for picture in choices.values()}
    references = [picture for picture in question.pictures if picture.image_id not in shown]
    if len(references) != 1:
        raise DataError(f"item {question.item_id} does not show one reference and pictures to choose from")
    return ReferenceAndChoices(references[0], choices)


def choice_pictures(question: Question) -> dict[str, QuestionImage]:
    """Return the pictures of the options, by key.

    Raises:
        DataError: An option is not a picture.
    """
    pictures = {choice.key: question.picture_of(choice) for choice in question.choices}
    shown = {key: picture for key, picture in pictures.items() if picture is not None}
    if len(shown) < len(pictures):
        raise DataError(f"item {question.item_id} has options without pictures")
    return shown


def labelled_points(question: Question) -> LabelledPoints:
    """Return the only picture, with its labeled points and the point that each option names.

    Raises:
        DataError: The question does not have exactly one picture with two or more points, or no option names a point.
    """
    marked = [picture for picture in question.pictures if picture.prompts]
    points = _points_by_label(marked[0]) if len(marked) == 1 else {}
    labels = {choice.key: _only_label(choice.text or "", points) for choice in question.choices}
    if len(points) < 2 or not set(points) <= set(labels.values()):
        raise DataError(f"item {question.item_id} does not mark the points that its options name in one picture")
    return LabelledPoints(marked[0], points, labels)


def _only_label(words: str, points: dict[str, Point]) -> str | None:
    named = [label for label in points if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", words)]
    return named[0] if len(named) == 1 else None
