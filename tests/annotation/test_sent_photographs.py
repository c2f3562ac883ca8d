"""Photographs that curators send: kept whole under their own names, never overwritten, and only pictures."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from benchwright.annotation.jobs.allowed_folders import AllowedFolders
from benchwright.annotation.jobs.sent_photographs import SentPhotographs, sent_folder
from benchwright.errors import BenchwrightError


def png(color: str) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (7, 5), color).save(data, "PNG")
    return data.getvalue()


@pytest.fixture
def sent(tmp_path: Path) -> SentPhotographs:
    return SentPhotographs(tmp_path)


def files(workspace: Path) -> list[str]:
    root = sent_folder(workspace)
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def test_sorted_photographs_lie_where_a_new_benchmark_takes_them_from(sent: SentPhotographs, tmp_path: Path) -> None:
    assert sent.keep("animals", "cat/Katze 1.png", png("red"))
    assert not sent.keep("animals", "cat/Katze 1.png", png("red")), "sent again"
    assert sent.keep("animals", "dog/1.png", png("blue"))
    assert sent.folders() == {"animals": 2}
    allowed = AllowedFolders([sent_folder(tmp_path)])
    assert allowed.folder("sent-photographs/animals/cat").joinpath("Katze 1.png").read_bytes() == png("red")


def test_another_picture_under_a_name_is_refused_and_the_first_stays(sent: SentPhotographs, tmp_path: Path) -> None:
    sent.keep("a", "1.png", png("red"))
    with pytest.raises(BenchwrightError, match="already exists with other content"):
        sent.keep("a", "1.png", png("blue"))
    assert (sent_folder(tmp_path) / "a" / "1.png").read_bytes() == png("red")


@pytest.mark.parametrize(
    ("folder", "path", "words"),
    [
        pytest.param("..", "1.png", "is not a valid name", id="up"),
        pytest.param("a", "../../1.png", "is not a valid name", id="up in the path"),
        pytest.param("a", "/etc/1.png", "is not a valid name", id="absolute"),
        pytest.param("a", ".hidden.png", "is not a valid name", id="hidden"),
        pytest.param("a", "b\\c.png", "is not a valid name", id="backslash"),
        pytest.param("a", "x\0.png", "is not a valid name", id="null"),
        pytest.param("a", "b/c/d/e.png", "lies too deep", id="deep"),
        pytest.param("a", "", "lies too deep", id="empty"),
        pytest.param("", "1.png", "is not a valid name", id="no folder"),
    ],
)
def test_a_name_leads_nowhere_else(sent: SentPhotographs, tmp_path: Path, folder: str, path: str, words: str) -> None:
    with pytest.raises(BenchwrightError, match=words):
        sent.keep(folder, path, png("red"))
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"<svg onload=alert(1)>", "left out", id="svg"),
        pytest.param(b"", "empty", id="empty"),
        pytest.param(png("red")[:-20], "truncated", id="cut off"),
    ],
)
def test_what_is_no_picture_is_left_out_with_a_reason(
    sent: SentPhotographs, tmp_path: Path, data: bytes, words: str
) -> None:
    with pytest.raises(BenchwrightError, match=words):
        sent.keep("a", "1.png", data)
    assert files(tmp_path) == []
