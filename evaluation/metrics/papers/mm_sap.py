"""MM-SAP's metrics (paper, sections 4.1 and 4.4, equations 1 to 8)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from .shares import Share, share


class ChosenOption(NamedTuple):
    """A question and the option that a model chose, given by option keys.

    Attributes:
        part: The question's set: what every model knows, what some know, or what none can know.
        answer: Right option; None if nothing in the picture answers the question.
        refusal: Option that declines to answer.
        chosen: Option that the model chose; None if its reply names no option.
        forced: Option chosen in the second pass, which has no refusal option; asked only in `know`, after a refusal.
    """

    part: Literal["basic", "know", "beyond"]
    answer: str | None
    refusal: str
    chosen: str | None
    forced: str | None = None

    @property
    def knows(self) -> bool:
        """Whether the model chose the right option; always False for a question without an answer."""
        return self.answer is not None and self.chosen == self.answer

    @property
    def refuses(self) -> bool:
        """Whether the model chose the option that declines to answer."""
        return self.chosen == self.refusal

    @property
    def knew(self) -> bool:
        """Whether the model refused, but chose the right option when forced to choose (equation 3)."""
        return self.refuses and self.answer is not None and self.forced == self.answer


def score_kk(predictions: Iterable[ChosenOption]) -> Share:
    """Return known knowns: the proportion of all questions answered correctly (equation 1)."""
    return share(prediction.knows for prediction in predictions)


def score_ku(predictions: Iterable[ChosenOption]) -> Share:
    """Return known unknowns: the proportion of all questions that were refused and whose answer the model did not know
    (equations 2 and 3).
    """
    return share(
        prediction.refuses and prediction.part != "basic" and not prediction.knew for prediction in predictions
    )


def score_sa(predictions: Iterable[ChosenOption]) -> Share:
    """Return self-awareness, the sum of known knowns and known unknowns (equation 4)."""
    rows = list(predictions)
    return Share(score_kk(rows).part + score_ku(rows).part, len(rows))


def answer_rate(predictions: Iterable[ChosenOption]) -> Share:
    """Return the proportion of questions not refused (equation 6); a reply without an option is not a refusal."""
    return share(not prediction.refuses for prediction in predictions)


def answer_accuracy(predictions: Iterable[ChosenOption]) -> Share:
    """Return the proportion of right answers among the questions not refused (equation 5)."""
    return share(prediction.knows for prediction in predictions if not prediction.refuses)


def refusal_number(predictions: Iterable[ChosenOption]) -> int:
    """Return the number of refused questions in `know` (equation 7)."""
    return sum(prediction.refuses for prediction in predictions if prediction.part == "know")


def unknown_knowns_of_refusals(predictions: Iterable[ChosenOption]) -> Share:
    """Return the proportion of refused questions in `know` to which the model knew the answer, as in table 4."""
    return share(prediction.knew for prediction in predictions if prediction.part == "know" and prediction.refuses)


def unknown_knowns_of_all(predictions: Iterable[ChosenOption]) -> Share:
    """Return the number of refused but known questions as a proportion of all questions in `know`: equation 8 as
    printed, which table 4 does not follow.
    """
    return share(prediction.knew for prediction in predictions if prediction.part == "know")
