"""Pull annotations from Label Studio; untrusted annotations are reported, and are neither stored nor lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, DataError

from ..store.database.records import TASK_STATES, Campaign, Task
from ..store.review_store import ReviewStore
from ..store.submissions.external_annotations import ExternalAnnotation, Taken
from ..workflow.pausing import care_in_words, pause_careless
from ..workflow.settlement.closing import close_early
from ..workflow.settlement.marked_regions import compare_regions
from ..workflow.settlement.revisions import open_next_rounds
from .projects import TakenAnnotation
from .replies import read_reply
from .task_data import KEY, key_of

_MAX_LEAD_S = 86_400.0


class Quarantined(NamedTuple):
    """An annotation that was not stored, and the reason why not."""

    annotation: int
    task: int
    item_id: str | None
    author: str | None
    reason: str


@dataclass(frozen=True)
class Pulled:
    """Result of a pull, counted in annotations.

    Attributes:
        new: Number of annotations stored for the first time.
        changed: Number of annotations stored as a new version.
        unchanged: Number of annotations that were already stored in this form.
        skipped: Number of annotations ignored because they were skipped there or replaced by a later one by the same
            author.
        quarantined: Annotations that were not stored.
        returned: Number of annotations that were deleted there earlier and restored, so that they count again.
        paused: Names of annotators whom the campaign's limits paused after the pull, with the evidence.
        taken: Annotations that were stored.
        there: Ids of all annotations on the server, except those skipped there.
    """

    new: int
    changed: int
    unchanged: int
    skipped: int
    quarantined: tuple[Quarantined, ...]
    taken: tuple[TakenAnnotation, ...] = ()
    there: frozenset[int] = frozenset()
    returned: int = 0
    paused: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: Pulled) -> Pulled:
        return Pulled(
            self.new + other.new,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
            self.skipped + other.skipped,
            (*self.quarantined, *other.quarantined),
            (*self.taken, *other.taken),
            self.there | other.there,
            self.returned + other.returned,
            (*self.paused, *other.paused),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the counts that `review label-studio pull --json` prints, without `returned`."""
        return {
            "new": self.new,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "skipped": self.skipped,
            "quarantined": [annotation._asdict() for annotation in self.quarantined],
        }


class KnownAnnotation(NamedTuple):
    """An annotation on the server whose author is known.

    Args:
        task: Task of the campaign in the store; None if the campaign has no such task.
        author: Name of its author in the store.
        annotation: The annotation as the server returns it.
        row: The server's task.
        now: Time of the pull.
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
            DataError: The campaign has no such task.
        """
        if self.task is None:
            raise DataError("its item is not in the campaign: it has changed or been removed since then")
        return self.task


Take = Callable[[ReviewStore, Campaign, KnownAnnotation], Taken]
"""Function that stores an annotation, or raises BenchwrightError."""


def _submit_annotation(store: ReviewStore, campaign: Campaign, received: KnownAnnotation) -> Taken:
    """Store an annotation as a decision on a task."""
    return store.take_in(campaign.name, external_annotation(campaign, received), now=received.now)


