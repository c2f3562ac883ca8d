"""Files with keys, verdicts or replies are private: new ones from the first byte, old ones from the next start.

A folder with the set-group-ID bit is shared with its group on purpose: only other users are shut out.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.evaluation.backends.reply_log import ReplyLog
from benchwright.workspace.atomic import write_bytes
from benchwright.workspace.private_files import keep_private, make_private_file, make_private_folder
from benchwright.workspace.workspace import Workspace


def mode(path: Path) -> int:
    """Return the permission bits of a file or folder."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_a_new_workspace_is_its_owners_only(tmp_path: Path) -> None:
    Workspace.create(tmp_path / "workspaces" / "mine")
    assert mode(tmp_path / "workspaces" / "mine") == 0o700
    assert mode(tmp_path / "workspaces") == 0o755


def test_a_workspace_that_others_may_read_is_closed_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    root = Workspace.create(tmp_path / "mine").root
    root.chmod(0o755)
    with caplog.at_level(logging.WARNING):
        Workspace.create(root)
    assert mode(root) == 0o700
    [line] = caplog.messages
    assert str(root) in line
    assert "0755" in line


def test_a_folder_that_was_given_to_a_group_stays_the_groups(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o2775)
    (shared / "log").touch()
    (shared / "log").chmod(0o664)
    keep_private(shared, shared / "log")
    assert (mode(shared), mode(shared / "log")) == (0o2770, 0o660)
    make_private_file(shared / "new")
    assert mode(shared / "new") == 0o660
    assert len(caplog.messages) == 2
    keep_private(shared, shared / "log", shared / "new", shared / "not there")
    assert len(caplog.messages) == 2


def test_a_private_file_is_so_before_it_holds_anything(tmp_path: Path) -> None:
    write_bytes(tmp_path / "keys", b"A", private=True)
    assert mode(tmp_path / "keys") == 0o600
    (tmp_path / "keys").chmod(0o644)
    write_bytes(tmp_path / "keys", b"B", private=True)
    assert mode(tmp_path / "keys") == 0o600
    write_bytes(tmp_path / "report", b"A")
    assert mode(tmp_path / "report") == 0o644


def test_a_folder_that_is_there_stays_as_somebody_made_it(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "a" / "b")
    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o755, 0o700)
    make_private_folder(tmp_path / "a")
    assert mode(tmp_path / "a") == 0o755


def test_replies_are_their_owners_only_and_an_old_log_is_closed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "results" / "replies.jsonl"
    with ReplyLog(path, release_id="r"):
        assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    assert not caplog.messages
    path.chmod(0o644)
    with ReplyLog(path, release_id="r"):
        assert mode(path) == 0o600
    assert any(str(path) in line for line in caplog.messages)


@pytest.fixture
def somebody_elses(tmp_path: Path) -> Iterator[Path]:
    """Yield a file that is open to all and belongs to another user than this process's current one."""
    if os.geteuid() != 0:
        yield Path("/")  # open to all, and the administrator's
        return
    path = tmp_path / "theirs"
    path.touch()
    folders = [folder for folder in path.parents if folder.stat().st_mode & 0o001 == 0]
    before = [stat.S_IMODE(folder.stat().st_mode) for folder in folders]
    for folder in folders:
        folder.chmod(0o755)
    os.seteuid(65534)
    yield path
    os.seteuid(0)
    for folder, bits in zip(folders, before, strict=True):
        folder.chmod(bits)


def test_what_is_somebody_elses_is_told_once(somebody_elses: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = mode(somebody_elses)
    for _ in range(2):
        keep_private(somebody_elses)
    [line] = caplog.messages
    assert "its owner should run: chmod 0" in line
    assert mode(somebody_elses) == before
