"""Follow the tutorials as written: run their commands, do their steps in the browser, and take their screenshots.

    python examples/follow_tutorials.py [NAME ...] [--pictures docs/images/tutorials]

Each tutorial runs in a separate empty folder. The script compares the output that a page shows with the output of the
command. With `--pictures`, it takes the pages' screenshots again, as `make screenshots` does. Needs Chromium (`make
browser`) and the extras `demo`, `app` and `dev`.
"""

from __future__ import annotations

import argparse
import io
import os
import pty
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from tutorial_pages import Command, Picture, Printed, Row, SavedFile, differences, parts_of
from tutorial_people import ADDRESS, People, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = Path(__file__).parents[1] / "docs" / "tutorials"
MOST_BYTES = 120_000
"""Largest size of a picture, in bytes."""
_WRAPPER = """#!/bin/sh
case "$1 $2" in
  "review serve") exec {python} -m benchwright "$@" --port {port} ;;
  *) exec {python} -m benchwright "$@" ;;
esac
"""


class NotAsWritten(Exception):
    """A page differs from what happens."""


class Walk:
    """A tutorial in progress.

    Args:
        folder: Empty folder in which its commands run.
        browser: Chromium from `chromium(port)`.
        port: Free port for the app, in place of the one that pages name.
    """

    def __init__(self, folder: Path, browser: Browser, port: int) -> None:
        self._folder, self._port = folder, port
        self._programs = folder.parent / f"{folder.name}-programs"
        self._programs.mkdir()
        wrapper = self._programs / "benchwright"
        wrapper.write_text(_WRAPPER.format(python=sys.executable, port=port), encoding="utf-8")
        wrapper.chmod(0o755)
        self._people = People(browser, folder)
        self._server: subprocess.Popen[bytes] | None = None
        self._output = ""
        self._wrong: list[str] = []
        self.pictures: dict[str, bytes] = {}
        """Bytes of the pictures taken so far, by name."""

    def follow(self, page: Path) -> Mapping[str, bytes]:
        """Do all steps of a page and return its pictures.

        Raises:
            NotAsWritten: A command failed, or printed something else than the page shows.
        """
        with ExitStack() as stack:
            stack.enter_context(self._people)
            stack.callback(self._stop)
            later: set[str] = set()
            for part in parts_of(page):
                match part:
                    case Command():
                        self._run(part)
                    case Printed():
                        if missing := differences(part.text, self._output):
                            lines = "\n".join(missing)
                            self._wrong.append(f"shown, and not printed:\n{lines}\nprinted:\n{self._output}")
                    case SavedFile():
                        path = self._folder / part.name
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_text(part.text, encoding="utf-8")
                    case Row():
                        self._act(part)
                    case Picture() if self._people.screen is not None:
                        self.pictures[part.name] = taken(self._people.screen, part.name)
                    case Picture():  # a preview of the result; it occurs again further down
                        later.add(part.name)
        if self._wrong:
            raise self._failure()
        if never := later - self.pictures.keys():
            raise self._failure(f"shown before anybody did anything, and not again: {', '.join(sorted(never))}")
        return self.pictures

    def _run(self, command: Command) -> None:
        if command.serves:
            self._serve(command)
            return
        done = subprocess.run(  # noqa: S603
            _bash(command.script), cwd=self._folder, env=self._environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1800, check=False,
        )  # fmt: skip
        self._output = self._as_shown(done.stdout)
        if done.returncode != 0:
            raise self._failure(f"{command.script}ended with {done.returncode}:\n{self._output}")
        self._people.read(self._output)

    def _serve(self, command: Command) -> None:
        self._stop()
        log = self._programs / "server.log"
        screen, terminal = pty.openpty()  # where the app prints the first curator's invitation
        self._server = subprocess.Popen(  # noqa: S603
            _bash(command.script), cwd=self._folder, env=self._environment(), stdin=subprocess.DEVNULL,
            stdout=terminal, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        os.close(terminal)
        threading.Thread(target=_copy, args=(screen, log), daemon=True).start()
        until = time.monotonic() + 180
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._port)) == 0:
                    break
            if self._server.poll() is not None:
                break
            time.sleep(0.1)
        else:
            raise self._failure(f"{command.script}does not answer after three minutes")
        self._output = self._as_shown(log.read_text(encoding="utf-8").replace("\r\n", "\n"))
        if self._server.poll() is not None:
            raise self._failure(f"{command.script}ended with {self._server.returncode}:\n{self._output}")
        self._people.read(self._output)

    def _stop(self) -> None:
        if self._server is not None:
            os.killpg(self._server.pid, signal.SIGKILL)  # connected browsers would delay its end
            self._server.wait()
            self._server = None

    def _act(self, row: Row) -> None:
        from playwright.sync_api import Error

        try:
            self._people.act(row)
        except Error as error:
            if (screen := self._people.screen) is not None:
                screen.screenshot(path=self._programs / "screen.png")
            shown = screen.inner_text("body") if screen else ""
            raise self._failure(f"{row}: {error}\n{self._programs / 'screen.png'} shows\n{shown}") from error

    def _failure(self, *more: str) -> NotAsWritten:
        """Return the error with all differences from the page."""
        return NotAsWritten("\n\n".join([*self._wrong, *more]))

    def _as_shown(self, printed: str) -> str:
        return printed.replace(f"127.0.0.1:{self._port}", ADDRESS)

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "PATH": f"{self._programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "160"}


