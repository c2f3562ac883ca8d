"""The campaign `collect`: it stores photographs as pixels only, with source and license, and the next run uses them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from brought_photographs import jpeg
from PIL import Image
from pydantic import ValidationError
from typed_answers import say
from walks import make_photographs, run_json

from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.forms.fields.field_types import PhotographField
from benchwright.annotation.forms.fields.field_values import FormError
from benchwright.annotation.forms.kind_forms.collect import collect_form
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.photo_uploads import Uploads
from benchwright.annotation.workflow.photo_uploads import take_in_photograph
from benchwright.images import decode_rgb
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.workspace.photographs import collected_photographs

pytestmark = pytest.mark.slow

FIELD = PhotographField(name="photograph", label="Photograph", max_bytes=400_000, max_pixels=120_000, min_side_px=100)


# Taking a photograph in


def test_only_pixels_of_a_photograph_are_kept(tmp_path: Path) -> None:
    data = jpeg() + b"<script>secret tail</script>"
    taken = take_in_photograph(tmp_path, data, FIELD)
    assert (taken.width, taken.height) == (320, 240)
    kept = collected_photographs(tmp_path).path(taken.image_id).read_bytes()
    assert kept.startswith(b"\x89PNG")
    assert b"secret" not in kept
    assert (decode_rgb(kept) == decode_rgb(jpeg())).all()


def test_a_photograph_is_turned_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[274] = 6
    taken = take_in_photograph(tmp_path, jpeg(exif=exif), FIELD)
    assert (taken.width, taken.height) == (240, 320)


def test_the_same_photograph_is_kept_once_and_nothing_is_overwritten(tmp_path: Path) -> None:
    first = take_in_photograph(tmp_path, jpeg(), FIELD)
    path = collected_photographs(tmp_path).path(first.image_id)
    before = path.stat().st_ino
    assert take_in_photograph(tmp_path, jpeg(comment=b"another"), FIELD) == first
    assert path.stat().st_ino == before
    assert sum(one.is_file() for one in (tmp_path / "collected").rglob("*")) == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"", "photograph cannot be accepted", id="empty"),
        pytest.param(b"MZ" + b"\0" * 500, "not_an_image", id="program"),
        pytest.param(
            b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "photograph cannot be accepted", id="svg"
        ),
        pytest.param(jpeg()[:2000], "truncated", id="cut off"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + b"\xff" * 300, "photograph cannot be accepted", id="broken"),
        pytest.param(jpeg(640, 480), "too_many_pixels", id="too many pixels"),
        pytest.param(jpeg(320, 64), "both sides must have at least 100", id="too small"),
        pytest.param(jpeg() + b"\0" * 400_000, "at most 400,000 are allowed", id="too many bytes"),
    ],
)
def test_what_is_no_fit_photograph_is_refused_and_leaves_nothing(tmp_path: Path, data: bytes, words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        take_in_photograph(tmp_path, data, FIELD)
    assert not any(one.is_file() for one in tmp_path.rglob("*"))


# The form


FORM = collect_form(("cc0-1.0", "cc-by-4.0"), max_bytes=1000, max_pixels=1000, min_side_px=1)
FOUND = {
    "found": "web", "licence": "cc_by_4_0", "photograph": "a" * 64, "source": "https://example.org/p/1", "author": "A. B.",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param({"source": "javascript:alert(1)"}, "not an address such as https", id="script"),
        pytest.param({"source": "https://"}, "not an address", id="no host"),
        pytest.param({"source": "https://a b"}, "not an address", id="space"),
        pytest.param({"source": "http://[::1"}, "not an address", id="broken"),
        pytest.param({"source": ""}, "'source' .* is not filled in", id="no source"),
        pytest.param({"photograph": "../../etc/passwd"}, "not an uploaded photograph", id="path"),
        pytest.param({"photograph": ""}, "'photograph' .* is not filled in", id="no photograph"),
        pytest.param({"licence": "cc-by-4.0"}, "is not one of cc0_1_0, cc_by_4_0", id="licence"),
        pytest.param({"author": ""}, "'author' .* is not filled in", id="no author"),
    ],
)
def test_a_photograph_without_source_or_licence_is_no_answer(change: dict[str, str], words: str) -> None:
    with pytest.raises(FormError, match=words):
        FORM.checked(FOUND | change, letters=(), key=None)


def test_a_photograph_of_ones_own_needs_no_address_and_none_found_needs_nothing() -> None:
    assert "source" not in FORM.checked(FOUND | {"found": "own"}, letters=(), key=None)
    assert FORM.checked(FOUND | {"found": "none"}, letters=(), key=None) == {"found": "none"}
    assert FORM.describe(FOUND) == "From the web · cc-by-4.0 · Photograph · https://example.org/p/1 · A. B."


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({"prompts": []}, "at least 1 item", id="no prompt"),
        pytest.param({"prompts": ["a cat", "a cat"]}, "'a cat' appears twice", id="twice"),
        pytest.param({"prompts": ["a cat"], "licences": ["cc0"]}, "at least 2 items", id="one licence"),
        pytest.param({"prompts": ["a cat"], "licences": ["CC 0", "cc-0"]}, "read the same", id="licences"),
        pytest.param({"prompts": [" a cat"]}, "match pattern", id="space"),
    ],
)
def test_settings_that_cannot_work_are_refused_in_words(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Collect(**settings)


# Runs


RECIPE = """
name: collected
seed: 3
shards: 2
steps:
  - step: collect
    prompts: ["a cat on a wall", "a red cup"]
    per_prompt: 2
    min_side_px: 100
    licences: [cc0-1.0, cc-by-4.0]
  - step: jigsaw
    min_tile_px: 16
    likeness: keep
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[[], Any]:
    make_photographs(tmp_path / "photographs", count=2)
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)
    return lambda: run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "photographs", workers=1)


