"""Assignment of wrong options to questions that have an answer, by exchange within groups or separately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from pydantic import Field

from benchwright.seeds import generator_for, seed_for

from ..distractors.choosing import chosen_distractors
from ..distractors.difficulty import difficulty
from ..distractors.exchange import Lender, exchange_groups
from ..distractors.sources import DistractorCandidate, nearest_in_spelling, other_numbers, same_category
from ..ground_truth.truths import GroundTruth
from ..ground_truth.values import RecordTruth
from ..item_parts.options.modes import Mode
from ..truth_tasks.truth_plans import UnusedTruth
from .refusing import DISTRACTORS

_NO_PARTNERS, _FEW_DISTRACTORS = "no_partners", "too_few_distractors"
_REACH = 3


class OfferedQuestion(GroundTruth):
    """A question with its options, except the one that declines."""

    kind: ClassVar[str] = "offered"

    category: str
    question: str
    right: str
    wrong: tuple[str, ...]
    sources: tuple[str, ...]
    difficulty: float
    evidence: dict[str, Any] = Field(default_factory=dict)
    also_right: tuple[str, ...] = ()
    is_to_be_written: bool = False
    """Whether a model will write the wrong options later."""


class AnsweredQuestion(NamedTuple):
    """A question with its answer, before it has options.

    Args:
        truth: Truth from which the question is made.
        record: Name of the question, unique in the task.
        category: Category that the task balances.
        pool: Pool of questions that may share their answers as options.
        question: The question.
        right: The right option.
        wrong: Fixed wrong options; a question with fixed options needs no partners.
        known: Further wrong options to offer if questions are not exchanged.
        also_right: People's other answers, or the entity's other names.
        evidence: Source of the key.
        written_by: Author of the question.
    """

    truth: RecordTruth[Any]
    record: str
    category: str
    pool: str
    question: str
    right: str
    wrong: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    also_right: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = {}
    written_by: str = "person"

    @property
    def picture(self) -> str:
        """Return the picture that the question is about."""
        return self.truth.image_ids[0]


IsTrue = Callable[[str, str], bool]


def with_options(
    questions: Sequence[AnsweredQuestion],
    *,
    mode: Mode,
    seed: int,
    task: str,
    uses: int | None,
    items: int | None,
    is_true: IsTrue,
    are_names: bool = False,
    is_written: bool = False,
) -> Iterator[RecordTruth[OfferedQuestion] | UnusedTruth]:
    """Yield questions with their options, and questions that have no options, with the reason.

    `hardened`: questions of one pool share their answers as options in groups of four, so that each option of a group
    is right once; categories take turns, so that none uses up the pictures. `paper`: each question gets its wrong
    options separately: answers from its pool, common ones more often; for text in the picture, those most similar in
    spelling; for a count, nearby numbers.

    Args:
        questions: The questions.
        mode: `hardened` or `paper`.
        seed: The run's seed.
        task: Name of the task.
        uses: Largest number of questions about one picture; None for any number.
        items: Largest number of questions in `hardened` mode; None for any number.
        is_true: Function that returns whether a text is true of a picture according to its annotations.
        are_names: Whether the answers are names, which may differ in form and length.
        is_written: Whether a model writes the wrong options later, in `paper` mode; questions with fixed options keep
            them.
    """
    frequencies: dict[str, Counter[str]] = {}
    for question in questions:
        frequencies.setdefault(question.pool, Counter())[question.right] += 1
    if mode == "paper":
        for question in questions:
            if is_written and not question.wrong:
                yield _offered(question, (), (), frequencies[question.pool], is_to_be_written=True)
                continue
            yield _by_itself(
                question, frequencies[question.pool], seed=seed, task=task, is_true=is_true, are_names=are_names
            )
        return
    by_record = {question.record: question for question in questions}
    taken: set[str] = set()
    groups = _groups(questions, seed=seed, task=task, uses=uses, items=items, is_true=is_true, are_names=are_names)
    for group in groups:
        for record in group:
            taken.add(record)
            question = by_record[record]
            lent = tuple(by_record[other].right for other in group if other != record)
            texts = question.wrong or lent
            source = "fixed" if question.wrong else "same_category"
            yield _offered(question, texts, (source,) * len(texts), frequencies[question.pool])
    for question in questions:
        if question.record not in taken:
            yield UnusedTruth(question.truth, _NO_PARTNERS)


def _groups(
    questions: Sequence[AnsweredQuestion],
    *,
    seed: int,
    task: str,
    uses: int | None,
    items: int | None,
    is_true: IsTrue,
    are_names: bool,
) -> Iterator[tuple[str, ...]]:
    """Yield the names of questions to use together; the categories take turns."""
    used: Counter[str] = Counter()

    def is_free(picture: str) -> bool:
        return uses is None or used[picture] < uses

    def order(name: str) -> int:
        return seed_for(seed, task, name, "exchange")

    pools: dict[str, dict[str, list[AnsweredQuestion]]] = {}
    for question in questions:
        pools.setdefault(question.category, {}).setdefault(question.pool, []).append(question)
    waiting = {
        category: [
            _of_pool(some, order=order, is_free=is_free, is_true=is_true, are_names=are_names)
            for _, some in sorted(of_category.items())
        ]
        for category, of_category in sorted(pools.items())
    }
    counts = dict.fromkeys(waiting, 0)
    total = 0
    while waiting:
        category = min(waiting, key=lambda name: (counts[name], seed_for(seed, task, name, "category")))
        group = next(waiting[category][0], None)
        if group is None:
            waiting[category].pop(0)
            if not waiting[category]:
                del waiting[category]
            continue
        waiting[category].append(waiting[category].pop(0))
        if items is not None and total + len(group) > items:
            return
        total += len(group)
        counts[category] += len(group)
        used.update(question.picture for question in group)
        yield tuple(question.record for question in group)


def _of_pool(
    questions: Sequence[AnsweredQuestion],
    *,
    order: Callable[[str], int],
    is_free: Callable[[str], bool],
    is_true: IsTrue,
    are_names: bool,
) -> Iterator[tuple[AnsweredQuestion, ...]]:
    by_record = {question.record: question for question in questions}
    lenders = [
        Lender(question.record, question.right, question.picture) for question in questions if not question.wrong
    ]
    for question in sorted(questions, key=lambda question: (order(question.record), question.record)):
        if question.wrong and is_free(question.picture):
            yield (question,)
    groups = exchange_groups(
        lenders, size=DISTRACTORS + 1, is_true=is_true, order=order, is_free=is_free, is_form_free=are_names
    )
    for group in groups:
        yield tuple(by_record[lender.name] for lender in group)


def _by_itself(
    question: AnsweredQuestion,
    frequencies: Counter[str],
    *,
    seed: int,
    task: str,
    is_true: IsTrue,
    are_names: bool,
) -> RecordTruth[OfferedQuestion] | UnusedTruth:
    """Return a question with wrong options that are chosen for this question alone."""
    if question.wrong:
        return _offered(question, question.wrong, ("fixed",) * len(question.wrong), frequencies)
    rng = generator_for(seed, task, question.record, "distractors")
    if question.right.isdigit():
        numbers = other_numbers(int(question.right), _REACH, rng, number=DISTRACTORS)
        candidates = [DistractorCandidate(str(number), "number") for number in numbers]
    elif question.category == "ocr":
        candidates = nearest_in_spelling(question.right, frequencies)
    else:
        known = [DistractorCandidate(text, "same_category") for text in question.known]
        candidates = [known[number] for number in rng.permutation(len(known)).tolist()]
        candidates += same_category(question.right, frequencies, rng)
    wanted = [
        candidate for candidate in candidates
        if candidate.source == "number" or not is_true(question.picture, candidate.text)
    ]  # fmt: skip
    chosen = chosen_distractors(
        question.right, wanted, number=DISTRACTORS, frequencies=frequencies, is_form_free=are_names
    )
    if len(chosen.texts) < DISTRACTORS:
        return UnusedTruth(question.truth, _FEW_DISTRACTORS)
    return _offered(question, chosen.texts, chosen.sources, frequencies)


def _offered(
    question: AnsweredQuestion,
    wrong: Sequence[str],
    sources: Sequence[str],
    frequencies: Counter[str],
    *,
    is_to_be_written: bool = False,
) -> RecordTruth[OfferedQuestion]:
    offered = OfferedQuestion(
        category=question.category,
        question=question.question,
        right=question.right,
        wrong=tuple(wrong),
        sources=tuple(sources),
        difficulty=round(difficulty(question.right, wrong, frequencies=frequencies), 4),
        evidence={**question.evidence, "written_by": question.written_by},
        also_right=question.also_right,
        is_to_be_written=is_to_be_written,
        original=question.truth.truth.original,
    )
    return RecordTruth(question.record, question.truth.image_ids, offered)
