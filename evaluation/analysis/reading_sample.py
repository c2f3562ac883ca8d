"""A sample of replies for people to read, used to measure the reader's error.

In half of a model's sample the reader found a letter, in the other half it found none; each half is proportional to the
tasks. The draw is determined by a hash of seed, model and item.

The sample is a table to fill in, or files of tasks for the review app. Next to it, `sample.json` stores the readings
with which the labels are compared (`reading_check`).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright.canonical import digest, file_digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.files.bounded_json import bounded_json
from benchwright.files.parquet_tables import UnreadableParquet
from benchwright.models.endpoints.vendors.reply_kinds import DECLINED
from benchwright.records import right_key
from benchwright.review_files.tasks import LONGEST_TEXT, ReviewTask, SideText, TaskFileHead
from benchwright.statistics.stratified import shares

from ..prompting.release_files import check_files, columns_of
from ..results.judged_predictions import not_of_score, open_judged
from ..results.reading import (
    Sizes,
)
from ..results.score import PREDICTIONS_FILE, SCORE_FILE, Score, read_score
from ..results.unread import has_words

if TYPE_CHECKING:
    import pyarrow as pa

    from benchwright.release import Release

SAMPLE_FILE = "sample.json"
NO_LETTER = "none"
"""Label of a reply that gives no letter."""
COLUMNS = ("id", "model", "task", "question", "options", "reply", "reader", "letter", "note")
_CAMPAIGN = "reading"
_MOST_BYTES = 256 * 2**20
_ROWS = 4096
_LEAST = 4
"""Smallest number of replies drawn from one result; a single reply has no spread."""


class SampledReply(BaseModel):
    """A reply in the sample."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    """Id of the reply in the table."""
    item_id: str
    task: str
    read: str | None
    """Letter that the reader read."""
    key: str | None
    """The right letter; None if there is none."""
    options: tuple[str, ...]
    """Letters of the item's options."""


class SampledResult(BaseModel):
    """A result with the sizes of its strata and the drawn replies."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: str
    """Folder of the result, relative to that of the sample."""
    title: str
    predictions: str
    """SHA-256 of the result's predictions."""
    strata: tuple[tuple[str, bool, int], ...]
    """Task, whether the reader found a letter, and the number of replies."""
    drawn: tuple[SampledReply, ...]

    @property
    def sizes(self) -> Sizes:
        """Return the number of replies in each stratum."""
        return {(task, is_read): n for task, is_read, n in self.strata}


