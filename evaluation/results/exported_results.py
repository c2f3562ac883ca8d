"""A result in the formats of other evaluation programs: inspect_ai's log and lmms-eval's samples.

When `evaluate score` and `audit --replies` read the files back, they find the same letters. Pictures are not included:
samples refer to them by number, and `release export` copies them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from benchwright.canonical import canonical_json, digest
from benchwright.errors import BenchwrightError
from benchwright.files.parquet_tables import UnreadableParquet
from benchwright.questions.picture_places import option_in_words, option_pictures, question_in_words
from benchwright.records import Choice
from benchwright.replies.answers import read_answer
from benchwright.replies.reply_files import OWN_SCORER
from benchwright.workspace.written_once import REPLACE, written_once

from ..prompting.release_files import check_files, columns_of
from .judged_predictions import not_of_score, open_judged
from .score import PREDICTIONS_FILE, SCORE_FILE, Score, read_score

if TYPE_CHECKING:
    from benchwright.release import Release

_ITEM_COLUMNS = ("item_id", "split", "task", "question", "choices", "answer", "refusal", "image_ids")
_ROW_COLUMNS = (
    "item_id", "state", "letter", "right", "read_by", "reply", "cause", "is_cut_off", "reply_kind", "source_id",
)  # fmt: skip
_STOP_REASONS = {"cut_off": "max_tokens", "filtered": "content_filter", "tool_call": "tool_calls"}


class _Picture(NamedTuple):
    image_id: str


class AnsweredItem(NamedTuple):
    """An item in the form for other programs, together with a model's reply.

    Args:
        item_id: Id of the item.
        split: Name of its split.
        task: Task of the item.
        question: Question in which pictures are replaced by their names.
        options: Text of each option, or the name of its picture.
        target: Letter of the right option; empty if there is none.
        judged: The item's row of predictions.
        said: The letter that was read; otherwise the reply, if our reader also reads none in it; otherwise empty.
            Reading it again therefore gives the same letter, whichever protocol, reader or judge found it.
    """

    item_id: str
    split: str
    task: str
    question: str
    options: list[str]
    target: str
    judged: Mapping[str, Any]
    said: str

    @property
    def reply(self) -> str:
        """Text of the reply; empty if there is none."""
        return self.judged["reply"] or ""


def export_result(folder: Path, release: Release, layout: str, out: Path, *, force: bool = False) -> int:
    """Write a result in another program's format, and return the number of samples.

    Args:
        folder: Folder of one result, as made by `evaluate run --out`.
        release: The release on which the model was scored.
        layout: One of `LAYOUTS`.
        out: File to write.
        force: Whether to replace an existing file.

    Raises:
        BenchwrightError: The release is a different one, the file's name has a different suffix, or the file exists.
        DataError: There is no result in the folder, or the release or the predictions are damaged.
    """
    end, write = LAYOUTS[layout]
    if out.suffix.lower() != end:
        raise BenchwrightError(
            f"{out}: {layout} reads files that end in {end}; give a name with this ending with --out"
        )
    score = read_score(folder)
    if release.release_id != score.release_id:
        raise BenchwrightError(
            f"{folder} is a result on {score.release} (release {score.release_id[:12]}), but {release.path} is "
            f"{release.name} {release.version} (release {release.release_id[:12]}); give the release that was scored"
        )
    check_files(release, score.split)
    with (
        written_once(out, otherwise=REPLACE, private=True, force=force) as draft,
        draft.open("w", encoding="utf-8", newline="\n") as handle,
    ):
        return write(handle, folder, score, release)


def answered_items(folder: Path, score: Score, release: Release) -> Iterator[AnsweredItem]:
    """Yield the items that were asked, in the order of the release.

    Raises:
        DataError: The predictions are not those from which the score was computed.
    """
    judged = _judged_rows(folder, score)
    row = next(judged, None)
    for batch in columns_of(release, score.split, _ITEM_COLUMNS):
        for item in batch.to_pylist():
            if row is not None and row["item_id"] == item["item_id"]:
                yield _answered(item, row)
                row = next(judged, None)
    if row is not None:
        raise not_of_score(folder / PREDICTIONS_FILE, f"item {row['item_id']} is not in the release, or out of order")


def _judged_rows(folder: Path, score: Score) -> Iterator[dict[str, Any]]:
    with open_judged(folder, score) as file:
        columns = [name for name in _ROW_COLUMNS if name in file.schema.names]
        missing = dict.fromkeys(set(_ROW_COLUMNS) - set(columns))
        try:
            for batch in file.batches(columns):
                yield from (missing | row for row in batch.to_pylist())
        except UnreadableParquet as error:
            raise not_of_score(folder / PREDICTIONS_FILE, f"its rows cannot be read ({error.reason})") from error


def _answered(item: Mapping[str, Any], judged: Mapping[str, Any]) -> AnsweredItem:
    choices = [Choice(**choice) for choice in item["choices"]]
    pictures = option_pictures(choices, [_Picture(image_id) for image_id in item["image_ids"]])
    return AnsweredItem(
        item["item_id"],
        item["split"],
        item["task"],
        question_in_words(item["question"], len(item["image_ids"])),
        [option_in_words(choice, pictures) for choice in choices],
        item["answer"] or item["refusal"] or "",
        judged,
        _said(judged, [(choice.key, choice.text) for choice in choices]),
    )


def _said(judged: Mapping[str, Any], choices: Sequence[tuple[str, str | None]]) -> str:
    letter, reply = judged["letter"], judged["reply"]
    if letter is not None:
        return str(letter)
    return reply if reply and read_answer(reply, choices).letter is None else ""


def _write_inspect(handle: TextIO, folder: Path, score: Score, release: Release) -> int:
    """Write inspect_ai's log, version 2, one sample at a time."""
    made = datetime.fromtimestamp((folder / SCORE_FILE).stat().st_mtime, UTC).isoformat(timespec="seconds")
    accuracy = score.metrics.get("accuracy")
    names = {"name": OWN_SCORER, "scorer": OWN_SCORER}
    metrics = {} if accuracy is None or accuracy.value is None else {
        "accuracy": {"name": "accuracy", "value": accuracy.value, "metadata": {"ci": accuracy.ci, "n": accuracy.n}}
    }  # fmt: skip
    head = {
        "version": 2,
        "status": "success",
        "eval": {
            "created": made,
            "task": f"{release.name}_{release.version}" + (f"_{score.split}" if score.split else ""),
            "task_version": release.version,
            "task_args": {"protocol": score.protocol, "reader": score.reader},
            "dataset": {"name": score.release, "samples": score.asked},
            "model": score.title,
            "config": {},
            "metadata": {
                "release_id": score.release_id, "content_id": score.content_id, "canary": release.canary,
                "settings": score.settings, "unfit": score.unfit,
            },
        },
        "results": {
            "total_samples": score.asked, "completed_samples": score.asked - score.error,
            "scores": [{**names, "metrics": metrics}],
        },
        "stats": {"started_at": made, "completed_at": made},
    }  # fmt: skip
    handle.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "samples": [')
    number = 0
    for number, item in enumerate(answered_items(folder, score, release), start=1):
        handle.write((",\n" if number > 1 else "\n") + canonical_json(_inspect_sample(item, score.title)))
    handle.write("\n]}\n")
    return number


def _inspect_sample(item: AnsweredItem, model: str) -> dict[str, Any]:
    judged = item.judged
    kind = "cut_off" if judged["is_cut_off"] else judged["reply_kind"]
    messages = [{"role": "assistant", "content": item.reply, "source": "generate"}]
    value = "C" if judged["right"] else "I" if item.target else "N"
    failure = None if judged["state"] != "error" or item.reply else judged["cause"] or "no reply"
    about = {name: judged[name] for name in ("state", "read_by", "cause", "source_id") if judged[name] is not None}
    return {
        "id": item.item_id,
        "epoch": 1,
        "input": item.question,
        "choices": item.options,
        "target": item.target,
        "messages": [{"role": "user", "content": item.question}, *messages],
        "output": {
            "model": model,
            "choices": [{"message": messages[0], "stop_reason": _STOP_REASONS.get(kind, "stop")}],
            "completion": item.reply,
        },
        "scores": {OWN_SCORER: {"value": value, "answer": item.said, "explanation": judged["cause"] or item.reply}},
        "metadata": {"split": item.split, "task": item.task, **about},
        **({} if failure is None else {"error": {"message": failure, "traceback": "", "traceback_ansi": ""}}),
    }


def _write_samples(handle: TextIO, folder: Path, score: Score, release: Release) -> int:
    """Write lmms-eval's samples as JSON Lines; the format cannot represent errors, so they become empty replies."""
    number = 0
    for number, item in enumerate(answered_items(folder, score, release), start=1):
        doc = {
            "item_id": item.item_id, "split": item.split, "task": item.task, "question": item.question,
            "options": item.options, "target": item.target, "canary": release.canary,
        }  # fmt: skip
        sample = {
            "doc_id": number - 1,
            "doc": doc,
            "target": item.target,
            "resps": [[item.reply]],
            "filtered_resps": [item.said],
            "doc_hash": digest(doc),
            "state": item.judged["state"],
            **({"accuracy": float(item.judged["right"])} if item.target else {}),
        }
        handle.write(canonical_json(sample) + "\n")
    return number


_Write = Callable[[TextIO, Path, Score, "Release"], int]

LAYOUTS: Mapping[str, tuple[str, _Write]] = {
    "inspect": (".json", _write_inspect),
    "lmms-eval": (".jsonl", _write_samples),
}
"""Suffix of the file name and writing function for each layout."""
