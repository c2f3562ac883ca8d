"""The campaigns `screen` and `screen_items`: annotators look through all images, or all items, and discard some.

II-Bench's annotators discard images that imply nothing or are poor (stage 3 of its filtering, section 3.2); BLINK's
filter out ambiguous items (section 3.3). Each record is kept, or dropped for the reason that most annotators gave.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from benchwright.records import ImageRecord, Item, ItemImage, Record
from benchwright.review_files.tasks import Code
from benchwright.steps import CampaignContext, Outcome, Stream, Verdicts

from ..forms.campaign_form import CampaignForm
from ..forms.kind_forms.screening import DISCARD, DISCARDED, KEEP, NO_AGREEMENT, screening_form
from ..forms.kinds import KINDS, SCREEN, SCREEN_ITEMS
from ..forms.payloads import TaskInput
from ..forms.task_content import TaskContent, task_input
from ..simulated.annotators import SimulatedScreeners
from ..store.database.records import Annotation
from ..workflow.gold import with_gold
from ..workflow.settlement.rules import AnnotatorsRule, Rule, parse_rule
from ..workflow.submitted_answers import fields_in
from .running.open_campaign import AssignedCampaign, CampaignRequest, run_campaign, work_of
from .running.verdicts import BinaryVotes, most_named


def _screen_verdicts(
    rule: Rule,
    reasons: Sequence[str],
    kinds: Mapping[str, str],
    decisions: Sequence[Annotation],
    *,
    kind: str,
    simulated: bool,
    seed: int,
) -> Verdicts:
    """Return the verdicts of a campaign whose tasks are all decided.

    Args:
        rule: Acceptance rule.
        reasons: All reasons that the form offers, in its order.
        kinds: Kind of each record, by record id: `image`, or the task of an item.
        decisions: All annotations.
        kind: Kind of the campaign.
        simulated: Whether the annotators are simulated.
        seed: Seed of the intervals.
    """
    votes = BinaryVotes(rule, (KEEP, DISCARD), decisions)
    by_record = votes.by_record()
    outcomes = {record_id: _outcome(votes, by_record[record_id], reasons) for record_id in kinds}
    summary = votes.summary(kinds, seed=seed)
    for task, counts in summary["tasks"].items():
        summary["tasks"][task] = _counts(outcomes[record_id] for record_id, of in kinds.items() if of == task) | counts
    head = {"kind": kind, "rule": str(rule), "simulated": simulated}
    return Verdicts(None, outcomes, head | _counts(outcomes.values()) | summary)


def _gold_screen_outcome(decision: str, reason: str) -> Outcome:
    """Return the outcome of a gold record, which follows from the known decision and reason."""
    evidence = {"gold": decision}
    return Outcome(evidence=evidence) if decision == KEEP else Outcome("drop", reason or DISCARDED, evidence=evidence)


def _outcome(votes: BinaryVotes, annotations: Sequence[Annotation], reasons: Sequence[str]) -> Outcome:
    named = Counter(code for annotation in annotations for code in fields_in(annotation).get("reasons", ()))
    evidence = votes.evidence(annotations) | {"reasons": dict(sorted(named.items()))}
    decided = votes.decided(annotations)
    if decided == KEEP:
        return Outcome(evidence=evidence)
    reason = NO_AGREEMENT if decided is None else most_named(named.elements(), reasons)
    return Outcome("drop", reason, evidence=evidence)


def _counts(outcomes: Iterable[Outcome]) -> dict[str, object]:
    reasons = Counter(outcome.reason for outcome in outcomes)
    return {
        "total": reasons.total(),
        "kept": reasons[None],
        "rejected": sum(n for reason, n in reasons.items() if reason not in {None, NO_AGREEMENT}),
        "no_agreement": reasons[NO_AGREEMENT],
        "reasons": {
            str(reason): n for reason, n in sorted(reasons.items(), key=str) if reason not in {None, NO_AGREEMENT}
        },
    }


class ScreenForm(Record):
    """Possible reasons for discarding an image.

    Attributes:
        reasons: Codes, in the order of the number keys; a drop has the one that most annotators gave.
    """

    reasons: tuple[Code, ...] = Field(
        ("no_implication", "poor_quality", "mostly_text", "offensive", "personal_data", "other"),
        min_length=1,
        max_length=20,
    )


class ScreenItemsForm(Record):
    """Possible reasons for discarding an item.

    Attributes:
        reasons: Codes, in the order of the number keys; a drop has the one that most annotators gave.
    """

    reasons: tuple[Code, ...] = Field(
        ("ambiguous", "wrong_answer", "answer_given_away", "bad_image", "other"), min_length=1, max_length=20
    )


class _Screening(AssignedCampaign):
    """The parts shared by both campaigns: rule, reasons, guidelines, assignment of tasks, and simulated annotators."""

    rule: AnnotatorsRule = "unanimous(1)"
    form: Any
    guidelines: str | None = None
    simulate: SimulatedScreeners | None = None

    @field_validator("form")
    @classmethod
    def _each_reason_once(cls, value: Any) -> Any:
        if len(set(value.reasons)) != len(value.reasons) or NO_AGREEMENT in value.reasons:
            raise ValueError(f"give each reason once, and call none of them {NO_AGREEMENT!r}")
        return value

    @field_validator("simulate")
    @classmethod
    def _can_fill_the_slots(cls, value: SimulatedScreeners | None, info: ValidationInfo) -> SimulatedScreeners | None:
        if value is None or not {"rule", "form"} <= info.data.keys():
            return value
        return value.fit_for(parse_rule(info.data["rule"]), info.data["form"].reasons)

    def advance(self, records: Iterable[Any], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to date with these records; return the verdicts once every task is decided."""
        rule = parse_rule(self.rule)
        form = screening_form(self.form.reasons)
        guidelines = self.guidelines if self.guidelines is not None else KINDS[self.name].guidelines
        request = CampaignRequest(
            kind=self.name,
            rule=str(rule),
            slots=rule.slots,
            form=CampaignForm(fields=form.fields, guidelines=guidelines),
            group=self.simulate,
            handout=self.handout,
        )
        kinds: dict[str, str] = {}
        state = run_campaign(request, self._work(records, kinds), ctx)
        if state.waiting is not None:
            return Verdicts(state.waiting)
        by_people = {record_id: kind for record_id, kind in kinds.items() if record_id not in state.gold}
        verdicts = _screen_verdicts(
            rule,
            self.form.reasons,
            by_people,
            state.decisions,
            kind=self.name,
            simulated=self.simulate is not None,
            seed=ctx.seed,
        )
        known = {record_id: self.handout.known_label(record_id) for record_id in state.gold}
        with_known = with_gold(
            verdicts,
            {
                record_id: _gold_screen_outcome(state.gold[record_id], why.reason)
                for record_id, why in known.items()
                if why is not None
            },
        )
        return self.noted(with_known, ctx)

    def _work(self, records: Iterable[Any], kinds: dict[str, str]) -> Iterator[TaskInput]:
        """Yield a task for each record, and store the kind of the record."""
        raise NotImplementedError


