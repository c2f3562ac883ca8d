"""Checks that query a model behind an endpoint: answers without the picture, second right options, equal options.

They run if `--model` names a model, and are otherwise listed as skipped. The folder of measured values stores replies,
so that no request is paid for twice. A failed request is counted and does not affect its item.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from benchwright.errors import PrerequisiteError, UnreadableImage
from benchwright.models.endpoints.usage import BudgetSpent
from benchwright.records import LETTERS
from benchwright.texts.normalization import counted

from ..check import AuditContext, CheckSkipped, require_enough, require_words
from ..evidence import picture_copies
from ..findings.finding import Finding
from ..source.audited_items import AuditedItem, AuditedItems
from .guessing import cue_severity, learned_sample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.diagnostics.models.model_questions import ImageQuestion, ModelAnswer
    from benchwright.records import Item

REPLIES = "model-replies.sqlite"
"""File in the folder of measured values that stores models' replies."""
CONCURRENCY = 8
LEAST_ITEMS = 20
"""Smallest number of answers that can show whether a model answers better than chance."""
_NEEDS_MODEL = "it needs a model: name one that takes pictures with --model, and its endpoint with --base-url"
_MOST_BY_CHANCE = 0.01
_LEAST_GAIN = 0.05
_MOST_CALLED_RIGHT = 0.5
"""Proportion of wrong options, 0-1, from which a model calls everything right, so that its judgment is worthless."""
_NONE = re.compile(r"\W*(?:none|no)\b", re.I)
_PAIR = re.compile(r"\W*(?:(?:options?|letters?)\s+)?\(?([A-Z])\)?\s*(?:,|&|/|\+|=|and)?\s*\(?([A-Z])\b", re.I)


def _answers(
    questions: Sequence[ImageQuestion],
    audited: AuditedItems,
    context: AuditContext,
    read: Callable[[str], str] | None = None,
) -> dict[ImageQuestion, ModelAnswer]:
    """Return the model's answers.

    Raises:
        CheckSkipped: No model is named, requests cannot succeed or all failed, or the budget is spent.
    """
    from benchwright.diagnostics.models.model_questions import FAILED, QuestionAsker, read_yes_no
    from benchwright.images.decode import decode_rgb
    from benchwright.models.endpoints.reply_store import ReplyStore

    if context.model is None:
        raise CheckSkipped(_NEEDS_MODEL)

    def pixels(image_id: str) -> NDArray[np.uint8]:
        if image_id not in audited.pictures:
            raise UnreadableImage("unreadable", "the picture cannot be read")
        return decode_rgb(audited.pictures[image_id].file.read_bytes())

    with ExitStack() as stack:
        kept = stack.enter_context(closing(ReplyStore(context.folder / REPLIES, tmp=context.folder)))
        asker = QuestionAsker(context.model, concurrency=CONCURRENCY, replies=kept, read=read or read_yes_no)
        stack.enter_context(closing(asker))
        context.progress.phase("asking the model", len(questions), "questions")
        try:
            answers = asker.answers(questions, pixels)
        except (BudgetSpent, PrerequisiteError) as error:
            raise CheckSkipped(f"{error}; the next audit reuses the replies") from None
    failed = [answer.reply for answer in answers.values() if answer.said == FAILED]
    if failed and len(failed) == len(answers):
        raise CheckSkipped(f"the model answered none of {counted(len(answers), 'question')}: {failed[0]}")
    return answers


class _LetterQuestion(NamedTuple):
    """A multiple-choice question for a model, with one right letter.

    Args:
        item: The item from which the question is made.
        question: The question in the form for a model.
        right: Letter of the right option in the order shown to the model.
    """

    item: AuditedItem
    question: ImageQuestion
    right: str


