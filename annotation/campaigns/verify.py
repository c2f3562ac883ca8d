"""The campaign `verify`: annotators, as many as its rule requires, look at each item and accept, edit or reject it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from benchwright.records import Item, Record
from benchwright.regions import ANSWER_REGIONS, SizeWH
from benchwright.steps import CampaignContext, Stream, Verdicts

from ..forms.campaign_form import CampaignForm
from ..forms.evidence import EvidenceSettings, campaign_form
from ..forms.kinds import TO_WRITER, VERIFY
from ..simulated.annotators import SimulatedAnnotators, check_enough
from ..workflow.gold import with_gold
from ..workflow.settlement.rules import DECISIONS, RuleSetting, parse_rule
from ..workflow.settlement.settle import ACCEPT, REVISE
from .running.justified_answers import evidence_summary, justified_answer, values_with_regions
from .running.open_campaign import CampaignRequest, ItemWork
from .running.open_in_rounds import ItemHistory, open_in_rounds
from .running.send_back import ReturningCampaign, SendBack, sends_back
from .running.verdicts import gold_outcome, verify_verdicts

MAX_ROUNDS = 20


class VerifyForm(Record):
    """Possible decisions of an annotator other than accept and reject.

    Attributes:
        reasons: Codes that a decision may give; in the app a rejection needs one, unless the list is empty.
    """

    reasons: tuple[str, ...] = (
        "wrong_answer",
        "several_answers",
        "unclear",
        "bad_image",
        "too_easy",
        "other",
    )


def verify_form(evidence: EvidenceSettings | None = None, **keys: Any) -> CampaignForm:
    """Return the form of a campaign in which annotators accept, edit or reject items; `keys` are additional keys."""
    return campaign_form(evidence, **{"decisions": DECISIONS, "needs_note": (REVISE,), "edits": True, **keys})


def _to_writer_keys(send_back: SendBack | None) -> dict[str, Any]:
    """Return the keys for `verify_form` with which annotators send items back, if the recipe allows this."""
    if send_back is None or not send_back.reviewers:
        return {}
    return {"decisions": (*DECISIONS, TO_WRITER), "needs_note": (REVISE, TO_WRITER), **sends_back(send_back)}


class Verify(ReturningCampaign):
    """Keep items that annotators accept under a rule.

    An item that is neither accepted nor rejected, and for which an annotator proposed edits, returns with these edits,
    as a new version in a new round. With `send_back`, an item that an annotator sends back goes to its writer, with the
    note, and returns as revised. The others are dropped as `rejected`, `needs_revision` (enough ask for a revision,
    without any edits), `out_of_rounds` or `no_agreement`. The run stops here, in state `waiting`, until every item has
    as many decisions as the rule requires. An item translated by `draft_translations` appears next to its source text.

    Attributes:
        rule: `single` (one annotator decides), `unanimous(N)` (N annotators who all agree), `majority(N)` (more than
            half of N), `at_least(K, of=N)`, or `adjudicated(RULE)`: an adjudicator decides items that RULE leaves open.
            If several decisions have enough votes, `accept` precedes `reject`, and `reject` precedes `revise`.
        rounds: Largest number of rounds of an item; each new version is judged in the next. An item not accepted in the
            last is dropped with its history.
        editors_verify: Let annotators judge a version that they edited themselves, as in a team of only two.
        form: Possible decisions of annotators.
        send_back: Items to send back to their writers, of those that annotators wrote in an earlier campaign: items
            that reviewers send back with a note, and items that checks flag; null sends nothing back.
        evidence: The region of the item's first picture that justifies its answer, requested with an acceptance; null
            requests none. The regions on which accepting annotators agree go into the release.
        guidelines: Instructions for annotators, in Markdown; by default those of the kind, and none if this is an empty
            text.
        handout: Assignment of tasks to annotators, including gold items.
        simulate: Let simulated annotators decide instead of people, for demonstrations, tests and trials of a recipe;
            all results state this. They close the campaign at once, under `adjudicated(RULE)` as under RULE. Remove
            this setting to switch to human annotators: the simulated decisions are archived and a new campaign opens.

    Reasons:
        rejected (drop): Enough annotators rejected the item, or an adjudicator did.
        needs_revision (drop): Enough annotators asked for a revision, and none made it; their notes describe the
            change.
        out_of_rounds (drop): Revised, or sent back to its writer, as often as the recipe allows, and still not
            accepted; the evidence describes every round.
        no_agreement (drop): No decision had enough votes.
    """

    name: ClassVar[str] = VERIFY
    consumes: ClassVar[Stream] = "items"
    revises: ClassVar[bool] = True

    rule: RuleSetting = "unanimous(2)"
    rounds: int = Field(2, ge=1, le=MAX_ROUNDS)
    editors_verify: bool = False
    form: VerifyForm = VerifyForm()
    evidence: EvidenceSettings | None = None
    guidelines: str | None = None
    simulate: SimulatedAnnotators | None = None

    @field_validator("simulate")
    @classmethod
    def _can_fill_the_slots(cls, value: SimulatedAnnotators | None, info: ValidationInfo) -> SimulatedAnnotators | None:
        if value is None or not {"rule", "form"} <= info.data.keys():
            return value
        check_enough(value, parse_rule(info.data["rule"]))
        if unknown := sorted(set(value.reasons) - set(info.data["form"].reasons)):
            raise ValueError(
                f"reason {unknown[0]!r} is not one of the form's reasons: {', '.join(info.data['form'].reasons)}"
            )
        return value

    @property
    def values(self) -> Mapping[str, str]:  # type: ignore[override]
        """Return `answer_regions` if regions are asked for: JSON of an `AnswerRegions` for each kept item."""
        return values_with_regions({}, is_asked=self.evidence is not None)

    def advance(self, records: Iterable[Item], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to date with these items; return the verdicts once every task is decided."""
        rule = parse_rule(self.rule)
        form = verify_form(
            self.evidence,
            reasons=self.form.reasons,
            guidelines=self.guidelines,
            rounds=self.rounds,
            editors_verify=self.editors_verify,
            **_to_writer_keys(self.send_back),
        )
        request = CampaignRequest(
            kind=VERIFY, rule=str(rule), slots=rule.slots, form=form, group=self.simulate, handout=self.handout
        )
        work, sizes = ItemWork(form, ctx.workspace, shows_source=True), dict[str, SizeWH | None]()
        items = records if self.evidence is None else _sized(records, work, sizes)
        history = open_in_rounds(request, items, ctx, work=work, send_back=self.send_back)
        if history.waiting is not None:
            return Verdicts(history.waiting, rerun=history.rerun)
        simulated = self.simulate is not None
        verdicts = verify_verdicts(rule, history.histories, simulated=simulated, seed=ctx.seed)
        if self.evidence is not None:
            verdicts = _with_regions(verdicts, history.histories, sizes, seed=ctx.seed)
        gold = {item_id: gold_outcome(decision) for item_id, decision in history.gold.items()}
        return self.noted(with_gold(verdicts, gold), ctx)


def _sized(records: Iterable[Item], work: ItemWork, sizes: dict[str, SizeWH | None]) -> Iterator[Item]:
    """Yield the items, and record in `sizes` the size of each item's first picture."""
    for item in records:
        sizes[item.item_id] = work.size_wh(item)
        yield item


def _with_regions(
    verdicts: Verdicts, histories: Iterable[tuple[str, ItemHistory]], sizes: Mapping[str, SizeWH | None], *, seed: int
) -> Verdicts:
    """Return the verdicts, adding to each kept item the regions agreed on by those who accepted its last version."""
    outcomes, justified = dict(verdicts.outcomes), []
    for item_id, history in histories:
        last = history.rounds[-1]
        accepted = [annotation for annotation in last.annotations if annotation.decision == ACCEPT]
        answer = justified_answer(item_id, last.content_hash, accepted, sizes[item_id])
        if history.outcome == ACCEPT and answer is not None:
            justified.append(answer)
            outcomes[item_id] = replace(outcomes[item_id], values={ANSWER_REGIONS: answer.value})
    return replace(verdicts, outcomes=outcomes, summary={**verdicts.summary, **evidence_summary(justified, seed=seed)})
