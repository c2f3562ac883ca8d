"""A score: what a model reached on a release, with everything that the figure depends on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright.errors import DataError

from .prompts import VANILLA
from .readers import ROBUST
from .results_names import results_name
from .statistics import Estimate, Method

FORMAT: Literal["benchwright/score"] = "benchwright/score"
VERSION = 3
"""Version 2 states how each interval was made; version 3 has the judge."""

_USUAL = frozenset({VANILLA, ROBUST})

SCORE_FILE, PREDICTIONS_FILE = "score.json", "predictions.parquet"


class Figure(BaseModel):
    """One metric's value."""

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
    """What the replies that a score stands on took, as far as it was counted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    replies: int = Field(ge=0)
    """Replies whose tokens are known; of equal requests each counts."""
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)
    cost: float | None = None
    """In the currency of the prices that the user gave; None without any."""

    def told(self) -> str:
        """Return it for people, on one line."""
        words = f"{self.replies} replies took {self.prompt_tokens} tokens sent, {self.completion_tokens} received"
        return words if self.cost is None else f"{words}; they cost {self.cost:.4f}"


class Judging(BaseModel):
    """What a judge was asked beside the reader, and what came of it. Replies, each as often as it was given."""

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

    def told(self) -> str:
        """Return it for people, on one line."""
        words = (
            f"the judge {self.model} was asked about {self.asked} replies: {self.letters} letters, {self.refusals} "
            f"refusals, {self.none} none, {self.unusable} unusable, {self.errors} errors"
        )
        return words if self.usage is None else f"{words}; {self.usage.told()}"


class Score(BaseModel):
    """What `evaluate` returns and `score.json` holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["benchwright/score"] = FORMAT
    version: int = VERSION
    model: str
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
    metrics: dict[str, Figure]
    miss: int = Field(ge=0)
    """Replies that name no single option; wrong in every accuracy, as are refusals and errors."""
    refusal: int = Field(ge=0)
    """Replies that decline in words of their own."""
    error: int = Field(ge=0)
    """Items for which there is no reply."""
    asked: int = Field(ge=0)
    """Items that model and protocol can take; accuracies divide by these, or by repetitions of them."""
    items: int = Field(ge=0)
    """Items of the split."""
    usage: Usage | None = None
    """None where nothing counted tokens. What a judge took stands in `judge`."""
    judge: Judging | None = None
    """None where nobody was asked beside the reader."""

    @property
    def title(self) -> str:
        """Return the name under which the score stands beside others: the model, and what is not usual about it."""
        return " @ ".join([self.model, *(name for name in (self.protocol, self.reader) if name not in _USUAL)])

    @property
    def folder(self) -> str:
        """Return the name of its results folder."""
        return results_name(self.model, self.protocol, self.reader)

    @property
    def repetitions(self) -> int:
        """Return how often each item counts in the accuracy: once, unless the protocol repeats its questions."""
        accuracy = self.metrics.get("accuracy")
        return accuracy.n // self.asked if accuracy is not None and self.asked else 1

    @property
    def right(self) -> int | None:
        """Return how many items are right; None where the accuracy does not say it, since it counts repetitions."""
        accuracy = self.metrics.get("accuracy")
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
    """Return estimates as they stand in a score, sorted by name."""
    return {
        name: Figure(value=e.value, ci=tuple(e.interval) if e.interval else None, n=e.n, method=e.method)
        for name, e in sorted(estimates.items())
    }


def upgraded(document: Any) -> Any:
    """Return a score's document as of this version; one of this version, or no score, as it is.

    Version 1 had Wilson's intervals on accuracies, and the mean of tasks had theirs combined. It does not say how other
    metrics' intervals were made. Version 2 had no judge.
    """
    if isinstance(document, dict) and document.get("version") == 2:
        return {**document, "version": VERSION}
    if not isinstance(document, dict) or document.get("version") != 1:
        return document
    metrics = {name: with_method(name, figure) for name, figure in document["metrics"].items()}
    return {**document, "version": VERSION, "metrics": metrics}


def with_method(name: str, figure: dict[str, Any]) -> dict[str, Any]:
    """Return a figure of version 1 with how its interval was made."""
    method: Method | None = None
    if figure["ci"] is not None and name.partition("/")[0] == "accuracy":
        method = "wilson"
    elif figure["ci"] is not None and name == "accuracy_macro":
        method = "combined"
    return {**figure, "method": method}


def read_score(folder: Path) -> Score:
    """Return the score that a model's results folder holds.

    Raises:
        DataError: There is none, or it is no score, or one of a newer program.
    """
    path = folder / SCORE_FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict) and document.get("format") == FORMAT and document.get("version", 0) > VERSION:
            raise DataError(
                f"{path} has score version {document['version']}, this program reads up to {VERSION}; "
                "upgrade benchwright"
            )
        return Score.model_validate(upgraded(document))
    except FileNotFoundError as error:
        raise DataError(f"{folder} holds no {SCORE_FILE}; it is no folder of a model's results") from error
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise DataError(f"{path} is not a score ({first}); score the model again") from error


def read_scores(folder: Path) -> list[Score]:
    """Return the scores of a results folder, by model; other things in it are passed over.

    Raises:
        DataError: There is no score in it, one is damaged, or they belong to different releases or splits.
    """
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder of results")
    found = [read_score(path.parent) for path in sorted(folder.glob(f"*/{SCORE_FILE}"))]
    if not found:
        raise DataError(
            f"{folder} holds no results; `benchwright evaluate run RELEASE --model M --out {folder}` makes some"
        )
    kinds = sorted({(score.release, score.release_id[:12], score.split or "all splits") for score in found})
    if len(kinds) > 1:
        listed = "; ".join(f"{release} ({release_id}), {split}" for release, release_id, split in kinds)
        raise DataError(
            f"{folder} holds results that cannot stand side by side: {listed}; keep each in a folder of its own"
        )
    return sorted(found, key=lambda score: score.title)