class Screen(_Screening):
    """Let annotators look at each image and keep or discard it; drop discarded images, for the reason given.

    This is stage 3 of II-Bench's filtering. The step belongs among the filters of images, before any step that makes
    items. The run stops here, in state `waiting`, until every image is judged. The reason for a drop is the one that
    most annotators gave, or the first in the form among reasons given equally often. The evidence lists all of them.

    Attributes:
        rule: Rule as in `verify`, without an adjudicator: the number of annotators of an image, and the number who must
            agree. Without agreement, the image is dropped as `no_agreement`.
        form: Possible reasons for discarding an image.
        guidelines: Instructions for annotators, in Markdown; by default those of the kind, and none if this is an empty
            text.
        handout: Assignment of tasks to annotators, including gold ones.
        simulate: Let simulated annotators decide instead of people; all results state this.

    Reasons:
        no_agreement (drop): No decision had enough votes. A discarded image has the reason that most annotators gave,
            one of `form.reasons`.
    """

    name: ClassVar[str] = SCREEN
    consumes: ClassVar[Stream] = "images"

    form: ScreenForm = ScreenForm()

    def _work(self, records: Iterable[ImageRecord], kinds: dict[str, str]) -> Iterator[TaskInput]:
        for record in records:
            kinds[record.image_id] = "image"
            shown = (ItemImage(image_id=record.image_id, role="reference"),)
            content = TaskContent(task="image", question="Does this image belong in the benchmark?", images=shown)
            yield task_input(record.image_id, record.image_id, content)


class ScreenItems(_Screening):
    """Let annotators look at each item with its key and keep or discard it; drop discarded items.

    BLINK's filter for ambiguous items is of this kind. Its annotators do not answer those items in a campaign `answer`.

    Attributes:
        rule: Rule as in `screen`.
        form: Possible reasons for discarding an item.
        guidelines: Instructions for annotators, in Markdown; by default those of the kind, and none if this is an empty
            text.
        handout: Assignment of tasks to annotators, including gold ones.
        simulate: Let simulated annotators decide instead of people; all results state this.

    Reasons:
        no_agreement (drop): No decision had enough votes. A discarded item has the reason that most annotators gave,
            one of `form.reasons`.
    """

    name: ClassVar[str] = SCREEN_ITEMS
    consumes: ClassVar[Stream] = "items"

    form: ScreenItemsForm = ScreenItemsForm()

    def _work(self, records: Iterable[Item], kinds: dict[str, str]) -> Iterator[TaskInput]:
        for item in records:
            kinds[item.item_id] = item.task
            yield work_of(item)
