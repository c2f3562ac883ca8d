"""Asking a release's items under a protocol, round by round, in the order of the release.

Each round asks one model. Its replies are stored in a file, not in memory, until the next round has been asked.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from benchwright.canonical import canonical_json
from benchwright.records import LETTERS
from benchwright.texts.normalization import counted

from .backends.base import Backend, BackendContext
from .item_sample import ItemSample, sample_of, subset_sample
from .prompting.item_index import outlines_of, question_of_outline
from .prompting.question import Question, Released, Reply
from .prompting.release_files import groups_of, tasks_of
from .protocols.base import Ask, JudgedReply, Protocol, ProtocolQuestion
from .protocols.templated import Vanilla
from .results.judged_predictions import attempt_of, row_of
from .results.run_progress import FirstFailures, RunProgress

if TYPE_CHECKING:
    from benchwright.release import Release

    from .item_response.subset import Subset
    from .judging.judge_queue import JudgeQueue
    from .prompting.item_index import ItemOutline


AS_SHOWN = {letter: letter for letter in LETTERS}
"""Letters of a question that shows an item's options in their original order."""


class ModelContext(NamedTuple):
    """The model that a round asks, and the facts about the release that the model may use."""

    backend: Backend
    backend_context: BackendContext


@dataclass(frozen=True)
class EvaluationPlan:
    """The items to ask, and how their replies are read.

    Args:
        release: Release whose items are asked.
        split: Name of the split to ask; all splits if None.
        protocol: Protocol under which items are asked.
        tasks: Names of the tasks to ask; all tasks if None.
        reader: Name of the reader of replies.
        looks: Whether the model uses the words and pictures of questions.
        keeps_replies: Whether the model needs pictures only for questions without a stored reply.
        judge_queue: Queue that collects replies for a judge; None if there is no judge.
        sample: Sample of the items to ask; all items if None.
    """

    release: Release
    split: str | None
    protocol: Protocol
    tasks: frozenset[str] | None
    reader: str
    looks: bool = True
    keeps_replies: bool = False
    judge_queue: JudgeQueue | None = None
    sample: ItemSample | None = None

    @property
    def read_by(self) -> str:
        """Return the name of the reader of letters, together with the judge's name if there is a judge."""
        return self.reader if self.judge_queue is None else f"{self.reader}+judge:{self.judge_queue.backend.name}"

    @property
    def in_outline(self) -> bool:
        """Return whether items are asked without words and pictures because neither the model nor the protocol uses
        them.
        """
        alone = self.judge_queue is None and self.sample is None
        return not self.looks and alone and self.protocol == Vanilla()

    def begin(self) -> Ask:
        """Return the function that turns an item into questions."""
        return _ask_outline if self.in_outline else self.protocol.begin(self.release, self.split)

    def takes(self, released: Released) -> bool:
        """Return whether an item is asked."""
        item = released.item
        if self.sample is not None and item.item_id not in self.sample.item_ids:
            return False
        return (self.tasks is None or item.task in self.tasks) and self.protocol.takes(item)

    def limited_to(self, limit: int) -> EvaluationPlan:
        """Return the plan with a sample of `limit` items, or the plan itself if it asks no more items than that."""
        items = self.release.items(self.split, tasks=self.tasks, pictures_of=())
        sample = sample_of((released for released in items if self.takes(released)), limit)
        return self if sample is None else replace(self, sample=sample)

    def subset_by(self, subset: Subset) -> EvaluationPlan:
        """Return the plan restricted to the items of a subset.

        Raises:
            BenchwrightError: The subset is from a different release or split, or represents other items.
        """
        subset.check_release(self.release, self.split)
        items = self.release.items(self.split, tasks=self.tasks, pictures_of=())
        return replace(self, sample=subset_sample((released for released in items if self.takes(released)), subset))

    def items(self) -> Iterator[tuple[Released, int]]:
        """Yield the items to ask, each with the index of its cluster."""
        groups = groups_of(self.release, self.split)
        items: Iterable[Released]
        if self.in_outline:  # an outline has everything that a plain question and its verdict need of an item
            items = cast("Iterable[Released]", outlines_of(self.release, self.split))
        else:  # pictures of other tasks stay unread
            wanted = None if self.sample is None else self.sample.item_ids
            if self.keeps_replies:
                items = self.release.items_without_pictures(self.split, tasks=self.tasks)
            else:
                items = self.release.items(self.split, tasks=self.tasks, pictures_of=wanted)
            tasks = tasks_of(self.release, self.split)
            groups = [g for g, task in zip(groups, tasks, strict=True) if self.tasks is None or task in self.tasks]
        for released, group in zip(items, groups, strict=True):
            if self.takes(released):
                yield released, group


class _PendingItem:
    """An item that is waiting for replies, without its pictures."""

    __slots__ = ("attempts", "group", "item", "judged", "questions", "split")

    def __init__(
        self, released: Released, group: int, questions: Sequence[ProtocolQuestion], attempts: list[JudgedReply]
    ) -> None:
        self.item, self.split, self.group = released.item, released.split, group
        self.questions, self.attempts = questions, attempts
        self.judged = 0
        """Number of `questions` that have already become attempts."""

    def expects(self, plan: EvaluationPlan, number: int) -> Question | None:
        """Judge questions that cannot be asked, and return the next question that expects a reply; None if no question
        is left.
        """
        while self.judged < len(self.questions):
            question = self.questions[self.judged].question
            if question is not None:
                return question
            self.judge(None, plan, number)
        return None

    def judge(self, reply: Reply | None, plan: EvaluationPlan, number: int) -> None:
        """Judge the reply to the next question; the reply is None if the question could not be asked."""
        asked_question = self.questions[self.judged]
        self.attempts.append(attempt_of(self.item, asked_question, number, reply, plan.reader))
        if plan.judge_queue is not None:
            plan.judge_queue.take(asked_question, self.attempts[-1])
        self.judged += 1


