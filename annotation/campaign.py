"""The campaign `verify`: people look at each item and accept or reject it, as many as its rule asks for."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import ClassVar

from pydantic import ValidationInfo, field_validator

from benchwright.errors import BenchwrightError
from benchwright.records import Item, Record
from benchwright.steps import CampaignContext, CampaignStep, Stream, Verdicts

from .rules import DECISIONS, Rule, parse_rule
from .simulated import NOW, SimulatedAnnotators, simulate
from .store import CampaignStatus, ReviewStore, Work, open_store
from .verdicts import closed

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
        simulate: Let simulated annotators decide instead of people; everything they touch says so.
    """

    name: ClassVar[str] = KIND
    consumes: ClassVar[Stream] = "items"

    rule: str = "unanimous(2)"
    form: VerifyForm = VerifyForm()
    guidelines: str | None = None
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
        kinds_of_item: dict[str, str] = {}
        with open_store(ctx.store_url) as store:
            with store.batch() as held:
                self._open(held, rule, ctx)
                held.upsert_tasks(ctx.stage, _work(records, kinds_of_item))
            if self.simulate is not None:
                simulate(store, ctx.stage, self.simulate, seed=ctx.seed, stage=ctx.stage)
            status = store.status(ctx.stage, now=NOW)
            if status.tasks["open"]:
                return Verdicts(waiting=_waiting(status, ctx))
            decisions = store.decisions(ctx.stage)
        return closed(rule, kinds_of_item, decisions, simulated=self.simulate is not None, seed=ctx.seed)

    def _open(self, store: ReviewStore, rule: Rule, ctx: CampaignContext) -> None:
        settings = {} if self.simulate is None else self.simulate.model_dump(mode="json")
        form = {
            "decisions": list(DECISIONS),
            "needs_note": ["revise"],
            "reasons": list(self.form.reasons),
            "guidelines": self.guidelines,
        }
        store.upsert_campaign(
            ctx.stage, kind=KIND, rule=str(rule), slots_per_task=rule.slots, form=form, settings=settings,
            seed=ctx.seed, is_simulated=self.simulate is not None,
        )  # fmt: skip


def _work(records: Iterable[Item], kinds_of_item: dict[str, str]) -> Iterator[Work]:
    for item in records:
        kinds_of_item[item.item_id] = item.task
        yield Work(item.item_id, item.content_hash, item.model_dump(mode="json"))


def _waiting(status: CampaignStatus, ctx: CampaignContext) -> str:
    slots = status.slots["free"] + status.slots["leased"]
    total = status.tasks["open"] + status.tasks["done"]
    where = f"--workspace {shlex.quote(str(ctx.workspace))} --campaign {shlex.quote(ctx.stage)}"
    return (
        f"campaign {ctx.stage!r} waits for people: {status.tasks['open']} of {total} tasks and {slots} slots "
        f"are open under {status.rule}; write them out with "
        f"`benchwright review export {where} --out tasks.csv`, "
        "fill in annotator and decision, and read them back with "
        f"`benchwright review import tasks.csv {where}`"
    )
