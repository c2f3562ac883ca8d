"""Practice before the real work: a recipe's practice items, attempts, and annotators who are exempt from it.

These rows are not decisions: the counts, tables and agreement of a campaign never read them. The log has one row for
each completed attempt, and one for each annotator whom a curator exempted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError

from ...forms.assignment_settings import Qualification, assignment_settings_of
from ...forms.practice_item import PracticeItem
from ..database.audit import record
from ..database.dialects import insert_into
from ..database.locks import hold_annotator
from ..database.records import Campaign, RefusedError
from ..database.schema import (
    annotators,
    practice_answers,
    practice_attempts,
    practice_items,
    practised,
    slots,
    tasks,
    waivers,
)
from .tasks import find_campaign

if TYPE_CHECKING:
    from ..database.store_connection import StoreConnection


class PracticeAnswer(NamedTuple):
    """An annotator's answer to a practice item; decision and correctness are None while only the answer exists."""

    answer: str | None
    decision: str | None
    is_right: bool | None


class PracticeAttempt(NamedTuple):
    """An annotator's attempt at a campaign's practice items.

    Args:
        id: Id of the row.
        number: Number of the attempt, from 1.
        items: Names of the items, in the order in which they are shown.
        answers: Answers by the index of the item, from 0.
        begun_at: Time of the beginning.
        ended_at: Time of the decision on its last item; None until then.
    """

    id: int
    number: int
    items: tuple[str, ...]
    answers: dict[int, PracticeAnswer]
    begun_at: datetime
    ended_at: datetime | None

    @property
    def correct(self) -> int:
        """Return the number of right decisions so far."""
        return sum(answer.is_right is True for answer in self.answers.values())

    @property
    def left(self) -> list[int]:
        """Return the indices of the undecided items."""
        return [place for place in range(len(self.items)) if not self._is_decided(place)]

    def _is_decided(self, place: int) -> bool:
        return place in self.answers and self.answers[place].decision is not None


class PracticeResult(NamedTuple):
    """An annotator's result in a campaign's practice: the best completed attempt, or an exemption by a curator.

    Args:
        name: Name of the annotator.
        attempts: Number of completed attempts.
        correct: Number of right decisions in the best attempt, or None if there is none.
        of: Number of items in that attempt.
        ended_at: Time of its end, or None if there is none.
        waived_by: Curator who exempted them from practice; None if no curator did.
        waived_at: Time of the exemption; None if there is none.
    """

    name: str
    attempts: int
    correct: int | None
    of: int
    ended_at: datetime | None
    waived_by: str | None
    waived_at: datetime | None

    def is_qualified(self, qualification: Qualification) -> bool:
        """Return whether the annotator may decide."""
        return self.waived_by is not None or (self.correct or 0) >= qualification.pass_mark


def set_practice_items(connection: sa.Connection, campaign: Campaign, items: Sequence[PracticeItem]) -> None:
    """Store the practice items of a recipe, which replace the earlier items of that recipe."""
    connection.execute(sa.delete(practice_items).where(practice_items.c.campaign_id == campaign.id))
    rows = [
        {"campaign_id": campaign.id, "place": place, "body": canonical_json(item.model_dump(mode="json"))}
        for place, item in enumerate(items)
    ]
    if rows:
        connection.execute(sa.insert(practice_items), rows)


def _list_practice_items(connection: sa.Connection, campaign: Campaign) -> list[PracticeItem]:
    """Return the practice items of a campaign's recipe; empty if it uses Benchwright's own."""
    query = sa.select(practice_items.c.body).where(practice_items.c.campaign_id == campaign.id)
    rows = connection.execute(query.order_by(practice_items.c.place)).scalars()
    return [PracticeItem.model_validate_json(body) for body in rows]


_QUALIFIED = sa.select(
    sa.or_(
        sa.exists().where(
            waivers.c.campaign_id == sa.bindparam("campaign"), waivers.c.annotator_id == sa.bindparam("annotator")
        ),
        sa.exists().where(
            practice_attempts.c.campaign_id == sa.bindparam("campaign"),
            practice_attempts.c.annotator_id == sa.bindparam("annotator"),
            practice_attempts.c.ended_at.is_not(None),
            practice_attempts.c.correct >= sa.bindparam("pass_mark"),
        ),
    )
)


