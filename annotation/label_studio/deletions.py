"""What was pulled and is deleted on the server since: votes that count here no more until they come back.

Every user of the server may delete what others labelled there. So nothing is removed from the store: a vote is
withdrawn, its item is asked again, and the vote counts again once its author labels the item anew, or a curator says
so. A project that is gone as a whole withdraws nothing: whoever clears a server up takes no decision back.
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
    """An annotation that was pulled and is no longer there.

    Attributes:
        annotation: Its id on the server.
        task: Id of its task there.
        item_id: Item; None where the task is of no item.
        author: Name of its author here.
        what: What was deleted: it alone, its task or its project.
        withdrawn: Whether its vote was withdrawn; False where its decision goes on counting.
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
    """Return what was pulled before and is deleted since, withdraw those votes, and remember what was pulled now.

    An annotation that its author replaced by another one is not deleted, nor is one of an item that has changed since,
    whose decision counts no more. What was withdrawn is returned this time only, and so is everything if `keeps`.

    Args:
        store: Review store.
        projects: Projects of the workspace, which remember what was pulled.
        campaign: The campaign.
        pulled: What was just pulled of all its projects.
        current: Ids of the campaign's tasks as they are now, by key.
        tasks_there: Function that returns the ids of all tasks of the projects; called only if something is missing.
        now: Moment of the pull.
        gone: Ids of its projects that are no longer there.
        keeps: Whether what is deleted goes on counting; default False.
    """
    known = {**projects.taken_of(campaign.name), **{taken.annotation: taken for taken in pulled.taken}}
    replaced = {_place(taken) for taken in pulled.taken}
    missing = [taken for taken in known.values() if taken.annotation not in pulled.there]
    deleted = [taken for taken in missing if _place(taken) not in replaced and taken.key in {None, *current}]
    left = tasks_there() if deleted else ()
    of_gone = {taken.annotation for taken in deleted if taken.is_moved or taken.project in gone}
    # In a review, what was answered before the key was shown stays; only its votes can be withdrawn.
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
    """Return what an annotator has one annotation of: an item in a project, or a task that is of no item."""
    return taken.project, taken.key or taken.task, taken.author
