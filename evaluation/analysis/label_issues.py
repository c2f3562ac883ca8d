"""Items whose key is likely wrong, ranked for a campaign that checks them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from benchwright.diagnostics.keys.item_analysis import discrimination, proportion_right
from benchwright.diagnostics.keys.key_evidence import Evidence, evidence_against
from benchwright.records import LETTERS
from benchwright.release.format.human_baseline import read_human_baseline

from ..metrics.base import task_numbers
from ..results.score import read_scores
from .reply_matrix import ReplyMatrix, letter_numbers, read_reply_matrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.release import Release

Reason = Literal["models_prefer_another", "people_miss_the_key", "models_and_people"]

LEAST_VOICES = 2
"""Models, or people, that must speak against a key: one alone is a wrong reply, not a sign."""


class LabelIssue(NamedTuple):
    """An item whose key is likely wrong.

    Args:
        rank: Rank by score, from 1; of equals the lower item id comes first.
        item_id: Id of the item.
        split: Split of the item.
        task: Task of the item.
        key: Letter that counts as right.
        letters: Letters that are more likely right, as models favour them: one, or none if the evidence is from people
            only.
        reason: Source of the evidence against the key.
        score: Logarithm of a likelihood ratio: the likelihood of the replies if another letter is right, divided by
            that if the key is right (`key_evidence`).
        models: Number of models asked.
        difficulty: Share of them that have it right.
        discrimination: Item-rest correlation over them; None where it is not defined.
        people: Number of people who were asked without seeing the key.
        people_right: Number of those who gave the key.
        given: Models by the letter that they gave; those without a letter under the empty text.
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


class LabelIssues(NamedTuple):
    """Result of `find_suspects`.

    Args:
        sheet: Replies of the models.
        campaigns: Campaigns whose people count; simulated annotators do not count.
        found: Issues, by rank.
    """

    sheet: ReplyMatrix
    campaigns: tuple[str, ...]
    found: tuple[LabelIssue, ...]


def find_suspects(results: Path, release: Release) -> LabelIssues:
    """Return the items of a release whose keys are likely wrong, the likeliest first.

    An item is included if the replies favour another letter (a score above 0) and one of two conditions holds: at least
    two models that are better than chance at its task agree on that letter, or at least two people missed the key and
    outweigh those who gave it. The errors of models are correlated, so the score only ranks items; it is no
    probability.

    Raises:
        BenchwrightError: The release is not the one that was scored.
        DataError: There are no results, or results or release are damaged.
    """
    import numpy as np

    sheet = read_reply_matrix(results, read_scores(results), release)
    campaigns, people_asked, right = _people(release, sheet)
    key = letter_numbers(sheet.items.column("key"))
    options = sheet.items.column("options").to_numpy()
    _, task = task_numbers(sheet.items.column("task"))
    evidence = evidence_against(sheet.letter, key, options, task, (people_asked, right))
    by_models = (evidence.models > 0) & (evidence.voices >= LEAST_VOICES)
    by_people = (evidence.people > 0) & (people_asked - right >= LEAST_VOICES)
    score = evidence.models + evidence.people
    places = np.flatnonzero((score > 0) & (by_models | by_people))
    ids = sheet.items.column("item_id").take(places).to_pylist()
    order = sorted(range(len(places)), key=lambda k: (-round(float(score[places[k]]), 9), ids[k]))
    reasons = np.where(
        by_models & by_people, "models_and_people", np.where(by_models, "models_prefer_another", "people_miss_the_key")
    )
    ranked = [int(places[k]) for k in order]
    return LabelIssues(sheet, campaigns, _rows(sheet, ranked, evidence, reasons, task, (people_asked, right)))


def _people(release: Release, sheet: ReplyMatrix) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int64]]:
    """Return the campaigns with people and, for each item over all of them, the numbers of people asked and right."""
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
    sheet: ReplyMatrix,
    ranked: Sequence[int],
    evidence: Evidence,
    reasons: NDArray[Any],
    task: NDArray[Any],
    people: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> tuple[LabelIssue, ...]:
    import numpy as np

    difficulty, discriminates = (
        proportion_right(sheet.right, sheet.asked),
        discrimination(sheet.right, sheet.asked, task),
    )
    people_asked, right = people
    facts = sheet.items.take(np.array(ranked, dtype=np.int64)).select(["item_id", "split", "task", "key"]).to_pylist()
    return tuple(
        LabelIssue(
            rank,
            **row,
            letters=(LETTERS[evidence.letter[k]],) if evidence.models[k] > 0 else (),
            reason=str(reasons[k]),  # type: ignore[arg-type] # one of `Reason`
            score=round(float(evidence.models[k] + evidence.people[k]), 9),
            models=int(sheet.asked[:, k].sum()),
            difficulty=float(difficulty[k]),
            discrimination=None if np.isnan(discriminates[k]) else float(discriminates[k]),
            people=int(people_asked[k]),
            people_right=int(right[k]),
            given=_given(sheet, k),
        )
        for rank, (k, row) in enumerate(zip(ranked, facts, strict=True), start=1)
    )


def _given(sheet: ReplyMatrix, item: int) -> dict[str, list[str]]:
    """Return the models by the letter that they gave for an item; letters and models are sorted."""
    models_by_letter: dict[str, list[str]] = {}
    for row, score in enumerate(sheet.scores):
        if sheet.asked[row, item]:
            place = int(sheet.letter[row, item])
            models_by_letter.setdefault(LETTERS[place] if place >= 0 else "", []).append(score.title)
    return {letter: sorted(models) for letter, models in sorted(models_by_letter.items())}