class ReadingSample(BaseModel):
    """A sample of replies, as stored in `sample.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["benchwright/reading-sample"] = "benchwright/reading-sample"
    version: Literal[1] = 1
    release: str
    release_id: str
    seed: int
    results: tuple[SampledResult, ...] = Field(min_length=1)


class DrawnReplies(NamedTuple):
    """A sample, the rows of its table, and the tasks of each result for the review app.

    Args:
        sample: The sample.
        rows: Rows of the table to fill in.
        tasks: Tasks of each result, by the name of the campaign; they hide the reader's readings.
    """

    sample: ReadingSample
    rows: tuple[Mapping[str, str], ...]
    tasks: Mapping[str, tuple[ReviewTask, ...]]

    def head(self, campaign: str) -> TaskFileHead:
        """Return the first line of the task file of a campaign."""
        sample = self.sample
        return TaskFileHead(
            kind="reading", name=campaign, release=sample.release, release_id=sample.release_id, seed=sample.seed
        )


class ReadableReply(NamedTuple):
    """A reply that the sample can include."""

    order: str
    item_id: str
    task: str
    letter: str | None


def result_folders(places: Sequence[Path]) -> list[Path]:
    """Return the folders of single results at some paths, each of which is such a folder or contains some.

    Raises:
        DataError: A path contains no result.
    """
    folders: dict[Path, None] = {}
    for place in places:
        found = [place] if (place / SCORE_FILE).is_file() else sorted(p.parent for p in place.glob(f"*/{SCORE_FILE}"))
        if not found:
            raise DataError(f"{place} contains no results; give a folder that `evaluate run` or `score` wrote")
        folders |= dict.fromkeys(folder.resolve() for folder in found)
    return list(folders)


def draw_replies(places: Sequence[Path], release: Release, out: Path, *, n: int, seed: int) -> DrawnReplies:
    """Draw a sample of replies from results for people to read.

    Replies that no reader parses are left out: missing or wordless replies, letters from a file, and replies that the
    server marked as declined.

    Args:
        places: Folders of results.
        release: Release on which the models were scored.
        out: Folder of the sample, to which its paths to the results are relative.
        n: Total number of replies, divided equally among the models.
        seed: Seed of the draw.

    Raises:
        BenchwrightError: A result belongs to a different release, its protocol asks an item more than once, or no reply
            was read.
        DataError: The results or the release are damaged.
    """
    folders = result_folders(places)
    if n < _LEAST * len(folders):
        raise BenchwrightError(
            f"--n {n} for {len(folders)} results: give at least {_LEAST * len(folders)}, for two read and two missed "
            "replies of each result"
        )
    results: list[SampledResult] = []
    rows: list[dict[str, str]] = []
    tasks: dict[str, tuple[ReviewTask, ...]] = {}
    of_models = shares(dict.fromkeys(folders, n), n)
    for folder in folders:
        score = read_score(folder)
        _check_result(score, release, folder)
        check_files(release, score.split)
        candidates = list(_candidates(folder, score, seed))
        if not candidates:
            raise BenchwrightError(
                f"{folder} contains no reply read by a reader, so there is nothing to check; name results with replies "
                "in words"
            )
        strata: dict[tuple[str, bool], list[ReadableReply]] = {}
        for candidate in sorted(candidates):
            strata.setdefault((candidate.task, candidate.letter is not None), []).append(candidate)
        chosen = {candidate.item_id: candidate for candidate in chosen_replies(strata, of_models[folder])}
        facts = _facts(release, score.split, chosen)
        if missing := sorted(chosen.keys() - facts.keys()):
            raise DataError(f"{folder}: item {missing[0]} is not in {release.path}; score the model again")
        texts = _texts(folder, score, chosen)
        drawn, to_read = [], []
        for candidate in sorted(chosen.values()):
            item = facts[candidate.item_id]
            reply = SampledReply(
                id=str(len(rows) + 1),
                item_id=candidate.item_id,
                task=candidate.task,
                read=candidate.letter,
                key=right_key(item["answer"], item["refusal"]),
                options=tuple(choice["key"] for choice in item["choices"]),
            )
            drawn.append(reply)
            to_read.append(_task(reply, score, item["content_hash"], texts[candidate.item_id]))
            rows.append(_table_row(reply, score, item, texts[candidate.item_id]))
        name = _CAMPAIGN if len(folders) == 1 else f"{_CAMPAIGN}-{len(tasks) + 1}"
        tasks[name] = tuple(sorted(to_read, key=lambda task: task.item_id))
        results.append(
            SampledResult(
                folder=Path(os.path.relpath(folder, out.resolve())).as_posix(),
                title=score.title,
                predictions=file_digest(folder / PREDICTIONS_FILE),
                strata=tuple((task, is_read, len(some)) for (task, is_read), some in sorted(strata.items())),
                drawn=tuple(drawn),
            )
        )
    sample = ReadingSample(
        release=f"{release.name} {release.version}", release_id=release.release_id, seed=seed, results=tuple(results)
    )
    return DrawnReplies(sample, tuple(rows), tasks)


def _check_result(score: Score, release: Release, folder: Path) -> None:
    if score.release_id != release.release_id:
        raise BenchwrightError(
            f"{folder} is a score on {score.release} (release {score.release_id[:12]}), but {release.path} is release "
            f"{release.release_id[:12]}; give the release that was scored"
        )


def _candidates(folder: Path, score: Score, seed: int) -> Iterator[ReadableReply]:
    """Yield the replies that a reader parsed, each with its position in the order of the draw."""
    import pyarrow as pa
    import pyarrow.compute as pc

    declined = pa.array(sorted(DECLINED))
    for batch in _batches(folder, score, ["item_id", "task", "state", "letter", "reply", "read_by"]):
        kept = pc.and_not(has_words(batch.column("reply")), pc.equal(batch.column("state"), "error"))
        by_nobody = pc.is_in(batch.column("read_by"), value_set=pa.concat_arrays([declined, pa.array(["given"])]))
        rows = batch.filter(pc.and_not(kept, by_nobody))
        columns = (rows.column(name).to_pylist() for name in ("item_id", "task", "letter"))
        for item_id, task, letter in zip(*columns, strict=True):
            yield ReadableReply(digest(["reading sample", seed, folder.name, item_id]), item_id, task, letter)


def _batches(folder: Path, score: Score, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield columns of a result's predictions, after checking that each item has one reply in the item's own letters.

    Raises:
        BenchwrightError: An item has several replies.
        DataError: The predictions are damaged.
    """
    import pyarrow.compute as pc

    try:
        with open_judged(folder, score) as file:
            parts = [f"attempts.list.element.{name}" for name in ("letter", "said")]
            has_parts = "attempts" in file.schema.names
            for batch in file.batches([*names, *(parts if has_parts else ())], at_once=_ROWS):
                if has_parts and _is_of_several(batch.column("attempts"), pc):
                    raise BenchwrightError(
                        f"{folder}: the protocol {score.protocol} asks an item more than once, or with its options "
                        "in another order; check the reading of a result with one reply per item in the item's own "
                        "order"
                    )
                yield batch
    except UnreadableParquet as error:
        raise not_of_score(folder / PREDICTIONS_FILE, f"its rows cannot be read ({error.reason})") from error


