"""A baseline that learns only from words and measures how well the key can be guessed without the pictures.

`benchwright.diagnostics.shortcuts.text_only_baseline` describes how it learns. Accuracy above chance shows how much the
text reveals.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable

from benchwright.diagnostics.shortcuts.text_only_baseline import (
    FEATURES,
    FOLDS,
    PENALTY,
    ROUNDS,
    ItemWords,
    folds_of,
    guess,
    weights_of_folds,
)

from ..prompting.question import Question, Reply
from .base import Backend, BackendContext, without_argument
from .options import BackendOptions


def text_classifier(argument: str, options: BackendOptions) -> Backend:
    """Return the baseline that learns which options are right only from questions and options."""
    del options
    without_argument("text_classifier", argument)
    return TextClassifier()


class TextClassifier:
    """Learns from the release's own questions; each is answered with weights that were learned without its fold."""

    name = "text_classifier"
    tasks = None
    settings = {"version": 1, "folds": FOLDS, "features": FEATURES, "penalty": PENALTY, "rounds": ROUNDS}  # noqa: RUF012

    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        """Yield replies one by one, after learning is complete."""
        known = [_worded(labelled.question, labelled.key, labelled.group_keys) for labelled in context.labelled()]
        folds = folds_of(known)
        fold_of = {worded.item_id: fold for worded, fold in zip(known, folds, strict=True)}
        weights = weights_of_folds(known, folds)
        for question in questions:
            # No fold learned from an item without a right option, so any fold's weights are valid.
            fold = fold_of.get(question.item_id, 0)
            yield Reply(question.item_id, text=f"({guess(_worded(question), weights[fold])})")


def _worded(question: Question, key: str = "", group_keys: tuple[str, ...] = ()) -> ItemWords:
    options = tuple((choice.key, choice.text or "") for choice in question.choices)
    return ItemWords(question.item_id, question.task, question.text, options, key, group_keys)
