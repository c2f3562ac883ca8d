"""The score of a model: its figures on a release, with everything on which they depend."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, computed_field, model_validator

from benchwright.errors import DataError
from benchwright.release.format.blind_strategy import BlindStrategy
from benchwright.replies.readers import ROBUST
from benchwright.statistics.proportions import Estimate, Method
from benchwright.texts.normalization import counted

from ..backends.result_names import differing_settings, identity_of, results_name
from ..prompting.prompts import VANILLA
from .reading import Reading, read_reading
from .unread import Unread

FORMAT: Literal["benchwright/score"] = "benchwright/score"
VERSION = 5
"""Version 2 states how each interval was computed; version 3 adds the judge; version 4 counts thoughts among the
tokens, separates truncated replies, and states when errors make a score unfit; version 5 counts filtered and empty
replies, and states the causes.
"""

_USUAL = frozenset({VANILLA, ROBUST})

SCORE_FILE, PREDICTIONS_FILE = "score.json", "predictions.parquet"


ENDINGS = {
    "answered": "answered",
    "miss": "misses",
    "refused": "refused",
    "filtered": "filtered",
    "cut_off": "cut off",
    "empty": "empty",
    "tool_call": "tool calls",
    "error": "errors",
}
"""Endings of items, exactly one per item, and their headings in tables, which are the same wherever scores appear."""

MAX_ERRORS = 0.05
"""Default proportion of errors above which a score is unfit."""


class Figure(BaseModel):
    """The value of a metric."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float | None
    """None if no item was asked."""
    ci: tuple[float, float] | None
    """95 % interval; None if the value is not an estimate, or has no interval."""
    n: int = Field(ge=0)
    """Number of items, or of repetitions of items, on which the value is based."""
    method: Method | None = None
    """Method of the interval; None if there is no interval or the method is not stated."""


class Usage(BaseModel):
    """Tokens, requests and cost of the replies behind a score, as far as counted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    replies: int = Field(ge=0)
    """Number of replies with known tokens; each is counted, even if equal questions share a request."""
    requests: int | None = Field(None, ge=0)
    """Requests that these replies answer, each counted once, like tokens; None in scores of older programs, which
    counted the tokens of a shared request each time.
    """
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)
    reasoning_tokens: int = Field(0, ge=0)
    """Number of received tokens that were thoughts, which servers count but do not show."""
    cost: float | None = None
    """In the currency of the user's prices; None if there are no prices."""

    def describe(self) -> str:
        """Return the usage in one line of text."""
        shared = 0 if self.requests is None else self.replies - self.requests
        saved = (
            f" to {counted(self.replies - shared, 'request')} ({shared} shared a request with an equal question)"
            if shared
            else ""
        )
        words = (
            f"{counted(self.replies, 'reply', 'replies')}{saved} took {counted(self.prompt_tokens, 'token')} sent, "
            f"{self.completion_tokens:,} received"
        )
        if self.reasoning_tokens:
            words += f" ({self.reasoning_tokens} of them thoughts)"
        return words if self.cost is None else f"{words}; they cost {self.cost:.4f}"


class Judging(BaseModel):
    """Counts of a judge's verdicts. A verdict is counted once for every reply to which it applies."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    prompt: int
    """Version of the judge's prompt."""
    asks: Literal["misses", "all"]
    """Whether the judge reads only replies that the reader could not read, or all replies, overruling the reader."""
    settings: dict[str, Any]
    """Settings of the judge's backend."""
    asked: int = Field(ge=0)
    letters: int = Field(ge=0)
    refusals: int = Field(ge=0)
    none: int = Field(ge=0)
    unusable: int = Field(ge=0)
    """Number of the judge's replies that are not verdicts, in which case the reader's result is kept."""
    errors: int = Field(ge=0)
    """Number of failed requests to the judge, in which case the reader's result is kept."""
    usage: Usage | None = None

    def describe(self) -> str:
        """Return the counts in one line of text."""
        words = (
            f"the judge {self.model} was asked about {counted(self.asked, 'reply', 'replies')}: {self.letters} "
            f"letters, {self.refusals} refusals, {self.none} none, {self.unusable} unusable, "
            f"{counted(self.errors, 'error')}"
        )
        return words if self.usage is None else f"{words}; {self.usage.describe()}"