def _copy(screen: int, log: Path) -> None:
    """Copy a terminal's output into a file until the last process that writes to it has ended."""
    with log.open("wb", buffering=0) as written, os.fdopen(screen, "rb", buffering=0) as shown, suppress(OSError):
        while piece := shown.read(4096):
            written.write(piece)


def _bash(script: str) -> list[str]:
    return ["bash", "-euo", "pipefail", "-c", script]


def taken(window: Page, name: str) -> bytes:
    """Return a picture of the screen, small enough for a page: PNG or JPEG, depending on its name."""
    window.wait_for_load_state("networkidle")
    window.wait_for_timeout(600)
    picture = Image.open(io.BytesIO(window.screenshot())).convert("RGB")
    for attempt in range(6):
        written = io.BytesIO()
        if name.endswith(".png"):
            colours = (256, 192, 128, 96, 64, 32)[attempt]
            few = picture.quantize(colours, method=Image.Quantize.MEDIANCUT, kmeans=1, dither=Image.Dither.NONE)
            few.save(written, "PNG", optimize=True)
        else:
            picture.save(written, "JPEG", quality=88 - 6 * attempt, optimize=True)
        if written.tell() < MOST_BYTES:
            return written.getvalue()
    raise NotAsWritten(f"{name} is too busy for {MOST_BYTES} bytes")


def free_port() -> int:
    """Return a port of this machine without a listener."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def main() -> None:
    """Follow the tutorials named on the command line, or all."""
    parser = argparse.ArgumentParser(description="Follow the tutorials as they are written.")
    parser.add_argument("names", nargs="*", help="Tutorials; all if none is named.")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="Write the pages' pictures there.")
    wanted = parser.parse_args()
    pages = [PAGES / f"{name}.md" for name in wanted.names] or sorted({*PAGES.glob("*.md")} - {PAGES / "index.md"})
    port = free_port()
    failed = []
    with chromium(port) as browser, tempfile.TemporaryDirectory() as temporary:
        for page in pages:
            folder = Path(temporary) / page.stem
            folder.mkdir()
            walk, begun = Walk(folder, browser, port), time.monotonic()
            try:
                walk.follow(page)
            except NotAsWritten as error:
                failed.append(page.stem)
                print(f"{page.stem}: {error}")
            print(f"{page.stem}: {len(walk.pictures)} pictures, {time.monotonic() - begun:.0f} s", flush=True)
            if wanted.pictures is not None:
                wanted.pictures.mkdir(parents=True, exist_ok=True)
                for name, written in walk.pictures.items():
                    (wanted.pictures / name).write_bytes(written)
    if failed:
        raise SystemExit(f"not as written: {', '.join(failed)}")


if __name__ == "__main__":
    main()