def _is_of_several(attempts: pa.ListArray, pc: Any) -> bool:
    if pc.any(pc.greater(pc.list_value_length(attempts), 1)).as_py():
        return True
    flat = attempts.flatten()
    return bool(pc.any(pc.not_equal(flat.field("letter"), flat.field("said"))).as_py())


def chosen_replies(strata: Mapping[tuple[str, bool], Sequence[ReadableReply]], n: int) -> Iterator[ReadableReply]:
    """Yield the first replies of each stratum; if possible, as many replies with a letter as without one."""
    totals = Counter(dict.fromkeys((True, False), 0))
    for (_, is_read), some in strata.items():
        totals[is_read] += len(some)
    missed = min(totals[False], max(n // 2, n - totals[True]))
    for is_read, wanted in ((True, n - missed), (False, missed)):
        sizes = {task: len(some) for (task, read), some in strata.items() if read == is_read}
        for task, number in shares(sizes, wanted).items():
            yield from strata[task, is_read][:number]


def _facts(release: Release, split: str | None, chosen: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pa.array(list(chosen), pa.string())
    facts = {}
    for batch in columns_of(release, split, ["item_id", "content_hash", "question", "choices", "answer", "refusal"]):
        for row in batch.filter(pc.is_in(batch.column("item_id"), value_set=wanted)).to_pylist():
            facts[row["item_id"]] = row
    return facts


def _texts(folder: Path, score: Score, chosen: Mapping[str, Any]) -> dict[str, str]:
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pa.array(list(chosen), pa.string())
    texts: dict[str, str] = {}
    for batch in _batches(folder, score, ["item_id", "reply"]):
        rows = batch.filter(pc.is_in(batch.column("item_id"), value_set=wanted))
        texts |= dict(zip(rows.column("item_id").to_pylist(), rows.column("reply").to_pylist(), strict=True))
    return texts


def _table_row(reply: SampledReply, score: Score, item: Mapping[str, Any], text: str) -> dict[str, str]:
    return {
        "id": reply.id,
        "model": score.title,
        "task": reply.task,
        "question": item["question"] or "",
        "options": "\n".join(f"{choice['key']}: {choice['text'] or '(a picture)'}" for choice in item["choices"]),
        "reply": text,
        "reader": reply.read or NO_LETTER,
    }


def _task(reply: SampledReply, score: Score, content_hash: str, text: str) -> ReviewTask:
    """Return a reply as a task of the review app, without the reader's reading."""
    about = {"id": reply.id, "model": score.title[:1000]}
    beside = (SideText(label="The reply to read", text=_shortened(text)),)
    return ReviewTask(item_id=reply.item_id, content_hash=content_hash, about=about, beside=beside)


def _shortened(text: str) -> str:
    """Return a text shortened to fit a task; both ends of a long text are kept, because they may state the answer."""
    if len(text) <= LONGEST_TEXT:
        return text
    kept = LONGEST_TEXT // 2 - 40
    return f"{text[:kept]}\n[{len(text) - 2 * kept} more characters]\n{text[-kept:]}"


def read_sample(folder: Path) -> ReadingSample:
    """Return the sample whose table is in a folder.

    Raises:
        DataError: The sample is missing or damaged.
    """
    path = folder / SAMPLE_FILE
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise DataError(
                f"{path} is larger than {_MOST_BYTES >> 20} MiB, more than any sample; draw the sample again"
            )
        return ReadingSample.model_validate(bounded_json(path.read_bytes()))
    except FileNotFoundError as error:
        raise DataError(
            f"{folder} contains no {SAMPLE_FILE}; keep the filled table in the folder that `evaluate check-reading "
            "--out` wrote"
        ) from error
    except (OSError, ValueError, ValidationError) as error:
        raise DataError(f"{path} is not a sample of replies ({str(error).splitlines()[0]}); draw it again") from error
