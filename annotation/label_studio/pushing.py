"""A campaign's tasks on their way to Label Studio. Safe to repeat: what is there already stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError
from benchwright.records import ItemImage

from ..forms.kinds import COLLECT
from ..forms.task_content import content_in
from ..store import Campaign, ReviewStore, Task
from ..store.database.records import TASK_STATES, TaskState
from ..workflow.image_files import ImageFiles
from .collect_config import collect_config, prompt_data
from .editing import letters_of
from .image_hosting import ImageHosting
from .label_config import label_config
from .pictures import picture_file, picture_name
from .projects import Projects
from .server import Server
from .task_data import KEY, key_of, task_data

AT_ONCE = 100
"""Tasks whose pictures are made and sent before the next."""


@dataclass(frozen=True)
class Pushed:
    """What a push came to, in tasks of one project."""

    project: int
    added: int
    there: int
    removed: int
    outdated: int
    """Gone from the campaign, left on the server because somebody has labelled them."""
    unshown: tuple[tuple[str, str], ...]
    """Items that could not be sent, with the reason."""

    def to_json(self) -> dict[str, Any]:
        """Return the document that `review label-studio push --json` prints."""
        return {
            "project": self.project,
            "added": self.added,
            "there": self.there,
            "removed": self.removed,
            "outdated": self.outdated,
            "not_sent": [{"item_id": item_id, "reason": why} for item_id, why in self.unshown],
        }


DataOf = Callable[[Task, Callable[[ItemImage], str]], dict[str, Any]]
"""Makes a task's data of the task and of where its pictures are."""


def push(
    store: ReviewStore, campaign: Campaign, server: Server, *, root: Path, projects: Projects, hosting: ImageHosting
) -> Pushed:
    """Make or update the project of a campaign, so that it has exactly the campaign's current tasks.

    Args:
        store: The review store.
        campaign: For people.
        server: Label Studio.
        root: The workspace.
        projects: Remembers which project is whose.
        hosting: Where pictures go.

    Raises:
        BenchwrightError: The campaign is simulated, or the server cannot be reached or refuses.
    """
    if campaign.is_simulated:
        raise BenchwrightError(f"campaign {campaign.name!r} is simulated: there is nothing for people to decide")
    is_collected = campaign.kind == COLLECT
    asked = store.tasks(campaign.name, states=TASK_STATES)
    letters = letters_of(asked)
    config = collect_config(campaign.form, asked) if is_collected else label_config(campaign.form, letters=letters)
    project = projects.of(campaign.name, server.url)
    if project is None or not server.has_project(project):
        title = f"{campaign.name} of {root.resolve().name}"
        project = server.make_project(title, config=config, annotators_per_task=campaign.slots_per_task)
        projects.remember(campaign.name, server.url, project)
    else:
        server.update_project(project, config=config, annotators_per_task=campaign.slots_per_task)
    states: tuple[TaskState, ...] = ("open",) if is_collected else ("open", "done")
    current = {key_of(task): task for task in store.tasks(campaign.name, states=states)}

    def data_of(task: Task, url_of: Callable[[ItemImage], str]) -> dict[str, Any]:
        return prompt_data(task) if is_collected else task_data(campaign, task, url_of, letters=letters)

    return bring_up_to_date(server, project, current, ImageFiles(root), hosting, data_of=data_of)


def bring_up_to_date(
    server: Server,
    project: int,
    current: Mapping[str, Task],
    originals: ImageFiles,
    hosting: ImageHosting,
    *,
    data_of: DataOf,
    ready: Container[str] | None = None,
) -> Pushed:
    """Add the tasks that a project lacks, and take away what is current no more and nobody has labelled.

    Args:
        server: Label Studio.
        project: There.
        current: Tasks that may be there, by key.
        originals: Pictures.
        hosting: Where pictures go.
        data_of: Makes a task's data.
        ready: Keys of those that are added; all, where None.
    """
    there: set[str] = set()
    removed = outdated = 0
    for known in list(server.tasks(project)):
        if KEY not in known.data:  # somebody else brought it
            continue
        key = str(known.data[KEY])
        if key in current and key not in there:
            there.add(key)
        elif known.annotations:
            outdated += 1
        else:
            server.delete_task(known.id)
            removed += 1
    sent = _Sent(data_of, server, project, originals, hosting)
    lacking = [task for key, task in current.items() if key not in there and (ready is None or key in ready)]
    for start in range(0, len(lacking), AT_ONCE):
        sent.add(lacking[start : start + AT_ONCE])
    return Pushed(project, sent.added, len(there), removed, outdated, tuple(sent.unshown))


class _Sent:
    """Tasks on their way, with the pictures that they show."""

    def __init__(
        self, data_of: DataOf, server: Server, project: int, originals: ImageFiles, hosting: ImageHosting
    ) -> None:
        self._data_of, self._server, self._project = data_of, server, project
        self._originals, self._hosting = originals, hosting
        self._urls: dict[str, str] = {}
        self.added = 0
        self.unshown: list[tuple[str, str]] = []

    def add(self, tasks: Iterable[Task]) -> None:
        files: dict[str, bytes] = {}
        called: dict[str, str] = {}
        ready = []
        for task in tasks:
            try:
                for image in content_in(task.payload).images:
                    stem = picture_name(image)
                    if stem not in self._urls and stem not in called:
                        called[stem], data = picture_file(self._originals, image)
                        files[called[stem]] = data
            except BenchwrightError as error:
                self.unshown.append((task.item_id, str(error)))
            else:
                ready.append(task)
        if files:
            urls = self._hosting.put(self._project, files)
            self._urls |= {stem: urls[name] for stem, name in called.items()}
        self._server.add_tasks(self._project, [self._data_of(task, self._url) for task in ready])
        self.added += len(ready)

    def _url(self, image: ItemImage) -> str:
        return self._urls[picture_name(image)]