class BlindModels:
    """Questions that a model answers without the picture, or with the picture of another item."""

    name: ClassVar[str] = "blind_models"
    title: ClassVar[str] = "Questions that a model answers without the picture, or with a wrong one"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each task on which a model beats chance without the pictures.

        Raises:
            CheckSkipped: There is no model, there are too few items, or the model answers nothing.
        """
        require_words(audited)
        if context.model is None:
            raise CheckSkipped(_NEEDS_MODEL)
        sample = context.check_each(learned_sample(audited), lambda each: _fits_blind(each.item))
        fitting = [each for each, fits in sample if fits]
        blind = [asked for _, asked in context.check_each(fitting, lambda each: _blind(each, None, context.seed))]
        items = [asked.item for asked in blind]
        require_enough(items, LEAST_ITEMS, of="items with a key and options with different words")
        shown = {
            "answered_without_picture": ("without a picture", blind),
            "answered_with_wrong_picture": (
                "with the picture of another item",
                [_blind(each, donor, context.seed) for each, donor in _wrong_pictures(items, audited, context)],
            ),
        }
        questions = [asked.question for _, of_kind in shown.values() for asked in of_kind]
        answers = _answers(questions, audited, context)
        for kind, (how, asked) in shown.items():
            yield from _above_chance(kind, how, asked, answers, audited)


def _fits_blind(item: Item) -> bool:
    from benchwright.diagnostics.shortcuts.model_solvers import shown_of

    return item.right_key is not None and "text" in shown_of(item, ("text",)) and item.refusal is None


def _blind(each: AuditedItem, donor: str | None, seed: int) -> _LetterQuestion:
    """Return an item's question in the form that a model receives, with shuffled options; `donor` provides another
    picture.
    """
    from benchwright.diagnostics.models.model_questions import ImageQuestion
    from benchwright.diagnostics.shortcuts.model_solvers import order_of, request_text, shown_options

    order = order_of(each.item, seed)
    text = request_text(each.item, "text", order, {})
    if donor is not None:  # the prompt does not disclose that the picture is a wrong one
        text = text.partition("\n\n")[2]
    right = LETTERS[order.index(LETTERS.index(str(each.item.right_key)))]
    return _LetterQuestion(each, ImageQuestion(donor, text, shown_options(each.item, order)), right)


def _wrong_pictures(
    items: Sequence[AuditedItem], audited: AuditedItems, context: AuditContext
) -> Iterator[tuple[AuditedItem, str]]:
    """Yield the items about one picture, each with the picture of another, unrelated item of its task."""
    from benchwright.evaluation import ImageDonor, donors_of

    single = {each.item.item_id: each for each in items if _shows_one_picture(each.item, audited)}
    if not single:
        return
    shown_as = picture_copies(audited, context).shown_as
    places = []
    for item_id, each in single.items():
        picture = each.item.images[0].image_id
        ties = frozenset((*each.group_keys, shown_as.get(picture, picture)))
        places.append(ImageDonor(item_id, "", 0, 0, (each.task, (False,)), ties))
    for item_id, donor in donors_of(places).items():
        yield single[item_id], single[donor.item_id].item.images[0].image_id


def _shows_one_picture(item: Item, audited: AuditedItems) -> bool:
    return len(item.images) == 1 and not item.images[0].prompts and item.images[0].image_id in audited.pictures


def _above_chance(
    kind: str,
    how: str,
    asked: Sequence[_LetterQuestion],
    answers: Mapping[ImageQuestion, ModelAnswer],
    audited: AuditedItems,
) -> Iterator[Finding]:
    """Yield a finding for each task with more right answers than expected by chance, with Holm-adjusted p-values."""
    import numpy as np
    from scipy.stats import norm

    from benchwright.diagnostics.models.model_questions import FAILED
    from benchwright.statistics import holm, share_right

    by_task: defaultdict[str, list[_LetterQuestion]] = defaultdict(list)
    for each in asked:
        if answers[each.question].said != FAILED:
            by_task[each.item.task].append(each)
    tasks = {task: of_task for task, of_task in sorted(by_task.items()) if len(of_task) >= LEAST_ITEMS}
    p_values = []
    for of_task in tasks.values():
        chances = np.array([1 / len(each.item.item.choices) for each in of_task])
        hits = sum(answers[each.question].said == each.right for each in of_task)
        p_values.append(float(norm.sf((hits - 0.5 - chances.sum()) / np.sqrt((chances * (1 - chances)).sum()))))
    for (task, of_task), p in zip(tasks.items(), holm(p_values), strict=True):
        right = [each for each in of_task if answers[each.question].said == each.right]
        pictures = [
            each.item.item.images[0].image_id if each.item.item.images else each.item.item_id for each in of_task
        ]
        _, groups = np.unique(pictures, return_inverse=True)
        is_right = np.array([answers[each.question].said == each.right for each in of_task])
        estimate = share_right(is_right, groups)
        chance = sum(1 / len(each.item.item.choices) for each in of_task) / len(of_task)
        if estimate.value is None or estimate.interval is None or p >= _MOST_BY_CHANCE:
            continue
        if estimate.value - chance <= _LEAST_GAIN:
            continue
        yield Finding(
            kind,
            cue_severity(estimate.interval, chance),
            audited.in_order(each.item.item_id for each in right),
            f"The model picks the right option in {estimate.value:.0%} of {counted(len(of_task), 'item')} of the "
            f"task {task!r} {how}, where chance picks {chance:.0%}.",
            {
                "task": task,
                "items": len(of_task),
                "accuracy": round(estimate.value, 4),
                "ci": [round(end, 4) for end in estimate.interval],
                "chance": round(chance, 4),
                "p_holm": float(f"{p:.3g}"),
                "failed": sum(answers[each.question].said == FAILED for each in asked if each.item.task == task),
            },
        )


class SecondRightOptions:
    """Wrong options that a model also considers right, and keys that it considers wrong."""

    name: ClassVar[str] = "second_right_options"
    title: ClassVar[str] = "Wrong options that a model with the picture also finds right"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each item with a second right option, and for each item whose key the model rejects.

        Raises:
            CheckSkipped: There is no model, or the model answers nothing or calls everything right.
        """
        from benchwright.diagnostics.models.second_answers import OptionReplies, option_questions, option_replies

        require_words(audited)
        if context.model is None:
            raise CheckSkipped(_NEEDS_MODEL)
        single = [each for each in audited.keyed if _shows_one_picture(each.item, audited)]
        asked = context.check_each(single, lambda each: option_questions(each.item))
        wanted = [(each, questions) for each, questions in asked if questions]
        require_enough(wanted, 1, of="items with a key, options in words and one picture")
        answers = _answers([q for _, questions in wanted for q in questions.values()], audited, context)
        asked_of = {each.item_id: questions for each, questions in wanted}

        def said_of(each: AuditedItem) -> OptionReplies:
            of_options = {key: answers[question] for key, question in asked_of[each.item_id].items()}
            return option_replies(each.item, of_options)

        judged = [*context.check_each([each for each, _ in wanted], said_of)]
        wrong = sum(len(asked_of[each.item_id]) - 1 for each, _ in judged)
        called_right = sum(len(said.also_right) for _, said in judged)
        if called_right >= _MOST_CALLED_RIGHT * wrong:
            raise CheckSkipped(
                f"the model calls {called_right:,} of {counted(wrong, 'wrong option')} right, so it cannot tell them "
                "apart; name another model with --model"
            )
        for each, said in judged:
            also = list(said.also_right)
            evidence = {"key": each.item.right_key, "replies": dict(said.replies), "also_right": also}
            if also:
                yield Finding(
                    "second_right_option",
                    "medium",
                    (each.item_id,),
                    f"The model also finds {', '.join(also)} right; the key is {each.item.right_key}.",
                    evidence,
                    "possible",
                )
            elif said.denies_key:
                yield Finding(
                    "key_denied_by_model",
                    "low",
                    (each.item_id,),
                    f"The model finds the key, {each.item.right_key}, wrong and no other option right.",
                    evidence,
                    "possible",
                )


