"""Annotations on their way back from Label Studio. What cannot be trusted is told, never taken and never lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, DataError

from ..store import Campaign, ReviewStore, Task
from ..store.database.records import TASK_STATES
from ..store.submissions.external_annotations import ExternalAnnotation, Taken
from ..workflow.closing import close_decided
from ..workflow.revisions import open_next_rounds
from .replies import read_reply
from .task_data import KEY, key_of

MAX_LEAD_S = 86_400.0


class Quarantined(NamedTuple):
    """An annotation that was not taken in, and why."""

    annotation: int
    task: int
    item_id: str | None
    author: str | None
    reason: str


@dataclass(frozen=True)
class Pulled:
    """What a pull came to, in annotations."""

    new: int
    changed: int
    unchanged: int
    skipped: int
    quarantined: tuple[Quarantined, ...]

    def __add__(self, other: Pulled) -> Pulled:
        return Pulled(
            self.new + other.new, self.changed + other.changed, self.unchanged + other.unchanged,
            self.skipped + other.skipped, (*self.quarantined, *other.quarantined),
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return the document that `review label-studio pull --json` prints."""
        return {
            "new": self.new,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "skipped": self.skipped,
            "quarantined": [one._asdict() for one in self.quarantined],
        }


class KnownAnnotation(NamedTuple):
    """An annotation by somebody who is known.

    Args:
        task: Of the campaign, in the store; None where it is none of these.
        author: What its author is called here.
        annotation: As the server gives it.
        row: The server's task.
        now: The moment of the pull.
    """

    task: Task | None
    author: str
    annotation: Mapping[str, Any]
    row: Mapping[str, Any]
    now: datetime

    @property
    def known(self) -> Task:
        """Return the task.

        Raises:
            DataError: The campaign has none such.
        """
        if self.task is None:
            raise DataError("its item is none of the campaign's: it has changed or gone since")
        return self.task


Take = Callable[[ReviewStore, Campaign, KnownAnnotation], Taken]
"""Takes an annotation into the store; raises BenchwrightError where it does not."""


def plainly(store: ReviewStore, campaign: Campaign, said: KnownAnnotation) -> Taken:
    """Take an annotation in as a decision."""
    return store.take_in(campaign.name, said_of(campaign, said), now=said.now)


def pull(
    store: ReviewStore, campaign: Campaign, annotated: Iterable[Mapping[str, Any]], *, names: Mapping[int, str],
    now: datetime, take: Take = plainly,
) -> Pulled:  # fmt: skip
    """Take the annotations of a campaign's project into the store.

    An annotation that was changed on the server since becomes a new version. Not taken, and told, is one whose author
    is not who wrote it last (any user of the community version can write under another's name), whose author is
    nobody the names know, whose labels the form does not have, whose item has changed since, or for which no slot is
    left. What was taken of an item before it changed is there, and nothing new. Of several that somebody made of one
    task, the last one counts.

    Args:
        store: The review store.
        campaign: The campaign.
        annotated: Tasks with their annotations, as the server gives them.
        names: What the server's users are called here, by their id.
        now: This moment.
        take: Takes one in.
    """
    tasks = {key_of(task): task for task in store.tasks(campaign.name, states=TASK_STATES)}
    counts: Counter[str] = Counter(new=0, changed=0, unchanged=0)
    quarantined: list[Quarantined] = []
    skipped = 0
    for row in annotated:
        task = tasks.get(str((row.get("data") or {}).get(KEY)))
        newest = _newest(row, names)
        for one in in_order(row):
            if one.get("was_cancelled"):
                skipped += 1
                continue
            author = names.get(one.get("completed_by") or 0)
            try:
                said = KnownAnnotation(task, trusted(one, author), one, row, now)
                if newest[said.author] != one["id"]:  # they said it anew
                    skipped += 1
                    continue
                with store.batch() as held:  # what is refused leaves nothing behind
                    counts[take(held, campaign, said)] += 1
            except BenchwrightError as error:
                item_id = None if task is None else task.item_id
                quarantined.append(Quarantined(int(one["id"]), int(row["id"]), item_id, author, str(error)))
    close_decided(store, campaign)
    open_next_rounds(store, campaign.name)
    return Pulled(**counts, skipped=skipped, quarantined=tuple(quarantined))


def in_order(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return a task's annotations, the first one first."""
    return sorted(row.get("annotations") or [], key=lambda one: (str(one.get("created_at")), one.get("id")))


def _newest(row: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, int]:
    """Return the annotation that counts of each author of a task, whatever others wrote in their name."""
    found: dict[str, int] = {}
    for one in in_order(row):
        author = names.get(one.get("completed_by") or 0)
        if author is not None and is_own(one) and not one.get("was_cancelled"):
            found[author] = int(one["id"])
    return found


def is_own(one: Mapping[str, Any]) -> bool:
    """Return whether an annotation was last written by whose it is."""
    return one.get("updated_by") in {None, one.get("completed_by")}


def trusted(one: Mapping[str, Any], author: str | None) -> str:
    """Return who wrote an annotation.

    Raises:
        DataError: Nobody who is known, or somebody else wrote it last.
    """
    if author is None:
        raise DataError(f"its author (user {one.get('completed_by')}) is unknown here")
    if not is_own(one):
        raise DataError(f"user {one['updated_by']} wrote it last, under the name of {author}")
    return author


def said_of(campaign: Campaign, said: KnownAnnotation, *, votes: bool = False) -> ExternalAnnotation:
    """Return what an annotation says, read against the form.

    Raises:
        DataError: It is not what the form lets people say.
    """
    task = said.known
    submission = read_reply(said.annotation.get("result"), campaign.form, task.payload, votes=votes)
    started, submitted = moments_of(said.annotation, said.now)
    return ExternalAnnotation(task.id, said.author, submission, started, submitted)


def moments_of(one: Mapping[str, Any], now: datetime) -> tuple[datetime, datetime]:
    """Return when somebody began an annotation, and when they gave it: not after now, and not over a day apart."""
    submitted = min(_moment(one.get("updated_at") or one.get("created_at")), now)
    lead = one.get("lead_time")
    seconds = min(max(float(lead), 0.0), MAX_LEAD_S) if isinstance(lead, int | float) else 0.0
    return submitted - timedelta(seconds=seconds), submitted


def _moment(text: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        raise DataError(f"it was made at {str(text)[:40]!r}, which is no moment") from None
    if moment.tzinfo is None:
        raise DataError(f"it was made at {str(text)[:40]!r}, without a time zone")
    return moment
