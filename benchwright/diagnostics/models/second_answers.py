"""The options that a vision-language model calls right: possibly wrong options too, or not the right one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from benchwright.records import Item

from .model_questions import FAILED, UNCLEAR, ImageQuestion, ModelAnswer


class OptionReplies(NamedTuple):
    """A model's judgment of the options of a question.

    Args:
        also_right: Letters of wrong options that it calls right.
        key_said: The model's judgment of the right option: `yes`, `no`, `unclear` or `failed`.
        unanswered: Letters of options without a readable judgment.
        replies: Its reply to each option, by letter.
    """

    also_right: tuple[str, ...]
    key_said: str
    unanswered: tuple[str, ...]
    replies: Mapping[str, str]

    @property
    def denies_key(self) -> bool:
        """Return whether the model calls the right option wrong."""
        return self.key_said == "no"


def option_questions(item: Item) -> dict[str, ImageQuestion]:
    """Return, by letter, questions about the picture that ask whether each option is right.

    Return None for items without a right option, without options in words, or with several pictures.
    """
    if item.kind != "multiple_choice" or item.answered_key is None or len(item.images) != 1:
        return {}
    if any(choice.text is None for choice in item.choices):
        return {}
    [shown] = item.images
    return {
        choice.key: ImageQuestion(
            shown.image_id,
            f"A question about this picture: {item.question}\nA proposed answer: {choice.text}\n"
            "Is the proposed answer right? Answer with yes or no only.",
        )
        for choice in item.choices
    }


def option_replies(item: Item, answers: Mapping[str, ModelAnswer]) -> OptionReplies:
    """Return the judgments of an item's options, from the answers to `option_questions`."""
    return OptionReplies(
        tuple(key for key, answer in answers.items() if key != item.answer and answer.said == "yes"),
        answers[str(item.answer)].said,
        tuple(key for key, answer in answers.items() if answer.said in {FAILED, UNCLEAR}),
        {key: answer.reply for key, answer in answers.items()},
    )
