"""The campaigns `screen` and `screen_items`: people look through all images, or all items, and discard some.

II-Bench has people discard images that imply nothing or are poor (stage 3 of its filtering, section 3.2); BLINK has
them filter out items that are ambiguous (section 3.3). What is discarded is dropped for the reason that people gave.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from benchwright.records import ImageRecord, Item, ItemImage, Record
from benchwright.review_tasks import Code
from benchwright.steps import CampaignContext, Stream, Verdicts

from .asking import Asking, ask, work_of
from .exhibit import Exhibit, work_on
from .gold import with_gold
from .handed_out import HandedOut
from .kinds import KINDS, SCREEN, SCREEN_ITEMS
from .rule_setting import AnnotatorsRule
from .rules import parse_rule
from .screening_form import NO_AGREEMENT, screening_form
from .screening_verdicts import gold_screened, screened
from .simulated_forms import SimulatedScreeners
from .store.payloads import Work


class ScreenForm(Record):
    """Why an image may be discarded.

    Attributes:
        reasons: Codes, in the order of the number keys; the drop goes by the one that most gave.
    """

    reasons: tuple[Code, ...] = Field(
        ("no_implication", "poor_quality", "mostly_text", "offensive", "personal_data", "other"),
        min_length=1,
        max_length=20,
    )


class ScreenItemsForm(Record):
    """Why an item may be discarded.

    Attributes:
        reasons: As of images.
    """

    reasons: tuple[Code, ...] = Field(
        ("ambiguous", "wrong_answer", "answer_given_away", "bad_image", "other"), min_length=1, max_length=20
    )


class _Screening(HandedOut):
    """What both have: a rule, reasons, guidelines, how tasks go out, simulated annotators."""

    rule: AnnotatorsRule = "unanimous(1)"
    form: Any
    guidelines: str | None = None
    simulate: SimulatedScreeners | None = None

    @field_validator("form")
    @classmethod
    def _each_reason_once(cls, value: Any) -> Any:
        if len(set(value.reasons)) != len(value.reasons) or NO_AGREEMENT in value.reasons:
            raise ValueError(f"give each reason once, and none that is called {NO_AGREEMENT!r}")
        return value

    @field_validator("simulate")
    @classmethod
    def _can_fill_the_slots(cls, value: SimulatedScreeners | None, info: ValidationInfo) -> SimulatedScreeners | None:
        if value is None or not {"rule", "form"} <= info.data.keys():
            return value
        return value.fit_for(parse_rule(info.data["rule"]), info.data["form"].reasons)

    def advance(self, records: Iterable[Any], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to these records and return the verdicts once every task is decided."""
        rule = parse_rule(self.rule)
        form = screening_form(self.form.reasons)
        guidelines = self.guidelines if self.guidelines is not None else KINDS[self.name].guidelines
        asking = Asking(
            kind=self.name, rule=str(rule), slots=rule.slots,
            form={**form.model_dump(mode="json"), "guidelines": guidelines}, group=self.simulate, handout=self.handout,
        )  # fmt: skip
        kinds: dict[str, str] = {}
        asked = ask(asking, self._work(records, kinds), ctx)
        if asked.waiting is not None:
            return Verdicts(asked.waiting)
        by_people = {one: kind for one, kind in kinds.items() if one not in asked.gold}
        verdicts = screened(
            rule, self.form.reasons, by_people, asked.decisions, kind=self.name, simulated=self.simulate is not None,
            seed=ctx.seed,
        )  # fmt: skip
        known = {one: self.handout.known(one) for one in asked.gold}
        return with_gold(
            verdicts, {one: gold_screened(asked.gold[one], why.reason) for one, why in known.items() if why is not None}
        )

    def _work(self, records: Iterable[Any], kinds: dict[str, str]) -> Iterator[Work]:
        """Yield a task for each record, and note what kind of record it is."""
        raise NotImplementedError


class Screen(_Screening):
    """Let people look at each image and keep or discard it; drop what they discard, for the reason that they gave.

    Attributes:
        rule: How many look at an image and how many must agree; where they do not, it is dropped as `no_agreement`.
        form: Why an image may be discarded.
        guidelines: What annotators are told, in Markdown.
        handout: How tasks go out to people, gold ones among them.
        simulate: Let simulated annotators decide instead of people; everything they touch says so.
    """

    name: ClassVar[str] = SCREEN
    consumes: ClassVar[Stream] = "images"

    form: ScreenForm = ScreenForm()

    def _work(self, records: Iterable[ImageRecord], kinds: dict[str, str]) -> Iterator[Work]:
        for record in records:
            kinds[record.image_id] = "image"
            shown = (ItemImage(image_id=record.image_id, role="reference"),)
            exhibit = Exhibit(task="image", question="Does this image belong in the benchmark?", images=shown)
            yield work_on(record.image_id, record.image_id, exhibit)


class ScreenItems(_Screening):
    """Let people look at each item with its key and keep or discard it; drop what they discard.

    Attributes:
        rule: How many look at an item and how many must agree; where they do not, it is dropped as `no_agreement`.
        form: Why an item may be discarded.
        guidelines: What annotators are told, in Markdown.
        handout: How tasks go out to people, gold ones among them.
        simulate: Let simulated annotators decide instead of people; everything they touch says so.
    """

    name: ClassVar[str] = SCREEN_ITEMS
    consumes: ClassVar[Stream] = "items"

    form: ScreenItemsForm = ScreenItemsForm()

    def _work(self, records: Iterable[Item], kinds: dict[str, str]) -> Iterator[Work]:
        for item in records:
            kinds[item.item_id] = item.task
            yield work_of(item)
