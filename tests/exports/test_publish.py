"""`release publish`: to a folder and to a Hub that refuses what the Hub refuses; whole or not at all, nothing twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hub_server import EXPIRED, READER, WRITER, Hub, running_hub
from huggingface_hub import constants
from huggingface_hub.utils import disable_progress_bars
from small_bench import small_bench
from walks import benchwright, in_process

from benchwright.release import Release, verify_release

pytestmark = pytest.mark.slow

Publish = Callable[..., Any]
TARGET = "hub:lab/tiny"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return small_bench().write(tmp_path / "r")


@pytest.fixture
def hub() -> Iterator[Hub]:
    with running_hub() as server:
        yield server


@pytest.fixture
def publish(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Publish:
    """Return a function that publishes with a token and checks the exit code; it returns the document or the error."""
    # The Hub's client reads its settings from the environment when it is imported, which is long ago here.
    for name, value in {
        "ENDPOINT": hub.url,
        "HUGGINGFACE_CO_URL_TEMPLATE": hub.url + "/{repo_id}/resolve/{revision}/{filename}",
        "HF_TOKEN_PATH": str(tmp_path / "hf" / "token"),
        "HF_HUB_OFFLINE": False,
        "HF_HUB_DISABLE_XET": True,
    }.items():
        monkeypatch.setattr(constants, name, value)
    disable_progress_bars()

    def run(release: Release, *more: str, to: str = TARGET, token: str = WRITER, code: int = 0) -> Any:
        done = in_process("release", "publish", release.path, "--to", to, "--json", *more, env={"HF_TOKEN": token})
        assert done.returncode == code, done.stderr
        assert not token or token not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        document = json.loads(done.stdout)
        return document["error"]["message"] if "error" in document else document

    return run


def names(release: Release) -> list[str]:
    return sorted(path.relative_to(release.path).as_posix() for path in release.path.rglob("*") if path.is_file())


def held(release: Release) -> dict[str, bytes]:
    return {name: (release.path / name).read_bytes() for name in names(release)}


def on_hub(hub: Hub, revision: str | None = None) -> dict[str, bytes]:
    repo = hub.repos["lab/tiny"]
    tree = repo.files if revision is None else repo.commits[repo.tags[revision]]
    return {path: data for path, (data, _) in tree.items() if path != ".gitattributes"}


def test_the_hub_gets_every_file_and_a_tag_that_is_the_version(hub: Hub, publish: Publish, release: Release) -> None:
    document = publish(release, "--private")
    assert on_hub(hub, "1.0") == held(release)
    assert document["published"]
    assert document["url"] == f"{hub.url}/datasets/lab/tiny/tree/1.0"
    assert hub.repos["lab/tiny"].private
    assert hub.repos["lab/tiny"].messages == ["initial commit", "tiny 1.0"]
    assert {file["state"] for file in document["files"]} == {"new"}


def test_a_dry_run_lists_what_would_go_and_changes_nothing(hub: Hub, publish: Publish, release: Release) -> None:
    document = publish(release, "--dry-run")
    assert [file["path"] for file in document["files"]] == names(release)
    assert document["send_bytes"] == sum(len(data) for data in held(release).values())
    assert (document["commit_message"], document["tag"], document["published"]) == ("tiny 1.0", "1.0", False)
    assert not hub.repos
    assert not [line for line in hub.requests if "create" in line or line.startswith("PUT")]
    assert "POST /api/validate-yaml" in hub.requests


def test_a_dry_run_needs_no_hub_and_no_token(publish: Publish, hub: Hub, release: Release, tmp_path: Path) -> None:
    [note] = publish(release, "--dry-run", token="")["notes"]
    assert "without a token" in note
    env = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_TOKEN": "", "HF_HOME": str(tmp_path / "hf")}
    done = benchwright("release", "publish", release.path, "--to", TARGET, "--dry-run", "--json", env=env)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert "cannot be reached" in document["notes"][0]
    assert {file["state"] for file in document["files"]} == {None}


def test_publishing_again_sends_nothing(hub: Hub, publish: Publish, release: Release) -> None:
    publish(release)
    sent, commits = dict(hub.sent), len(hub.repos["lab/tiny"].commits)
    document = publish(release)
    assert (document["published"], document["send_bytes"]) == (True, 0)
    assert dict(hub.sent) == sent
    assert len(hub.repos["lab/tiny"].commits) == commits


def test_what_broke_off_goes_on_and_sends_no_file_twice(hub: Hub, publish: Publish, release: Release) -> None:
    hub.refuse_uploads_after = 1
    assert "storage is closed" in publish(release, code=2)
    assert not on_hub(hub)
    hub.refuse_uploads_after = None
    publish(release)
    assert on_hub(hub, "1.0") == held(release)
    assert set(hub.sent.values()) == {1}


def test_a_tag_that_could_not_be_set_is_set_the_next_time_without_another_commit(
    hub: Hub, publish: Publish, release: Release
) -> None:
    hub.refuses_tags = True
    assert "tags are closed" in publish(release, code=2)
    hub.refuses_tags = False
    publish(release)
    assert hub.repos["lab/tiny"].messages == ["initial commit", "tiny 1.0"]
    assert on_hub(hub, "1.0") == held(release)


def test_the_next_version_replaces_files_and_both_tags_stay(
    hub: Hub, publish: Publish, release: Release, tmp_path: Path
) -> None:
    publish(release)
    bench = small_bench()
    bench.items = [(item, "test") for item, _ in bench.items]
    newer = bench.write(tmp_path / "newer", version="1.1")
    document = publish(newer)
    assert document["removed"] == ["data/val-00000.parquet"]
    assert (on_hub(hub, "1.0"), on_hub(hub, "1.1")) == (held(release), held(newer))


def test_a_version_is_never_overwritten(hub: Hub, publish: Publish, release: Release, tmp_path: Path) -> None:
    publish(release)
    other = small_bench().write(tmp_path / "other", description="Other words.")
    assert "already has a version 1.0 with different content (README.md" in publish(other, code=2)
    assert "already has a version 1.0 with different content" in publish(other, "--dry-run", code=2)
    assert on_hub(hub) == held(release)


@pytest.mark.parametrize(
    ("token", "words"),
    [
        pytest.param(EXPIRED, "the token is no longer valid", id="expired"),
        pytest.param(READER, "the token has no write access", id="read-only"),
        pytest.param("", "needs a token with write permission", id="none"),
    ],
)
def test_a_token_that_may_not_write_is_refused(
    token: str, words: str, hub: Hub, publish: Publish, release: Release
) -> None:
    assert words in publish(release, token=token, code=2)
    assert not hub.repos


def test_another_organization_is_refused(publish: Publish, release: Release) -> None:
    assert "the token has no write access" in publish(release, to="hub:others/tiny", code=2)


def test_a_name_that_is_taken_is_refused(hub: Hub, publish: Publish, release: Release) -> None:
    hub.create("lab/tiny", files={"train.csv": b"a,b\n"})
    assert "lab/tiny is already in use: it contains train.csv" in publish(release, code=2)
    hub.create("lab/tiny", files={"manifest.json": b"[1]"})
    assert "is already in use" in publish(release, code=2)
    assert set(on_hub(hub)) == {"manifest.json"}


def test_a_public_repository_is_refused_where_a_private_one_is_wanted(
    hub: Hub, publish: Publish, release: Release
) -> None:
    hub.create("lab/tiny")
    assert "lab/tiny is already public" in publish(release, "--private", code=2)
    assert not on_hub(hub)


def test_a_file_that_arrives_damaged_is_not_committed(hub: Hub, publish: Publish, release: Release) -> None:
    hub.damages = True
    assert "does not have the SHA-256" in publish(release, code=2)
    assert not on_hub(hub)
    assert not hub.repos["lab/tiny"].tags


def test_a_commit_of_somebody_else_in_between_is_not_overwritten(hub: Hub, publish: Publish, release: Release) -> None:
    hub.moves_on = True
    assert "another commit came in between" in publish(release, code=2)
    assert hub.repos["lab/tiny"].messages == ["initial commit", "somebody else"]
    hub.moves_on = False
    publish(release)
    assert on_hub(hub, "1.0") == held(release)


def test_a_card_that_the_hub_refuses_stops_before_anything_is_sent(hub: Hub, publish: Publish, tmp_path: Path) -> None:
    odd = small_bench().write(tmp_path / "odd", licence="my-own-licence")
    assert "must be one of the Hub's licences" in publish(odd, "--dry-run", code=1)["card_errors"][0]
    assert "must be one of the Hub's licences" in publish(odd, code=2)
    assert not on_hub(hub)


def test_a_release_that_does_not_hold_and_a_draft_are_not_published(
    hub: Hub, publish: Publish, release: Release, tmp_path: Path
) -> None:
    draft = small_bench().write(tmp_path / "draft", version="0+abc")
    assert "is a draft" in publish(draft, code=2)
    (release.path / "errata.json").write_text("{}")
    assert "fails verification and is not published: errata.json" in publish(release, code=1)
    assert not hub.requests


@pytest.mark.parametrize("name", ["tiny", "lab/", "lab/ti ny", "lab/../tiny", "https://x/lab/tiny"])
def test_what_is_no_repository_is_refused(name: str, release: Release) -> None:
    done = in_process("release", "publish", release.path, "--to", f"hub:{name}", "--dry-run")
    assert done.returncode == 2
    assert "is not a Hub repository" in done.stderr


def test_a_folder_gets_the_release_whole(release: Release, tmp_path: Path) -> None:
    target = tmp_path / "disk" / "tiny-1.0"
    dry = in_process("release", "publish", release.path, "--to", target, "--dry-run")
    assert f"would send {len(names(release))} of {len(names(release))} files" in dry.stdout
    assert f"to the folder {target}" in dry.stdout
    assert not target.exists()
    assert in_process("release", "publish", release.path, "--to", target).returncode == 0
    assert held(Release.open(target)) == held(release)
    assert verify_release(target, expect=release.release_id).ok
    again = in_process("release", "publish", release.path, "--to", target)
    assert "nothing to send" in again.stdout
    assert [path.name for path in target.parent.iterdir()] == ["tiny-1.0"]


def test_a_folder_with_something_else_is_left_alone(release: Release, tmp_path: Path) -> None:
    target = tmp_path / "other"
    target.mkdir()
    (target / "notes.txt").write_text("mine")
    done = in_process("release", "publish", release.path, "--to", target)
    assert (done.returncode, [path.name for path in target.iterdir()]) == (2, ["notes.txt"])
    assert "nothing in it is overwritten" in done.stderr
    inside = in_process("release", "publish", release.path, "--to", release.path / "data" / "copy")
    assert "is inside the release" in inside.stderr
    assert verify_release(release.path).ok
