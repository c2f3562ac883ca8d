"""The choice of the best candidates, with counts of the refused ones by fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .checks import fault_of, faults_among
from .difficulty import difficulty
from .sources import DistractorCandidate


class ChosenDistractors(NamedTuple):
    """Distractors of one question.

    Args:
        texts: The distractors, best first; fewer than requested if too few are accepted.
        sources: Source of each.
        refused: Number of refused candidates, by fault.
        difficulty: Estimate, 0 to 1, of how hard they make the question.
    """

    texts: tuple[str, ...]
    sources: tuple[str, ...]
    refused: Mapping[str, int]
    difficulty: float


def chosen_distractors(
    right: str,
    candidates: Iterable[DistractorCandidate],
    *,
    number: int = 3,
    standing: Sequence[str] = (),
    also_right: Iterable[str] = (),
    frequencies: Mapping[str, int] | None = None,
    vectors: Mapping[str, NDArray[np.float64]] | None = None,
    is_form_free: bool = False,
) -> ChosenDistractors:
    """Return the first candidates that can be offered together with the right option and with each other.

    Args:
        right: The right option.
        candidates: Candidates, best first; no more are read than needed.
        number: Number of distractors to choose.
        standing: Existing options, such as one that declines.
        also_right: Other texts that are true of the picture.
        frequencies: How often each text is the answer to questions of this kind, for the difficulty estimate.
        vectors: A vector for each text, for the difficulty estimate.
        is_form_free: Whether form and length may differ from those of the right option, as with names.
    """
    true = tuple(also_right)
    taken: list[DistractorCandidate] = []
    refused: Counter[str] = Counter()
    for candidate in candidates:
        others = (*standing, *(other.text for other in taken))
        fault = fault_of(candidate.text, right, standing=others, also_right=true, is_form_free=is_form_free)
        if fault is not None:
            refused[fault] += 1
            continue
        taken.append(candidate)
        if len(taken) == number:
            break
    texts = tuple(candidate.text for candidate in taken)
    estimate = round(difficulty(right, texts, frequencies=frequencies, vectors=vectors), 4)
    return ChosenDistractors(
        texts, tuple(candidate.source for candidate in taken), dict(sorted(refused.items())), estimate
    )


def options_evidence(right: str | None, wrong: Sequence[str], *, also_right: Iterable[str] = ()) -> dict[str, Any]:
    """Return facts about options that the step did not choose itself, for the item's evidence.

    Args:
        right: The right option; None if nothing in the picture answers the question, in which case nothing is known.
        wrong: The wrong options, as given by people, a model or a template.
        also_right: Other texts that are true of the picture.

    Returns:
        `difficulty`, the estimate from 0 to 1, and `option_faults`, the fault of each faulty wrong option by its text,
        which is omitted if no option has a fault. The checks assume English.
    """
    if right is None:
        return {}
    faults = faults_among(right, wrong, also_right=also_right)
    return {"difficulty": round(difficulty(right, wrong), 4), **({"option_faults": faults} if faults else {})}
