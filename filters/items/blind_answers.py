"""Items that models answer correctly without the picture: from common knowledge, from the words, or from memory.

This module reads, from the scores of an evaluation, how often each item was answered correctly without its picture:

    benchwright evaluate run RELEASE --model M --protocol blind --out blind

writes a folder per model, with `score.json` and `predictions.parquet`. A model's answer to an item is used only if the
item is unchanged since the evaluated release.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import digest
from benchwright.errors import DataError, PrerequisiteError
from benchwright.files.parquet_tables import ParquetTable, UnreadableParquet
from benchwright.records import Item
from benchwright.steps import FOLDER, Context, Filter, OpenContext, Outcome, Stream

_PROTOCOL = "blind"
_MAX_BYTES = 1 << 22


class BlindResult(NamedTuple):
    """The blind replies to one item.

    Args:
        content_hash: Content hash of the item at the time of the evaluation.
        asked: Number of replies.
        right: Number of replies that named the key, or declined if that is right.
    """

    content_hash: str
    asked: int
    right: int


class BlindReplies(NamedTuple):
    """The blind replies to all items of a release.

    Args:
        items: Results by item id.
        scores: Names of the folders that were read, sorted.
    """

    items: Mapping[str, BlindResult]
    scores: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """Return the digest of the results of all items."""
        return digest({item_id: list(result) for item_id, result in self.items.items()})


def read_blind_replies(results: Path, release: Path) -> BlindReplies:
    """Read all blind scores of a release below a folder.

    Args:
        results: Folder with one subfolder per score; scores under other protocols are ignored.
        release: The evaluated release.

    Raises:
        PrerequisiteError: The release, or a blind score of it, is missing.
        DataError: A file is damaged or of another kind.
    """
    from benchwright.release import Release

    how = f"benchwright evaluate run {release.name} --model MODEL --protocol {_PROTOCOL} --out {results.name}"
    if not release.is_dir():
        raise PrerequisiteError(
            f"there is no release {release}; freeze one, then run its questions without pictures: {how}"
        )
    opened = Release.open(release)
    folders = [path.parent for path in sorted(results.glob("*/score.json")) if _is_of(path, opened.release_id)]
    if not folders:
        raise PrerequisiteError(f"{results} contains no score of {release} under the protocol {_PROTOCOL!r}; run {how}")
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for folder in folders:
        for item_id, right in _replies(folder / "predictions.parquet"):
            counts[item_id][0] += 1
            counts[item_id][1] += right
    known = {released.item.item_id: released.item.content_hash for released in opened.items(pictures_of=())}
    items = {item_id: BlindResult(known[item_id], *counts[item_id]) for item_id in sorted(counts) if item_id in known}
    return BlindReplies(items, tuple(folder.name for folder in folders))


def _is_of(path: Path, release_id: str) -> bool:
    """Return whether a score is a blind score of the release."""
    try:
        document: Any = json.loads(path.read_bytes()[:_MAX_BYTES])
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as a score: {error}; evaluate again or remove the folder") from error
    if not isinstance(document, dict) or document.get("format") != "benchwright/score":
        raise DataError(f"{path} is not a score of Benchwright; remove the folder")
    return document.get("protocol") == _PROTOCOL and document.get("release_id") == release_id


def _replies(path: Path) -> list[tuple[str, bool]]:
    """Return the item id and whether the reply is right, for each item with a reply; failed requests are left out."""
    try:
        with ParquetTable(path, title=str(path)) as file:
            table = file.table(["item_id", "state", "right"])
    except (OSError, UnreadableParquet) as error:
        raise DataError(f"{path} cannot be read as predictions: {error}; evaluate again") from error
    rows = zip(*(table.column(name).to_pylist() for name in ("item_id", "state", "right")), strict=True)
    return [(str(item_id), bool(right)) for item_id, state, right in rows if state != "error" and right is not None]


_REASON = "answerable_blind"
_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class BlindAnswers(Filter):
    """Ask about items that models answer correctly without the picture, or drop them.

    Reads the files of `benchwright evaluate run RELEASE --protocol blind`. An item that has changed since then counts
    as not evaluated.

    Args:
        results: Folder with scores under the protocol `blind`, relative to the recipe's folder. A run records the
            digest of the replies instead.
        release: The evaluated release, relative to the recipe's folder.
        at_least: Smallest number of right answers for which an item is flagged.
        min_share: Smallest proportion of right answers, 0-1.
        verdict: Verdict on the item: `ask` or `drop`.

    Reasons:
        answerable_blind (ask or drop): Models answer it correctly without the picture.
    """

    name: ClassVar[str] = "blind_answers"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"asked": "int64", "right": "int64"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"at_least", "min_share", "verdict"})

    results: str = Field(min_length=1)
    release: str = Field(min_length=1)
    at_least: int = Field(2, ge=1)
    min_share: float = Field(0.5, ge=0, le=1)
    verdict: Literal["ask", "drop"] = "ask"
    _folder: Path = PrivateAttr(Path())
    _replies: BlindReplies | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _place(self, info: ValidationInfo) -> BlindAnswers:
        self._folder = (info.context or {}).get(FOLDER, Path())
        return self

    def replies(self) -> BlindReplies:
        """Return the replies, which are read only once.

        Raises:
            PrerequisiteError: Blind scores are missing, or only their digest is known.
            DataError: A file is damaged or of another kind.
        """
        if _BY_DIGEST.fullmatch(self.results):
            raise PrerequisiteError("blind answers are known by digest only; run the recipe with their folder")
        if self._replies is None:
            self._replies = read_blind_replies(self._folder / self.results, self._folder / self.release)
        return self._replies

    def parameters(self) -> dict[str, Any]:
        """Return the settings with a digest of the replies in place of the two folders."""
        settings = super().parameters()
        if not _BY_DIGEST.fullmatch(self.results):
            settings["results"] = settings["release"] = f"sha256:{self.replies().sha256}"
        return settings

    def open(self, ctx: OpenContext) -> Mapping[str, BlindResult]:
        """Read the replies."""
        del ctx
        return self.replies().items

    def measure(self, record: Item, ctx: Context) -> dict[str, int]:
        """Return how often an item with its current content was asked, and how often it was answered correctly."""
        result: BlindResult | None = ctx.opened.get(record.item_id)
        if result is None or result.content_hash != record.content_hash:
            return {"asked": 0, "right": 0}
        return {"asked": result.asked, "right": result.right}

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Compare the values with the thresholds."""
        replies, right = measured["asked"], measured["right"]
        if right < self.at_least or right < self.min_share * replies:
            return Outcome()
        return Outcome(self.verdict, _REASON, evidence={"right": right, "asked": replies})