def pull(
    store: ReviewStore,
    campaign: Campaign,
    annotated: Iterable[Mapping[str, Any]],
    *,
    names: Mapping[int, str],
    now: datetime,
    take: Take = _submit_annotation,
) -> Pulled:
    """Store the annotations of a campaign's project.

    An annotation changed on the server since the last pull becomes a new version. An annotation is reported and not
    stored in these cases: a person other than its author wrote it last (any user of the community version can write
    under another's name), its author has no name in `names`, its labels do not fit the form, its item has changed
    since, or no slot is left. Annotations stored before their item changed count as unchanged. Of several annotations
    of one task by one author, the last one counts.

    Args:
        store: Review store.
        campaign: Campaign of the project.
        annotated: Tasks with their annotations, as the server returns them.
        names: Annotators' names in the store, by user id on the server.
        now: Current time.
        take: Function that stores an annotation; default `_submit_annotation`.
    """
    tasks = {key_of(task): task for task in store.tasks(campaign.name, states=TASK_STATES)}
    counts: Counter[str] = Counter(new=0, changed=0, unchanged=0, returned=0)
    quarantined: list[Quarantined] = []
    taken: list[TakenAnnotation] = []
    there: set[int] = set()
    skipped = 0
    for row in annotated:
        task = tasks.get(str((row.get("data") or {}).get(KEY)))
        newest = _newest(row, names)
        for annotation in in_order(row):
            if annotation.get("was_cancelled"):
                skipped += 1
                continue
            there.add(int(annotation["id"]))
            author = names.get(annotation.get("completed_by") or 0)
            try:
                known = KnownAnnotation(task, trusted(annotation, author), annotation, row, now)
                if newest[known.author] != annotation["id"]:  # a later one replaces it
                    skipped += 1
                    continue
                with store.batch() as held:  # a refused annotation leaves nothing behind
                    counts[take(held, campaign, known)] += 1
                taken.append(_taken(known))
            except BenchwrightError as error:
                item_id = None if task is None else task.item_id
                quarantined.append(Quarantined(int(annotation["id"]), int(row["id"]), item_id, author, str(error)))
    careless = pause_careless(store, campaign, {each.author for each in taken}, now=now)
    compare_regions(store, campaign)
    close_early(store, campaign)
    open_next_rounds(store, campaign.name)
    return Pulled(
        **counts,
        skipped=skipped,
        quarantined=tuple(quarantined),
        taken=tuple(taken),
        there=frozenset(there),
        paused=tuple((care.rater, care_in_words(care)) for care in careless),
    )


def _taken(received: KnownAnnotation) -> TakenAnnotation:
    task, row = received.task, received.row
    key = None if task is None else key_of(task)
    item_id = None if task is None else task.item_id
    project = int(row.get("project") or 0)
    return TakenAnnotation(int(received.annotation["id"]), int(row["id"]), project, key, item_id, received.author)


def in_order(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return a task's annotations in the order of their creation."""
    return sorted(
        row.get("annotations") or [], key=lambda annotation: (str(annotation.get("created_at")), annotation.get("id"))
    )


def _newest(row: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, int]:
    """Return the id of each author's latest own annotation of a task; annotations that others edited are ignored."""
    newest: dict[str, int] = {}
    for annotation in in_order(row):
        author = names.get(annotation.get("completed_by") or 0)
        if author is not None and is_own(annotation) and not annotation.get("was_cancelled"):
            newest[author] = int(annotation["id"])
    return newest


def is_own(annotation: Mapping[str, Any]) -> bool:
    """Return whether an annotation was last written by its author."""
    return annotation.get("updated_by") in {None, annotation.get("completed_by")}


def trusted(annotation: Mapping[str, Any], author: str | None) -> str:
    """Return the author of an annotation.

    Raises:
        DataError: The author is unknown, or another person wrote the annotation last.
    """
    if author is None:
        raise DataError(f"its author (user {annotation.get('completed_by')}) is unknown here")
    if not is_own(annotation):
        raise DataError(f"user {annotation['updated_by']} wrote it last, under the name of {author}")
    return author


def external_annotation(campaign: Campaign, received: KnownAnnotation, *, votes: bool = False) -> ExternalAnnotation:
    """Return an annotation in the form that the store accepts, after checking it against the campaign's form.

    Raises:
        DataError: The annotation does not fit the form.
    """
    task = received.known
    submission = read_reply(received.annotation.get("result"), campaign.form, task.payload, votes=votes)
    started, submitted = moments_of(received.annotation, received.now)
    return ExternalAnnotation(task.id, received.author, submission, started, submitted)


def moments_of(annotation: Mapping[str, Any], now: datetime) -> tuple[datetime, datetime]:
    """Return the times at which an annotation was begun and submitted, not in the future and at most a day apart."""
    submitted = min(_moment(annotation.get("updated_at") or annotation.get("created_at")), now)
    lead = annotation.get("lead_time")
    seconds = min(max(float(lead), 0.0), _MAX_LEAD_S) if isinstance(lead, int | float) else 0.0
    return submitted - timedelta(seconds=seconds), submitted


def _moment(text: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        raise DataError(f"it was made at {str(text)[:40]!r}, which is not a time") from None
    if moment.tzinfo is None:
        raise DataError(f"it was made at {str(text)[:40]!r}, without a time zone")
    return moment
