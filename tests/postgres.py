"""A PostgreSQL server for tests: made in a separate folder, without durability unless requested, and always stopped.

PostgreSQL refuses to run as root; for root it runs as the user `postgres` that Debian's package makes.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

NO_POSTGRES = "PostgreSQL is not installed: make postgres"
PASSWORD = "a-password-for-tests"
_PROGRAMS = ("initdb", "postgres", "pg_ctl", "pg_isready")
_FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]


def programs() -> Path:
    """Return the folder of PostgreSQL's programs; skip the test without them."""
    found = shutil.which("initdb")
    on_path = [Path(found).parent] if found else []
    folders = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), *on_path]
    whole = [folder for folder in folders if all((folder / name).exists() for name in _PROGRAMS)]
    if not whole:
        pytest.skip(NO_POSTGRES)
    return whole[0]


@contextmanager
def running_postgres(*, durable: bool = False) -> Iterator[str]:
    """Run a server and yield the address of its database `postgres`, with user and password."""
    where = programs()
    folder = Path(tempfile.mkdtemp(prefix="benchwright-pg-"))
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(folder, "postgres", "postgres")
    (folder / "password").write_text(PASSWORD + "\n", encoding="ascii")
    if as_user:
        shutil.chown(folder / "password", "postgres", "postgres")
    data, port = folder / "data", _free_port()
    server = None
    try:
        subprocess.run(
            [*as_user, str(where / "initdb"), "-D", str(data), "-U", "curator", "-A", "scram-sha-256", "-N",
             "--pwfile", str(folder / "password"), "--no-locale", "-E", "UTF8"],
            check=True, capture_output=True, cwd=folder,
        )  # fmt: skip
        settings = [
            part
            for one in [
                *([] if durable else _FAST),
                "max_connections=200",
                f"port={port}",
                "listen_addresses=127.0.0.1",
            ]
            for part in ("-c", one)
        ]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [*as_user, str(where / "postgres"), "-D", str(data), "-k", str(folder), *settings],
                stdout=log, stderr=log, cwd=folder, start_new_session=True,
            )  # fmt: skip
        _await(where, port, folder / "log")
        yield f"postgresql://curator:{PASSWORD}@127.0.0.1:{port}/postgres"
    finally:
        if server is not None:
            subprocess.run(
                [*as_user, str(where / "pg_ctl"), "stop", "-D", str(data), "-m", "immediate"],
                check=False, capture_output=True, cwd=folder,
            )  # fmt: skip
            with suppress(ProcessLookupError):  # if it was not up yet, and so took no order
                os.killpg(server.pid, signal.SIGKILL)
            server.wait(timeout=20)
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await(where: Path, port: int, log: Path) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        ready = [str(where / "pg_isready"), "-h", "127.0.0.1", "-p", str(port), "-q"]
        if subprocess.run(ready, check=False).returncode == 0:
            return
        time.sleep(0.1)
    raise AssertionError(f"PostgreSQL was not ready after 60 s:\n{log.read_text(errors='replace')[-3000:]}")
