"""A small workspace with everything in it, and bits to flip in its files."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from chat_server import ChatServer
from walks import make_photographs, run_json

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.campaigns.guidelines import Guidelines
from benchwright.annotation.store.review_store import open_store
from benchwright.annotation.store.submissions.comments import add_remark
from benchwright.cli.main import invoke
from benchwright.release import Release
from benchwright.workspace.workspace import Workspace

RECIPE = """\
name: damage
seed: 3
shards: 4
steps:
  - exact_duplicates
  - step: jigsaw
    min_tile_px: 16
    likeness: keep
  - step: verify
    rule: unanimous(2)
    simulate:
      annotators: 3
      error_rate: 0.1
  - splits
  - step: freeze
    name: damage
  - step: evaluate
    models: [random]
"""


def make_workspace(folder: Path, *more: str, count: int = 8) -> Path:
    """Run the recipe over some photographs; return the workspace."""
    make_photographs(folder / "photographs", count=count)
    (folder / "damage.yaml").write_text(RECIPE, encoding="utf-8")
    run_again(folder, *more)
    return folder / "w"


def run_again(folder: Path, *more: str, env: dict[str, str] | None = None) -> dict[str, object]:
    """Run the recipe in the workspace, for the first time or again."""
    document: dict[str, object] = run_json(
        "run", folder / "damage.yaml", "--images", folder / "photographs", "--workspace", folder / "w",
        "--workers", "1", *more, env=env,
    )  # fmt: skip
    return document


def make_workspace_to_flip(folder: Path) -> Path:
    """Make a workspace with every class of file in it: replies of a model, people's decisions, an override."""
    workspace = make_workspace(folder, "--copy", count=6)
    image = first(folder / "photographs", "piece-01*").name
    assert (
        invoke(
            ["filter", "drop", str(workspace), image, "--step", "exact_duplicates", "--why", "private", "--by", "ada"]
        )
        == 0
    )
    server = ChatServer()
    try:
        scored = RECIPE.replace("[random]", f"[random, openai:m]\n    base_url: {server.url}")
        (folder / "damage.yaml").write_text(scored, encoding="utf-8")
        run_again(folder, "--copy", env={"OPENAI_API_KEY": "sk"})
    finally:
        server.close()
    assert invoke(["gc", str(workspace)]) == 0  # a changed bit in an unreferenced file changes nothing
    _let_people_review(workspace)
    return workspace


def _let_people_review(workspace: Path) -> None:
    """Let two people with accounts decide on the release's items, by guidelines, and one of them comment."""
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    items = [released.item for released in Release.open(first(workspace / "releases", "*")).items()]
    with open_store(Workspace(workspace).store_url) as store:
        form = CampaignForm(decisions=["accept", "reject"], reasons=["unclear"])
        store.upsert_campaign(
            "people", kind="verify", rule="unanimous(2)", slots_per_task=2, form=form, settings={}, seed=1
        )
        store.upsert_tasks("people", [TaskInput(i.item_id, i.content_hash, i.model_dump(mode="json")) for i in items])
        Guidelines(store).set("people", "Accept what is right.\n" * 20, [])
        for name in ("ann", "ben"):
            Accounts(store).add(name, "annotator", now=now)
            Accounts(store).set_password(name, "a hash of a password " * 4)
            for _ in items:
                lease = store.claim("people", name, now=now)
                assert lease is not None
                store.submit(
                    lease.slot_id, name, Submission("reject", reasons=("unclear",), note="too dark " * 5), now=now
                )
        with store.writing() as connection:
            add_remark(connection, lease.task_id, "ann", "Who can see anything here?", is_flag=True, now=now)


def flip(path: Path, place: int, bit: int = 0) -> None:
    """Change one bit of a file in place."""
    with path.open("r+b") as handle:
        handle.seek(place)
        byte = handle.read(1)[0]
        handle.seek(place)
        handle.write(bytes([byte ^ 1 << bit]))
        handle.flush()
        os.fsync(handle.fileno())


def first(folder: Path, pattern: str) -> Path:
    """Return the first file that matches a pattern."""
    return sorted(folder.glob(pattern))[0]
