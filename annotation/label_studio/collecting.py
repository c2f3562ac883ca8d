"""Photographs that people imported into a project of Label Studio, taken in as those that are uploaded in the app.

Only files of that very project are fetched, from the server itself, and never more bytes than a photograph may have;
what is kept are the pixels, encoded anew (`photo_uploads`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from benchwright.errors import BenchwrightError, DataError
from benchwright.photographs import collected_photographs

from ..forms.collect import NONE
from ..forms.submission import Submission
from ..store import Campaign, RefusedError, ReviewStore, Task, Uploads
from ..store.assignment.task_queue import OWNER
from ..store.database.records import TASK_STATES
from ..store.submissions.external_annotations import ExternalAnnotation, Taken
from ..workflow.photo_uploads import take_in_photograph
from .collect_config import IMAGE, CollectedPhotograph, photograph_field, prompt_of, prompt_words, read_collected
from .projects import Projects
from .pulling import KnownAnnotation, in_order, is_own, moments_of
from .server import Server
from .task_data import KEY

_ALL_IN = "all photographs for this prompt are in"
_NAME = re.compile(r"[^/\\?#\x00-\x1f\x7f]{1,300}")


def upload_path(address: Any, project: int) -> str:
    """Return the path of a picture that was imported into a project.

    Raises:
        DataError: It lies anywhere else.
    """
    start = f"/data/upload/{project}/"
    name = address.removeprefix(start) if isinstance(address, str) and address.startswith(start) else ""
    if not _NAME.fullmatch(name) or not _NAME.fullmatch(unquote(name)) or unquote(name) in {".", ".."}:
        raise DataError(f"{ascii(address)[:80]} is no picture file that was imported into project {project}")
    return start + name


class PhotographPull:
    """The photographs of one pull.

    Args:
        store: The review store.
        campaign: One that collects.
        server: Label Studio.
        root: The workspace.
        project: The campaign's, on the server.
        projects: Remembers which photographs were fetched.
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
        self._fetched = dict(projects.photographs_of(campaign.name))
        ids = {(task.item_id, task.content_hash): task.id for task in self._tasks.values()}
        self._handed_in: dict[str, tuple[int, str]] = {
            one.fields["photograph"]: (ids[one.item_id, one.content_hash], one.annotator)
            for one in store.decisions(campaign.name)
            if one.fields and "photograph" in one.fields
        }
        self._now_taken: set[int] = set()
        self._brought_as: dict[str, int] = {}
        """By photograph: the server's task of this pull in which it was handed in."""
        self._why: dict[str, str] = {}

    def fetched(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Yield tasks as they come, once the photographs of those that say what they should are here.

        Nobody waits for the store meanwhile: what is fetched is taken in afterwards.
        """
        for row in rows:
            data = row.get("data") or {}
            prompts = set(filter(None, map(self._prompt_in, row.get("annotations") or [])))
            if KEY not in data and prompts:
                self._fetch(data.get(IMAGE), wanted=any(map(self._is_wanted, prompts)))
            yield row
        self._projects.remember_photographs(self._campaign.name, self._fetched)

    def take(self, store: ReviewStore, campaign: Campaign, said: KnownAnnotation) -> Taken:
        """Take in what somebody said of a photograph, with the photograph, or that none is to be found."""
        given = read_collected(said.annotation.get("result"), campaign.form, self._words)
        data = said.row.get("data") or {}
        if KEY in data:
            task = said.known
            if given.fields["found"] != NONE:
                raise DataError("import the photograph as a task of its own; this one says only that there is none")
            return self._said(store, said, task, given.fields)
        if given.fields["found"] == NONE or given.prompt is None:
            raise DataError("it does not say which prompt the photograph is for")
        first = next(one for one in in_order(said.row) if is_own(one) and not one.get("was_cancelled"))
        if first.get("completed_by") != said.annotation.get("completed_by"):
            raise DataError("somebody else has labelled this photograph before")
        path = upload_path(data.get(IMAGE), self._project)
        if path not in self._fetched:
            raise DataError(self._why.get(path, "its photograph was not fetched"))
        image_id = self._fetched[path]
        if self._brought_as.get(image_id, said.row["id"]) != said.row["id"]:
            raise DataError(f"this photograph was imported before, as task {self._brought_as[image_id]}")
        task, taken = self._placed(store, said, given, image_id)
        self._handed_in[image_id], self._brought_as[image_id] = (task.id, said.author), said.row["id"]
        self._now_taken.add(task.id)
        return taken

    def _placed(
        self, store: ReviewStore, said: KnownAnnotation, given: CollectedPhotograph, image_id: str
    ) -> tuple[Task, Taken]:
        """Hand a photograph in where it was before, or for the first task of its prompt that is to be had."""
        if image_id in self._handed_in:
            task, by = self._tasks[self._handed_in[image_id][0]], self._handed_in[image_id][1]
            if by != said.author:
                raise DataError("this photograph is handed in already, by somebody else")
            if prompt_of(task) != given.prompt:
                raise DataError(f"this photograph is handed in already, for {ascii(prompt_of(task))[:80]}")
            return task, self._handed(store, said, task, given, image_id)
        refused = RefusedError(_ALL_IN)
        for task in self._for_prompt.get(given.prompt or "", ()):
            if task.id in self._now_taken or _has_decided(store, task, said.author):
                continue
            try:
                with store.batch() as held:
                    return task, self._handed(held, said, task, given, image_id)
            except RefusedError as error:
                refused = error
        raise refused

    def _handed(
        self, store: ReviewStore, said: KnownAnnotation, task: Task, given: CollectedPhotograph, image_id: str
    ) -> Taken:
        store.upsert_annotator(said.author)
        Uploads(store).note(task.id, said.author, image_id)
        return self._said(store, said, task, {**given.fields, "photograph": image_id})

    def _said(self, store: ReviewStore, said: KnownAnnotation, task: Task, fields: Mapping[str, Any]) -> Taken:
        started, submitted = moments_of(said.annotation, said.now)
        annotation = ExternalAnnotation(task.id, said.author, Submission(fields=fields), started, submitted)
        return store.take_in(self._campaign.name, annotation, now=said.now)

    def _prompt_in(self, one: Mapping[str, Any]) -> str | None:
        """Return the prompt that an annotation names, where it says all that the form asks for."""
        try:
            found = read_collected(one.get("result"), self._campaign.form, self._words)
        except DataError:
            return None
        return None if one.get("was_cancelled") else found.prompt

    def _is_wanted(self, prompt: str) -> bool:
        """Return whether a photograph for a prompt could be handed in: others are not even fetched."""
        return any(task.id not in self._now_taken for task in self._for_prompt.get(prompt, ()))

    def _fetch(self, address: Any, *, wanted: bool) -> None:
        field = photograph_field(self._campaign.form)
        try:
            path = upload_path(address, self._project)
        except DataError:
            return  # told where it is taken in
        known = self._fetched.get(path)
        if known is not None and collected_photographs(self._root).path(known).exists():
            return
        if known is None and not wanted:
            self._why[path] = _ALL_IN
            return
        self._fetched.pop(path, None)
        try:
            data = self._server.download(path, max_bytes=field.max_bytes)
            self._fetched[path] = take_in_photograph(self._root, data, field).image_id
        except BenchwrightError as error:
            self._why[path] = str(error)


def _has_decided(store: ReviewStore, task: Task, annotator: str) -> bool:
    """Return whether somebody has handed something in for a task: that would be replaced."""
    with store.reading() as connection:
        row = connection.execute(OWNER, {"task": task.id, "name": annotator}).one_or_none()
    return row is not None and row.submitted_at is not None
