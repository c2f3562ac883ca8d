"""A real Label Studio server, in a separate environment (`make label-studio`), with three users."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import chromium, new_context, page  # noqa: F401 - fixtures
from conftest import ROOT
from servers import serving

from benchwright.annotation.store.review_store import ReviewStore, open_store

NO_SERVER = "Label Studio is not installed: make label-studio"
ENVIRONMENT = ROOT / ".venv-labelstudio"
PASSWORD = "a-password-for-tests"
TOKENS = {"admin": "a" * 40, "ann": "b" * 40, "ben": "c" * 40}
SETTINGS = {
    "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "true",
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
}


TEXTS = {"note", "field_reason", "field_note"}
"""Controls that are text areas, beside those of edits."""


def email(user: str) -> str:
    return f"{user}@example.org"


@dataclass(frozen=True)
class LabelStudio:
    """A running server, its document root, and what people do there through its API."""

    url: str
    media: Path

    def api(self, user: str, method: str, path: str, document: Any = None) -> Any:
        """Call the API as one of the users."""
        request = urllib.request.Request(
            f"{self.url}/api/{path}",
            method=method,
            data=None if document is None else json.dumps(document).encode(),
            headers={"Authorization": f"Token {TOKENS[user]}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def fetch(self, user: str, path: str) -> bytes:
        """Return what the server serves to a user."""
        headers = {"Authorization": f"Token {TOKENS[user]}"}
        with urllib.request.urlopen(urllib.request.Request(self.url + path, headers=headers), timeout=60) as answer:
            data: bytes = answer.read()
        return data

    def tasks(self, project: int) -> list[dict[str, Any]]:
        """Return a project's tasks."""
        found = self.api("admin", "GET", f"tasks?project={project}&page_size=100&fields=all")
        return list(found["tasks"])

    def label(self, user: str, task: int, **said: str | list[str]) -> int:
        """Annotate a task as a user's browser would; return the annotation's id."""
        made = self.api(user, "POST", f"tasks/{task}/annotations", {"result": regions(**said), "lead_time": 12.5})
        return int(made["id"])


def regions(**said: str | list[str]) -> list[dict[str, Any]]:
    """Return what Label Studio stores of controls: choices and texts."""
    return [
        region(control, value, is_text=control in TEXTS or (control.startswith("edit_") and control != "edit_right"))
        for control, value in said.items()
    ]


def region(control: str, value: str | list[str], *, is_text: bool, of: str = "question") -> dict[str, Any]:
    """Return what Label Studio stores of one control of an object."""
    values = [value] if isinstance(value, str) else value
    return {
        "from_name": control,
        "to_name": of,
        "type": "textarea" if is_text else "choices",
        "value": {"text" if is_text else "choices": values},
    }


def _program(name: str) -> str:
    program = ENVIRONMENT / "bin" / name
    if not program.exists():
        pytest.skip(NO_SERVER)
    return str(program)


def _template() -> Path:
    """Return a data folder with tables and users, made once: migrations take longer than all tests together."""
    template = ENVIRONMENT / "template"
    if not template.exists():
        draft = ENVIRONMENT / f"template-{os.getpid()}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        for user, token in TOKENS.items():
            subprocess.run(
                [_program("label-studio"), "init", "-q", "--username", email(user), "--password", PASSWORD,
                 "--user-token", token],
                env={**os.environ, **SETTINGS, "LABEL_STUDIO_BASE_DATA_DIR": str(draft)},
                stdin=subprocess.DEVNULL, capture_output=True, check=True,
            )  # fmt: skip
        draft.rename(template)
    return template


@pytest.fixture(scope="session")
def label_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabelStudio]:
    """A server with the users admin, ann and ben."""
    program = _program("label-studio")
    folder = tmp_path_factory.mktemp("label-studio")
    shutil.copytree(_template(), folder / "data")
    (folder / "media").mkdir()
    env = {
        **SETTINGS,
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder / "data"),
        "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT": str(folder / "media"),
    }
    with serving(
        lambda port: [program, "start", "--no-browser", "--port", str(port), "--internal-host", "127.0.0.1"],
        log=folder / "server.log", health="/health", env=env, cwd=folder, timeout_s=300,
    ) as running:  # fmt: skip
        yield LabelStudio(running.url, folder / "media")


RECIPE = """
name: labelled
seed: 3
steps:
  - {{step: jigsaw, likeness: keep}}
{campaign}
"""
VERIFY = """
  - step: verify
    rule: unanimous(2)
    guidelines: "Look <script>alert(1)</script> closely."
"""
ANSWER = """
  - step: answer
    annotators_per_item: 2
"""


@pytest.fixture(scope="session")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real photographs from scikit-image."""
    import skimage.data

    folder = tmp_path_factory.mktemp("photographs")
    for name in ("astronaut.png", "coffee.png", "rocket.jpg"):
        shutil.copyfile(Path(skimage.data.__file__).parent / name, folder / name)
    return folder


Waiting = Callable[[str], Path]


@pytest.fixture
def waiting(photographs: Path, tmp_path: Path) -> Waiting:
    """Run a recipe up to its campaign and return the workspace."""

    def made(campaign: str) -> Path:
        recipe = tmp_path / "recipe.yaml"
        recipe.write_text(RECIPE.format(campaign=campaign), encoding="utf-8")
        arguments = ("run", recipe, "--images", photographs, "--workspace", tmp_path / "labelled")
        document = bench(*arguments)
        assert document["state"] == "waiting"
        return tmp_path / "labelled"

    return made


def push(server: LabelStudio, workspace: Path, *more: object, code: int = 0) -> Any:
    """Push a workspace's campaign."""
    return bench("review", "label-studio", "push", "--url", server.url, "--workspace", workspace, *more, code=code)


def pull(server: LabelStudio, workspace: Path, *more: object, code: int = 0) -> Any:
    """Pull a workspace's campaign."""
    return bench("review", "label-studio", "pull", "--url", server.url, "--workspace", workspace, *more, code=code)


def store_of(workspace: Path) -> ReviewStore:
    """Open a workspace's review store."""
    return open_store(f"sqlite:///{workspace / 'review.sqlite'}")


def sign_in(tab: Any, server: LabelStudio, user: str) -> None:
    """Sign a user in, in a browser."""
    tab.set_default_timeout(60_000)
    tab.goto(f"{server.url}/user/login/")
    tab.fill("input[name=email]", email(user))
    tab.fill("input[name=password]", PASSWORD)
    tab.keyboard.press("Enter")
    tab.wait_for_url(lambda url: "/login" not in url)


def submit_in(tab: Any) -> None:
    """Submit what is on the screen, and wait until the server has it."""
    with tab.expect_response(lambda one: "/annotations" in one.url and one.request.method == "POST"):
        tab.get_by_test_id("bottombar-submit-button").click()


def bench(*arguments: object, code: int = 0, token: str = TOKENS["admin"]) -> Any:
    """Run a command in Label Studio's environment, where its SDK is; return its JSON document."""
    done = subprocess.run(
        [_program("benchwright"), *map(str, arguments), "--json"],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "BENCHWRIGHT_LABEL_STUDIO_TOKEN": token, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == code, done.stderr[-3000:] + done.stdout[-2000:]
    return json.loads(done.stdout)
