"""Results of people's labels for a sample of replies: the reader's error, and scores whose interval includes that
error.

If several people read a reply, the reading of the majority (more than half) is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from benchwright.canonical import file_digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.files.tables import Table

from ..results.reading import (
    CheckedShare,
    ErrorKind,
    LabelledReply,
    Reading,
    corrected_accuracy,
    reading_errors,
)
from ..results.score import PREDICTIONS_FILE, Score, read_score
from .reading_sample import NO_LETTER, SAMPLE_FILE, ReadingSample, SampledResult, read_sample, result_folders

_LETTER = "letter"
_UNCLEAR = "unclear"


class UnusedRow(NamedTuple):
    """An unusable row of the filled-in table, with the reason why it is unusable."""

    entry: str
    why: str


class CheckedReading(NamedTuple):
    """The results of the labels.

    Args:
        readings: Reading of each result, together with its folder.
        errors: The reader's errors across the replies of all results.
        blank: Number of rows left blank.
        unused: Unusable rows, and replies on which people disagree.
        compared: Number of replies with two or more readers.
        agreement: Proportion of pairs of people who agree on a reply, 0 to 1; None if no reply was read by two people.
    """

    readings: tuple[tuple[Path, str, Reading], ...]
    errors: Mapping[ErrorKind, CheckedShare]
    blank: int
    unused: tuple[UnusedRow, ...]
    compared: int
    agreement: float | None


class _Labels(NamedTuple):
    """People's labels of the replies.

    Args:
        votes: Labels of each reply: a letter, `none`, or `unclear`.
        blank: Number of rows left blank.
        unused: Unusable rows.
    """

    votes: dict[str, dict[str, str]]
    blank: int
    unused: list[UnusedRow]


def check_reading(labels: Sequence[Path], places: Sequence[Path] = ()) -> CheckedReading:
    """Return the reader's errors according to people's labels, and the scores that take these errors into account.

    Args:
        labels: Filled-in tables, or results of campaigns in the review app; `sample.json` is in the same folder.
        places: Folders of results that have been moved since the sample was drawn; none by default.

    Raises:
        BenchwrightError: All rows are blank, or the tables are not in the same folder.
        DataError: A table, the sample or the results are damaged, or the sample was not drawn from these results.
    """
    if len({path.parent.resolve() for path in labels}) > 1:
        raise BenchwrightError(
            f"{labels[0]} and {labels[-1]} are in different folders; put all labels of a sample next to its "
            f"{SAMPLE_FILE}"
        )
    sample = read_sample(labels[0].parent)
    said = _labels(labels, sample)
    letters, disagreed = _agreed(said.votes)
    unused = [*said.unused, *disagreed]
    if not letters:
        why = f"; {unused[0].entry}: {unused[0].why}" if unused else ""
        raise BenchwrightError(
            f"{labels[0]}: no row has a usable letter{why}; write into {_LETTER!r} the letter that each reply gives, "
            f"or {NO_LETTER!r}"
        )
    moved = {file_digest(folder / PREDICTIONS_FILE): folder for folder in result_folders(places)} if places else {}
    readings, populations = [], []
    for result in sample.results:
        folder = moved.get(result.predictions, (labels[0].parent / result.folder).resolve())
        score = _score_of(result, sample, folder, labels[0])
        labelled = [
            LabelledReply(reply.task, reply.read, letters[reply.id], reply.key)
            for reply in result.drawn
            if reply.id in letters
        ]
        populations.append((result.sizes, labelled))
        readings.append((folder, result.title, _reading(score, result, labelled)))
    pairs = [pair for votes in said.votes.values() for pair in combinations(votes.values(), 2)]
    return CheckedReading(
        tuple(readings),
        reading_errors(populations),
        said.blank,
        tuple(unused),
        compared=sum(len(votes) > 1 for votes in said.votes.values()),
        agreement=sum(one == other for one, other in pairs) / len(pairs) if pairs else None,
    )


def _score_of(result: SampledResult, sample: ReadingSample, folder: Path, labels: Path) -> Score:
    predictions = folder / PREDICTIONS_FILE
    if not predictions.is_file():
        raise DataError(
            f"{folder} does not contain the result of {result.title!r}; name its folder: RESULT --labels {labels}"
        )
    if file_digest(predictions) != result.predictions:
        raise DataError(
            f"{predictions} has changed since the sample was drawn from it; draw another sample with `evaluate "
            "check-reading`"
        )
    score = read_score(folder)
    if score.release_id != sample.release_id:
        raise DataError(
            f"{folder} belongs to a different release than {labels.parent / SAMPLE_FILE}; score the model again"
        )
    return score


def _reading(score: Score, result: SampledResult, labelled: Sequence[LabelledReply]) -> Reading:
    accuracy = score.metrics.get("accuracy")
    if accuracy is None or accuracy.value is None or accuracy.ci is None:
        raise DataError(f"the score of {score.title!r} has no accuracy with an interval; score the model again")
    return Reading(
        model=score.model,
        release_id=score.release_id,
        reader=score.reader,
        reader_version=score.settings.get("reader"),
        counted_accuracy=accuracy.value,
        asked=score.asked,
        replies=sum(result.sizes.values()),
        labelled=len(labelled),
        errors=reading_errors([(result.sizes, labelled)]),
        accuracy=corrected_accuracy(accuracy.value, accuracy.ci, score.asked, result.sizes, labelled),
    )


def _labels(paths: Sequence[Path], sample: ReadingSample) -> _Labels:
    """Return the labels from filled-in tables, each completed by one person, and from results of campaigns."""
    options = {reply.id: reply.options for result in sample.results for reply in result.drawn}
    labels = _Labels({}, 0, [])
    for path in paths:
        for record in Table.at(path).records(needed=("id", _LETTER)):
            if record.problem or not isinstance(record.values, Mapping):
                labels.unused.append(UnusedRow(record.entry, record.problem or "not columns with values"))
                continue
            cells = {name: str(record.values.get(name) or "").strip() for name in ("id", _LETTER, "gives", "annotator")}
            said = _said(cells)
            if not said:
                labels = labels._replace(blank=labels.blank + 1)
                continue
            name, who = cells["id"], cells["annotator"] or path.name
            if name not in options:
                why = f"id {name[:40]!a} is not in the sample"
            elif who in labels.votes.get(name, {}):
                why = f"id {name} occurs twice; the first row counts"
            elif said not in {NO_LETTER, _UNCLEAR, *options[name]}:
                why = f"{cells[_LETTER][:40]!a} is neither one of {', '.join(options[name])} nor {NO_LETTER!r}"
            else:
                labels.votes.setdefault(name, {})[who] = said
                continue
            labels.unused.append(UnusedRow(record.entry, why))
    return labels


def _said(cells: Mapping[str, str]) -> str:
    """Return the label that a row gives its reply: a letter, `none`, `unclear`, or an empty string."""
    if (gives := cells["gives"].lower()) in {NO_LETTER, _UNCLEAR}:  # as in the results of a campaign
        return gives
    letter = cells[_LETTER]
    return letter.lower() if letter.lower() in {NO_LETTER, _UNCLEAR} else letter.upper()


def _agreed(votes: Mapping[str, Mapping[str, str]]) -> tuple[dict[str, str | None], list[UnusedRow]]:
    """Return the letter that the majority of each reply's labels give, and the replies without a usable majority."""
    letters: dict[str, str | None] = {}
    unused = []
    for name, by_person in votes.items():
        counts = Counter(by_person.values())
        said, times = counts.most_common(1)[0]
        if 2 * times <= counts.total():
            words = ", ".join(f"{said} {times}" for said, times in counts.most_common())
            unused.append(UnusedRow(f"id {name}", f"people disagree ({words})"))
        elif said == _UNCLEAR:
            unused.append(UnusedRow(f"id {name}", "people find its choice unclear"))
        else:
            letters[name] = None if said == NO_LETTER else said
    return letters, unused
