"""Photographs that annotators imported into a Label Studio project, stored like those uploaded in the app.

Only files of that project are downloaded, from the server itself, and never more bytes than a photograph may have.
The pixels are stored, encoded again (`photo_uploads`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from benchwright.errors import BenchwrightError, DataError
from benchwright.workspace.photographs import collected_photographs

from ..forms.kind_forms.collect import NONE
from ..forms.submission import Submission
from ..store.assignment.task_queue import OWNER
from ..store.database.records import TASK_STATES, Campaign, RefusedError, Task
from ..store.review_store import ReviewStore
from ..store.submissions.external_annotations import ExternalAnnotation, Taken
from ..store.submissions.photo_uploads import Uploads
from ..workflow.photo_uploads import take_in_photograph
from .collect_config import IMAGE, CollectedPhotograph, photograph_field, prompt_of, prompt_words, read_collected
from .projects import Projects
from .pulling import KnownAnnotation, in_order, is_own, moments_of
from .server import Server
from .task_data import KEY

_ALL_IN = "all photographs for this prompt are in"
_NAME = re.compile(r"[^/\\?#\x00-\x1f\x7f]{1,300}")


def upload_path(address: Any, project: int) -> str:
    """Return the path of a picture imported into a project.

    Raises:
        DataError: The address is not a path of such a picture.
    """
    start = f"/data/upload/{project}/"
    name = address.removeprefix(start) if isinstance(address, str) and address.startswith(start) else ""
    if not _NAME.fullmatch(name) or not _NAME.fullmatch(unquote(name)) or unquote(name) in {".", ".."}:
        raise DataError(f"{ascii(address)[:80]} is not a picture file imported into project {project}")
    return start + name


class PhotographPull:
    """Downloads and stores the photographs of one pull.

    Args:
        store: Review store.
        campaign: Campaign that collects photographs.
        server: Label Studio server.
        root: Folder of the workspace.
        project: Id of the campaign's project on the server.
        projects: Projects of the workspace, which record the downloaded photographs.
    """

    def __init__(
        self, store: ReviewStore, campaign: Campaign, server: Server, *, root: Path, project: int, projects: Projects
    ) -> None:
        self._campaign, self._server, self._root, self._project = campaign, server, root, project
        self._projects = projects
        self._tasks = {task.id: task for task in store.tasks(campaign.name, states=TASK_STATES)}
        self._words = prompt_words(self._tasks.values())
        self._for_prompt: dict[str, list[Task]] = {}
        for task in self._tasks.values():
            if task.state == "open":
                self._for_prompt.setdefault(prompt_of(task), []).append(task)
        self._downloaded = dict(projects.photographs_of(campaign.name))
        ids = {(task.item_id, task.content_hash): task.id for task in self._tasks.values()}
        self._submitted: dict[str, tuple[int, str]] = {
            annotation.fields["photograph"]: (ids[annotation.item_id, annotation.content_hash], annotation.annotator)
            for annotation in store.decisions(campaign.name)
            if annotation.fields and "photograph" in annotation.fields
        }
        self._filled: set[int] = set()
        self._server_tasks: dict[str, int] = {}
        """The server's task of each photograph submitted in this pull, by photograph."""
        self._failures: dict[str, str] = {}

    def downloaded(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Yield the server's tasks, after downloading the photographs of tasks with a valid annotation.

        The store is not locked during this; the photographs are submitted afterwards.
        """
        for row in rows:
            data = row.get("data") or {}
            prompts = set(filter(None, map(self._prompt_in, row.get("annotations") or [])))
            if KEY not in data and prompts:
                self._download(data.get(IMAGE), wanted=any(map(self._is_wanted, prompts)))
            yield row
        self._projects.remember_photographs(self._campaign.name, self._downloaded)

    def take(self, store: ReviewStore, campaign: Campaign, received: KnownAnnotation) -> Taken:
        """Store a photograph with its annotation, or the statement that there is none."""
        collected = read_collected(received.annotation.get("result"), campaign.form, self._words)
        data = received.row.get("data") or {}
        if KEY in data:
            task = received.known
            if collected.fields["found"] != NONE:
                raise DataError("import the photograph as a separate task; this one states only that none was found")
            return self._submit(store, received, task, collected.fields)
        if collected.fields["found"] == NONE or collected.prompt is None:
            raise DataError("it does not say which prompt the photograph is for")
        first = next(
            annotation
            for annotation in in_order(received.row)
            if is_own(annotation) and not annotation.get("was_cancelled")
        )
        if first.get("completed_by") != received.annotation.get("completed_by"):
            raise DataError("another annotator has already labeled this photograph")
        path = upload_path(data.get(IMAGE), self._project)
        if path not in self._downloaded:
            raise DataError(self._failures.get(path, "its photograph was not fetched"))
        image_id = self._downloaded[path]
        if self._server_tasks.get(image_id, received.row["id"]) != received.row["id"]:
            raise DataError(f"this photograph was imported before, as task {self._server_tasks[image_id]}")
        task, taken = self._submit_once(store, received, collected, image_id)
        self._submitted[image_id], self._server_tasks[image_id] = (task.id, received.author), received.row["id"]
        self._filled.add(task.id)
        return taken

    def _submit_once(
        self, store: ReviewStore, received: KnownAnnotation, collected: CollectedPhotograph, image_id: str
    ) -> tuple[Task, Taken]:
        """Submit a photograph for the task that already has it, or else for the first free task with its prompt."""
        if image_id in self._submitted:
            task, by = self._tasks[self._submitted[image_id][0]], self._submitted[image_id][1]
            if by != received.author:
                raise DataError("another annotator has already submitted this photograph")
            if prompt_of(task) != collected.prompt:
                raise DataError(f"this photograph has already been submitted for {ascii(prompt_of(task))[:80]}")
            return task, self._submit_photograph(store, received, task, collected, image_id)
        refused = RefusedError(_ALL_IN)
        for task in self._for_prompt.get(collected.prompt or "", ()):
            if task.id in self._filled or _has_decided(store, task, received.author):
                continue
            try:
                with store.batch() as held:
                    return task, self._submit_photograph(held, received, task, collected, image_id)
            except RefusedError as error:
                refused = error
        raise refused

    def _submit_photograph(
        self, store: ReviewStore, received: KnownAnnotation, task: Task, collected: CollectedPhotograph, image_id: str
    ) -> Taken:
        store.upsert_annotator(received.author)
        Uploads(store).note(task.id, received.author, image_id)
        return self._submit(store, received, task, {**collected.fields, "photograph": image_id})

    def _submit(self, store: ReviewStore, received: KnownAnnotation, task: Task, fields: Mapping[str, Any]) -> Taken:
        started, submitted = moments_of(received.annotation, received.now)
        annotation = ExternalAnnotation(task.id, received.author, Submission(fields=fields), started, submitted)
        return store.take_in(self._campaign.name, annotation, now=received.now)

    def _prompt_in(self, annotation: Mapping[str, Any]) -> str | None:
        """Return the prompt in an annotation, or None if the annotation does not fit the form."""
        try:
            collected = read_collected(annotation.get("result"), self._campaign.form, self._words)
        except DataError:
            return None
        return None if annotation.get("was_cancelled") else collected.prompt

    def _is_wanted(self, prompt: str) -> bool:
        """Return whether a photograph for a prompt can still be submitted; other photographs are not downloaded."""
        return any(task.id not in self._filled for task in self._for_prompt.get(prompt, ()))

    def _download(self, address: Any, *, wanted: bool) -> None:
        field = photograph_field(self._campaign.form)
        try:
            path = upload_path(address, self._project)
        except DataError:
            return  # `take` reports it
        known = self._downloaded.get(path)
        if known is not None and collected_photographs(self._root).path(known).exists():
            return
        if known is None and not wanted:
            self._failures[path] = _ALL_IN
            return
        self._downloaded.pop(path, None)
        try:
            data = self._server.download(path, max_bytes=field.max_bytes)
            self._downloaded[path] = take_in_photograph(self._root, data, field).image_id
        except BenchwrightError as error:
            self._failures[path] = str(error)


def _has_decided(store: ReviewStore, task: Task, annotator: str) -> bool:
    """Return whether an annotator has submitted a photograph for a task, which another photograph would replace."""
    with store.reading() as connection:
        row = connection.execute(OWNER, {"task": task.id, "name": annotator}).one_or_none()
    return row is not None and row.submitted_at is not None
