"""The campaign `verify`: people look at each item and accept or reject it, as many as its rule asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from pydantic import ValidationInfo, field_validator

from benchwright.errors import BenchwrightError
from benchwright.records import Item, Record
from benchwright.steps import CampaignContext, CampaignStep, Stream, Verdicts

from .asking import Asking, ask, work_of
from .gold import with_gold
from .hand_out import SETTING, HandOut
from .rules import DECISIONS, parse_rule
from .simulated import SimulatedAnnotators
from .store import Work
from .verdicts import closed, of_gold

KIND = "verify"


class VerifyForm(Record):
    """What an annotator can say beside accept and reject.

    Attributes:
        reasons: Codes that a decision may give.
    """

    reasons: tuple[str, ...] = (
        "wrong_answer",
        "several_answers",
        "unclear",
        "bad_image",
        "too_easy",
        "other",
    )


class Verify(CampaignStep):
    """Keep items that annotators accept under a rule.

    The others are dropped as `rejected`, `needs_revision` (enough ask for another wording) or `no_agreement`.

    Attributes:
        rule: `unanimous(2)`, `at_least(4, of=5)` or another of their kind.
        form: What annotators can say.
        guidelines: What annotators are told, in Markdown.
        handout: How tasks go out to people, gold items among them.
        simulate: Let simulated annotators decide instead of people; everything they touch says so.
    """

    name: ClassVar[str] = KIND
    consumes: ClassVar[Stream] = "items"

    rule: str = "unanimous(2)"
    form: VerifyForm = VerifyForm()
    guidelines: str | None = None
    handout: HandOut = HandOut()
    simulate: SimulatedAnnotators | None = None

    @field_validator("rule")
    @classmethod
    def _is_a_rule(cls, value: str) -> str:
        try:
            return str(parse_rule(value))
        except BenchwrightError as error:
            raise ValueError(str(error)) from None

    @field_validator("simulate")
    @classmethod
    def _can_fill_the_slots(cls, value: SimulatedAnnotators | None, info: ValidationInfo) -> SimulatedAnnotators | None:
        if value is None or not {"rule", "form"} <= info.data.keys():
            return value
        if value.annotators < (slots := parse_rule(info.data["rule"]).slots):
            raise ValueError(f"{value.annotators} annotators cannot fill {slots} slots of {info.data['rule']}")
        if unknown := sorted(set(value.reasons) - set(info.data["form"].reasons)):
            raise ValueError(f"reason {unknown[0]!r} is none of the form's: {', '.join(info.data['form'].reasons)}")
        return value

    def advance(self, records: Iterable[Item], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to these items and return the verdicts once every task is decided."""
        rule = parse_rule(self.rule)
        form = {
            "decisions": list(DECISIONS),
            "needs_note": ["revise"],
            "reasons": list(self.form.reasons),
            "guidelines": self.guidelines,
        }
        kinds_of_item: dict[str, str] = {}
        asking = Asking(
            kind=KIND, rule=str(rule), slots=rule.slots, form=form, group=self.simulate, handout=self.handout
        )
        asked = ask(asking, _work(records, kinds_of_item), ctx)
        if asked.waiting is not None:
            return Verdicts(asked.waiting)
        judged = {item_id: task for item_id, task in kinds_of_item.items() if item_id not in asked.gold}
        verdicts = closed(rule, judged, asked.decisions, simulated=self.simulate is not None, seed=ctx.seed)
        return with_gold(verdicts, {item_id: of_gold(decision) for item_id, decision in asked.gold.items()})

    def parameters(self) -> dict[str, Any]:
        """Return the settings that decide the result; how tasks go out does not."""
        return {name: value for name, value in super().parameters().items() if name != SETTING}


def _work(records: Iterable[Item], kinds_of_item: dict[str, str]) -> Iterator[Work]:
    for item in records:
        kinds_of_item[item.item_id] = item.task
        yield work_of(item)
