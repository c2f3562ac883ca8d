"""The campaign `answer`: annotators answer each item without seeing its key, and are scored in the same way as models.

It drops nothing. The numbers of answers and right answers become values of each item, from which a release derives its
human baseline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from pydantic import Field, ValidationInfo, field_validator, model_validator

from benchwright.canonical import canonical_json
from benchwright.records import Item
from benchwright.regions import ANSWER_REGIONS, SizeWH
from benchwright.steps import CampaignContext, Outcome, Stream, Verdicts
from benchwright.texts.normalization import counted

from ..agreement.coefficients import agreement_of
from ..agreement.ratings import Rating
from ..forms.campaign_form import CampaignForm
from ..forms.evidence import EvidenceSettings, campaign_form
from ..forms.kinds import ANSWER
from ..forms.payloads import TaskInput
from ..simulated.annotators import NOW, SimulatedAnswerers
from ..store.database.records import Annotation
from ..store.review_store import open_store
from ..workflow.gold import with_gold
from ..workflow.settlement.rules import MAX_SLOTS, RuleSetting, parse_rule
from .running.consensus_keys import consensus_keys, count_waiting, key_verdicts
from .running.justified_answers import JustifiedAnswer, evidence_summary, justified_answer, values_with_regions
from .running.open_campaign import (
    AssignedCampaign,
    CampaignRequest,
    ItemWork,
    run_campaign,
    waiting_line,
    work_of,
)
from .running.verdicts import pseudonyms, rounded, short_agreement

_COUNTED: Mapping[str, str] = {
    "asked": "int64",
    "right": "int64",
    "right_by": "string",
    "asked_content": "string",
}


class _HandedOutQuestion(NamedTuple):
    task: str
    right: str
    content_hash: str
    size_wh: SizeWH | None


class Answer(AssignedCampaign):
    """Let annotators answer each item without seeing its key; keep every item, and count right answers.

    `freeze` takes the annotators' scores into the release as its human baseline, and `evaluate` shows it next to the
    models. The run stops here, in state `waiting`, until every item has all its answers. An item's `answer` is right,
    or its `refusal` if nothing in the picture answers the question. An item with neither stays and goes to no
    annotator.

    Put it after `verify`, so that annotators answer no item that is dropped. Annotators who hold or decided an item in
    a campaign of the kind `verify`, which shows the key, may not answer it: such items go to others, so you need more
    annotators than for `verify`.

    With `key` it asks instead about the items without a key, such as those that `items` keeps by `keyless: keep`. The
    answer on which enough annotators agree becomes the key, and the item continues as a new version with it.

    Attributes:
        annotators_per_item: Number of different annotators for each item; with `key` the number its rule requires.
        key: Rule by which answers become the key of items without one, such as `at_least(4, of=5)`, or within
            `adjudicated(...)`, with an adjudicator who names the right option if the rule leaves it open. Items with a
            key continue and go to no annotator; a further `answer` asks about them. Null asks about items with a key.
        evidence: The region of the item's first picture that justifies the answer, requested with it; null requests
            none. The regions on which annotators with the right answer agree go into the release, where `evaluate run
            --protocol grounded` asks models for the same.
        guidelines: Instructions for annotators, in Markdown; by default those of the kind, and none if this is an empty
            text.
        handout: Assignment of tasks to annotators, including gold items, whose answers do not count. `close_decided` is
            refused: every answer counts.
        simulate: Let simulated annotators answer instead of people. Such a baseline is no evidence about people, and is
            marked as simulated in the store, the release, the card and every table of scores.

    Reasons:
        no_agreement (drop): With `key`: no option had enough answers.
        rejected (drop): With `key`: an adjudicator found that no option is right.
    """

    name: ClassVar[str] = ANSWER
    consumes: ClassVar[Stream] = "items"
    version: ClassVar[int] = 2

    annotators_per_item: int = Field(3, ge=1, le=MAX_SLOTS)
    key: RuleSetting | None = None
    evidence: EvidenceSettings | None = None
    guidelines: str | None = None
    simulate: SimulatedAnswerers | None = None

    @field_validator("simulate")
    @classmethod
    def _can_fill_the_slots(cls, value: SimulatedAnswerers | None, info: ValidationInfo) -> SimulatedAnswerers | None:
        slots = info.data.get("annotators_per_item", 1)
        if value is not None and value.annotators < slots:
            raise ValueError(
                f"{counted(value.annotators, 'annotator')} cannot give {counted(slots, 'answer')} to each item"
            )
        return value

    @model_validator(mode="after")
    def _fits_its_key(self) -> Answer:
        if self.key is None:
            return self
        slots = parse_rule(self.key).slots
        if "annotators_per_item" in self.model_fields_set and self.annotators_per_item != slots:
            raise ValueError(f"{self.key} asks {slots} about each item; leave `annotators_per_item` out")
        if self.evidence is not None:
            raise ValueError(
                "`key` and `evidence` exclude each other: a region justifies an existing key; give one of the two"
            )
        if self.simulate is not None:
            raise ValueError("simulated annotators answer by the key, and these items have none; leave `simulate` out")
        return self

    @property
    def revises(self) -> bool:  # type: ignore[override]
        """Return whether items get their keys here, and therefore new versions."""
        return self.key is not None

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result; the rule for keys is included only if set."""
        return {name: value for name, value in super().parameters().items() if name != "key" or value is not None}

    @property
    def values(self) -> Mapping[str, str]:  # type: ignore[override]
        """Return the values of items with a key.

        They are the number of answers, the number of right answers, whether each annotator was right (JSON, by
        pseudonym), and the content hash of the question. If the campaign asks for regions, `answer_regions` (JSON of an
        `AnswerRegions`) is added.
        """
        return {} if self.key is not None else values_with_regions(_COUNTED, is_asked=self.evidence is not None)

    def advance(self, records: Iterable[Item], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to date with these items, and return the counts or keys once every task is answered."""
        if self.key is not None:
            return self._keys(records, ctx)
        form = campaign_form(self.evidence, decisions_from="choices", guidelines=self.guidelines)
        work = ItemWork(form, ctx.workspace)
        request = CampaignRequest(
            kind=ANSWER,
            rule=f"answers({self.annotators_per_item})",
            slots=self.annotators_per_item,
            form=form,
            group=self.simulate,
            handout=self.handout,
            for_whom="; annotators do not answer items that they decided in a `verify` campaign, which shows the key",
        )
        questions: dict[str, _HandedOutQuestion | None] = {}
        state = run_campaign(request, _work(records, questions, work), ctx)
        if state.waiting is not None:
            return Verdicts(state.waiting)
        asked_of: dict[str, _HandedOutQuestion | None] = {
            item_id: None if item_id in state.gold else question for item_id, question in questions.items()
        }
        justified = _justified(asked_of, state.decisions) if self.evidence is not None else {}
        outcomes = _outcomes(asked_of, state.decisions, justified)
        head = {
            "kind": ANSWER,
            "rule": request.rule,
            "simulated": self.simulate is not None,
            "answers_per_item": self.annotators_per_item,
        }
        where = evidence_summary(justified.values(), seed=ctx.seed) if self.evidence is not None else {}
        verdicts = Verdicts(None, outcomes, head | _summary(asked_of, state.decisions, seed=ctx.seed) | where)
        gold = {item_id: Outcome(evidence={"gold": key}) for item_id, key in state.gold.items()}
        return self.noted(with_gold(verdicts, gold), ctx)

    def _keys(self, records: Iterable[Item], ctx: CampaignContext) -> Verdicts:
        """Ask about the items without a key, and return them with keys once every task is decided."""
        rule = parse_rule(str(self.key))
        form = CampaignForm(decisions_from="choices", guidelines=self.guidelines)
        request = CampaignRequest(
            kind=ANSWER, rule=str(rule), slots=rule.slots, form=form, group=None, handout=self.handout
        )
        unasked: list[str] = []
        items: list[Item] = []
        for item in records:
            if item.right_key is None:
                items.append(item)
            else:
                unasked.append(item.item_id)
        state = run_campaign(request, map(work_of, items), ctx)
        if state.waiting is not None:
            return Verdicts(state.waiting)
        with open_store(ctx.store_url) as store:
            keys = consensus_keys(store, store.campaign(ctx.stage), items, state.gold)
            if waits := count_waiting(keys):
                return Verdicts(waiting_line(store.status(ctx.stage, now=NOW), ctx, adjudicator=waits))
        verdicts = key_verdicts(keys, rule=str(rule), simulated=False, seed=ctx.seed)
        had_one = dict.fromkeys(unasked, Outcome())
        return self.noted(replace(verdicts, outcomes={**verdicts.outcomes, **had_one}), ctx)


def _work(
    records: Iterable[Item], questions: dict[str, _HandedOutQuestion | None], work: ItemWork
) -> Iterator[TaskInput]:
    """Yield a task for each item that has a right choice, and record the item's question in `questions`."""
    for item in records:
        right = item.answer if item.answer is not None else item.refusal
        questions[item.item_id] = (
            None if right is None else _HandedOutQuestion(item.task, right, item.content_hash, work.size_wh(item))
        )
        if right is not None:
            yield work.of(item)


def _justified(
    questions: Mapping[str, _HandedOutQuestion | None], decisions: Sequence[Annotation]
) -> dict[str, JustifiedAnswer]:
    """Return, by item, the marks of the annotators who gave the right answer."""
    right: dict[str, list[Annotation]] = {}
    for decision in decisions:
        question = questions[decision.item_id]
        if question is not None and decision.decision == question.right:
            right.setdefault(decision.item_id, []).append(decision)
    justified = {}
    for item_id, decisions_right in right.items():
        question = questions[item_id]
        assert question is not None
        if (answer := justified_answer(item_id, question.content_hash, decisions_right, question.size_wh)) is not None:
            justified[item_id] = answer
    return justified


def _outcomes(
    questions: Mapping[str, _HandedOutQuestion | None],
    decisions: list[Annotation],
    justified: Mapping[str, JustifiedAnswer],
) -> dict[str, Outcome]:
    """Return the outcome of each item; every item is kept, with the answers to it."""
    answers_by_item: dict[str, dict[str, str]] = {}
    names = pseudonyms(decisions)
    for decision in decisions:
        answers_by_item.setdefault(decision.item_id, {})[names[decision.annotator]] = decision.decision
    is_simulated = any(decision.annotator_kind == "simulated" for decision in decisions)
    outcomes = {}
    for item_id, question in questions.items():
        if question is None:
            outcomes[item_id] = Outcome()
            continue
        answers = Counter(answers_by_item[item_id].values())
        outcomes[item_id] = Outcome(
            values={
                "asked": answers.total(),
                "right": answers[question.right],
                "right_by": canonical_json(
                    {name: answer == question.right for name, answer in answers_by_item[item_id].items()}
                ),
                "asked_content": question.content_hash,
                **({ANSWER_REGIONS: justified[item_id].value} if item_id in justified else {}),
            },
            evidence={"answers": dict(sorted(answers.items())), "simulated": is_simulated},
        )
    return outcomes


def _summary(
    questions: Mapping[str, _HandedOutQuestion | None], decisions: list[Annotation], *, seed: int
) -> dict[str, Any]:
    """Return the numbers of answers and right answers, and the agreement, without times or names."""
    asked_questions = {item_id: question for item_id, question in questions.items() if question is not None}
    names = pseudonyms(decisions)
    ratings = [Rating(decision.item_id, decision.annotator, decision.decision) for decision in decisions]
    right = [decision.decision == asked_questions[decision.item_id].right for decision in decisions]
    by_annotator = Counter(zip((names[decision.annotator] for decision in decisions), right, strict=True))
    by_task = Counter(zip((asked_questions[decision.item_id].task for decision in decisions), right, strict=True))
    items = Counter(question.task for question in asked_questions.values())
    return {
        "total": len(questions),
        "asked": len(asked_questions),
        "answers": len(right),
        "right": sum(right),
        "agreement": rounded(agreement_of(ratings, seed=seed).to_json()),
        "tasks": {
            task: {
                "asked": items[task],
                **_counts(by_task, task),
                **short_agreement([rating for rating in ratings if asked_questions[rating.unit].task == task]),
            }
            for task in sorted(items)
        },
        "annotators": {name: _counts(by_annotator, name) for name in names.values()},
    }


def _counts(counts: Counter[tuple[str, bool]], name: str) -> dict[str, int]:
    return {"answers": counts[name, True] + counts[name, False], "right": counts[name, True]}
