"""A review in Label Studio: one project asks for answers without the key; another shows the key and asks for votes.

Every user of the server can read every task there. So an item's key is pushed only once all its answers are in the
store, which accepts no further answers from then on. The key is removed again once a new version of the item is pushed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchwright.records import ItemImage

from ..store.database.records import TASK_STATES, Campaign, Task
from ..store.review_store import ReviewStore
from ..store.submissions.external_annotations import (
    ExternalAnswer,
    Taken,
    answered_by_all,
    seconds_before_key,
    take_in_answer,
)
from ..workflow.image_files import ImageFiles
from .editing import letters_of
from .image_hosting import ImageHosting
from .label_config import label_config
from .projects import Projects
from .pulling import KnownAnnotation, external_annotation
from .pushing import Pushed, bring_up_to_date
from .server import Server
from .task_data import KEY, REVIEWERS, blanked, key_of, task_data


def push_votes(
    store: ReviewStore, campaign: Campaign, server: Server, *, root: Path, projects: Projects, hosting: ImageHosting
) -> Pushed:
    """Create or update the votes project, with the items that as many annotators as the rule requires have answered.

    The campaign's first project exists already (`pushing.push`).
    """
    letters = letters_of(store.tasks(campaign.name, states=TASK_STATES))
    config = label_config(campaign.form, letters=letters, votes=True)
    before = project = projects.votes_of(campaign.name)
    if project is None or not server.has_project(project):
        title = f"Votes of {campaign.name} of {root.resolve().name}"
        project = server.make_project(title, config=config, annotators_per_task=campaign.slots_per_task)
        projects.remember_votes(campaign.name, project)
    else:
        server.update_project(project, config=config, annotators_per_task=campaign.slots_per_task)
    current = {key_of(task): task for task in store.tasks(campaign.name, states=("open", "done"))}
    with store.reading() as connection:
        answered = answered_by_all(connection, campaign)

    def data_of(task: Task, url_of: Callable[[ItemImage], str]) -> dict[str, Any]:
        data = task_data(campaign, task, url_of, letters=letters, votes=True)
        return data | {REVIEWERS: f"To be voted on by {', '.join(answered[task.id])}, who answered it"}

    is_again = before not in {None, project}
    ready = {key for key, task in current.items() if task.id in answered and not (is_again and task.state == "done")}
    result = bring_up_to_date(server, project, current, ImageFiles(root), hosting, data_of=data_of, ready=ready)
    _take_keys_away(server, project, current)
    return replace(result, instead_of=before if is_again else None)


def _take_keys_away(server: Server, project: int, current: Collection[str]) -> None:
    """Remove the right choice and the explanation from outdated tasks that are kept because they are labeled."""
    for task in list(server.tasks(project)):
        if str(task.data.get(KEY)) not in current and (data := blanked(task.data)) != task.data:
            server.update_task(task.id, data)


def shown_in(server: Server, project: int | None) -> frozenset[str]:
    """Return the keys of the tasks whose right answers a project shows."""
    return frozenset() if project is None else frozenset(str(task.data.get(KEY)) for task in server.tasks(project))


def may_be_shown(store: ReviewStore, campaign: Campaign) -> frozenset[str]:
    """Return the keys of the tasks whose right answers may have been shown in a deleted votes project."""
    with store.reading() as connection:
        answered = answered_by_all(connection, campaign)
    return frozenset(key_of(task) for task in store.tasks(campaign.name, states=TASK_STATES) if task.id in answered)


def answer_taker(shown: Collection[str]) -> Callable[[ReviewStore, Campaign, KnownAnnotation], Taken]:
    """Return a function that stores answers given without the key, and refuses answers for items whose key is shown."""

    def take(store: ReviewStore, campaign: Campaign, received: KnownAnnotation) -> Taken:
        annotation = external_annotation(campaign, received)
        answer = ExternalAnswer(
            annotation.task_id,
            annotation.annotator,
            annotation.submission.decision,
            annotation.started_at,
            annotation.submitted_at,
        )
        with store.writing(alone=True) as connection:
            is_shown = key_of(received.known) in shown
            return take_in_answer(connection, campaign.name, answer, is_shown=is_shown, now=received.now)

    return take


def take_votes(store: ReviewStore, campaign: Campaign, received: KnownAnnotation) -> Taken:
    """Store the votes of an annotator who has answered."""
    with store.reading() as connection:
        before_s = seconds_before_key(connection, received.known.id, received.author)
    annotation = external_annotation(campaign, received, votes=True)
    after_s = (annotation.submitted_at - annotation.started_at).total_seconds()
    submission = replace(annotation.submission, active_s=before_s + after_s)
    return store.take_in(campaign.name, annotation._replace(submission=submission), now=received.now)