def check_qualified(connection: sa.Connection, campaign: Campaign, annotator_id: int, name: str) -> None:
    """Check that an annotator may decide in a campaign that requires qualification.

    Raises:
        RefusedError: They have not passed its practice, and no curator exempted them.
    """
    qualification = None if campaign.is_simulated else assignment_settings_of(campaign.settings).qualification
    if qualification is None:
        return
    wanted = {"campaign": campaign.id, "annotator": annotator_id, "pass_mark": qualification.pass_mark}
    if not connection.execute(_QUALIFIED, wanted).scalar_one():
        raise RefusedError(
            f"annotator {name!r} has not passed the practice of campaign {campaign.name!r} yet; the practice is "
            "on the page Home of the review app"
        )


class Practice:
    """The practice for the campaigns of a review store."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def items(self, campaign: Campaign) -> list[PracticeItem]:
        """Return the practice items of a campaign's recipe; empty if it uses Benchwright's own."""
        with self._store.reading() as connection:
            return _list_practice_items(connection, campaign)

    def is_qualified(self, campaign: Campaign, annotator: str) -> bool:
        """Return whether the state of practice lets an annotator decide in a campaign."""
        if _qualification_of(campaign) is None:
            return True
        with self._store.reading() as connection:
            try:
                check_qualified(connection, campaign, _id_of(connection, annotator), annotator)
            except RefusedError:
                return False
        return True

    def is_new(self, campaign: Campaign, annotator: str) -> bool:
        """Return whether an annotator has neither decided nor practiced in a campaign."""
        who = sa.select(annotators.c.id).where(annotators.c.name == annotator).scalar_subquery()
        decided = sa.exists().where(
            slots.c.annotator_id == who,
            slots.c.submitted_at.is_not(None),
            tasks.c.id == slots.c.task_id,
            tasks.c.campaign_id == campaign.id,
        )
        has_practised = sa.exists().where(
            practice_attempts.c.annotator_id == who, practice_attempts.c.campaign_id == campaign.id
        )
        with self._store.reading() as connection:
            return not connection.execute(sa.select(decided | has_practised)).scalar_one()

    def latest(self, campaign: Campaign, annotator: str) -> PracticeAttempt | None:
        """Return an annotator's latest attempt; None before the first attempt."""
        with self._store.reading() as connection:
            return _latest(connection, campaign, annotator)

    def results(self, campaign: Campaign) -> list[PracticeResult]:
        """Return, by name, the results of all annotators who completed an attempt or were exempted."""
        with self._store.reading() as connection:
            return _results(connection, campaign)

    def begin(self, campaign: Campaign, annotator: str, items: Sequence[str], *, now: datetime) -> PracticeAttempt:
        """Return a new attempt with these items, or the attempt with the same items that is already in progress.

        Raises:
            RefusedError: The annotator has completed as many attempts as the campaign allows.
        """
        with self._holding(annotator) as connection:
            latest = _latest(connection, campaign, annotator)
            if latest is not None and latest.ended_at is None and set(latest.items) == set(items):
                return latest
            most = _qualification_of(campaign)
            ended = _count_ended(connection, campaign, annotator)
            if most is not None and most.attempts is not None and ended >= most.attempts:
                raise RefusedError(f"{annotator!r} has practiced as often as this campaign allows: {ended}")
            values = {
                "campaign_id": campaign.id,
                "annotator_id": _id_of(connection, annotator),
                "number": 1 if latest is None else latest.number + 1,
                "items": canonical_json(list(items)),
                "correct": 0,
                "begun_at": now,
            }
            connection.execute(sa.insert(practice_attempts).values(values))
            for item in _list_practice_items(connection, campaign):  # whose right decisions the attempt reveals
                told = {"annotator_id": values["annotator_id"], "item_id": item.name}
                connection.execute(insert_into(connection, practised).values(told).on_conflict_do_nothing())
            begun = _latest(connection, campaign, annotator)
            assert begun is not None
            return begun

    def answer(
        self, campaign: Campaign, annotator: str, place: int, answer: PracticeAnswer, *, now: datetime
    ) -> PracticeAttempt:
        """Store an annotator's answer to an item in the attempt in progress; decided answers are not changed.

        Raises:
            RefusedError: No attempt is in progress, or it has no such item.
        """
        with self._holding(annotator) as connection:
            attempt = _latest(connection, campaign, annotator)
            if attempt is None or attempt.ended_at is not None or not 0 <= place < len(attempt.items):
                raise RefusedError("this practice has ended; begin it again")
            if place not in attempt.left:
                return attempt
            of_item = (practice_answers.c.attempt_id == attempt.id) & (practice_answers.c.place == place)
            connection.execute(sa.delete(practice_answers).where(of_item))
            values = {"attempt_id": attempt.id, "place": place, "answered_at": now, **answer._asdict()}
            connection.execute(sa.insert(practice_answers).values(values))
            attempt = attempt._replace(answers={**attempt.answers, place: answer})
            is_over = not attempt.left
            if is_over:
                attempt = attempt._replace(ended_at=now)
                about = {"campaign": campaign.name, "correct": attempt.correct, "items": len(attempt.items)}
                record(connection, "practised", actor=annotator, at=now, **about)
            kept = {"correct": attempt.correct, "ended_at": attempt.ended_at}
            connection.execute(sa.update(practice_attempts).where(practice_attempts.c.id == attempt.id).values(kept))
            return attempt

    def let_in(self, campaign: str, annotator: str, *, by: str, now: datetime) -> None:
        """Let an annotator decide in a campaign without passing its practice; the log names the curator.

        Raises:
            BenchwrightError: No such annotator exists, or the campaign requires no qualification.
        """
        with self._holding(annotator) as connection:
            settings = find_campaign(connection, campaign)
            if _qualification_of(settings) is None:
                raise BenchwrightError(
                    f"campaign {campaign!r} requires no qualification; all its annotators may decide"
                )
            annotator_id = _id_of(connection, annotator)
            values = {"campaign_id": settings.id, "annotator_id": annotator_id, "waived_by": by, "waived_at": now}
            made = connection.execute(
                insert_into(connection, waivers).values(values).on_conflict_do_nothing(),
                execution_options={"preserve_rowcount": True},  # else PostgreSQL's driver returns -1
            )
            if made.rowcount:
                record(connection, "let_in", actor=by, at=now, campaign=settings.name, name=annotator)

    @contextmanager
    def _holding(self, annotator: str) -> Iterator[sa.Connection]:
        """Write while no other session can change this annotator's rows, so that two windows take turns."""
        with self._store.writing() as connection:
            hold_annotator(connection, annotator)
            yield connection