@pytest.fixture
def opened(tmp_path: Path, run: Callable[[], Any]) -> Iterator[ReviewStore]:
    assert "campaign 'collect' waits for people: 4 of 4 tasks" in run().waits[0]
    with open_store(f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}") as store:
        for name in ("ann", "ben"):
            store.upsert_annotator(name)
        yield store


def bring(store: ReviewStore, workspace: Path, task_id: int, name: str, data: bytes) -> str:
    """Store a photograph for an annotator, as the app does."""
    taken = take_in_photograph(workspace, data, FIELD)
    Uploads(store).note(task_id, name, taken.image_id)
    return taken.image_id


def test_photographs_join_the_images_of_the_next_run_with_source_and_licence(
    tmp_path: Path, opened: ReviewStore, run: Callable[[], Any], now: datetime
) -> None:
    tasks = sorted(opened.tasks("collect"), key=lambda task: (task.payload["question"], task.id))
    ids = [bring(opened, tmp_path / "w", task.id, "ann", jpeg(seed=n)) for n, task in enumerate(tasks[:2])]
    said = {
        tasks[0].item_id: {"ann": FOUND | {"photograph": ids[0]}},
        tasks[1].item_id: {"ann": FOUND | {"photograph": ids[1], "found": "own", "licence": "cc0_1_0"}},
        tasks[2].item_id: {"ben": {"found": "none"}},
    }
    say(opened, "collect", said, now)
    # What is handed in is taken in although others are still looking.
    assert {step.name: step.kept for step in run().steps}["ingest"] == 4
    say(opened, "collect", {tasks[3].item_id: {"ben": {"found": "none"}}}, now)
    done = run()
    assert done.state == "done"
    collected = {image.image_id: image.source for image in done.images() if image.source and image.source.dataset}
    assert {one: source.model_dump(exclude_none=True) for one, source in collected.items()} == {
        ids[0]: {
            "uri": f"collect:{ids[0]}.png", "dataset": "collect", "canonical_id": "https://example.org/p/1",
            "licence": "cc-by-4.0", "author": "A. B.",
        },
        ids[1]: {"uri": f"collect:{ids[1]}.png", "dataset": "collect", "licence": "cc0-1.0", "author": "A. B."},
    }  # fmt: skip
    prompts = {row["record_id"]: row["prompt"] for row in done.outcomes("collect") if row["prompt"]}
    assert prompts == {ids[0]: "a cat on a wall", ids[1]: "a cat on a wall"}
    assert {step.name: step.records for step in done.steps}["jigsaw"] == 4
    summary = json.loads((tmp_path / "w" / "tables" / "collect" / "summary.json").read_text())
    assert summary["licences"] == {"cc-by-4.0": 1, "cc0-1.0": 1}
    assert (summary["photographs"], summary["found"]) == (2, {"none": 2, "own": 1, "web": 1})
    assert run().executed == 0
    removed = run_json("gc", tmp_path / "w", "--dry-run")["removed"]
    assert not any(one[:2] in name for one in ids for name in removed if name.startswith("objects/"))


def test_a_photograph_that_came_in_during_the_run_is_waited_for(
    tmp_path: Path, opened: ReviewStore, run: Callable[[], Any], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = opened.tasks("collect")
    say(opened, "collect", {task.item_id: {"ann": {"found": "none"}} for task in others}, now)
    image_id = bring(opened, tmp_path / "w", first.id, "ann", jpeg())
    say(opened, "collect", {first.item_id: {"ann": FOUND | {"photograph": image_id}}}, now)
    monkeypatch.setattr("benchwright.pipeline.run.photographs_of", lambda root: [])
    assert "1 of its photographs arrived during this run; run the same command again" in run().waits[0]
    monkeypatch.undo()
    assert run().state == "done"


def test_nobody_hands_in_a_photograph_that_they_did_not_upload_there(
    tmp_path: Path, opened: ReviewStore, now: datetime
) -> None:
    first, second, *_ = opened.tasks("collect")
    image_id = bring(opened, tmp_path / "w", first.id, "ann", jpeg())
    for task, name in ((first, "ben"), (second, "ann")):
        with pytest.raises(RefusedError, match="upload the photograph first"):
            say(opened, "collect", {task.item_id: {name: FOUND | {"photograph": image_id}}}, now)
    assert opened.decisions("collect") == []


def test_a_table_brings_photographs_that_lie_beside_it_and_none_from_elsewhere(
    tmp_path: Path, opened: ReviewStore, run: Callable[[], Any]
) -> None:
    first, second, third, _ = (task.item_id for task in opened.tasks("collect"))
    sent = tmp_path / "sent"
    sent.mkdir()
    (sent / "cat.jpg").write_bytes(jpeg())
    (tmp_path / "outside.jpg").write_bytes(jpeg(seed=2))
    (sent / "link.jpg").symlink_to(tmp_path / "outside.jpg")
    head = "item_id,annotator,found,licence,photograph,source,author\n"
    rows = [(first, "cat.jpg"), (second, "../outside.jpg"), (third, "link.jpg")]
    lines = [f"{item_id},ann,own,cc0_1_0,{name},,A. B.\n" for item_id, name in rows]
    (sent / "filled.csv").write_text(head + "".join(lines))
    for new, unchanged in ((1, 0), (0, 1)):
        done = import_decisions(
            opened, "collect", sent / "filled.csv", now=datetime.now(UTC), workspace=tmp_path / "w"
        )  # fmt: skip
        assert (done.new, done.unchanged, len(done.refused)) == (new, unchanged, 2)
        assert all("is outside the table's folder" in row.why for row in done.refused)
    assert {step.name: step.kept for step in run().steps}["ingest"] == 3
