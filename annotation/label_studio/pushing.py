"""Push a campaign's tasks to Label Studio; this is safe to repeat, because existing tasks are left unchanged."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchwright.canonical import digest
from benchwright.drawing.previews import preview
from benchwright.errors import BenchwrightError
from benchwright.records import ItemImage

from ..forms.kinds import COLLECT
from ..forms.task_content import content_in
from ..store.database.records import TASK_STATES, Campaign, Task, TaskState
from ..store.review_store import ReviewStore
from ..workflow.gold import gold_tasks, takes_gold_elsewhere
from ..workflow.image_files import ImageFiles
from .collect_config import collect_config, prompt_data
from .editing import letters_of
from .image_hosting import ImageHosting
from .label_config import label_config
from .predictions import MODEL_VERSION, predictions_of
from .projects import Projects
from .server import Server
from .task_data import KEY, key_of, task_data

_AT_ONCE = 100
"""Number of tasks whose pictures are prepared and sent in one batch."""
_MAX_SIDE_PX = 4096
"""Maximum side length of a sent picture, in pixels."""
_LOSSLESS_PX = 1_000_000
"""Maximum number of pixels in a picture sent as PNG."""


@dataclass(frozen=True)
class Pushed:
    """Result of a push, counted in tasks of a project."""

    project: int
    added: int
    unchanged: int
    removed: int
    outdated: int
    """Number of tasks that left the campaign but stay on the server because they are labeled there."""
    unshown: tuple[tuple[str, str], ...]
    """Ids of items that could not be sent, with the reasons."""
    instead_of: int | None = None
    """Deleted project that the project replaces; None if there is none."""

    def to_json(self) -> dict[str, Any]:
        """Return the document that `review label-studio push --json` prints."""
        return {
            "project": self.project,
            "instead_of": self.instead_of,
            "added": self.added,
            "there": self.unchanged,
            "removed": self.removed,
            "outdated": self.outdated,
            "not_sent": [{"item_id": item_id, "reason": why} for item_id, why in self.unshown],
        }


DataOf = Callable[[Task, Callable[[ItemImage], str]], dict[str, Any]]
"""Function that makes a task's data from the task and a function that returns the URL of a picture."""


def push(
    store: ReviewStore,
    campaign: Campaign,
    server: Server,
    *,
    root: Path,
    projects: Projects,
    hosting: ImageHosting,
    gold: bool = False,
) -> Pushed:
    """Create or update the project for a campaign, so that it contains exactly the campaign's current tasks.

    A project that was deleted on the server is created again with only the open tasks, so that no finished work is
    repeated.

    Args:
        store: Review store.
        campaign: Campaign with human annotators.
        server: Label Studio server.
        root: Folder of the workspace.
        projects: Projects of the workspace, in which the campaign's project is recorded.
        hosting: Hosting of pictures.
        gold: Whether to include gold items, to check the annotators; default False.

    Raises:
        BenchwrightError: The campaign is simulated or accepts no gold; or the server is unreachable or refuses a
            request.
    """
    if gold and not takes_gold_elsewhere(campaign):
        raise BenchwrightError(f"--gold is for decisions on items; campaign {campaign.name!r} collects something else")
    if campaign.is_simulated:
        raise BenchwrightError(f"campaign {campaign.name!r} is simulated: people decide nothing there")
    is_collected = campaign.kind == COLLECT
    tasks = store.tasks(campaign.name, states=TASK_STATES)
    letters = letters_of(tasks)
    config = collect_config(campaign.form, tasks) if is_collected else label_config(campaign.form, letters=letters)
    before = project = projects.of(campaign.name, server.url)
    if project is None or not server.has_project(project):
        title = f"{campaign.name} of {root.resolve().name}"
        project = server.make_project(title, config=config, annotators_per_task=campaign.slots_per_task)
        projects.remember(campaign.name, server.url, project)
    else:
        server.update_project(project, config=config, annotators_per_task=campaign.slots_per_task)
    states: tuple[TaskState, ...] = ("open",) if is_collected else ("open", "done")
    current = {key_of(task): task for task in store.tasks(campaign.name, states=states)}
    if gold:
        current |= {key_of(task): task for task in gold_tasks(store, campaign)}
        current = dict(sorted(current.items()))

    def data_of(task: Task, url_of: Callable[[ItemImage], str]) -> dict[str, Any]:
        return prompt_data(task) if is_collected else task_data(campaign, task, url_of, letters=letters)

    predictions = {key: drafted for key, task in current.items() if (drafted := predictions_of(campaign, task))}
    is_again = before not in {None, project}
    ready = {key for key, task in current.items() if task.state == "open"} if is_again else None
    pushed = bring_up_to_date(
        server, project, current, ImageFiles(root), hosting, data_of=data_of, ready=ready, predictions=predictions
    )
    if predictions:
        server.show_predictions(project, MODEL_VERSION)
    return replace(pushed, instead_of=before if is_again else None)