class EqualOptions:
    """Options with the same meaning in different words."""

    name: ClassVar[str] = "options_that_mean_the_same"
    title: ClassVar[str] = "Options that mean the same in other words"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each item with two options that mean the same, according to a model.

        Raises:
            CheckSkipped: There is no model, no item has options in words, or the model answers nothing.
        """
        require_words(audited)
        if context.model is None:
            raise CheckSkipped(_NEEDS_MODEL)
        worded = [
            each
            for each in audited.items
            if each.item.kind == "multiple_choice" and all(choice.text for choice in each.item.choices)
        ]
        asked = context.check_each(worded, lambda each: _equality_question(each.item))
        wanted = {each.item_id: question for each, question in asked}
        require_enough([*wanted], 1, of="items with options in words")
        answers = _answers([*wanted.values()], audited, context, _equal_letters)
        for item_id, question in wanted.items():
            item = audited.by_id[item_id].item
            letters = answers[question].said
            pair = [choice for choice in item.choices if choice.key in letters]
            if len(letters) != 2 or len(pair) != 2:
                continue
            has_key = item.right_key is not None and item.right_key in letters
            yield Finding(
                "options_mean_the_same",
                "high" if has_key else "medium",
                (item_id,),
                f"According to the model, options {letters[0]} and {letters[1]} mean the same"
                + (", and one of them is the key." if has_key else "."),
                {"options": {choice.key: choice.text for choice in pair}, "reply": answers[question].reply},
                "possible",
            )


def _equality_question(item: Item) -> ImageQuestion:
    from benchwright.diagnostics.models.model_questions import ImageQuestion

    options = "\n".join(f"({choice.key}) {choice.text}" for choice in item.choices)
    return ImageQuestion(
        None,
        f"A multiple-choice question: {item.question}\n{options}\n\nDo two of these options say the same thing in "
        "other words, so that if one were right the other would be right as well? Options that merely have to do with "
        "each other do not. Reply with the two letters, such as A and C, or with NONE, and nothing else.",
    )


def _equal_letters(reply: str) -> str:
    """Return the two letters that a reply names, in order, or an empty string if it names none or is unclear.

    Example:
        >>> _equal_letters("B and D."), _equal_letters("(D), (A)"), _equal_letters("NONE"), _equal_letters("A and A")
        ('BD', 'AD', '', '')
    """
    match = None if _NONE.match(reply) else _PAIR.match(reply.strip())
    letters: list[Any] = [] if match is None else sorted({match[1].upper(), match[2].upper()})
    return "".join(letters) if len(letters) == 2 else ""
