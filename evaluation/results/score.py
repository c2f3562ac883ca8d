"""The score of a model: its figures on a release, with everything that they depend on."""

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
"""Version 2 states how each interval was made; version 3 has the judge; version 4 counts thoughts among the tokens,
keeps replies that were cut off apart, and says when errors make it unfit; version 5 counts what a filter stopped and
what was empty, and says the causes."""

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
"""How items end, each in one way, and how tables head the ways; the same columns wherever scores are shown."""

MAX_ERRORS = 0.05
"""Share of errors above which a score is unfit, unless the user says another."""


class Figure(BaseModel):
    """Value of one metric."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float | None
    """None where no item was asked."""
    ci: tuple[float, float] | None
    """95 %; None where the value is no estimate, or there is none."""
    n: int = Field(ge=0)
    """Items, or repetitions of them, that it stands on."""
    method: Method | None = None
    """How the interval was made; None where there is none, or where whoever made it did not say."""


class Usage(BaseModel):
    """Tokens, requests and cost of the replies behind a score, as far as they were counted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    replies: int = Field(ge=0)
    """Replies whose tokens are known; where equal questions share a request, each counts."""
    requests: int | None = Field(None, ge=0)
    """Requests that these replies answer, each counted once, as are tokens; None in scores of older programs, which
    counted the tokens of a shared one each time."""
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)
    reasoning_tokens: int = Field(0, ge=0)
    """Those of them that were thoughts, which servers count and do not show."""
    cost: float | None = None
    """In the currency of the prices that the user gave; None without any."""

    def describe(self) -> str:
        """Return the usage as one line for people."""
        shared = 0 if self.requests is None else self.replies - self.requests
        saved = (
            f" to {counted(self.replies - shared, 'request')} ({shared} shared one with an equal question)"
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
    """Counts of a judge's verdicts. A verdict counts once for every reply that it applies to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    prompt: int
    """Version of the words that it is asked with."""
    asks: Literal["misses", "all"]
    """Whether about replies of which the reader made nothing, or about all, overruling it."""
    settings: dict[str, Any]
    """Of its backend."""
    asked: int = Field(ge=0)
    letters: int = Field(ge=0)
    refusals: int = Field(ge=0)
    none: int = Field(ge=0)
    unusable: int = Field(ge=0)
    """Judge's replies that are no verdict; what the reader had read stays."""
    errors: int = Field(ge=0)
    """Requests to the judge that failed; what the reader had read stays."""
    usage: Usage | None = None

    def describe(self) -> str:
        """Return the counts as one line for people."""
        words = (
            f"the judge {self.model} was asked about {counted(self.asked, 'reply', 'replies')}: {self.letters} "
            f"letters, {self.refusals} refusals, {self.none} none, {self.unusable} unusable, "
            f"{counted(self.errors, 'error')}"
        )
        return words if self.usage is None else f"{words}; {self.usage.describe()}"


class OutcomeCause(BaseModel):
    """Cause for which items ended without an answer, and their number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: Literal["error", "refusal", "cut_off"]
    cause: str
    n: int = Field(ge=1)


class Score(BaseModel):
    """Score that `evaluate` returns and `score.json` holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["benchwright/score"] = FORMAT
    version: int = VERSION
    model: str
    name: str | None = None
    """What the user calls the result, in place of the model's name; None for that."""
    protocol: str
    """Name and settings, as `--protocol` takes them; all settings stand in `settings`."""
    reader: str = "robust"
    """Who read the letters."""
    release: str
    """Name and version, for people."""
    release_id: str
    content_id: str
    split: str | None
    """None for all splits."""
    settings: dict[str, Any]
    identity: dict[str, Any] | None = None
    """Settings that can change a reply; results in which they are equal are one result. None in older scores, of which
    `settings` say it."""
    metrics: dict[str, Figure]
    miss: int = Field(ge=0)
    """Replies that name no single option; wrong in every accuracy, as are refusals and errors."""
    refusal: int = Field(ge=0)
    """Replies that decline: in words of the model's own, or because a filter around it stopped them."""
    filtered: int = Field(0, ge=0)
    """Refusals that are a filter's."""
    cut_off: int = Field(0, ge=0)
    """Replies that reached the longest length before they came to an answer."""
    cut_off_empty: int = Field(0, ge=0)
    """Those of them that reached it before their first word."""
    cut_off_answered: int = Field(0, ge=0)
    """Replies that reached it after they had; they count as any other answer."""
    error: int = Field(ge=0)
    """Items for which there is no reply, or one without text."""
    empty: int = Field(0, ge=0)
    """Errors that are replies without text: empty, thoughts alone, or calls of a tool."""
    tool_call: int = Field(0, ge=0)
    """Those of them that are calls of a tool."""
    right_items: int | None = Field(None, ge=0)
    """Items that are right by the protocol's verdict; None in scores of older programs."""
    causes: tuple[OutcomeCause, ...] = ()
    """The most frequent causes of errors, of marked refusals and of replies cut off before their first word."""
    max_errors: float = Field(MAX_ERRORS, ge=0, le=1)
    """Share of items to which nothing was said, above which the score is unfit."""
    asked: int = Field(ge=0)
    """Items that model and protocol can take; accuracies divide by these, or by repetitions of them."""
    items: int = Field(ge=0)
    """Items of the split."""
    samples: int = Field(1, ge=1)
    """Replies that were drawn to each question; every one counts in the accuracy."""
    limit: int | None = Field(None, ge=1)
    """Items of the sample that was asked in place of all; None where all were."""
    limit_of: int | None = Field(None, ge=1)
    """Items that model and protocol can take, of which they are a sample."""
    subset: str | None = None
    """Digest of the items that were drawn, where the whole score is estimated from a subset; None for other scores."""
    blind_strategy: BlindStrategy | None = None
    """How far the best strategy that sees no picture gets on the release; None where the release does not state it."""
    unread: Unread | None = None
    """None in scores of older programs, and where there are no metrics."""
    usage: Usage | None = None
    """None where nothing counted tokens. What a judge took stands in `judge`."""
    judge: Judging | None = None
    """None where nobody was asked beside the reader."""
    answers: Path | None = Field(None, exclude=True)
    """Answer file that was written in place of metrics, because the answers are sealed."""
    reading: Reading | None = Field(None, exclude=True)
    """What people found of the reading of these replies (`evaluate check-reading`); None where nobody has looked."""
    told_apart_by: str | None = Field(None, exclude=True)
    """Settings in which it differs from others of its name, among which it was read."""
    read_from: str | None = Field(None, exclude=True)
    """Its folder's name, where it is not the one that is given today."""

    @model_validator(mode="before")
    @classmethod
    def _without_what_follows(cls, document: Any) -> Any:
        """Leave out the values in a score's file that follow from other fields."""
        follows = {"unfit", "ended"}
        return {k: v for k, v in document.items() if k not in follows} if isinstance(document, dict) else document

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unfit(self) -> bool:
        """Whether to so many items nothing was said that the figures say little about the model."""
        return self.silent > self.max_errors * self.asked

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ended(self) -> dict[str, int]:
        """Number of items by how they ended (`ENDINGS`); each item counts once."""
        counts = {
            "answered": self.asked - self.miss - self.refusal - self.cut_off - self.error,
            "refused": self.refusal - self.filtered,
            "empty": self.empty - self.tool_call,
            "error": self.error - self.empty,
        }
        return {name: counts[name] if name in counts else getattr(self, name) for name in ENDINGS}

    @property
    def silent(self) -> int:
        """Return the number of items to which nothing was said: errors, and replies cut off before their first word."""
        return self.error + self.cut_off_empty

    def why_unfit(self) -> str:
        """Return the reason why the score is unfit, in words."""
        most = f"more than {100 * self.max_errors:g} %"
        if not self.cut_off_empty:
            of_them = f", {self.empty} of them in replies without text" if self.empty else ""
            return f"{self.error} of {counted(self.asked, 'item')} ended in errors{of_them}, {most}"
        return (
            f"nothing was said to {self.silent} of {counted(self.asked, 'item')}, {most}: {self.error} ended in "
            f"errors, {self.cut_off_empty} in replies that were cut off before their first word"
        )

    def described_reading(self) -> list[str]:
        """Return lines on what a judge and nobody read, and on the error of the reader, as far as they are known."""
        about = (self.judge, self.unread, self.reading)
        return [line for line in (known.describe() for known in about if known is not None) if line]

    def described_causes(self) -> list[str]:
        """Return a line for each of the causes for which items ended without an answer."""
        words = {"error": "in error", "refusal": "declined", "cut_off": "cut off before any text"}
        return [f"{cause.n} {words[cause.state]}: {cause.cause}" for cause in self.causes]

    @property
    def title(self) -> str:
        """Return the name under which the score is listed with others: the model and its unusual settings."""
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
        """Return the numbers of items in the sample that was asked and in all, and which subset it is if it is one.

        None where all were asked.

        Scores of which this differs are ranked and compared by nobody.
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
        """Return the name of its results folder."""
        return self.read_from or results_name(self.model, self.protocol, self.reader, self.identity)

    @property
    def asked_with(self) -> dict[str, Any]:
        """Return the settings that can change a reply, whichever version of the program wrote the score."""
        return identity_of(self.settings.get("backend", {})) if self.identity is None else self.identity

    @property
    def repetitions(self) -> int:
        """Return how often each item counts in the accuracy: once, unless the protocol repeats its questions."""
        accuracy = self.metrics.get("accuracy")
        return accuracy.n // self.asked if accuracy is not None and self.asked else 1

    @property
    def right(self) -> int | None:
        """Return how many items are right; None if that does not follow, as of older scores that count repetitions."""
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
    """Return estimates in the form that a score holds, sorted by name."""
    return {
        name: Figure(value=e.value, ci=tuple(e.interval) if e.interval else None, n=e.n, method=e.method)
        for name, e in sorted(estimates.items())
    }


def _upgraded(document: Any) -> Any:
    """Return a score's document in the form of this version; unchanged if it is of this version, or no score.

    Version 1 had Wilson's intervals on accuracies, and combined those of the tasks for their mean. It does not say how
    other metrics' intervals were made. Version 2 had no judge; version 3 did not count thoughts; version 4 did not say
    which errors were replies without text.
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
    """Return the score in a model's results folder.

    Raises:
        DataError: There is no score, it is damaged, or a newer version of the program wrote it.
    """
    path = folder / SCORE_FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict) and document.get("format") == FORMAT and document.get("version", 0) > VERSION:
            raise DataError(
                f"{path} has score version {document['version']}, this program reads up to {VERSION}; "
                "upgrade benchwright"
            )
        return Score.model_validate(_upgraded(document))
    except FileNotFoundError as error:
        raise DataError(f"{folder} holds no {SCORE_FILE}; it is no folder of a model's results") from error
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise DataError(f"{path} is not a score ({first}); score the model again") from error


def read_scores(folder: Path) -> list[Score]:
    """Return the scores in a results folder, ordered by model; other files in it are ignored.

    Raises:
        DataError: There is no score in it, one is damaged, or they belong to different releases or splits.
    """
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder of results")
    scores = [_read_in(path.parent) for path in sorted(folder.glob(f"*/{SCORE_FILE}"))]
    if not scores:
        raise DataError(
            f"{folder} holds no results; `benchwright evaluate run RELEASE --model M --out {folder}` makes some"
        )
    kinds = sorted({(score.release, score.release_id[:12], score.split or "all splits") for score in scores})
    if len(kinds) > 1:
        listed = "; ".join(f"{release} ({release_id}), {split}" for release, release_id, split in kinds)
        raise DataError(
            f"{folder} holds results that cannot stand side by side: {listed}; keep each in a folder of its own"
        )
    return sorted(told_apart(scores), key=lambda score: score.title)


def told_apart(scores: Sequence[Score]) -> list[Score]:
    """Return scores whose titles all differ: where titles are equal, the settings that differ are added, in words."""
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
    """Return a score with what people found of its reading, unless that is of other replies or of another reader.

    Raises:
        DataError: The file beside the score is damaged.
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
