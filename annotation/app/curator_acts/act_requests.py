"""Answers to the forms about one record or a selection: an act is done only if its effects are those that were shown.

The effects are planned again when the curator confirms them. If they differ from those that the page showed, nothing is
done, and the page shows the new plan.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from benchwright.errors import BenchwrightError

from ...items.curator_acts import ACTS, Act, ActPlan, CuratorActs
from ...items.item_history import known_records
from ..base.state import AppState, clock
from ..own_pages.curator_requests import AccountRequest
from ..own_pages.once_shown import SHOWN_FOR
from ..wording.curator_texts import TEXTS
from ..wording.texts import message_of
from .act_forms import SentForm, assigned_words, reopened_words
from .last_acts import LastAct, LastActs


class ChosenRecords(NamedTuple):
    """The records that a form is about.

    Attributes:
        place: Id of the record on its own page; empty on the list.
        ids: Ids of the records.
    """

    place: str
    ids: Sequence[str]


class ActRequests:
    """Answers to the forms of `ActForms` on one page, and the last act of each curator there."""

    def __init__(self, state: AppState) -> None:
        self._state = state
        self._last = LastActs()
        self._plans: dict[str, tuple[datetime, str | None, dict[str, str], SentForm]] = {}
        self._doing = threading.Lock()
        self._answers: dict[str, Callable[[AccountRequest, ChosenRecords], SentForm | None]] = {
            "plan": self._plan, "do": self._do, "undo": self._undo, "assign": self._assign,
            "take-back": self._take_back, "reopen": self._reopen,
        }  # fmt: skip

    @property
    def names(self) -> list[str]:
        """Return the names of the forms."""
        return list(self._answers)

    def answer(self, name: str, asked: AccountRequest, chosen: ChosenRecords) -> SentForm | None:
        """Make the change that a form asks for and return None, or return the form to show again."""
        try:
            if not chosen.ids and name not in {"undo", "take-back"}:
                raise BenchwrightError(TEXTS["none_selected"])
            return self._answers[name](asked, chosen)
        except BenchwrightError as error:
            return SentForm("plan" if name == "do" else name, problem=message_of(error), status=422)

    def acts_of(self, asked: AccountRequest) -> CuratorActs:
        """Return the acts of the curator who sent a request."""
        return CuratorActs(self._state.workspace, self._state.store, asked.account.name)

    def people(self) -> list[str]:
        """Return the names of the accounts to whom tasks can be assigned."""
        return [person.name for person in self._state.accounts.all() if not person.is_disabled]

    def show_last(self, asked: AccountRequest, place: str) -> LastAct | None:
        """Return the report of the curator's last change, once or as long as it can be taken back."""
        return self._last.show(asked.account.name, place, now=clock())

    def keep(self, asked: AccountRequest, place: str, act: LastAct) -> None:
        """Keep the report of a change for the next page."""
        self._last.put(asked.account.name, place, act)

    def show_plan(self, asked: AccountRequest, place: str) -> tuple[AccountRequest, SentForm] | None:
        """Return the act that the curator has just planned, once: the request with its fields, and the form."""
        since, where, fields, sent = self._plans.pop(asked.account.name, (clock(), None, {}, SentForm()))
        is_new = where == place and clock() - since <= SHOWN_FOR
        return (asked._replace(fields=fields), sent) if is_new else None

    def _plan(self, asked: AccountRequest, chosen: ChosenRecords) -> None:
        # Kept for the page to which the browser is led, so that Back and Forward do not send the form again.
        plan = self._planned(asked, chosen)
        sent = SentForm("plan", plan=plan, mark=self._mark(asked, chosen, plan))
        self._plans[asked.account.name] = (clock(), chosen.place, asked.fields, sent)

    def _do(self, asked: AccountRequest, chosen: ChosenRecords) -> SentForm | None:
        with self._doing:  # a form that is sent twice is done once
            plan = self._planned(asked, chosen)
            mark = self._mark(asked, chosen, plan)
            if asked.fields.get("planned") != mark:
                return SentForm("plan", plan=plan, mark=mark, status=409)
            self._done(asked, chosen.place, plan, why=asked.fields.get("why", ""))
        return None

    def _mark(self, asked: AccountRequest, chosen: ChosenRecords, plan: ActPlan) -> str:
        """Return a text that differs for plans with other effects, and after another act of the curator.

        The reason for an act may change until it is done.
        """
        effects = plan.overrides if plan.act == "undo" else [replace(override, why="") for override in plan.overrides]
        last = self._last.get(asked.account.name, chosen.place, now=clock())
        since = "" if last is None or not last.can_be_taken_back else last.mark
        return hashlib.sha256(repr((since, plan.act, sorted(map(repr, effects)))).encode()).hexdigest()

    def _undo(self, asked: AccountRequest, chosen: ChosenRecords) -> None:
        with self._doing:
            last = self._shown(asked, chosen.place)
            self._done(asked, chosen.place, ActPlan("undo", last.overrides, ()))

    def _assign(self, asked: AccountRequest, chosen: ChosenRecords) -> SentForm | None:
        name = asked.fields.get("person", "")
        if name not in self.people():
            raise BenchwrightError(TEXTS["assign_whom"])
        assigned = self.acts_of(asked).assign(chosen.ids, name, now=clock())
        words = assigned_words(assigned)
        if not assigned.leases:
            return SentForm("assign", problem="\n".join(words), status=409)
        self.keep(asked, chosen.place, LastAct(clock(), words, assigned=assigned))
        return None

    def _take_back(self, asked: AccountRequest, chosen: ChosenRecords) -> None:
        with self._doing:
            last = self._shown(asked, chosen.place)
            if last.assigned is not None:
                self.acts_of(asked).take_back(last.assigned, now=clock())
            self._last.drop(asked.account.name, chosen.place, last)

    def _reopen(self, asked: AccountRequest, chosen: ChosenRecords) -> SentForm | None:
        reopened = self.acts_of(asked).reopen(chosen.ids, why=asked.fields.get("again_why", ""), now=clock())
        words = reopened_words(reopened)
        if not reopened.tasks:
            return SentForm("reopen", problem="\n".join(words), status=409)
        self.keep(asked, chosen.place, LastAct(clock(), words))
        return None

    def _planned(self, asked: AccountRequest, chosen: ChosenRecords) -> ActPlan:
        act = _act_in(asked)
        records = self._state.items.reading(lambda index: known_records(index, chosen.ids))
        return self.acts_of(asked).plan(act, records, why=asked.fields.get("why", ""))

    def _done(self, asked: AccountRequest, place: str, plan: ActPlan, *, why: str = "") -> None:
        done = self.acts_of(asked).do(plan, why=why, now=clock())
        words = [TEXTS[f"did_{plan.act}"].format(count=len(done))]
        self.keep(asked, place, LastAct(clock(), words, () if plan.act == "undo" else tuple(done)))

    def _shown(self, asked: AccountRequest, place: str) -> LastAct:
        """Return the change that a form takes back.

        Raises:
            BenchwrightError: It is no longer the curator's last one, or its time is over.
        """
        last = self._last.get(asked.account.name, place, now=clock())
        if last is None or not last.can_be_taken_back or asked.fields.get("of") != last.mark:
            raise BenchwrightError(TEXTS["plan_gone"])
        return last


def _act_in(asked: AccountRequest) -> Act:
    """Return the act that a form names.

    Raises:
        BenchwrightError: There is no such act.
    """
    wanted = asked.fields.get("act", "")
    act = next((act for act in ACTS if act == wanted), None)
    if act is None:
        raise BenchwrightError(f"act {wanted[:40]!r} is not one of {', '.join(ACTS)}")
    return act
