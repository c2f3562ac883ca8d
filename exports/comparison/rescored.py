"""Effect of the differences between two releases on scores: replies to the older release, judged with both keys.

A reply is valid for the newer release if the item shows the same pictures, marks, question and options there. New
items, and items shown differently, would have to be sent to the model again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.canonical import canonical_json, digest
from benchwright.errors import DataError
from benchwright.files.parquet_tables import ParquetTable, UnreadableParquet
from benchwright.records import right_key
from benchwright.release import Release
from benchwright.release.format.provenance import files_before_removal

_SCORE, _PREDICTIONS = "score.json", "predictions.parquet"
"""Files in a results folder, as written by `evaluate run`."""

_ABSENT = ("", None)
_SHOWN = ("kind", "image_ids", "image_roles", "visual_prompts", "question", "choices")


class Rescored(NamedTuple):
    """A model's scores on two releases.

    Args:
        model: Name of the model, with the protocol unless it is `vanilla`.
        before: Accuracy, 0-1, on the items of the older release that the model was asked.
        asked: Number of these items.
        after: Accuracy, 0-1, with the newer release's keys on the items it shows unchanged; None if there are none.
        kept: Number of these unchanged items.
        to_ask: Number of items of the newer release that the model was not asked in this form.
        turned_right: Ids of items whose reply is right only with the newer keys.
        turned_wrong: Ids of items whose reply was right only with the older keys.
    """

    model: str
    before: float
    asked: int
    after: float | None
    kept: int
    to_ask: int
    turned_right: tuple[str, ...]
    turned_wrong: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the scores for `--json`."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self._asdict().items()}


def rescored(results: Path, before: Release, after: Release) -> Rescored:
    """Return a model's scores on two releases, computed from a folder of its results on the older one.

    Args:
        results: Folder with `score.json` and `predictions.parquet`, from a protocol that asks each item once.
        before: Release on which the model was run.
        after: The newer release.

    Raises:
        DataError: The folder contains no results on `before`, or several replies to an item.
    """
    score = _score(results)
    if score.get("content_id") != before.content_id:
        raise DataError(
            f"{results} contains replies to {score.get('release', 'another release')}, not to {before.name} "
            f"{before.version}; give results on the older of the two releases"
        )
    replies = _replies(results)
    old, new = _shown_and_right(before), _shown_and_right(after)
    right_before = {
        item_id for item_id, letter in replies.items() if letter is not None and letter == old.get(item_id, _ABSENT)[1]
    }
    kept = [item_id for item_id in replies if item_id in new and item_id in old and new[item_id][0] == old[item_id][0]]
    right_after = {item_id for item_id in kept if replies[item_id] is not None and replies[item_id] == new[item_id][1]}
    protocol = str(score.get("protocol", ""))
    name = str(score.get("name") or score.get("model"))
    return Rescored(
        model=name if protocol in {"", "vanilla"} else f"{name}, {protocol}",
        before=len(right_before) / max(1, len(replies)),
        asked=len(replies),
        after=len(right_after) / len(kept) if kept else None,
        kept=len(kept),
        to_ask=len(new) - len(kept),
        turned_right=tuple(sorted(right_after - right_before)),
        turned_wrong=tuple(sorted((right_before - right_after).intersection(kept))),
    )


def _score(results: Path) -> Mapping[str, Any]:
    try:
        score = json.loads((results / _SCORE).read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"{results} has no readable {_SCORE} ({error}); give a folder of `evaluate run`") from error
    if not isinstance(score, dict) or score.get("format") != "benchwright/score":
        raise DataError(f"{results / _SCORE} is not a score; give a folder that `benchwright evaluate run` wrote")
    return score


def _replies(results: Path) -> dict[str, str | None]:
    """Return the letter given for each asked item, or None if the reply did not name exactly one option."""
    try:
        with ParquetTable(results / _PREDICTIONS, title=str(results / _PREDICTIONS)) as file:
            rows = file.table(["item_id", "letter", "attempts"]).to_pylist()
    except (OSError, UnreadableParquet) as error:
        raise DataError(f"{results / _PREDICTIONS} cannot be read: {error}") from error
    several = next((row["item_id"] for row in rows if len(row["attempts"] or ()) > 1), None)
    if several is not None:
        raise DataError(
            f"{results}: item {several} was asked several times; only results of protocols that ask each item once can "
            "be judged by other keys"
        )
    return {row["item_id"]: row["letter"] for row in rows}


def _shown_and_right(release: Release) -> dict[str, tuple[str, str | None]]:
    """Return, for each item, a digest of the content that it shows and the letter of the right option.

    Removing a file's metadata does not change what it shows.
    """
    before = files_before_removal(release.provenance())

    def shown(row: Mapping[str, Any]) -> str:
        text = canonical_json({name: row[name] for name in _SHOWN})
        for image_id in row["image_ids"]:
            text = text.replace(image_id, before.get(image_id, image_id))
        return digest(text)

    return {row["item_id"]: (shown(row), right_key(row["answer"], row["refusal"])) for row in release.rows()}
