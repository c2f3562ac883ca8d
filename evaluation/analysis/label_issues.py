"""Items whose key is likely to be wrong, ranked for a campaign that checks them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from benchwright.diagnostics.keys.doubted_tasks import DoubtedTask, doubted_tasks
from benchwright.diagnostics.keys.item_analysis import proportion_right
from benchwright.diagnostics.keys.suspected_keys import (
    LEAST_VOICES,
    PeopleAnswers,
    SuspectedKey,
    evidence,
    suspected_keys,
)
from benchwright.records import LETTERS
from benchwright.release.format.human_baseline import read_human_baseline
from benchwright.replies.model_replies import LetterMatrix

from ..metrics.base import task_numbers
from ..results.score import Score, read_scores
from .reply_matrix import ReplyMatrix, letter_numbers, read_reply_matrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.release import Release

Reason = Literal["models_prefer_another", "people_miss_the_key", "models_and_people"]


class LabelIssue(NamedTuple):
    """An item whose key is likely to be wrong.

    Args:
        rank: Rank by score, from 1; ties are broken by item id.
        item_id: Id of the item.
        split: Split of the item.
        task: Task of the item.
        key: Letter of the key.
        letters: Letters that models consider more likely to be right: one, or none if the only evidence is people's
            answers.
        reason: Source of the evidence against the key.
        score: Natural logarithm of the odds that the key is wrong (`benchwright.diagnostics.keys.suspected_keys`).
        models: Number of models asked.
        difficulty: Proportion of models that answer it correctly, 0 to 1.
        discrimination: Item-rest correlation across the models; None if undefined.
        people: Number of people asked without the key.
        people_right: Number of those who gave the key.
        given: Models by the letter they gave; models without a letter are listed under the empty string.
        probability: Probability that the key is wrong, 0 to 1, according to the model of replies.
    """

    rank: int
    item_id: str
    split: str
    task: str
    key: str
    letters: tuple[str, ...]
    reason: Reason
    score: float
    models: int
    difficulty: float
    discrimination: float | None
    people: int
    people_right: int
    given: dict[str, list[str]]
    probability: float


class LabelIssues(NamedTuple):
    """The result of `find_suspects`.

    Args:
        sheet: Replies of the models.
        campaigns: Campaigns with human annotators, which are used as evidence; simulated annotators are not.
        found: Issues, by rank.
        matrix: The same replies by task.
        tasks: Tasks whose keys are all in doubt.
    """

    sheet: ReplyMatrix
    campaigns: tuple[str, ...]
    found: tuple[LabelIssue, ...]
    matrix: LetterMatrix
    tasks: tuple[DoubtedTask, ...]


def find_suspects(results: Path, release: Release) -> LabelIssues:
    """Return the items of a release whose keys are likely to be wrong, the likeliest first.

    The items and their order are those of `benchwright audit --replies`. An item is included if its key is wrong with a
    probability of at least 25 % and two capable models gave the favored letter instead, or two people missed the key.
    Only one of several runs of a model is used (`one_run_a_model`): such runs make the same errors and would appear to
    confirm each other.

    Raises:
        BenchwrightError: The release is not the one on which the models were scored.
        DataError: There are no results, or the results or the release are damaged.
    """
    import numpy as np

    sheet = read_reply_matrix(results, one_run_a_model(read_scores(results)), release)
    campaigns, people_asked, right = _people(release, sheet)
    matrix = letter_matrix_of(sheet)
    people = None
    if campaigns:
        keyed = np.flatnonzero(matrix.key >= 0)
        votes = np.zeros((len(matrix.key), int(matrix.options.max(initial=2))), dtype=np.int64)
        votes[keyed, matrix.key[keyed]] = right[keyed]
        people = PeopleAnswers(votes, np.where(matrix.key >= 0, people_asked - right, 0))
    on_keys = evidence(matrix, people)
    supported = [suspect for suspect in suspected_keys(matrix, people, found=on_keys) if suspect.is_supported]
    doubted = tuple(doubted_tasks(matrix, on_keys.shares))
    return LabelIssues(sheet, campaigns, _rows(sheet, supported, people_asked), matrix, doubted)


_USUAL = ("vanilla", "robust")
_OTHERWISE = ("blind", "wrong-image", "caption", "stated-caption", "circular", "shuffle", "mm-sap")
"""Protocols that show no picture, a wrong picture, or other orders of options."""


def model_name(score: Score) -> str:
    """Return the name by which the runs of one model are grouped: the user's name for the model, otherwise the model's
    own name.
    """
    return score.name or score.model


def protocol_name(score: Score) -> str:
    """Return the name of a score's protocol, without settings."""
    return score.protocol.partition(":")[0]