def bring_up_to_date(
    server: Server,
    project: int,
    current: Mapping[str, Task],
    originals: ImageFiles,
    hosting: ImageHosting,
    *,
    data_of: DataOf,
    ready: Container[str] | None = None,
    predictions: Mapping[str, list[dict[str, Any]]] | None = None,
) -> Pushed:
    """Add the tasks that a project lacks, and delete outdated tasks without labels.

    Args:
        server: Label Studio server.
        project: Id of the project.
        current: Tasks of the campaign that the project may contain, by key.
        originals: Image files of the workspace.
        hosting: Hosting of pictures.
        data_of: Function that makes a task's data.
        ready: Keys of the tasks to add; default all.
        predictions: Predictions of tasks that have any, by key; default none.
    """
    present: dict[str, int] = {}
    removed = outdated = 0
    for server_task in list(server.tasks(project)):
        if KEY not in server_task.data:  # imported by hand
            continue
        key = str(server_task.data[KEY])
        if key in current and key not in present:
            present[key] = server_task.id
        elif server_task.annotations:
            outdated += 1
        else:
            server.delete_task(server_task.id)
            removed += 1
    upload = _TaskUpload(data_of, server, project, originals, hosting, predictions or {})
    if hosting.is_lost:
        there = [current[key] for key in present]
        for start in range(0, len(there), _AT_ONCE):
            upload.show_again(there[start : start + _AT_ONCE], present)
    lacking = [task for key, task in current.items() if key not in present and (ready is None or key in ready)]
    for start in range(0, len(lacking), _AT_ONCE):
        upload.add(lacking[start : start + _AT_ONCE])
    return Pushed(project, upload.added, len(present), removed, outdated, tuple(upload.unshown))


class _TaskUpload:
    """Adds tasks to a project, with their pictures."""

    def __init__(
        self,
        data_of: DataOf,
        server: Server,
        project: int,
        originals: ImageFiles,
        hosting: ImageHosting,
        predictions: Mapping[str, list[dict[str, Any]]],
    ) -> None:
        self._data_of, self._server, self._project = data_of, server, project
        self._originals, self._hosting, self._predictions = originals, hosting, predictions
        self._urls: dict[str, str] = {}
        self.added = 0
        self.unshown: list[tuple[str, str]] = []

    def add(self, tasks: Iterable[Task]) -> None:
        ready = self._with_pictures(tasks)
        self._server.add_tasks(self._project, [self._document(task) for task in ready])
        self.added += len(ready)

    def show_again(self, tasks: Iterable[Task], numbers: Mapping[str, int]) -> None:
        """Host the pictures of existing tasks again, and update the links in the tasks; annotations are kept."""
        for task in self._with_pictures(tasks):
            self._server.update_task(numbers[key_of(task)], self._data_of(task, self._url))

    def _with_pictures(self, tasks: Iterable[Task]) -> list[Task]:
        """Host the pictures of tasks, and return those tasks whose pictures could be prepared."""
        files: dict[str, bytes] = {}
        file_names: dict[str, str] = {}
        ready = []
        for task in tasks:
            try:
                for image in content_in(task.payload).images:
                    stem = picture_name(image)
                    if stem not in self._urls and stem not in file_names:
                        file_names[stem], data = _picture_file(self._originals, image)
                        files[file_names[stem]] = data
            except BenchwrightError as error:
                self.unshown.append((task.item_id, str(error)))
            else:
                ready.append(task)
        if files:
            urls = self._hosting.put(self._project, files)
            self._urls |= {stem: urls[name] for stem, name in file_names.items()}
        return ready

    def _document(self, task: Task) -> dict[str, Any]:
        data = self._data_of(task, self._url)
        if not self._predictions:
            return data
        return {"data": data, "predictions": self._predictions.get(key_of(task), [])}

    def _url(self, image: ItemImage) -> str:
        return self._urls[picture_name(image)]


def picture_name(image: ItemImage) -> str:
    """Return a file name, without a suffix, that is the same for equal pictures with equal marks."""
    marks = digest([prompt.model_dump(mode="json") for prompt in image.prompts])[:8] if image.prompts else "plain"
    return f"{image.image_id[:24]}-{marks}"


def _picture_file(originals: ImageFiles, image: ItemImage) -> tuple[str, bytes]:
    """Return the name and the bytes of a picture with its marks.

    Raises:
        DataError: The image's file is missing or has changed.
        UnreadableImage: The image can no longer be decoded.
    """
    made = preview(
        originals.data(image.image_id), max_side_px=_MAX_SIDE_PX, lossless_up_to_px=_LOSSLESS_PX, prompts=image.prompts
    )
    return picture_name(image) + (".png" if made.media_type == "image/png" else ".jpg"), made.data
