"""A reader's errors, according to people's labels of a model's replies: `reading.json` next to the score."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright.errors import DataError
from benchwright.statistics.prediction_powered import LabelledPart, corrected_share
from benchwright.statistics.proportions import exact_interval
from benchwright.statistics.score_interval import Interval
from benchwright.texts.normalization import counted

READING_FILE = "reading.json"
FORMAT: Literal["benchwright/reading"] = "benchwright/reading"

ErrorKind = Literal["wrong_letter", "missed_letter", "letter_of_none"]
ERROR_KINDS: dict[ErrorKind, str] = {
    "wrong_letter": "a letter other than the reply's",
    "missed_letter": "no letter where the reply gives one",
    "letter_of_none": "a letter where the reply gives none",
}
"""Kinds of reading errors, with descriptions."""


class CheckedShare(BaseModel):
    """A proportion based on people's labels."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float | None
    """0 to 1; None if no label is relevant."""
    ci: tuple[float, float] | None
    """95 % interval, 0 to 1."""
    n: int = Field(ge=0)
    """Number of labeled replies on which the proportion is based."""

    def describe(self) -> str:
        """Return the proportion and its interval in percent."""
        if self.value is None or self.ci is None:
            return "unknown"
        return f"{100 * self.value:.1f} % [{100 * self.ci[0]:.1f}, {100 * self.ci[1]:.1f}]"


class Reading(BaseModel):
    """A reader's errors in the replies of one model, and the score that takes these errors into account."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["benchwright/reading"] = FORMAT
    version: Literal[1] = 1
    model: str
    release_id: str
    reader: str
    reader_version: Any = None
    """Version of the reader, from the score's settings."""
    counted_accuracy: float
    """Accuracy according to the score that was checked."""
    asked: int = Field(ge=0)
    replies: int = Field(ge=0)
    """Number of replies with words in which the reader found or missed a letter, from which the sample was drawn."""
    labelled: int = Field(ge=0)
    errors: dict[ErrorKind, CheckedShare]
    """Proportions of all these replies."""
    accuracy: CheckedShare
    """Proportion of asked items answered correctly, with the reader's error included; `n` is the number of labels."""

    def describe(self) -> str:
        """Return the corrected score and the reader's errors in one line of text."""
        errors = "; ".join(f"{words} {self.errors[kind].describe()}" for kind, words in ERROR_KINDS.items())
        value, ci = self.accuracy.value, self.accuracy.ci
        score = "unknown, too few labels" if value is None or ci is None else f"{value:.3f} [{ci[0]:.3f}, {ci[1]:.3f}]"
        return (
            f"score with the reader's error: {score}, counted {self.counted_accuracy:.3f}; of "
            f"{counted(self.replies, 'reply', 'replies')}, {self.labelled:,} read by people: {errors}"
        )


class LabelledReply(NamedTuple):
    """A reply that a person has read.

    Args:
        task: Task of the reply's item; together with whether the reader found a letter, it defines the reply's stratum.
        read: Letter that the reader found; None if it found none.
        given: Letter that the reply gives according to the person; None if it gives none.
        key: The right letter; None if there is none.
    """

    task: str
    read: str | None
    given: str | None
    key: str | None


Sizes = Mapping[tuple[str, bool], int]
"""Number of replies by task and whether the reader found a letter."""


def weights_of(sizes: Sizes, labelled: Sequence[LabelledReply], *, is_read: bool) -> tuple[int, list[float]]:
    """Return the number of replies in which the reader found, or missed, a letter, and how many replies each label
    represents.

    Tasks with labels also represent tasks without labels.
    """
    those = [reply for reply in labelled if (reply.read is not None) == is_read]
    size = sum(n for (_, read), n in sizes.items() if read == is_read)
    of_task: dict[str, int] = {}
    for reply in those:
        of_task[reply.task] = of_task.get(reply.task, 0) + 1
    spoken_for = sum(sizes[task, is_read] for task in of_task)
    return size, [sizes[reply.task, is_read] / of_task[reply.task] * size / spoken_for for reply in those]


def reading_errors(populations: Sequence[tuple[Sizes, Sequence[LabelledReply]]]) -> dict[ErrorKind, CheckedShare]:
    """Return the proportions, by kind, of all replies of one or more models that a reader reads incorrectly.

    The interval is exact for the effective number of labels of different weight; Wilson's misses rare errors too often.
    It covers only the replies in which an error of the kind can occur, either those with a letter or those without. If
    all of them are labeled, it equals the proportion.
    """
    replies = sum(sum(sizes.values()) for sizes, _ in populations)
    shares = {}
    for kind in ERROR_KINDS:
        is_read = kind != "missed_letter"
        size, weights, wrong = 0, [], 0.0
        for sizes, labelled in populations:
            size_of_one, of_one = weights_of(sizes, labelled, is_read=is_read)
            size += size_of_one
            weights += of_one
            those = [reply for reply in labelled if (reply.read is not None) == is_read]
            wrong += sum(w for w, reply in zip(of_one, those, strict=True) if error_of(reply) == kind)
        if not size:
            shares[kind] = CheckedShare(value=0.0, ci=(0.0, 0.0), n=0)
        elif not weights:
            shares[kind] = CheckedShare(value=None, ci=None, n=0)
        else:
            worth = sum(weights) ** 2 / sum(w * w for w in weights)
            rate = min(1.0, wrong / sum(weights))
            low, high = (rate, rate) if len(weights) == size else exact_interval(rate * worth, worth)
            part = size / replies
            shares[kind] = CheckedShare(value=rate * part, ci=(low * part, high * part), n=len(weights))
    return shares


def error_of(reply: LabelledReply) -> ErrorKind | None:
    """Return the kind of error made in reading a reply, or None if the reply was read correctly."""
    if reply.read == reply.given:
        return None
    if reply.read is None:
        return "missed_letter"
    return "letter_of_none" if reply.given is None else "wrong_letter"


def corrected_accuracy(
    value: float, ci: tuple[float, float], asked: int, sizes: Sizes, labelled: Sequence[LabelledReply]
) -> CheckedShare:
    """Return an accuracy that includes the reader's error (`statistics.prediction_powered`); unknown if labels are too
    few.

    Items whose replies need no reading, such as errors, are counted as before.
    """
    parts = []
    for is_read in (True, False):
        size, weights = weights_of(sizes, labelled, is_read=is_read)
        if size and len(weights) < min(2, size):
            return CheckedShare(value=None, ci=None, n=len(labelled))
        if size:
            those = [reply for reply in labelled if (reply.read is not None) == is_read]
            parts.append(LabelledPart(size, weights, [_is_right(r, r.given) - _is_right(r, r.read) for r in those]))
    corrected = corrected_share(value, Interval(*ci), asked, parts)
    return CheckedShare(value=corrected.value, ci=tuple(corrected.interval), n=len(labelled))


def _is_right(reply: LabelledReply, letter: str | None) -> bool:
    return letter is not None and letter == reply.key


def read_reading(folder: Path) -> Reading | None:
    """Return the result of people's labels stored in a model's results folder, or None if there is none.

    Raises:
        DataError: The file is damaged.
    """
    path = folder / READING_FILE
    try:
        return Reading.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise DataError(
            f"{path} is not a check of a reader ({first}); run `evaluate check-reading` with the labels again, or "
            "delete the file"
        ) from error
