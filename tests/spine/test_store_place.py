"""The location of the review store: the workspace's file, or the database that the environment names, never
confused.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright.errors import BenchwrightError, DataError
from benchwright.workspace.store_place import PIN, VARIABLE, public_name, settle_store, store_url

SERVER = "postgresql://ann:s3cret@db.example.org/reviews"
PLACE = "postgresql://db.example.org:5432/reviews"


def test_it_is_a_file_of_the_workspace_by_default(tmp_path: Path) -> None:
    assert settle_store(tmp_path) == store_url(tmp_path) == f"sqlite:///{tmp_path / 'review.sqlite'}"
    assert not (tmp_path / PIN).exists()


def test_a_database_is_remembered_without_user_and_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, SERVER)
    url = settle_store(tmp_path)
    assert url.startswith(f"{SERVER}?options=-csearch_path%3Dbenchwright_")
    assert settle_store(tmp_path) == store_url(tmp_path) == url
    assert json.loads((tmp_path / PIN).read_text())["database"] == PLACE
    assert "s3cret" not in (tmp_path / PIN).read_text()
    assert "ann" not in (tmp_path / PIN).read_text()


def test_asking_alone_settles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, SERVER)
    assert store_url(tmp_path).endswith("benchwright_not_made_yet")
    assert not (tmp_path / PIN).exists()


def test_two_workspaces_in_one_database_have_schemas_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, SERVER)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    assert settle_store(tmp_path / "one") != settle_store(tmp_path / "two")


def test_nobody_goes_on_in_an_empty_file_where_decisions_are_on_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, SERVER)
    settle_store(tmp_path)
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(BenchwrightError, match=rf"is in {PLACE}; set {VARIABLE}"):
        store_url(tmp_path)


def test_nobody_goes_on_on_a_server_where_decisions_are_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "review.sqlite").touch()
    monkeypatch.setenv(VARIABLE, SERVER)
    with pytest.raises(BenchwrightError, match=rf"its file review.sqlite; unset {VARIABLE}"):
        settle_store(tmp_path)


def test_another_database_is_refused_and_another_password_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, SERVER)
    settle_store(tmp_path)
    monkeypatch.setenv(VARIABLE, SERVER.replace("s3cret", "changed").replace("reviews", "reviews?sslmode=require"))
    assert "changed" in store_url(tmp_path)
    assert "sslmode=require&options=" in store_url(tmp_path)
    monkeypatch.setenv(VARIABLE, SERVER.replace("/reviews", "/others"))
    with pytest.raises(BenchwrightError, match=r"names postgresql://db\.example\.org:5432/others") as caught:
        store_url(tmp_path)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    ["mysql://ann:s3cret@db/x", "postgresql://ann:s3cret@db", "ann:s3cret", "postgresql://ann:s3cret@db:x/y", "//"],
)
def test_what_is_no_address_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(BenchwrightError, match="is not an address such as") as caught:
        public_name(url)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "benchwright/review-store", "version": 2}'])
def test_a_damaged_or_newer_note_of_the_place_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / PIN).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=PIN):
        store_url(tmp_path)
