"""A curator's acts on the list of items: the selection in a form, the plan to confirm, and what can be undone."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.workspace.record_lookup import KnownRecord

from ...items.curator_acts import ACTS, Act, ActPlan, AssignedTasks, CuratorActs, ReopenedTasks
from ...items.item_history import known_records
from ...items.item_search import MOST_SELECTED, ItemQuery, ids_of
from ..base.state import AppState, clock
from ..own_pages.html_fields import whole_number
from ..own_pages.once_shown import SHOWN_FOR
from ..wording.curator_texts import TEXTS
from .list_query import query_of_line


class SentList(NamedTuple):
    """The list and the selection that a form of the list carries.

    Attributes:
        query: Query of the list.
        chosen: Ids of the selected records.
        is_every: Whether all hits are selected, on every page.
    """

    query: ItemQuery
    chosen: tuple[str, ...] = ()
    is_every: bool = False

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> SentList:
        """Return the list and the selection in the fields of a form."""
        chosen = tuple(dict.fromkeys(fields.get("chosen", "").split()))[:MOST_SELECTED]
        return cls(query_of_line(fields.get("list", "")), chosen, fields.get("every") == "yes")


class PlannedAct(NamedTuple):
    """An act that a curator may confirm, with the selection and the reason that it is for."""

    sent: SentList
    plan: ActPlan
    why: str


class ActsSoFar(NamedTuple):
    """What a curator did last.

    Attributes:
        number: Number of this state; a form of an earlier state is refused.
        at: Time of the change.
        planned: Act to confirm; None without one.
        done: The last act; None without one.
        assigned: The last assignment; None without one.
        reopened: Tasks just reopened; None without any.
    """

    number: int
    at: datetime
    planned: PlannedAct | None = None
    done: ActPlan | None = None
    assigned: AssignedTasks | None = None
    reopened: ReopenedTasks | None = None


class ListActs:
    """Acts of all curators on the list; plans and what can be undone are kept in memory, for `SHOWN_FOR`."""

    def __init__(self, state: AppState) -> None:
        self._state = state
        self._last: dict[str, ActsSoFar] = {}

    def last(self, curator: str) -> ActsSoFar:
        """Return what a curator did last, without what is too old to show."""
        kept = self._last.get(curator)
        if kept is None or clock() - kept.at > SHOWN_FOR:
            return ActsSoFar(0 if kept is None else kept.number, clock())
        return kept

    def shown(self, curator: str) -> ActsSoFar:
        """Return what a curator did last, and keep of it only what they can still confirm or undo."""
        last = self.last(curator)
        can_undo = last.done is not None and last.done.act != "undo"
        can_take_back = last.assigned is not None and bool(last.assigned.leases)
        self._last[curator] = last._replace(
            done=last.done if can_undo else None, assigned=last.assigned if can_take_back else None, reopened=None
        )
        return last

    def plan(self, curator: str, sent: SentList, fields: Mapping[str, str]) -> None:
        """Keep the effects of an act until the curator confirms it.

        Raises:
            BenchwrightError: Nothing is selected, or the act cannot be planned.
        """
        act, why = _act_in(fields), fields.get("why", "")
        self._check_selected(sent)

        def records_in(index: sqlite3.Connection) -> list[KnownRecord]:
            return known_records(index, ids_of(index, sent.query) if sent.is_every else sent.chosen)

        plan = self._acts_of(curator).plan(act, self._state.items.reading(records_in), why=why)
        self._keep(curator, self.last(curator)._replace(planned=PlannedAct(sent, plan, why)))

    def do(self, curator: str, fields: Mapping[str, str]) -> None:
        """Do what the curator has seen planned.

        Raises:
            BenchwrightError: The plan is no longer there, or the act is refused.
        """
        last = self._current(curator, fields)
        if last.planned is None:
            raise BenchwrightError(TEXTS["plan_gone"])
        plan = last.planned.plan
        done = self._acts_of(curator).do(plan, why=last.planned.why, now=clock())
        self._keep(curator, last._replace(planned=None, done=ActPlan(plan.act, done, ())))

    def cancel(self, curator: str) -> None:
        """Drop the plan."""
        self._keep(curator, self.last(curator)._replace(planned=None))

    def undo(self, curator: str, fields: Mapping[str, str]) -> None:
        """Undo the last act.

        Raises:
            BenchwrightError: It is no longer the last one, or another curator undid it.
        """
        last = self._current(curator, fields)
        if last.done is None or last.done.act == "undo":
            raise BenchwrightError(TEXTS["plan_gone"])
        undone = self._acts_of(curator).do(ActPlan("undo", last.done.overrides, ()), now=clock())
        self._keep(curator, last._replace(done=ActPlan("undo", undone, ())))

    def assign(self, curator: str, sent: SentList, fields: Mapping[str, str]) -> None:
        """Assign the open tasks about the selected records to a person.

        Raises:
            BenchwrightError: Nothing is selected, or no person who can sign in is named.
        """
        self._check_selected(sent)
        name = fields.get("person", "")
        if name not in self.people():
            raise BenchwrightError(TEXTS["assign_whom"])
        assigned = self._acts_of(curator).assign(self._ids(sent), name, now=clock())
        self._keep(curator, self.last(curator)._replace(assigned=assigned))

    def take_back(self, curator: str, fields: Mapping[str, str]) -> None:
        """Withdraw the last assignment.

        Raises:
            BenchwrightError: It is no longer the last one.
        """
        last = self._current(curator, fields)
        if last.assigned is None:
            raise BenchwrightError(TEXTS["plan_gone"])
        self._acts_of(curator).take_back(last.assigned, now=clock())
        self._keep(curator, last._replace(assigned=None))

    def reopen(self, curator: str, sent: SentList, fields: Mapping[str, str]) -> None:
        """Reopen the decided tasks about the selected records.

        Raises:
            BenchwrightError: Nothing is selected, or the reason is empty, too long, or not a line of text.
        """
        self._check_selected(sent)
        reopened = self._acts_of(curator).reopen(self._ids(sent), why=fields.get("again_why", ""), now=clock())
        self._keep(curator, self.last(curator)._replace(reopened=reopened))

    def people(self) -> list[str]:
        """Return the names of the accounts to whom tasks can be assigned."""
        return [person.name for person in self._state.accounts.all() if not person.is_disabled]

    def _acts_of(self, curator: str) -> CuratorActs:
        return CuratorActs(self._state.workspace, self._state.store, curator)

    def _ids(self, sent: SentList) -> list[str]:
        if not sent.is_every:
            return list(sent.chosen)
        return self._state.items.reading(lambda index: ids_of(index, sent.query))

    @staticmethod
    def _check_selected(sent: SentList) -> None:
        if not sent.chosen and not sent.is_every:
            raise BenchwrightError(TEXTS["none_selected"])

    def _current(self, curator: str, fields: Mapping[str, str]) -> ActsSoFar:
        """Return what a curator did last.

        Raises:
            BenchwrightError: The form shows an earlier state.
        """
        last = self.last(curator)
        if whole_number(fields.get("of", "")) != last.number:
            raise BenchwrightError(TEXTS["plan_gone"])
        return last

    def _keep(self, curator: str, last: ActsSoFar) -> None:
        self._last[curator] = last._replace(number=last.number + 1, at=clock())


def _act_in(fields: Mapping[str, str]) -> Act:
    """Return the act that a form names.

    Raises:
        BenchwrightError: There is no such act.
    """
    wanted = fields.get("act", "")
    act = next((act for act in ACTS if act == wanted), None)
    if act is None:
        raise BenchwrightError(f"act {wanted[:40]!r} is not one of {', '.join(ACTS)}")
    return act