Row = dict[str, Any]
Finish = Callable[[_PendingItem], Row]


def ask_rounds(
    plan: EvaluationPlan,
    contexts: Sequence[ModelContext],
    folder: Path,
    watched: RunProgress,
    begin: Callable[[int], None],
) -> Iterator[Row]:
    """Yield the row of every item in order, as soon as the last round completes it.

    Args:
        plan: Items, protocol and reader.
        contexts: Model of each round.
        folder: Folder for the replies of earlier rounds.
        watched: Progress counter, which counts each reply and each finished item.
        begin: Function to call with the number of a round when the round begins.
    """
    ask = plan.begin()
    earlier: Path | None = None
    judge_queue, last = plan.judge_queue, len(contexts) - 1
    for number, context in enumerate(contexts[:-1] if judge_queue is None else contexts):
        begin(number)
        kept = folder / f"round-{number}.jsonl"
        with kept.open("w", encoding="utf-8") as handle:
            for row in _one_round(plan, ask, context, number, earlier, _attempts_row, watched):
                handle.write(canonical_json(row) + "\n")
                watched.through()
        earlier = kept
    if judge_queue is not None:
        judge_queue.ask_judge(watched)
        for (released, group), attempts in zip(plan.items(), _kept_attempts(earlier), strict=True):
            settled = judge_queue.settled(released.item, attempts)
            yield row_of(released.item, released.split, group, settled, plan.protocol, plan.read_by)
        return

    def finish(waiting_item: _PendingItem) -> Row:
        return row_of(
            waiting_item.item, waiting_item.split, waiting_item.group, waiting_item.attempts, plan.protocol, plan.reader
        )

    begin(last)
    for row in _one_round(plan, ask, contexts[last], last, earlier, finish, watched):
        yield row
        watched.through()


def _one_round(
    plan: EvaluationPlan,
    ask: Ask,
    context: ModelContext,
    number: int,
    earlier: Path | None,
    finish: Finish,
    watched: RunProgress,
) -> Iterator[Row]:
    """Ask one round; yield the result of `finish` for each item, given its attempts from this and earlier rounds."""
    # Rows of items that are not asked wait their turn among the others, which keeps the order.
    waiting: deque[_PendingItem | Row] = deque()
    before = _kept_attempts(earlier)

    def questions() -> Iterator[Question]:
        for released, group in plan.items():
            attempts = [] if earlier is None else next(before)
            waiting_item = _PendingItem(released, group, ask(released, attempts), list(attempts))
            waiting.append(finish(waiting_item) if waiting_item.expects(plan, number) is None else waiting_item)
            for asked_question in waiting_item.questions:
                if asked_question.question is not None:
                    yield asked_question.question

    if (ask_ahead := getattr(context.backend, "ask_ahead", None)) is not None:
        ask_ahead(_questions_of(plan, ask, earlier), context.backend_context, watched.tell)
    with closing(context.backend.answer(questions(), context.backend_context)) as replies:
        first = FirstFailures(context.backend.name)
        for reply in replies:
            first.add(reply)
            watched.add(reply)
            while waiting and isinstance(waiting[0], dict):
                yield cast("Row", waiting.popleft())
            head = cast("_PendingItem", waiting[0]) if waiting else None
            expected = None if head is None else head.expects(plan, number)
            if head is None or expected is None or reply.item_id != expected.item_id:
                was_next = "nothing" if expected is None else expected.item_id
                raise RuntimeError(
                    f"backend {context.backend.name} answered {reply.item_id} in place of {was_next}, which was next"
                )
            head.judge(reply, plan, number)
            if head.expects(plan, number) is None:
                waiting.popleft()
                yield finish(head)
        if number == 0:  # later rounds repeat few items, and all of these may fail
            first.end()
    if left := sum(
        len(waiting_item.questions) - waiting_item.judged
        for waiting_item in waiting
        if isinstance(waiting_item, _PendingItem)
    ):
        raise RuntimeError(f"backend {context.backend.name} left {counted(left, 'question')} without a reply")
    yield from (row for row in waiting if isinstance(row, dict))


def _questions_of(plan: EvaluationPlan, ask: Ask, earlier: Path | None) -> Iterator[Question]:
    """Yield the questions of a round, for a backend that asks questions before it is asked for replies."""
    before = _kept_attempts(earlier)
    for released, _ in plan.items():
        for asked_question in ask(released, [] if earlier is None else next(before)):
            if asked_question.question is not None:
                yield asked_question.question


def _attempts_row(waiting_item: _PendingItem) -> Row:
    return {"attempts": [attempt._asdict() for attempt in waiting_item.attempts]}


def _ask_outline(released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
    del earlier
    return [ProtocolQuestion("", question_of_outline(cast("ItemOutline", released.item)), AS_SHOWN)]


def _kept_attempts(path: Path | None) -> Iterator[list[JudgedReply]]:
    if path is not None:
        with path.open(encoding="utf-8") as handle:
            for line in handle:
                yield [JudgedReply(**row) for row in json.loads(line)["attempts"]]
