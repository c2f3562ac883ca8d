"""A workspace whose review store is a PostgreSQL database: the same commands, no mix-up, no password shown."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from browser.review_site import RECIPE
from postgres import PASSWORD
from walks import benchwright, make_photographs, run_json

from benchwright.annotation.store.review_store import open_store
from benchwright.errors import DataError
from benchwright.workspace.store_place import VARIABLE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photographs")
    make_photographs(folder / "images", count=4)
    (folder / "ten.yaml").write_text(RECIPE, encoding="utf-8")
    return folder


def test_a_campaign_goes_through_on_a_server_and_two_workspaces_never_meet(
    photographs: Path, postgres: str, tmp_path: Path
) -> None:
    env = {VARIABLE: postgres}
    run = ["run", photographs / "ten.yaml", "--images", photographs / "images", "--workspace"]
    for name in ("one", "two"):
        assert run_json(*run, tmp_path / name, env=env)["state"] == "waiting"
        assert not (tmp_path / name / "review.sqlite").exists()
    tasks = tmp_path / "tasks.csv"
    run_json("review", "export", "--workspace", tmp_path / "one", "--out", tasks, env=env)
    with tasks.open(encoding="utf-8-sig", newline="") as handle:
        ids = [row["item_id"] for row in csv.DictReader(handle)]
    rows = [["annotator", "item_id", "decision"], *([who, one, "accept"] for who in ("ann", "bo") for one in ids)]
    with tasks.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows(rows)
    run_json("review", "import", tasks, "--workspace", tmp_path / "one", env=env)
    run_json("review", "users", "--workspace", tmp_path / "one", "--add", "cy", env=env)
    assert run_json(*run, tmp_path / "one", env=env)["state"] == "done"
    assert run_json(*run, tmp_path / "two", env=env)["state"] == "waiting"
    [other] = run_json("review", "status", "--workspace", tmp_path / "two", env=env)["campaigns"]
    assert other["slots"]["submitted"] == 0


def test_without_the_address_the_run_says_which_database_it_wants(
    photographs: Path, postgres: str, tmp_path: Path
) -> None:
    run = ["run", photographs / "ten.yaml", "--images", photographs / "images", "--workspace", tmp_path / "w"]
    run_json(*run, env={VARIABLE: postgres})
    for arguments in (run, ["review", "status", "--workspace", tmp_path / "w"]):
        done = benchwright(*arguments)
        assert done.returncode == 2
        assert f"set {VARIABLE} to that address" in done.stderr
        assert PASSWORD not in done.stderr
    assert not (tmp_path / "w" / "review.sqlite").exists()


def test_a_server_that_cannot_be_reached_is_named_without_its_password(postgres: str) -> None:
    for wrong in (postgres.replace(PASSWORD, "another-secret"), "postgresql://ann:another-secret@127.0.0.1:1/x"):
        with pytest.raises(DataError, match=r"postgresql://127.0.0.1:\d+/\w+ cannot be opened") as caught:
            open_store(wrong)
        assert "another-secret" not in str(caught.value)
