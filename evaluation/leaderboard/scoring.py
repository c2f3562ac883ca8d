"""Scoring of answer files with the key of a sealed release, and the log that limits how often each system is scored.

Evaluators with unlimited scoring could learn the key from the scores, a few items at a time. A log next to the key file
therefore records how many different answer files of each system were scored, and scoring is refused beyond a limit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.canonical import canonical_json, file_digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.machine.file_locks import lock
from benchwright.release.sealing.answer_key import AnswerKey, unsealed
from benchwright.texts.normalization import printable
from benchwright.workspace.private_files import make_private_file

from ..backends.answer_files import AnswerFile, read_head
from ..protocols.names import parse_protocol
from ..protocols.sampled import Sampled
from ..results.score import MAX_ERRORS, Score
from ..run import evaluate

if TYPE_CHECKING:
    from benchwright.release import Release

    from ..judging.judge import Judge

_LIMIT = 5
"""Largest number of different answer files to score per system, unless the keeper sets another limit."""


def log_path(key: Path) -> Path:
    """Return the path of the log next to a key file."""
    return key.with_name(f"{key.name.removesuffix('.json')}.scored.jsonl")


def score_answers(
    release: Release,
    answers: Path,
    key: AnswerKey,
    *,
    limit: int = _LIMIT,
    name: str | None = None,
    judge: Judge | None = None,
    out: Path | None = None,
    max_errors: float = MAX_ERRORS,
) -> Score:
    """Score an answer file as on an open split, and record the scoring in the log.

    Args:
        release: Sealed release that was asked.
        answers: Answer file, as `evaluate run` writes it.
        key: Key of the release.
        limit: Largest number of different answer files to score per system; repeated files are not counted.
        name: Name of the system, to be used in place of the model's name.
        judge: Model that reads the replies that the robust reader cannot read; None for no judge.
        out: Folder for results, as for `evaluate`; None for no results.
        max_errors: Proportion of errors, 0 to 1, above which the score is unfit.

    Raises:
        BenchwrightError: The key belongs to a different release, or the system was scored too often.
        DataError: The key is not the one to which the release is committed; the answers are for a different release,
            lack items or are malformed; or the log is damaged.
    """
    opened = unsealed(release, key)
    head = read_head(answers)
    if head.release_id != release.release_id:
        raise DataError(
            f"{answers} is for release {printable(head.release_id[:12])}, but {release.path} is {release.name} "
            f"{release.version} (release {release.release_id[:12]}); score it on its own release"
        )
    system, asked_by = name or head.model, parse_protocol(head.protocol)
    with _locked(log_path(key.path)) as handle:
        entry = {"system": system, "answers_sha256": file_digest(answers)}
        scored = _scored_before(handle, log_path(key.path), system)
        if entry["answers_sha256"] not in scored and len(scored) >= limit:
            raise BenchwrightError(
                f"{printable(system)} was scored with {len(scored)} different answer files, which is the limit of "
                f"{limit} ({log_path(key.path)}): unlimited scoring would reveal the key. Raise --limit to score more"
            )
        score = evaluate(
            opened,
            AnswerFile(answers, head, system),
            protocol=asked_by if head.samples == 1 else Sampled(inner=asked_by, draws=head.samples),
            reader=head.reader,
            judge=judge,
            split=head.split,
            out=out,
            replace=True,
            name=name,
            max_errors=max_errors,
        )
        more = {"release_id": release.release_id, "split": head.split, "protocol": head.protocol}
        handle.write(canonical_json({**entry, **more, "at": datetime.now(UTC).isoformat(timespec="seconds")}) + "\n")
        handle.flush()
        os.fsync(handle.fileno())
    return score


@contextmanager
def _locked(path: Path) -> Iterator[Any]:
    """Yield the log, opened for reading and appending and locked; other processes wait for the lock."""
    make_private_file(path)
    try:
        handle = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise BenchwrightError(f"{path}: cannot write the log of scored files: {error.strerror}") from error
    with handle:
        lock(handle, path)
        yield handle


def _scored_before(handle: Any, path: Path, system: str) -> set[str]:
    """Return the digests of a system's answer files that have already been scored."""
    handle.seek(0)
    digests = set()
    for number, line in enumerate(handle, start=1):
        try:
            row = json.loads(line)
            if row["system"] == system:
                digests.add(str(row["answers_sha256"]))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DataError(
                f"{path}: line {number} is damaged; restore the log from a backup, or repair the line"
            ) from error
    return digests
