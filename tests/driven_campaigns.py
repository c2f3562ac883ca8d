"""Campaigns of every kind, driven through their steps, annotators' queues and adjudicators' queues.

`Driven` queries every source of a campaign's state (the run, the curator's counts, `review status`, the adjudicator's
queue and early closing) and asserts that they agree. Names of outcomes are those of `review status`.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from brought_photographs import jpeg

from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.campaigns.mark.step import Mark
from benchwright.annotation.campaigns.pair import Pair
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.running.kept_table import kept_in
from benchwright.annotation.campaigns.running.open_campaign import (
    CampaignRequest,
    open_campaign,
    prepared_input,
    work_of,
)
from benchwright.annotation.campaigns.running.results import settled
from benchwright.annotation.campaigns.screen import Screen, ScreenItems
from benchwright.annotation.campaigns.state.step import State
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.campaigns.write.step import Write
from benchwright.annotation.forms.assignment_settings import AssignmentSettings
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_types import PhotographField
from benchwright.annotation.forms.kind_forms.marking import MarkField
from benchwright.annotation.forms.kinds import (
    ANSWER,
    CHOOSES,
    COLLECT,
    DESCRIBE,
    ERRATA,
    ERROR_ANALYSIS,
    KINDS,
    MARK,
    PAIR,
    READING,
    REVIEW,
    SCREEN,
    SCREEN_ITEMS,
    STATE,
    VERIFY,
    WRITE,
)
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.campaign_progress import CampaignProgress, progress_by, progress_of
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.simulated.annotators import SimulatedAnnotators, SimulatedReviewers
from benchwright.annotation.store.database.records import Campaign, RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.photo_uploads import Uploads
from benchwright.annotation.workflow.adjudication import AdjudicationQueue, reopen_task
from benchwright.annotation.workflow.photo_uploads import take_in_photograph
from benchwright.annotation.workflow.settlement.closing import close_decided, close_early, count_closed
from benchwright.annotation.workflow.settlement.rules import parse_rule
from benchwright.annotation.workflow.submitted_answers import results_of
from benchwright.annotation.workflow.task_queue import OwnTask, TaskQueue
from benchwright.canonical import digest
from benchwright.cli.main import invoke
from benchwright.questions.implication import WrittenIn
from benchwright.questions.written import WrittenQuestions
from benchwright.records import Choice, ImageRecord, Item, ItemImage
from benchwright.review_files.tasks import FindingCategory
from benchwright.steps import CampaignContext, Outcome, Verdicts
from benchwright.workspace.workspace import Workspace

PEOPLE = tuple(f"p{number:02}" for number in range(16))
"""Enough for three rounds of a review with four places, and for sending an item back."""
JUDGES = ("judge", "other judge")
WRITER = "writer"
"""The writer of the items that go back, who judges none."""
CRITERIA = ("accurate", "difficult")
WITH_ROUNDS, WITH_ADJUDICATOR = (VERIFY, REVIEW), (VERIFY, REVIEW, MARK)
CLOSING = (VERIFY, REVIEW, SCREEN, SCREEN_ITEMS, ERRATA)
OPENED_ON_FILES = (ERRATA, ERROR_ANALYSIS, READING)
FIXED_RULES = {DESCRIBE: "single", COLLECT: "single", STATE: "single", WRITE: "single"}
_EDITS = {"x": {"question": "Which piece fits best?"}, "y": {"question": "Which of these fits?"}}
_FINDINGS = {
    "s": {"finding": "key_right"}, "w": {"finding": "key_wrong", "instead": "A", "reason": "It is the other one."},
    "a": {"finding": "ambiguous", "reason": "Both fit."},
    "p": {"finding": "picture_problem", "reason": "It is broken."},
}  # fmt: skip
_WRITTEN: Mapping[str, Any] = {
    "implication": "conveys", "image_type": "single_panel_comic", "difficulty": "middle", "domain": "society",
    "emotion": "negative", "rhetoric": ["metaphor"], "questions": "one", "explanation": "Time runs out.",
    "ask_1": "What does the sand stand for?", "right_1": "money",
    "wrong_1": ["a feast", "a wedding", "a storm", "a journey", "a debt"],
}  # fmt: skip

_THING, _OTHER = ({"shape": "box", "points": [[left, 0.0], [left + 10.0, 10.0]]} for left in (0.0, 20.0))
_MARKS: Mapping[str, Mapping[str, Any]] = {
    "m": {"marked": "marked", "boxes": [_THING]}, "o": {"marked": "marked", "boxes": [_OTHER]},
    "t": {"marked": "marked", "boxes": [_OTHER, _THING]}, "n": {"marked": "nothing"}, "u": {"marked": "unsure"},
}  # fmt: skip

LETTERS: Mapping[str, str] = {
    VERIFY: "arvxybw", REVIEW: "paxybnmw", ANSWER: "AB", SCREEN: "kd", SCREEN_ITEMS: "kd", PAIR: "sd", DESCRIBE: "cn",
    COLLECT: "on", ERRATA: "swap", ERROR_ANALYSIS: "bw", MARK: "mmotnu",
    STATE: "cn", WRITE: "cn", READING: "ABnu",
}  # fmt: skip
"""What annotators say, a letter for each decision.

