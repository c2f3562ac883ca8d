"""A campaign's tasks on their way to Label Studio. Safe to repeat: what is there already stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from benchwright.atomic import write_bytes
from benchwright.errors import BenchwrightError
from benchwright.records import ItemImage

from ..exhibit import exhibit_in
from ..originals import Originals
from ..store import Campaign, ReviewStore, Task
from .label_config import label_config, pictures_config
from .pictures import picture_file, picture_name
from .projects import Projects
from .server import Server
from .task_data import KEY, key_of, task_data

AT_ONCE = 100
"""Tasks whose pictures are made and sent before the next."""


class Shelf(Protocol):
    """Where Label Studio finds pictures."""

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Put pictures there and return the URL of each, by name."""


@dataclass(frozen=True)
class Uploaded:
    """Pictures sent to the server, which keeps them in a project of their own.

    A project with a form of several fields takes no uploads as they are.
    """

    server: Server
    projects: Projects
    campaign: str

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Upload them."""
        held_in = self.projects.pictures_of(self.campaign)
        if held_in is None or not self.server.has_project(held_in):
            title = f"Pictures of project {project}"
            held_in = self.server.make_project(title, config=pictures_config(), annotators_per_task=1)
            self.projects.remember_pictures(self.campaign, held_in)
        return self.server.upload(held_in, files)


@dataclass(frozen=True)
class LocalFiles:
    """Pictures in a folder below the server's document root (`LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT`)."""

    server: Server
    root: Path
    folder: str

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Write them and let the project serve the folder."""
        target = self.root / self.folder
        target.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            if not (target / name).exists():
                write_bytes(target / name, data)
        self.server.serve_folder(project, target.resolve())
        return {name: f"/data/local-files/?d={self.folder}/{name}" for name in files}


@dataclass(frozen=True)
class CloudUrl:
    """Pictures written to a folder that is published under a URL, such as a bucket's."""

    folder: Path
    url: str

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Write them; whoever runs this publishes the folder."""
        del project
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            if not (self.folder / name).exists():
                write_bytes(self.folder / name, data)
        return {name: f"{self.url.rstrip('/')}/{name}" for name in files}


@dataclass(frozen=True)
class Pushed:
    """What a push came to, in tasks."""

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


def push(
    store: ReviewStore, campaign: Campaign, server: Server, *, root: Path, projects: Projects, shelf: Shelf
) -> Pushed:
    """Make or update the project of a campaign, so that it has exactly the campaign's current tasks.

    Args:
        store: The review store.
        campaign: For people.
        server: Label Studio.
        root: The workspace.
        projects: Remembers which project is whose.
        shelf: Where pictures go.

    Raises:
        BenchwrightError: The campaign is simulated, or the server cannot be reached or refuses.
    """
    if campaign.is_simulated:
        raise BenchwrightError(f"campaign {campaign.name!r} is simulated: there is nothing for people to decide")
    config = label_config(campaign.form)
    project = projects.of(campaign.name, server.url)
    if project is None or not server.has_project(project):
        title = f"{campaign.name} of {root.resolve().name}"
        project = server.make_project(title, config=config, annotators_per_task=campaign.slots_per_task)
        projects.remember(campaign.name, server.url, project)
    else:
        server.update_project(project, config=config, annotators_per_task=campaign.slots_per_task)
    current = {key_of(task): task for task in store.tasks(campaign.name, states=("open", "done"))}
    there: set[str] = set()
    removed = outdated = 0
    for known in list(server.tasks(project)):
        key = str(known.data.get(KEY))
        if key in current and key not in there:
            there.add(key)
        elif known.annotations:
            outdated += 1
        else:
            server.delete_task(known.id)
            removed += 1
    sent = _Sent(campaign, server, project, Originals(root), shelf)
    lacking = [task for key, task in current.items() if key not in there]
    for start in range(0, len(lacking), AT_ONCE):
        sent.add(lacking[start : start + AT_ONCE])
    return Pushed(project, sent.added, len(there), removed, outdated, tuple(sent.unshown))


class _Sent:
    """Tasks on their way, with the pictures that they show."""

    def __init__(self, campaign: Campaign, server: Server, project: int, originals: Originals, shelf: Shelf) -> None:
        self._campaign, self._server, self._project = campaign, server, project
        self._originals, self._shelf = originals, shelf
        self._urls: dict[str, str] = {}
        self.added = 0
        self.unshown: list[tuple[str, str]] = []

    def add(self, tasks: Iterable[Task]) -> None:
        files: dict[str, bytes] = {}
        called: dict[str, str] = {}
        ready = []
        for task in tasks:
            try:
                for image in exhibit_in(task.payload).images:
                    stem = picture_name(image)
                    if stem not in self._urls and stem not in called:
                        called[stem], data = picture_file(self._originals, image)
                        files[called[stem]] = data
            except BenchwrightError as error:
                self.unshown.append((task.item_id, str(error)))
            else:
                ready.append(task)
        if files:
            urls = self._shelf.put(self._project, files)
            self._urls |= {stem: urls[name] for stem, name in called.items()}
        self._server.add_tasks(self._project, [task_data(self._campaign, task, self._url) for task in ready])
        self.added += len(ready)

    def _url(self, image: ItemImage) -> str:
        return self._urls[picture_name(image)]
