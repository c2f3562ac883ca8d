"""What was pulled and is deleted on the server since, whose decisions go on counting here until a curator decides.

Nothing in the store is taken back because of it: every user of the server may delete what others labelled there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal, NamedTuple

from .projects import Projects, TakenAnnotation
from .pulling import Pulled


class Deleted(NamedTuple):
    """An annotation that was pulled and is no longer there; `what` was deleted, it alone, its task or its project."""

    annotation: int
    task: int
    item_id: str | None
    author: str
    what: Literal["annotation", "task", "project"]


def find_deleted(
    projects: Projects,
    campaign: str,
    pulled: Pulled,
    *,
    current: Collection[str],
    tasks_there: Callable[[], Collection[int]],
    gone: Collection[int] = (),
    forgets: bool = False,
) -> list[Deleted]:
    """Return what was pulled before and is deleted since, and remember what was pulled now.

    An annotation that its author replaced by another one is not deleted, nor is one of an item that has changed since,
    whose decision counts no more.

    Args:
        projects: Projects of the workspace, which remember what was pulled.
        campaign: Name of the campaign.
        pulled: What was just pulled of all its projects.
        current: Keys of the campaign's tasks as they are now.
        tasks_there: Function that returns the ids of all tasks of the projects; called only if something is missing.
        gone: Ids of its projects that are no longer there.
        forgets: Whether what is deleted is remembered no more, so that it is returned this time only.
    """
    known = {**projects.taken_of(campaign), **{taken.annotation: taken for taken in pulled.taken}}
    replaced = {_place(taken) for taken in pulled.taken}
    missing = [taken for taken in known.values() if taken.annotation not in pulled.there]
    deleted = [taken for taken in missing if _place(taken) not in replaced and taken.key in {None, *current}]
    left = tasks_there() if deleted else ()
    for taken in missing:
        if _place(taken) in replaced or (forgets and taken in deleted):
            del known[taken.annotation]
    projects.remember_taken(campaign, known)
    return [
        Deleted(
            taken.annotation,
            taken.task,
            taken.item_id,
            taken.author,
            "project" if taken.project in gone else "annotation" if taken.task in left else "task",
        )
        for taken in sorted(deleted)
    ]


def _place(taken: TakenAnnotation) -> tuple[int, str | int, str]:
    """Return what an annotator has one annotation of: an item in a project, or a task that is of no item."""
    return taken.project, taken.key or taken.task, taken.author