Of `mark`: mark a thing (m), another one (o), both (t), nothing (n), or be unsure (u).

Of `verify`: accept, reject, ask for a revision (v), make one or another (x, y), or undo that one (b, "back"). Of
`review`: pass (p), answer otherwise (a), edit and vote no on accuracy (x, y), vote no on accuracy (n) or difficulty (m).
Of both: send the item back to its writer (w), or accept or pass it where nobody wrote it.
"""


class Ran(NamedTuple):
    """The effect of a run on a campaign.

    Args:
        waiting: Its line on waiting tasks; None if none waits.
        outcomes: Tasks by outcome, without gold ones; None while a task waits.
        by_task: Outcome by the item's task, if tasks are items; None while a task waits.
        rounds: Rounds of its summary.
    """

    waiting: str | None
    outcomes: Counter[str] | None = None
    by_task: Mapping[str, str] | None = None
    rounds: Sequence[Mapping[str, int]] = ()


class Driven:
    """One campaign, its people and its recipe's settings, all of which may change."""

    def __init__(
        self, folder: Path, empty_store: bytes, kind: str, rule: str, *, rounds: int = 2, tasks: int = 1,
        closes: bool = False, simulated: bool = False, spares: bool = False, writer_rounds: int = 0,
    ) -> None:  # fmt: skip
        self.writer_rounds, self._texts = writer_rounds, dict[int, tuple[str, WrittenIn]]()
        self.kind, self.rule, self.rounds, self.closes, self.spares = kind, rule, rounds, closes, spares
        self.present, self.changed, self.gold = set(range(tasks)), set[int](), set[int]()
        self.tasks, self.simulated = tasks, simulated
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
        self._folder = folder
        space = Workspace.create(folder / "work")
        space.save_settings({})
        Path(space.store_url.removeprefix("sqlite:///")).write_bytes(empty_store)
        self._root = space.root
        self._context = CampaignContext(seed=5, stage=kind, workspace=space.root, store_url=space.store_url)
        self.store: ReviewStore = open_store(space.store_url)
        for name in (*PEOPLE, *JUDGES, WRITER):
            self.store.upsert_annotator(name)
        if writer_rounds:
            self._write()
            for _ in range(tasks):
                assert self.write()
        self.run()

    def close(self) -> None:
        self.store.close()

    @property
    def campaign(self) -> Campaign:
        return self.store.campaign(self.kind)

    # Actions of people

    def decide(self, letter: str, *, first: int = 0) -> bool:
        """Let the first annotator who gets a task, from a place on, decide it; return whether any did."""
        for place in range(len(PEOPLE)):
            if (held := self._desk(first + place)) is not None:
                queue, task = held
                self._say(queue, task, letter)
                return True
        return False

    def hold(self, first: int) -> None:
        """Let an annotator take a task without deciding it."""
        self._desk(first)

    def skip(self, first: int) -> None:
        """Let an annotator put a task back."""
        if (held := self._desk(first)) is not None:
            queue, task = held
            queue.skip(task.task_id, now=self.now)

    def change_mind(self, which: int, letter: str) -> bool:
        """Let an annotator change a decision that can still be changed; return whether there is one."""
        changeable = []
        for person in PEOPLE:
            queue = TaskQueue(self.store, self.campaign, person)
            changeable += [(queue, entry.task_id) for entry in queue.history() if entry.is_current]
        if not changeable:
            return False
        queue, task_id = changeable[which % len(changeable)]
        self._say(queue, queue.open(task_id, now=self.now), letter)
        return True

    def adjudicate(self, decision: str, *, which: int = 0, judge: str = JUDGES[0], edits: str = "x") -> bool:
        """Let an adjudicator decide a case; return whether there is one."""
        queue = AdjudicationQueue(self.store, self.campaign, judge)
        cases = queue.queue()
        if not cases:
            return False
        head = cases[which % len(cases)]
        case = queue.open(head.task_id, now=self._tick())
        if decision == "revise" and case.is_last and self.kind != MARK:
            decision = "reject"
        if self.kind == MARK:
            judged = {"accept": "m", "reject": "n", "revise": "u"}.get(decision)
            said = Submission(decision) if judged is None else Submission(fields=_MARKS[judged])
            queue.decide(head.task_id, said, now=self._tick())
            return True
        reasons = ("unclear",) if decision == "reject" and self.campaign.form.reasons else ()
        changed = self._edits(case.item.question, edits) if decision == "revise" else None
        if decision == "revise" and changed is None:
            decision = "accept"
        queue.decide(
            head.task_id, Submission(decision, reasons=reasons, note="so it is", edits=changed), now=self._tick()
        )
        return True

    def reopen(self, which: int) -> bool:
        """Let a curator reopen a decided task; return whether there is one to reopen."""
        decided = list(self.store.tasks(self.kind, states=("done",)))
        for task in decided[which % len(decided) :] if decided else []:
            with suppress(RefusedError):  # an adjudicator has decided it
                reopen_task(self.store, self.campaign, task.id, "cur", why="look again", now=self._tick())
                return True
        return False

    def write(self, *, leaves: bool = False) -> bool:
        """Let the writer write, or revise or leave returned items; return whether there is anything to write."""
        queue = TaskQueue(self.store, self.store.campaign(WRITE), WRITER)
        if (task := queue.next(now=self._tick())) is None:
            return False
        question = {"ask": _question(is_changed=False), "right": "the right one", "wrong": ["the left one"]}
        if task.draft:
            [question] = task.draft["fields"]["questions"]
            question = question if leaves else {**question, "ask": f"{question['ask']} Of these?"}
        submission = Submission(fields={"writing": "written", "questions": [question]})
        queue.submit(task.slot_id, submission, now=self._tick())
        return True

    def finish(self, letters: Iterator[str]) -> None:
        """Let annotators decide all open tasks."""
        while self.decide(next(letters)):
            pass

    def _desk(self, place: int) -> tuple[TaskQueue, OwnTask] | None:
        queue = TaskQueue(self.store, self.campaign, PEOPLE[place % len(PEOPLE)])
        task = queue.next(now=self._tick())
        return None if task is None else (queue, task)

    def _tick(self) -> datetime:
        self.now += timedelta(seconds=20)
        return self.now

    def _say(self, queue: TaskQueue, task: OwnTask, letter: str) -> None:
        now, slot = self._tick(), task.slot_id
        if letter == "w" and not self.writer_rounds and self.kind in WITH_ROUNDS:
            letter = "a" if self.kind == VERIFY else "p"
        if self.kind == VERIFY:
            edits = self._edits(task.item.question, letter) if letter in "xyb" else None
            decision = {"a": "accept", "r": "reject", "w": "to_writer"}.get(letter, "revise")
            reasons = ("unclear",) if letter == "r" else ()
            queue.submit(slot, Submission(decision, reasons=reasons, note="Say which.", edits=edits), now=now)
        elif self.kind == REVIEW:
            if task.answered is None:
                queue.answer(slot, "A" if letter == "a" else "B", now=now)
            no = {"x": "accurate", "y": "accurate", "b": "accurate", "n": "accurate", "m": "difficult",
                  "w": "accurate"}.get(letter)  # fmt: skip
            fields = {name: "no" if name == no else "yes" for name in CRITERIA}
            fields |= {"to_writer": "yes", "change": "Say which."} if letter == "w" else {}
            edits = self._edits(task.item.question, letter) if letter in "xyb" else None
            queue.submit(slot, Submission(fields=fields, edits=edits), now=now)
        elif self.kind == ANSWER:
            queue.submit(slot, Submission(letter), now=now)
        else:
            queue.submit(slot, Submission(fields=self._fields(queue, task, letter)), now=now)

    def _edits(self, question: str, letter: str) -> Mapping[str, str] | None:
        """Return edits of a question; those that restore the original, or none if they change nothing."""
        edits = {"question": _question(is_changed=bool(self.changed))} if letter == "b" else _EDITS[letter]
        return None if edits["question"] == question else edits

    def _fields(self, queue: TaskQueue, task: OwnTask, letter: str) -> Mapping[str, Any]:
        if self.kind in {SCREEN, SCREEN_ITEMS}:
            reasons = ["ambiguous"] if self.kind == SCREEN_ITEMS else ["poor_quality"]
            return {"verdict": "keep"} if letter == "k" else {"verdict": "discard", "reasons": reasons}
        if self.kind == PAIR:
            return {"verdict": "same" if letter == "s" else "different"}
        if self.kind == MARK:
            return _MARKS[letter]
        if self.kind == DESCRIBE:
            return _WRITTEN if letter == "c" else {"implication": "nothing"}
        if self.kind == STATE:
            return {"statement": "stated", "caption": "A cup."} if letter == "c" else {"statement": "nothing"}
        if self.kind == WRITE:
            question = {"ask": "Which piece fits here?", "right": "the left one", "wrong": ["the right one"]}
            return {"writing": "written", "questions": [question]} if letter == "c" else {"writing": "nothing"}
        if self.kind == ERRATA:
            return _FINDINGS[letter]
        if self.kind == ERROR_ANALYSIS:
            return {"categories": ["blind"] if letter == "b" else ["blind", "wrong_place"], "reason": "So it reads."}
        if self.kind == READING:
            gives = {"n": "none", "u": "unclear"}.get(letter, CHOOSES)
            return {"gives": gives} if letter in "nu" else {"gives": gives, "letter": letter}
        assert self.kind == COLLECT
        if letter == "n":
            return {"found": "none"}
        form = self.campaign.form.typed
        assert form is not None
        [field] = [field for field in form.fields if isinstance(field, PhotographField)]
        taken = take_in_photograph(self._root, jpeg(seed=task.task_id), field)
        Uploads(self.store).note(task.task_id, queue.annotator, taken.image_id)
        return {"found": "own", "licence": "cc0_1_0", "photograph": taken.image_id, "author": "A. B."}

    # Actions of the run

    def run(self) -> Ran:
        """Run the recipe with its current settings."""
        ran = self._ran_on_file() if self.kind in OPENED_ON_FILES else self._ran_step()
        self._tick()
        return ran

    def _handout(self) -> AssignmentSettings:
        slots = int(self.rule) if self.rule.isdigit() else parse_rule(self.rule).slots
        further = {"first": 1, "until": 0.6} if self.spares and slots > 1 else None
        if not self.gold:
            return AssignmentSettings(close_decided=self.closes, further_votes=further)
        rows = [f"{self._record_id(number)},{_GOLD.get(self.kind, '')}" for number in sorted(self.gold)]
        path = self._folder / "gold.csv"
        path.write_text("\n".join(["item_id,decision", *rows]), encoding="utf-8")
        return AssignmentSettings(
            gold=str(path), gold_rate=0.5, close_decided=self.closes, further_votes=further
        )  # fmt: skip

    def _ran_step(self) -> Ran:
        numbers = sorted(self.present)
        if self.writer_rounds:
            self._write()
        verdicts = self._advance(numbers)
        if verdicts.waiting is not None and not verdicts.rerun:
            return Ran(verdicts.waiting)
        if self.kind == COLLECT:  # the next run takes its photographs in
            said = self.store.decisions(COLLECT)
            return Ran(None, Counter(decision.decision for decision in said))
        if self.kind == PAIR:
            counts = {name: verdicts.summary[name] for name in ("same", "different", "no_agreement")}
            return Ran(None, Counter(counts))
        by_number = {
            number: self._outcome(outcome)
            for number in numbers
            if "gold" not in (outcome := verdicts.outcomes[self._record_id(number)]).evidence
        }
        by_task = {_task(number): outcome for number, outcome in by_number.items()}
        is_of_items = self.kind not in {SCREEN, DESCRIBE, MARK, STATE, WRITE}
        rounds = verdicts.summary.get("rounds", ())
        return Ran(None, Counter(by_number.values()), by_task if is_of_items else None, rounds)

    def _write(self) -> None:
        """Run the campaign that writes the items; a returned item keeps its last version."""
        step, context = Write(task="pieces", options=2), self._context._replace(stage=WRITE)
        verdicts = step.advance([_image(number) for number in sorted(self.present)], context)
        for number in self.present if verdicts.waiting is None else ():
            text = verdicts.outcomes[_image(number).image_id].values["questions"]
            [question] = WrittenQuestions.model_validate_json(text).questions
            assert question.written_in is not None
            self._texts[number] = question.ask, question.written_in

    def _advance(self, numbers: Sequence[int]) -> Verdicts:
        context, handout = self._context, self._handout()
        items = [self._item(number) for number in numbers]
        images = [_image(number) for number in numbers]
        send_back = {"rounds": self.writer_rounds} if self.writer_rounds else None
        if self.kind == VERIFY:
            annotators = SimulatedAnnotators(annotators=4, error_rate=0.2, reasons=("unclear",), revise_rate=0.3)
            group = annotators if self.simulated else None
            verify = Verify(
                rule=self.rule, rounds=self.rounds, send_back=send_back, handout=handout, simulate=group
            )  # fmt: skip
            return verify.advance(items, context)
        if self.kind == REVIEW:
            reviewers = SimulatedReviewers(annotators=12, accuracy=0.8, approval=0.7) if self.simulated else None
            review = Review(
                rule=self.rule, rounds=self.rounds, criteria=CRITERIA, send_back=send_back, handout=handout,
                simulate=reviewers,
            )  # fmt: skip
            return review.advance(items, context)
        if self.kind == ANSWER:
            return Answer(annotators_per_item=int(self.rule), handout=handout).advance(items, context)
        if self.kind == SCREEN_ITEMS:
            return ScreenItems(rule=self.rule, handout=handout).advance(items, context)
        if self.kind == SCREEN:
            return Screen(rule=self.rule, handout=handout).advance(images, context)
        if self.kind == DESCRIBE:
            return Describe(handout=handout).advance(images, context)
        if self.kind == STATE:
            return State(sections=("caption",), handout=handout).advance(images, context)
        if self.kind == WRITE:
            return Write(task="pieces", options=2, handout=handout).advance(images, context)
        if self.kind == COLLECT:
            step = Collect(prompts=tuple(_task(number) for number in numbers), min_side_px=1, handout=handout)
            return step.advance([], context)
        if self.kind == MARK:
            field = MarkField(name="boxes", label="Boxes", shape="box")
            return Mark(rule=self.rule, fields=(field,), handout=handout).advance(images, context)
        assert self.kind == PAIR
        like = {_image(number).image_id: [_image(99).image_id] for number in numbers}
        values = {"near_duplicates.kept.like": like}
        return Pair(rule=self.rule, handout=handout).advance([*images, _image(99)], context._replace(values=values))

    def _ran_on_file(self) -> Ran:
        """Open the campaign as `review open` does, and count the outcomes in `review results`."""
        kind = KINDS[self.kind]
        assert kind.form is not None
        annotators = int(self.rule)
        categories = [FindingCategory(code=code, words=code) for code in ("blind", "wrong_place")]
        asking = CampaignRequest(
            kind=self.kind, rule=kind.rule.format(n=annotators), slots=annotators,
            form=CampaignForm(fields=kind.form(categories).fields), group=None, handout=self._handout(),
        )  # fmt: skip
        work = [prepared_input(work_of(self._item(number)), asking) for number in sorted(self.present)]
        with self.store.batch() as held:
            open_campaign(held, asking, self._context)
            held.upsert_tasks(self.kind, work)
            close_early(held, self.kind)
        results = results_of(self.store, self.kind)
        if results.open:
            total = len(results.tasks)
            return Ran(f"{results.open} of {total} tasks and some slots are open")
        if self.kind in {ERROR_ANALYSIS, READING}:
            return Ran(None, Counter({"decided": len(results.tasks)}))
        by_task = {task.payload["task"]: "no_agreement" for task in results.tasks.values()}
        by_task |= {key.task.payload["task"]: key.finding for key in settled(results)}
        return Ran(None, Counter(by_task.values()), by_task)

    def _outcome(self, outcome: Outcome) -> str:
        """Return the name in `review status` for a run's treatment of a record."""
        verdict, reason = outcome.verdict, outcome.reason
        if self.kind == VERIFY:
            return {
                None: "accept", "rejected": "reject", "needs_revision": "revise", "out_of_rounds": "revise",
                "no_agreement": "no_agreement",
            }[reason]  # fmt: skip
        if self.kind == REVIEW:
            return {
                None: "accept", "rejected": "reject", "failed_review": "failed_review",
                "out_of_rounds": "failed_review",
            }[reason]  # fmt: skip
        if self.kind in {SCREEN, SCREEN_ITEMS}:
            return "keep" if reason is None else "no_agreement" if reason == "no_agreement" else "discard"
        if self.kind == DESCRIBE:
            return "conveys" if verdict == "keep" else "nothing"
        if self.kind == STATE:
            return "stated" if outcome.values.get("statements") else "nothing"
        if self.kind == WRITE:
            return "written" if outcome.values.get("questions") else "nothing"
        if self.kind == MARK:
            if reason is not None:
                return {"cannot_tell": "unsure", "disputed": "no_agreement"}[reason]
            return "nothing" if json.loads(str(outcome.values["regions"]))["nothing"] else "marked"
        assert self.kind == ANSWER
        return "decided"

    def _item(self, number: int) -> Item:
        picture = digest(["picture", number])
        ask, written_in = self._texts.get(number, (_question(is_changed=False), None))
        return Item(
            item_id=digest(["item", number])[:32], task=_task(number), kind="multiple_choice",
            images=(ItemImage(image_id=picture, role="reference"),), question=_question(is_changed=True) if number in self.changed else ask,
            choices=(Choice(key="A", text="the left one"), Choice(key="B", text="the right one")), answer="B",
            root_image_id=picture, operation_id="0" * 32, made_from=picture,
            evidence={} if written_in is None else {"written_in": written_in.model_dump(mode="json")},
        )  # fmt: skip

    def _record_id(self, number: int) -> str:
        if self.kind == PAIR:
            return digest(["pair", *sorted((_image(number).image_id, _image(99).image_id))])
        return (
            _image(number).image_id
            if self.kind in {SCREEN, DESCRIBE, MARK, STATE, WRITE}
            else self._item(number).item_id
        )

    # Statements of all sources

    def outcomes(self) -> Mapping[str, int]:
        """Return the counts on the curator's page, without zeros."""
        return {name: times for name, times in self._page().outcomes.items() if times}

    def _page(self) -> CampaignProgress:
        overview = Overview(self.store, self.campaign)
        return progress_of(self.campaign, overview.decision_counts())

    def check(self) -> None:
        """Assert that page, queue and store agree on the current state."""
        overview = Overview(self.store, self.campaign)
        patterns = overview.decision_counts()
        page, rounds = progress_of(self.campaign, patterns), overview.rounds(patterns)
        is_open = page.outcomes["begun"] + page.outcomes["untouched"]
        tasks = self.store.status(self.kind, now=self.now).tasks
        assert (is_open, page.tasks - is_open) == (tasks["open"], tasks["done"])
        queue = AdjudicationQueue(self.store, self.campaign, JUDGES[0]).queue()
        assert page.outcomes.get("waits", 0) == sum(head.waits for head in queue)
        if rounds:
            assert sum(line.open for line in rounds) == is_open
            waiting = page.outcomes.get("waits", 0) + page.outcomes.get("to_writer", 0)
            assert sum(line.waiting for line in rounds) == waiting
            assert sum(line.passed for line in rounds) == page.outcomes["accept"]
            kept = kept_in(self.store, self.kind)[-1]
            assert kept.kept == page.outcomes["accept"]
            assert kept.total - kept.decided == is_open + waiting
        self._check_closed()

    def _check_closed(self) -> None:
        """Assert that early closing is certain: nothing is left to close, and every closed task has an outcome."""
        before = self.outcomes()
        assert close_decided(self.store, self.kind) == 0
        close_early(self.store, self.kind)
        assert self.outcomes() == before
        if not self.closes and not self.spares:
            assert count_closed(self.store, self.campaign) <= self._adjudicated()

    def _adjudicated(self) -> int:
        return sum(ruled.times for ruled in Overview(self.store, self.campaign).adjudication_stats().counts)

    def check_run(self) -> Ran:
        """Run, assert that the run and all sources agree afterwards, and return the run's effect."""
        ran = self.run()
        self.check()
        overview = Overview(self.store, self.campaign)
        patterns = overview.decision_counts()
        page = progress_of(self.campaign, patterns).outcomes
        status = self._status()
        assert status["outcomes"] == page
        assert status.get("rounds", []) == [line._asdict() for line in overview.rounds(patterns)]
        is_open, waits, back = page["begun"] + page["untouched"], page.get("waits", 0), page.get("to_writer", 0)
        if ran.waiting is not None:
            went_back = re.search(r"(\d+) items? went back", ran.waiting)
            assert (0 if went_back is None else int(went_back[1])) == back
            if not is_open and not waits:
                return ran
            counted = re.search(r"(\d+) of \d+ (items? undecided|tasks? and)", ran.waiting)
            assert counted is not None, ran.waiting
            assert int(counted[1]) == (is_open or waits)
            assert ("adjudicator" in ran.waiting) == (is_open == 0)
            return ran
        assert (is_open, waits, back) == (0, 0, 0)
        assert ran.outcomes is not None
        assert {name: times for name, times in page.items() if times} == {
            name: times for name, times in ran.outcomes.items() if times
        }
        if ran.by_task is not None:
            by_task = {
                part.name: next(name for name, times in part.outcomes.items() if times)
                for part in progress_by(self.campaign, patterns, "task")
            }
            assert by_task == ran.by_task
        rounds = overview.rounds(patterns)
        if ran.rounds:
            assert [(line.round, line.items, line.passed, line.dropped, line.revised) for line in rounds] == [
                (line["round"], line["items"], line["kept"], line["dropped"], line["revised"]) for line in ran.rounds
            ]
        return ran

    def _status(self) -> Mapping[str, Any]:
        with redirect_stdout(io.StringIO()) as printed:
            assert invoke(["review", "status", "--workspace", str(self._root), "--json"]) == 0
        [campaign] = [one for one in json.loads(printed.getvalue())["campaigns"] if one["name"] == self.kind]
        return dict(campaign)


_GOLD = {VERIFY: "accept", SCREEN: "keep", SCREEN_ITEMS: "keep", PAIR: "same", DESCRIBE: "nothing", ERRATA: "key_right",
         ERROR_ANALYSIS: "blind", READING: "none", MARK: "nothing", STATE: "nothing", WRITE: "nothing"}  # fmt: skip


def _task(number: int) -> str:
    return f"t{number}"


def _question(is_changed: bool) -> str:
    return "Which piece is missing?" if is_changed else "Which piece fits?"


def _image(number: int) -> ImageRecord:
    image_id = digest(["image", number])
    return ImageRecord(
        image_id=image_id, width=40, height=30, media_type="image/png", size_bytes=9, root_image_id=image_id
    )
