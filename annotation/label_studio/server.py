"""Client for a Label Studio server, using its SDK: the few operations that a campaign needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.machine.this_machine import client_settings, naming_proxies

TOKEN_VARIABLE = "BENCHWRIGHT_LABEL_STUDIO_TOKEN"  # noqa: S105 - the name of a variable
_TIMEOUT_S = 60
_TASKS_AT_ONCE, _FILES_AT_ONCE = 200, 50
"""Batch sizes of requests; the server accepts at most 100 files per upload."""


class ServerTask(NamedTuple):
    """A task on the server: id, data, and number of annotations."""

    id: int
    data: Mapping[str, Any]
    annotations: int


class Server:
    """A Label Studio server.

    Args:
        url: URL of the server for its users, such as `http://127.0.0.1:8080`.
        token: Access token of a user who may create projects.
    """

    def __init__(self, url: str, token: str) -> None:
        try:
            from label_studio_sdk import LabelStudio
        except ImportError as error:
            raise PrerequisiteError(
                "the bridge needs label-studio-sdk, which is not installed: "
                "pip install 'benchwright[labelstudio]' -c constraints.txt"
            ) from error
        self.url = url.rstrip("/")
        import httpx

        with naming_proxies(self.url):
            http_client = httpx.Client(timeout=_TIMEOUT_S, follow_redirects=True, **client_settings(self.url))
        self._client = LabelStudio(base_url=self.url, api_key=token, timeout=_TIMEOUT_S, httpx_client=http_client)

    def users(self) -> dict[int, str]:
        """Return the e-mail addresses of all users, by id."""
        with self._one_line_errors():
            return {user.id: str(user.email) for user in self._client.users.list()}

    def has_project(self, project: int) -> bool:
        """Return whether a project exists."""
        from label_studio_sdk.core.api_error import ApiError

        with self._one_line_errors():
            try:
                self._client.projects.get(project)
            except ApiError as error:
                if error.status_code == 404:
                    return False
                raise
        return True

    def make_project(self, title: str, *, config: str, annotators_per_task: int) -> int:
        """Create a project and return its id."""
        with self._one_line_errors():
            made = self._client.projects.create(
                title=title[:50],
                label_config=config,
                maximum_annotations=annotators_per_task,
                sampling="Uniform sampling",
                enable_empty_annotation=False,
                show_instruction=False,
                description="Made by Benchwright. Annotations go back with `benchwright review label-studio pull`.",
            )
        return int(made.id)

    def update_project(self, project: int, *, config: str, annotators_per_task: int) -> None:
        """Update a project's form and its number of annotators per task."""
        with self._one_line_errors():
            self._client.projects.update(project, label_config=config, maximum_annotations=annotators_per_task)

    def tasks(self, project: int) -> Iterator[ServerTask]:
        """Yield a project's tasks, page by page."""
        with self._one_line_errors():
            for task in self._client.tasks.list(project=project, page_size=_TASKS_AT_ONCE, resolve_uri=False):
                yield ServerTask(int(task.id), dict(task.data or {}), int(task.total_annotations or 0))

    def show_predictions(self, project: int, model_version: str) -> None:
        """Let annotators start from the predictions with this name."""
        with self._one_line_errors():
            self._client.projects.update(project, model_version=model_version, show_collab_predictions=True)

    def add_tasks(self, project: int, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Add tasks.

        Args:
            project: Id of the project.
            tasks: Data of each task, or `data` with `predictions` if any task has predictions.
        """
        for start in range(0, len(tasks), _TASKS_AT_ONCE):
            with self._one_line_errors():
                self._client.projects.import_tasks(
                    project, request=[dict(data) for data in tasks[start : start + _TASKS_AT_ONCE]]
                )

    def update_task(self, task: int, data: Mapping[str, Any]) -> None:
        """Replace a task's data."""
        with self._one_line_errors():
            self._client.tasks.update(str(task), data=dict(data))

    def delete_task(self, task: int) -> None:
        """Remove a task."""
        with self._one_line_errors():
            self._client.tasks.delete(str(task))

    def annotated(self, project: int) -> Iterator[Mapping[str, Any]]:
        """Yield the tasks that have annotations, as JSON values, with all of these annotations."""
        with self._one_line_errors():
            tasks = self._client.tasks.list(
                project=project, page_size=_TASKS_AT_ONCE, fields="all", only_annotated=True, resolve_uri=False
            )
            for task in tasks:
                yield task.model_dump(mode="json")

    def serve_folder(self, project: int, folder: Path) -> None:
        """Allow a project's tasks to show pictures in a folder below the server's document root."""
        with self._one_line_errors():
            storages = self._client.import_storage.local.list(project=project)
            if not any(storage.path == str(folder) for storage in storages):
                self._client.import_storage.local.create(project=project, path=str(folder), use_blob_urls=True)

    def upload(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Upload pictures, and return the URL of each picture by its name."""
        names = list(files)
        urls: dict[str, str] = {}
        for start in range(0, len(names), _FILES_AT_ONCE):
            batch = names[start : start + _FILES_AT_ONCE]
            with self._one_line_errors():
                response = self._client._client_wrapper.httpx_client.request(
                    f"api/projects/{project}/import",
                    method="POST",
                    params={"commit_to_project": "false"},
                    files={name: (name, files[name]) for name in batch},
                )
                response.raise_for_status()
                ids = response.json()["file_upload_ids"]
                uploaded = [self._client.files.get(file) for file in ids]
            urls |= dict(zip(batch, (f"/data/{file.file}" for file in uploaded), strict=True))
        return urls

    def download(self, path: str, *, max_bytes: int) -> bytes:
        """Return a file from the server, without following redirects.

        Raises:
            BenchwrightError: The server does not have the file, or the file is larger than `max_bytes`.
        """
        wrapper = self._client._client_wrapper
        body = bytearray()
        with (
            self._one_line_errors(),
            wrapper.httpx_client.httpx_client.stream(
                "GET", self.url + path, headers=wrapper.get_headers(), follow_redirects=False, timeout=_TIMEOUT_S
            ) as response,
        ):
            if response.status_code != 200:
                raise BenchwrightError(f"{self.url}{path} cannot be fetched (HTTP {response.status_code})")
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > max_bytes:
                    raise BenchwrightError(f"{self.url}{path} is larger than the {max_bytes:,} bytes allowed")
        return bytes(body)

    @contextmanager
    def _one_line_errors(self) -> Iterator[None]:
        """Convert the SDK's exceptions into one-line errors that do not contain the token."""
        import httpx
        from label_studio_sdk.core.api_error import ApiError

        try:
            yield
        except ApiError as error:
            if error.status_code in {401, 403}:
                raise BenchwrightError(
                    f"{self.url} refuses the token in {TOKEN_VARIABLE} (HTTP {error.status_code}); copy the access "
                    "token of your account there"
                ) from error
            detail = " ".join(str(error.body).split())[:300]
            raise BenchwrightError(f"{self.url} answers with HTTP {error.status_code}: {detail}") from error
        except httpx.HTTPError as error:
            raise BenchwrightError(
                f"{self.url} cannot be reached ({type(error).__name__}); is Label Studio running there?"
            ) from error
