"""Annotations that were deleted on the server after a pull; their votes do not count until they return.

Every user of the server may delete others' labels there, so the store removes nothing. A vote is withdrawn, and its
item opens again. The vote counts again once its author labels the item again, or a curator requests it. Deleting a
whole project withdraws nothing: cleaning up a server withdraws no decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Literal, NamedTuple

from ..store.campaigns.withdrawn_votes import Vote
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from ..workflow.set_asides import withdraw_deleted
from .projects import Projects, TakenAnnotation
from .pulling import Pulled


class Deleted(NamedTuple):
    """An annotation that was pulled but no longer exists.

    Attributes:
        annotation: Its id on the server.
        task: Id of its task there.
        item_id: Item; None if the task has none.
        author: Name of its author in the store.
        what: The deleted object: the annotation alone, its task or its project.
        withdrawn: Whether its vote was withdrawn; False if its decision still counts.
    """

    annotation: int
    task: int
    item_id: str | None
    author: str
    what: Literal["annotation", "task", "project"]
    withdrawn: bool = False


def find_deleted(
    store: ReviewStore,
    projects: Projects,
    campaign: Campaign,
    pulled: Pulled,
    *,
    current: Mapping[str, int],
    tasks_there: Callable[[], Collection[int]],
    now: datetime,
    gone: Collection[int] = (),
    keeps: bool = False,
) -> list[Deleted]:
    """Return the annotations deleted after an earlier pull, withdraw their votes, and record the present pull.

    An annotation that its author replaced by another one is not deleted, nor is one on an item that has changed since,
    whose decision no longer counts. Withdrawn annotations are returned only this time; if `keeps`, so is everything.

    Args:
        store: Review store.
        projects: Projects of the workspace, which record pulled annotations.
        campaign: The campaign.
        pulled: Result of the pull of all its projects.
        current: Ids of the campaign's current tasks, by key.
        tasks_there: Function that returns the ids of all tasks of the projects; called only if any is missing.
        now: Time of the pull.
        gone: Ids of its deleted projects.
        keeps: Whether deleted annotations still count; default False.
    """
    known = {**projects.taken_of(campaign.name), **{taken.annotation: taken for taken in pulled.taken}}
    replaced = {_place(taken) for taken in pulled.taken}
    missing = [taken for taken in known.values() if taken.annotation not in pulled.there]
    deleted = [taken for taken in missing if _place(taken) not in replaced and taken.key in {None, *current}]
    left = tasks_there() if deleted else ()
    of_gone = {taken.annotation for taken in deleted if taken.is_moved or taken.project in gone}
    # In a review, answers given before the key was shown stay; only its votes can be withdrawn.
    votes_in = projects.votes_of(campaign.name) if campaign.form.blind_first else None
    votes = {
        taken.annotation: Vote(current[taken.key], taken.author)
        for taken in deleted
        if taken.key is not None and taken.annotation not in of_gone and votes_in in {None, taken.project}
    }
    if campaign.form.blind_first and votes_in is None:
        votes = {}
    withdrawn = frozenset() if keeps or not votes else withdraw_deleted(store, campaign, votes.values(), now=now)
    is_withdrawn = {annotation for annotation, vote in votes.items() if vote in withdrawn}
    for taken in missing:
        if _place(taken) in replaced or (keeps and taken in deleted) or taken.annotation in is_withdrawn:
            del known[taken.annotation]
    projects.remember_taken(campaign.name, known)
    return [
        Deleted(
            taken.annotation,
            taken.task,
            taken.item_id,
            taken.author,
            "project" if taken.annotation in of_gone else "annotation" if taken.task in left else "task",
            taken.annotation in is_withdrawn,
        )
        for taken in sorted(deleted)
    ]


def _place(taken: TakenAnnotation) -> tuple[int, str | int, str]:
    """Return where an annotator has only one annotation: on an item in a project, or on a task without an item."""
    return taken.project, taken.key or taken.task, taken.author