def one_run_a_model(scores: Sequence[Score]) -> list[Score]:
    """Return one score per model, in the order given.

    A run with the pictures and the questions as published is preferred; among those, one with the usual protocol and
    reader; among those, the run that was asked the most items.
    """

    def order(score: Score) -> tuple[bool, bool, bool, int, str]:
        is_usual = (score.protocol, score.reader) == _USUAL
        return protocol_name(score) in _OTHERWISE, score.unfit, not is_usual, -score.asked, score.folder

    first: dict[str, Score] = {}
    for score in sorted(scores, key=order):
        first.setdefault(model_name(score), score)
    return [score for score in scores if first[model_name(score)] is score]


def letter_matrix_of(sheet: ReplyMatrix) -> LetterMatrix:
    """Return replies that were read with their release, in the form that diagnostics use."""
    tasks, task = task_numbers(sheet.items.column("task"))
    return LetterMatrix(
        tuple(sheet.items.column("item_id").to_pylist()),
        tuple(tasks),
        tuple(score.title for score in sheet.scores),
        sheet.letter,
        sheet.asked,
        letter_numbers(sheet.items.column("key")),
        sheet.items.column("options").to_numpy(),
        task,
        sheet.group,
    )


def _people(release: Release, sheet: ReplyMatrix) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int64]]:
    """Return the human campaigns and, for each item, how many people were asked and how many answered correctly."""
    import numpy as np

    people_asked, right = (np.zeros(sheet.items.num_rows, dtype=np.int64) for _ in range(2))
    baseline = read_human_baseline(release) or {}
    campaigns = tuple(sorted(name for name, campaign in baseline.items() if not campaign["simulated"]))
    if campaigns:
        place = {item_id: k for k, item_id in enumerate(sheet.items.column("item_id").to_pylist())}
        for name in campaigns:
            for item_id, answers in baseline[name]["items"].items():
                if item_id in place:
                    people_asked[place[item_id]] += answers["asked"]
                    right[place[item_id]] += answers["right"]
    return campaigns, people_asked, right


def _rows(
    sheet: ReplyMatrix, suspects: Sequence[SuspectedKey], people_asked: NDArray[np.int64]
) -> tuple[LabelIssue, ...]:
    import numpy as np

    difficulty = proportion_right(sheet.right, sheet.asked)
    places = np.array([suspect.place for suspect in suspects], dtype=np.int64)
    facts = sheet.items.take(places).select(["item_id", "split", "task", "key"]).to_pylist()
    return tuple(
        LabelIssue(
            rank,
            **row,
            letters=(LETTERS[suspect.favoured],) if suspect.voices else (),
            reason=_reason(suspect),
            score=round(suspect.log_odds, 9),
            models=int(sheet.asked[:, suspect.place].sum()),
            difficulty=float(difficulty[suspect.place]),
            discrimination=suspect.key_discrimination,
            people=int(people_asked[suspect.place]),
            people_right=suspect.votes_for_key,
            given=_given(sheet, suspect.place),
            probability=round(suspect.probability, 4),
        )
        for rank, (suspect, row) in enumerate(zip(suspects, facts, strict=True), start=1)
    )


def _reason(suspect: SuspectedKey) -> Reason:
    """Return the source of the evidence against a key: at least two capable models, at least two people, or both."""
    by_models = suspect.voices >= LEAST_VOICES
    by_people = suspect.misses >= LEAST_VOICES and suspect.misses > suspect.votes_for_key
    if by_models == by_people:
        return "models_and_people"
    return "models_prefer_another" if by_models else "people_miss_the_key"


def _given(sheet: ReplyMatrix, item: int) -> dict[str, list[str]]:
    """Return the models by the letter that they gave for an item, with letters and models sorted."""
    models_by_letter: dict[str, list[str]] = {}
    for row, score in enumerate(sheet.scores):
        if sheet.asked[row, item]:
            place = int(sheet.letter[row, item])
            models_by_letter.setdefault(LETTERS[place] if place >= 0 else "", []).append(score.title)
    return {letter: sorted(models) for letter, models in sorted(models_by_letter.items())}
