"""The form for a recipe step: a campaign's rule and care, and every plain setting, prefilled from the text.

A sent form becomes edits of the recipe's text, one for each setting that differs from the shown value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from benchwright.errors import BenchwrightError
from benchwright.settings.help import Setting, settings_of
from benchwright.steps import CampaignStep, Step

from ...forms.assignment_settings import AssignmentSettings, GoldFrom
from ...forms.kinds import REVIEW, VERIFY
from ...store.review_store import ReviewStore
from ...workflow.accepted_gold import RIGHT, accepted_now
from ...workflow.attention import CHECKED_KINDS
from ...workflow.settlement.rules import Rule, parse_rule
from ..base.setting_texts import setting_in_words, setting_label
from ..own_pages.html_fields import FieldWords, area_field, check_field, choice_field, text_field
from ..wording.own_page_texts import TEXTS
from .accepted_gold import sources_of_gold, write_gold
from .recipe_edits import with_setting

_AS_IT_IS, _NONE, _ACCEPTED = "", "none", "accepted:"
_LEAST_VOTES = 2
_LONG = 60
"""Number of characters above which a text gets a field of several lines."""
_ADJUDICATED = (VERIFY, REVIEW)


class StepForm(NamedTuple):
    """The form for one step.

    Attributes:
        number: Number of the step in the recipe, from 0.
        entry: Entry of the step in the recipe.
        step: The step from the recipe.
    """

    number: int
    entry: str
    step: Step

    def shown(self) -> dict[str, str]:
        """Return the values that the form initially shows, by field."""
        values = {f"set-{name}": _spelled(value) for name, value in self._plain().items()}
        if (rule := self._rule()) is not None:
            values |= {"votes": str(rule.slots), "agree": str(rule.need), "adjudicated": _yes(rule.is_adjudicated)}
        if (handout := self._handout()) is not None:
            values |= {
                "gold": _AS_IT_IS,
                "gold_fills": "" if handout.gold_from is None else str(handout.gold_from.votes),
                "gold_rate": f"{handout.gold_rate:g}",
                "attention_rate": "" if handout.attention_rate is None else f"{handout.attention_rate:g}",
                "pass_mark": "" if handout.qualification is None else str(handout.qualification.pass_mark),
                "pause": _yes(handout.pause is not None),
                "rate": "" if handout.pay is None else f"{handout.pay.rate:.2f}",
                "currency": "USD" if handout.pay is None else handout.pay.currency,
            }
        return values

    def html(self, values: Mapping[str, str], store: ReviewStore) -> str:
        """Return the fields as HTML.

        Args:
            values: Values of the fields.
            store: Review store, whose accepted items may become gold.
        """
        return "".join([*self._rule_fields(values), *self._care_fields(values, store), *self._plain_fields(values)])

    def edited(self, text: str, sent: Mapping[str, str], workspace: Path, store: ReviewStore) -> str:
        """Return the recipe's text with the changed settings.

        Args:
            text: Text of the recipe.
            sent: Sent values, by field.
            workspace: Folder of the workspace, for a table of gold items.
            store: Review store.

        Raises:
            BenchwrightError: A value is invalid, or the text does not allow the change.
        """
        shown = self.shown()
        changed = {name: sent[name].strip() for name in shown if name in sent and sent[name].strip() != shown[name]}
        for keys, value in self._edits({**shown, **changed}, changed, workspace, store):
            text = with_setting(text, self.number, keys, value)
        return text

    def _edits(
        self, values: Mapping[str, str], changed: Mapping[str, str], workspace: Path, store: ReviewStore
    ) -> Iterator[tuple[tuple[str, ...], Any]]:
        """Yield the settings to write, each with its value; reading the text again refuses invalid ones."""
        plain = self._plain()
        for field, written in changed.items():
            if field.startswith("set-"):
                name = field.removeprefix("set-")
                yield (name,), _value_of(written, like=plain[name], of=name)
        if changed.keys() & {"votes", "agree", "adjudicated"}:
            rule = Rule(
                _number(values["agree"], "agree"),
                _number(values["votes"], "votes"),
                is_adjudicated=values["adjudicated"] == "yes",
            )
            yield ("rule",), str(rule)
        if "gold" in changed:
            chosen = changed["gold"]
            is_accepted = chosen.startswith(_ACCEPTED)
            gold = write_gold(workspace, store, chosen.removeprefix(_ACCEPTED)) if is_accepted else None
            yield ("handout", "gold"), gold
        if "gold_fills" in changed:
            votes, handout = changed["gold_fills"], self._handout()
            before = handout.gold_from if handout is not None else None
            kept = {} if before is None else before.model_dump(mode="json", exclude_defaults=True)
            yield ("handout", "gold_from"), {**kept, "votes": _number(votes, "gold_fills")} if votes else None
        for field in ("gold_rate", "attention_rate"):
            if field in changed:
                yield ("handout", field), float(_number(changed[field], field)) if changed[field] else None
        if "pass_mark" in changed:
            mark = changed["pass_mark"]
            yield ("handout", "qualification"), {"pass_mark": int(_number(mark, "pass_mark"))} if mark else None
        if "pause" in changed:
            yield ("handout", "pause"), {} if changed["pause"] == "yes" else None
        if changed.keys() & {"rate", "currency"}:
            rate = values["rate"]
            pay = {"rate": float(_number(rate, "rate")), "currency": values["currency"]} if rate else None
            yield ("handout", "pay"), pay

    def _rule(self) -> Rule | None:
        rule = getattr(self.step, "rule", None)
        return parse_rule(rule) if isinstance(self.step, CampaignStep) and isinstance(rule, str) else None

    def _handout(self) -> AssignmentSettings | None:
        handout = getattr(self.step, "handout", None)
        return handout if isinstance(handout, AssignmentSettings) else None

    def _plain(self) -> dict[str, Any]:
        """Return the plain settings of the step except its rule: texts, numbers and switches."""
        parts = {
            setting.name for setting in settings_of(type(self.step)) if setting.kind.startswith(("mapping", "list"))
        }
        values = {name: getattr(self.step, name) for name in type(self.step).model_fields if name not in parts}
        has_rule = self._rule() is not None
        return {
            name: value
            for name, value in values.items()
            if isinstance(value, str | int | float | None) and not (name == "rule" and has_rule)
        }

    def _rule_fields(self, values: Mapping[str, str]) -> Iterator[str]:
        if self._rule() is None:
            return
        fields = "".join(
            text_field(name, values[name], FieldWords(TEXTS[f"field_{name}"]), more='inputmode="numeric"')
            for name in ("votes", "agree")
        )
        yield f'<div class="two">{fields}</div>'
        if self.step.name in _ADJUDICATED:
            words = FieldWords(TEXTS["field_adjudicated"], TEXTS["hint_adjudicated"])
            yield check_field("adjudicated", values["adjudicated"], words)

    def _care_fields(self, values: Mapping[str, str], store: ReviewStore) -> Iterator[str]:
        handout = self._handout()
        if handout is None:
            return
        now = TEXTS["gold_now"].format(file=Path(handout.gold).name) if handout.gold else TEXTS["no_gold"]
        options = {_AS_IT_IS: now} | ({_NONE: TEXTS["no_gold"]} if handout.gold else {})
        for name, count in sources_of_gold(store).items():
            options[f"{_ACCEPTED}{name}"] = TEXTS["gold_accepted"].format(count=count, campaign=name)
        yield choice_field(
            "gold", values["gold"], FieldWords(TEXTS["field_gold"], TEXTS["hint_gold_accepted"]), options
        )
        if self.step.name in RIGHT:
            least = _LEAST_VOTES if handout.gold_from is None else handout.gold_from.votes
            count = accepted_now(store, self.entry, handout.gold_from or GoldFrom(votes=least))
            hint = TEXTS["hint_gold_fills"].format(votes=least, count=count)
            words = FieldWords(TEXTS["field_gold_fills"], hint)
            yield text_field("gold_fills", values["gold_fills"], words, more='inputmode="numeric"')
        checked = ("gold_rate", "attention_rate") if self.step.name in CHECKED_KINDS else ("gold_rate",)
        fields = "".join(
            text_field(name, values[name], FieldWords(TEXTS[f"field_{name}"]), more='inputmode="decimal"')
            for name in (*checked, "pass_mark", "rate", "currency")
        )
        yield f'<div class="two">{fields}</div>'
        yield check_field("pause", values["pause"], FieldWords(TEXTS["field_pause"], TEXTS["hint_pause"]))

    def _plain_fields(self, values: Mapping[str, str]) -> Iterator[str]:
        helps: dict[str, Setting] = {setting.name: setting for setting in settings_of(type(self.step))}
        for name, value in self._plain().items():
            field, told = f"set-{name}", helps.get(name)
            words = FieldWords(setting_label(name), "" if told is None else setting_in_words(told))
            if isinstance(value, bool):
                yield check_field(field, values[field], words)
            elif isinstance(value, str) and (len(value) > _LONG or "\n" in value or name == "guidelines"):
                yield area_field(field, values[field], words, rows=6, more='dir="auto"')
            else:
                yield text_field(field, values[field], words, more='autocomplete="off" dir="auto"')


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _spelled(value: Any) -> str:
    """Return a setting in the notation of its field; empty if the setting is absent."""
    if isinstance(value, bool):
        return _yes(value)
    return "" if value is None else str(value) if isinstance(value, str | int) else f"{value:g}"


def _number(text: str, field: str) -> Any:
    """Return the number in a field's text.

    Raises:
        BenchwrightError: The text is not a number.
    """
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        raise BenchwrightError(f"{TEXTS[f'field_{field}']}: {text[:40]!r} is not a number") from None
    return int(number) if number.is_integer() else number


def _value_of(written: str, *, like: Any, of: str) -> Any:
    """Return a field's text as the value of a setting: a string if `like` is a string, or else as parsed by YAML."""
    if isinstance(like, bool):
        return written == "yes"
    if not written:
        return None if like is None or not isinstance(like, str) else ""
    if isinstance(like, str):
        return written
    try:
        return yaml.safe_load(written)
    except yaml.YAMLError:
        raise BenchwrightError(f"{of}: {written[:60]!r} is not a valid value of this setting") from None