def _qualification_of(campaign: Campaign) -> Qualification | None:
    return assignment_settings_of(campaign.settings).qualification


def _id_of(connection: sa.Connection, name: str) -> int:
    query = sa.select(annotators.c.id).where(annotators.c.name == name, annotators.c.kind == "person")
    annotator_id = connection.execute(query).scalar_one_or_none()
    if annotator_id is None:
        raise BenchwrightError(f"no annotator is called {name[:100]!r} here")
    return int(annotator_id)


def _count_ended(connection: sa.Connection, campaign: Campaign, annotator: str) -> int:
    query = (
        sa.select(sa.func.count())
        .select_from(practice_attempts.join(annotators))
        .where(
            practice_attempts.c.campaign_id == campaign.id,
            practice_attempts.c.ended_at.is_not(None),
            annotators.c.name == annotator,
        )
    )
    return int(connection.execute(query).scalar_one())


def _latest(connection: sa.Connection, campaign: Campaign, annotator: str) -> PracticeAttempt | None:
    query = (
        sa.select(practice_attempts)
        .join(annotators)
        .where(practice_attempts.c.campaign_id == campaign.id, annotators.c.name == annotator)
        .order_by(practice_attempts.c.number.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    answers = connection.execute(sa.select(practice_answers).where(practice_answers.c.attempt_id == row.id))
    by_place = {answer.place: PracticeAnswer(answer.answer, answer.decision, answer.is_right) for answer in answers}
    return PracticeAttempt(row.id, row.number, tuple(json.loads(row.items)), by_place, row.begun_at, row.ended_at)


def _results(connection: sa.Connection, campaign: Campaign) -> list[PracticeResult]:
    ended = (
        sa.select(annotators.c.name, practice_attempts)
        .join(annotators)
        .where(practice_attempts.c.campaign_id == campaign.id, practice_attempts.c.ended_at.is_not(None))
        .order_by(practice_attempts.c.correct, practice_attempts.c.number.desc())
    )
    results: dict[str, PracticeResult] = {}
    for row in connection.execute(ended):  # the best attempt comes last, the earliest of equals
        attempts = results[row.name].attempts + 1 if row.name in results else 1
        of = len(json.loads(row.items))
        results[row.name] = PracticeResult(row.name, attempts, row.correct, of, row.ended_at, None, None)
    let_in = sa.select(annotators.c.name, waivers).join(annotators).where(waivers.c.campaign_id == campaign.id)
    for row in connection.execute(let_in):
        result = results.get(row.name, PracticeResult(row.name, 0, None, 0, None, None, None))
        results[row.name] = result._replace(waived_by=row.waived_by, waived_at=row.waived_at)
    return [results[name] for name in sorted(results)]