class OutcomeCause(BaseModel):
    """A cause of items without an answer, and the number of these items."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: Literal["error", "refusal", "cut_off"]
    cause: str
    n: int = Field(ge=1)


class Score(BaseModel):
    """The score that `evaluate` returns and that `score.json` contains."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["benchwright/score"] = FORMAT
    version: int = VERSION
    model: str
    name: str | None = None
    """The user's name for the result; None if it has only the model's name."""
    protocol: str
    """Name and settings, in the form of `--protocol`; `settings` has all settings."""
    reader: str = "robust"
    """Name of the reader that finds the letters."""
    release: str
    """Name and version, for readers."""
    release_id: str
    content_id: str
    split: str | None
    """None for all splits."""
    settings: dict[str, Any]
    identity: dict[str, Any] | None = None
    """Settings that can change a reply; results with equal ones are one result. None in older scores, whose `settings`
    contain them.
    """
    metrics: dict[str, Figure]
    miss: int = Field(ge=0)
    """Number of replies that name no single option; wrong in every accuracy, like refusals and errors."""
    refusal: int = Field(ge=0)
    """Number of replies that decline, in the model's own words or because a filter around the model stopped them."""
    filtered: int = Field(0, ge=0)
    """Number of refusals by a filter."""
    cut_off: int = Field(0, ge=0)
    """Number of replies that reached the largest length before an answer."""
    cut_off_empty: int = Field(0, ge=0)
    """Number of these replies that reached it before their first word."""
    cut_off_answered: int = Field(0, ge=0)
    """Number of replies that reached the largest length after an answer; they are counted like any other answer."""
    error: int = Field(ge=0)
    """Number of items without a reply, or with a reply without text."""
    empty: int = Field(0, ge=0)
    """Number of errors that are replies without text: empty, only thoughts, or tool calls."""
    tool_call: int = Field(0, ge=0)
    """Number of these errors that are tool calls."""
    right_items: int | None = Field(None, ge=0)
    """Number of items that are right by the protocol's verdict; None in scores from older versions."""
    causes: tuple[OutcomeCause, ...] = ()
    """The most frequent causes of errors, of marked refusals and of replies cut off before their first word."""
    max_errors: float = Field(MAX_ERRORS, ge=0, le=1)
    """Proportion of items without words from the model above which the score is unfit."""
    asked: int = Field(ge=0)
    """Number of items that model and protocol can take; accuracies divide by it, or by the number of repetitions."""
    items: int = Field(ge=0)
    """Number of items in the split."""
    samples: int = Field(1, ge=1)
    """Number of replies sampled for each question; every one is counted in the accuracy."""
    limit: int | None = Field(None, ge=1)
    """Number of items in the sample that was asked in place of all items; None if all were asked."""
    limit_of: int | None = Field(None, ge=1)
    """Number of items that model and protocol can take, from which the sample was drawn."""
    subset: str | None = None
    """Digest of the drawn items if a subset is used to estimate the full score; None for other scores."""
    blind_strategy: BlindStrategy | None = None
    """Accuracy of the best strategy that sees no picture on the release; None if the release does not state it."""
    unread: Unread | None = None
    """The unread replies; None in scores from older versions, and if there are no metrics."""
    usage: Usage | None = None
    """Tokens, requests and cost of the replies; None if tokens were not counted. `judge` has the usage of a judge."""
    judge: Judging | None = None
    """Counts of the judge's verdicts; None if there is no judge."""
    answers: Path | None = Field(None, exclude=True)
    """Path of the answer file written in place of metrics because the answers are sealed."""
    reading: Reading | None = Field(None, exclude=True)
    """Result of people's labels of these replies (`evaluate check-reading`); None if there are no labels."""
    told_apart_by: str | None = Field(None, exclude=True)
    """Settings in which the score differs from others of the same name that were read with it."""
    read_from: str | None = Field(None, exclude=True)
    """Name of its folder, if it differs from the current naming."""

    @model_validator(mode="before")
    @classmethod
    def _without_derived_values(cls, document: Any) -> Any:
        """Omit the values in a score's file that can be derived from other fields."""
        follows = {"unfit", "ended"}
        return {k: v for k, v in document.items() if k not in follows} if isinstance(document, dict) else document

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unfit(self) -> bool:
        """Whether the model gave no words for so many items that the figures reveal little about the model."""
        return self.silent > self.max_errors * self.asked

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ended(self) -> dict[str, int]:
        """Number of items by ending (`ENDINGS`); each item is counted once."""
        counts = {
            "answered": self.asked - self.miss - self.refusal - self.cut_off - self.error,
            "refused": self.refusal - self.filtered,
            "empty": self.empty - self.tool_call,
            "error": self.error - self.empty,
        }
        return {name: counts[name] if name in counts else getattr(self, name) for name in ENDINGS}

    @property
    def silent(self) -> int:
        """Return the number of items without words from the model: errors, and replies cut off before any word."""
        return self.error + self.cut_off_empty

    def why_unfit(self) -> str:
        """Return the reason why the score is unfit, as text."""
        most = f"more than {100 * self.max_errors:g} %"
        if not self.cut_off_empty:
            of_them = f", {self.empty} of them in replies without text" if self.empty else ""
            return f"{self.error} of {counted(self.asked, 'item')} ended in errors{of_them}, {most}"
        return (
            f"no answer to {self.silent} of {counted(self.asked, 'item')}, {most}: {self.error} ended in errors, "
            f"{self.cut_off_empty} in replies that were cut off before their first word"
        )

    def described_reading(self) -> list[str]:
        """Return lines about the judge's readings, unread replies and the reader's error, as far as they are known."""
        about = (self.judge, self.unread, self.reading)
        return [line for line in (known.describe() for known in about if known is not None) if line]

    def described_causes(self) -> list[str]:
        """Return a line for each cause of items without an answer."""
        words = {"error": "in error", "refusal": "declined", "cut_off": "cut off before any text"}
        return [f"{cause.n} {words[cause.state]}: {cause.cause}" for cause in self.causes]

    @property
    def title(self) -> str:
        """Return the name under which the score is listed alongside others: the model and any unusual settings."""
        parts = [self.name or self.model]
        parts += (name for name in (self.protocol, self.reader) if name not in _USUAL)
        if self.samples > 1:
            parts.append(f"{self.samples} draws an item")
        if self.is_sample:
            drawn = "a sample of" if self.subset is None else "estimated from"
            items = "" if self.subset is None else " items"
            parts.append(f"{drawn} {self.limit:,} of {self.limit_of:,}{items}")
        title = " @ ".join(parts)
        return title if self.told_apart_by is None else f"{title} ({self.told_apart_by})"

    @property
    def sample(self) -> tuple[int | str, ...] | None:
        """Return the numbers of items in the sample and in total and, if the sample is a subset, that subset.

        None if all items were asked.

        Scores for which this value differs are neither ranked together nor compared.
        """
        if self.limit is None or self.limit_of is None:
            return None
        return (self.limit, self.limit_of) if self.subset is None else (self.limit, self.limit_of, self.subset)

    @property
    def is_sample(self) -> bool:
        """Return whether only a sample of the items was asked."""
        return self.limit is not None

    @property
    def folder(self) -> str:
        """Return the name of the score's results folder."""
        return self.read_from or results_name(self.model, self.protocol, self.reader, self.identity)

    @property
    def asked_with(self) -> dict[str, Any]:
        """Return the settings that can change a reply, for scores of any version."""
        return identity_of(self.settings.get("backend", {})) if self.identity is None else self.identity

    @property
    def repetitions(self) -> int:
        """Return how often each item is counted in the accuracy: once, unless the protocol repeats its questions."""
        accuracy = self.metrics.get("accuracy")
        return accuracy.n // self.asked if accuracy is not None and self.asked else 1

    @property
    def right(self) -> int | None:
        """Return the number of right items, or None if unknown, as in older scores that count repetitions."""
        accuracy = self.metrics.get("accuracy")
        if self.right_items is not None and accuracy is not None:
            return self.right_items
        if accuracy is None or self.repetitions != 1:
            return None
        return round((accuracy.value or 0) * accuracy.n)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Return the tasks that were asked, sorted."""
        return tuple(sorted(name.partition("/")[2] for name in self.metrics if name.startswith("accuracy/")))

    def document(self) -> dict[str, Any]:
        """Return the score as JSON values."""
        return self.model_dump(mode="json")


def figures(estimates: Mapping[str, Estimate]) -> dict[str, Figure]:
    """Return estimates as figures for a score, sorted by name."""
    return {
        name: Figure(value=e.value, ci=tuple(e.interval) if e.interval else None, n=e.n, method=e.method)
        for name, e in sorted(estimates.items())
    }


def _upgraded(document: Any) -> Any:
    """Return a score's document in the form of the current version; a current document, or one that is no score, is
    unchanged.

    Version 1 had Wilson's intervals on accuracies, and combined those of the tasks for their mean; it does not state
    the method of other metrics' intervals. Version 2 had no judge, version 3 did not count thoughts, and version 4 did
    not state which errors were replies without text.
    """
    if isinstance(document, dict) and document.get("version") in {2, 3, 4}:
        return {**document, "version": VERSION}
    if not isinstance(document, dict) or document.get("version") != 1:
        return document
    metrics = {name: with_method(name, figure) for name, figure in document["metrics"].items()}
    return {**document, "version": VERSION, "metrics": metrics}


def with_method(name: str, figure: dict[str, Any]) -> dict[str, Any]:
    """Return a figure of version 1 with the method of its interval added."""
    method: Method | None = None
    if figure["ci"] is not None and name.partition("/")[0] == "accuracy":
        method = "wilson"
    elif figure["ci"] is not None and name == "accuracy_macro":
        method = "combined"
    return {**figure, "method": method}


def read_score(folder: Path) -> Score:
    """Return the score stored in a model's results folder.

    Raises:
        DataError: There is no score, it is damaged, or a newer version of the program wrote it.
    """
    path = folder / SCORE_FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict) and document.get("format") == FORMAT and document.get("version", 0) > VERSION:
            raise DataError(
                f"{path} has score version {document['version']}, but this program reads up to {VERSION}; upgrade "
                "benchwright"
            )
        return Score.model_validate(_upgraded(document))
    except FileNotFoundError as error:
        raise DataError(f"{folder} contains no {SCORE_FILE}; name a folder of a model's results") from error
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise DataError(f"{path} is not a score ({first}); score the model again") from error


def read_scores(folder: Path) -> list[Score]:
    """Return the scores in a results folder, ordered by model; other files in the folder are ignored.

    Raises:
        DataError: The folder contains no score, a score is damaged, or scores belong to different releases or splits.
    """
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder of results")
    scores = [_read_in(path.parent) for path in sorted(folder.glob(f"*/{SCORE_FILE}"))]
    if not scores:
        raise DataError(
            f"{folder} contains no results; `benchwright evaluate run RELEASE --model M --out {folder}` makes some"
        )
    kinds = sorted({(score.release, score.release_id[:12], score.split or "all splits") for score in scores})
    if len(kinds) > 1:
        listed = "; ".join(f"{release} ({release_id}), {split}" for release, release_id, split in kinds)
        raise DataError(f"{folder} contains results that cannot be compared: {listed}; keep each in its own folder")
    return sorted(told_apart(scores), key=lambda score: score.title)


def told_apart(scores: Sequence[Score]) -> list[Score]:
    """Return scores with unique titles: where titles are equal, the settings in which the scores differ are added as
    text.
    """
    apart = list(scores)
    for title in sorted({score.title for score in scores}):
        same = [k for k, score in enumerate(scores) if score.title == title]
        words = differing_settings([scores[k].asked_with for k in same]) if len(same) > 1 else []
        for k, difference in zip(same, words, strict=bool(words)):
            unique = (
                difference
                if words.count(difference) == 1
                else ", ".join(filter(None, (difference, f"folder {scores[k].folder}")))
            )
            apart[k] = scores[k].model_copy(update={"told_apart_by": unique})
    return apart


def _read_in(folder: Path) -> Score:
    score = with_reading(read_score(folder), folder)
    return score if score.folder == folder.name else score.model_copy(update={"read_from": folder.name})


def with_reading(score: Score, folder: Path) -> Score:
    """Return a score with the result of people's labels, unless the labels concern other replies or another reader.

    Raises:
        DataError: The file next to the score is damaged.
    """
    reading, accuracy = read_reading(folder), score.metrics.get("accuracy")
    if reading is None or accuracy is None:
        return score
    found = (
        reading.model,
        reading.release_id,
        reading.reader,
        reading.reader_version,
        reading.counted_accuracy,
        reading.asked,
    )
    now = (
        score.model,
        score.release_id,
        score.reader,
        score.settings.get("reader"),
        accuracy.value,
        score.asked,
    )
    return score.model_copy(update={"reading": reading}) if found == now else score
