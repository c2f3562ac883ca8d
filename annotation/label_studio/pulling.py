"""Annotations on their way back from Label Studio. What cannot be trusted is told, never taken and never lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, DataError

from ..store import Campaign, ReviewStore, Task
from ..store.elsewhere import Elsewhere
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

    def to_json(self) -> dict[str, Any]:
        """Return the document that `review label-studio pull --json` prints."""
        return {
            "new": self.new,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "skipped": self.skipped,
            "quarantined": [one._asdict() for one in self.quarantined],
        }


def pull(
    store: ReviewStore, campaign: Campaign, annotated: Iterator[Mapping[str, Any]], *, names: Mapping[int, str],
    now: datetime,
) -> Pulled:  # fmt: skip
    """Take the annotations of a campaign's project into the store.

    An annotation that was changed on the server since becomes a new version. Not taken, and told, is one whose author
    is not who wrote it last (any user of the community version can write under another's name), whose author is
    nobody the names know, whose labels the form does not have, whose item has changed since, or for which no slot is
    left.

    Args:
        store: The review store.
        campaign: The campaign.
        annotated: Tasks with their annotations, as the server gives them.
        names: What the server's users are called here, by their id.
        now: This moment.
    """
    tasks = {key_of(task): task for task in store.tasks(campaign.name, states=("open", "done"))}
    counts = {"new": 0, "changed": 0, "unchanged": 0}
    quarantined: list[Quarantined] = []
    skipped = 0
    for row in annotated:
        task = tasks.get(str((row.get("data") or {}).get(KEY)))
        for one in sorted(row.get("annotations") or [], key=lambda one: (str(one.get("created_at")), one.get("id"))):
            if one.get("was_cancelled"):
                skipped += 1
                continue
            author = names.get(one.get("completed_by"))
            try:
                said = _said(campaign, task, one, author, now)
                with store.batch() as held:  # what is refused leaves nothing behind
                    counts[held.take_in(campaign.name, said, now=now)] += 1
            except BenchwrightError as error:
                item_id = None if task is None else task.item_id
                quarantined.append(Quarantined(int(one["id"]), int(row["id"]), item_id, author, str(error)))
    return Pulled(**counts, skipped=skipped, quarantined=tuple(quarantined))


def _said(
    campaign: Campaign, task: Task | None, one: Mapping[str, Any], author: str | None, now: datetime
) -> Elsewhere:
    if task is None:
        raise DataError("its item is none of the campaign's current ones: it has changed or gone since")
    if author is None:
        raise DataError(f"its author (user {one.get('completed_by')}) is unknown here")
    if one.get("updated_by") not in {None, one.get("completed_by")}:
        raise DataError(f"user {one['updated_by']} wrote it last, under the name of {author}")
    reply = read_reply(one.get("result"), campaign.form, task.payload)
    submitted = min(_moment(one.get("updated_at") or one.get("created_at")), now)
    lead = one.get("lead_time")
    seconds = min(max(float(lead), 0.0), MAX_LEAD_S) if isinstance(lead, int | float) else 0.0
    started = submitted - timedelta(seconds=seconds)
    return Elsewhere(task.id, author, reply.decision, reply.reasons, reply.note, started, submitted, reply.fields)


def _moment(text: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        raise DataError(f"it was made at {str(text)[:40]!r}, which is no moment") from None
    if moment.tzinfo is None:
        raise DataError(f"it was made at {str(text)[:40]!r}, without a time zone")
    return moment
