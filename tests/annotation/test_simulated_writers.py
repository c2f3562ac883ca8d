"""Simulated annotators who describe and collect: repeatable, valid for the form, and marked everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from walks import make_photographs

from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kind_forms.description import DESCRIPTION_FORM
from benchwright.annotation.simulated.annotators import simulate, simulated_decisions
from benchwright.annotation.simulated.writers import SimulatedCollectors, SimulatedDescribers, drawn_picture
from benchwright.annotation.store.review_store import open_store
from benchwright.images import decode_rgb
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import ImageRecord
from benchwright.release import Release
from benchwright.seeds import generator_for
from benchwright.steps import CampaignContext
from benchwright.workspace.photographs import collected_photographs

FORM = CampaignForm(fields=DESCRIPTION_FORM.fields)


@pytest.fixture
def store_url(url: str, tmp_path: Path, empty_store: bytes) -> str:
    """A store in a file: simulated annotators use the calls of people, which are tested on a server too."""
    (tmp_path / "review.sqlite").write_bytes(empty_store)
    return url


def payload(digit: str) -> dict[str, Any]:
    return {"images": [{"image_id": digit * 64}]}


def picture(digit: str) -> ImageRecord:
    return ImageRecord(
        image_id=digit * 64, width=40, height=30, media_type="image/png", size_bytes=9, root_image_id=digit * 64
    )


def test_whatever_they_describe_fits_the_form_and_they_discard_at_their_rate() -> None:
    group, discarded, counts = SimulatedDescribers(annotators=3, discard_rate=0.3), 0, set()
    for number in range(120):
        [said] = simulated_decisions(group, f"{number}", payload("a"), slots=1, seed=1, stage="describe", form=FORM)
        assert said.annotator in {"simulated-describer-1", "simulated-describer-2", "simulated-describer-3"}
        fields = said.submission.fields
        assert fields is not None
        checked = DESCRIPTION_FORM.checked(fields, letters=(), key=None)
        assert checked.keys() == fields.keys()
        discarded += checked["implication"] == "nothing"
        counts.add(checked.get("questions"))
    assert 20 < discarded < 55
    assert counts == {None, "one", "two", "three"}


def test_a_picture_follows_from_its_draw_and_is_as_large_as_asked() -> None:
    one, same, other = (drawn_picture(generator_for(1, "collect", name), 320, 240) for name in ("a", "a", "b"))
    assert one.shape == (240, 320, 3)
    assert (one == same).all()
    assert (one != other).any()
    ink = (one == 255).all(axis=2).mean()  # of the word across it
    assert ink > 0.02


def test_descriptions_are_marked_as_nobodys(context: CampaignContext) -> None:
    step = Describe(simulate=SimulatedDescribers(annotators=2, discard_rate=0.4))
    images = [picture(one) for one in "0123456789abcdef"]
    verdicts = step.advance(images, context)
    assert verdicts.waiting is None
    assert verdicts.summary["simulated"] is True
    assert {one.evidence["simulated"] for one in verdicts.outcomes.values()} == {True}
    stated = [json.loads(one.values["implication"]) for one in verdicts.outcomes.values() if one.values]
    assert 0 < len(stated) < 16
    assert all(one["written_in"]["simulated"] is True for one in stated)
    assert step.advance(images[::-1], context) == verdicts


@pytest.mark.slow
def test_pictures_that_nobody_took_come_as_such_with_the_same_bytes_after_a_kill(
    context: CampaignContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = tuple(f"prompt {n}" for n in range(5))
    step = Collect(prompts=prompts, simulate=SimulatedCollectors(annotators=3, none_rate=0.2))
    folder = collected_photographs(context.workspace).root
    with monkeypatch.context() as killed:
        killed.setattr("benchwright.annotation.campaigns.running.open_campaign.simulate", _killed_after_two)
        with pytest.raises(KeyboardInterrupt):
            step.advance([], context)
    waiting = step.advance([], context).waiting
    assert waiting is not None
    assert "photographs arrived during this run" in waiting
    with open_store(context.store_url) as store:
        said = store.decisions("verify")
    assert {one.annotator_kind for one in said} == {"simulated"}
    there = {one.parent.name + one.name for one in folder.glob("??/*")}
    assert there == {one.fields["photograph"] for one in said if one.fields and "photograph" in one.fields}

    again = context._replace(workspace=tmp_path / "again", store_url=f"sqlite:///{tmp_path / 'again.sqlite'}")
    step.advance([], again)
    files = collected_photographs(again.workspace).root
    assert {one.relative_to(files): one.read_bytes() for one in files.glob("??/*")} == {
        one.relative_to(folder): one.read_bytes() for one in folder.glob("??/*")
    }


def _killed_after_two(store: Any, campaign: str, group: Any, **settings: Any) -> int:
    """Simulate in transactions of one task each, and be killed within the third."""
    decisions = iter(range(2))

    class Killed:
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

        def names(self) -> list[str]:
            return list(self._inner.names())

        def submission(self, *given: Any) -> Any:
            if next(decisions, None) is None:
                raise KeyboardInterrupt
            return self._inner.submission(*given)

    return simulate(store, campaign, Killed(group), **settings, batch=1)  # type: ignore[arg-type] # for this test only


def test_a_small_bound_of_pixels_and_a_large_side_are_both_met(context: CampaignContext) -> None:
    step = Collect(prompts=("a cat",), min_side_px=400, max_pixels=170_000, simulate=SimulatedCollectors(annotators=1))
    step.advance([], context)
    with open_store(context.store_url) as store:
        [said] = store.decisions("verify")
    assert said.fields is not None
    data = collected_photographs(context.workspace).path(said.fields["photograph"]).read_bytes()
    assert np.asarray(decode_rgb(data)).shape == (400, 400, 3)


@pytest.mark.parametrize("group", [{"annotators": 0}, {"annotators": 1, "discard_rate": 2}])
def test_groups_that_cannot_be_are_refused(group: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Describe.model_validate({"simulate": group})


RECIPE = """
name: written
seed: 3
shards: 2
steps:
  - step: collect
    prompts: [a cat on a wall, a boat]
    simulate: {annotators: 2}
  - step: describe
    simulate: {annotators: 2, discard_rate: 0.2}
  - step: image_implication
    stated_by: describe
    kinds: [image_implication]
  - step: screen_items
    simulate: {annotators: 1}
  - step: verify
    rule: unanimous(2)
    simulate: {annotators: 2}
  - step: freeze
    name: written
    version: "1.0"
"""


@pytest.mark.slow
@pytest.mark.workers
def test_a_recipe_of_both_kinds_runs_to_a_release_that_says_nobody_wrote_or_took_anything(tmp_path: Path) -> None:
    make_photographs(tmp_path / "photographs", count=3)
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)
    for name, workers in (("w", 1), ("v", 2)):
        # The pictures that came in are images of a next run, which follows by itself.
        done = run_recipe(recipe, workspace=tmp_path / name, images=tmp_path / "photographs", workers=workers)
        assert done.state == "done"
        assert [step.records for step in done.steps if step.name == "describe"] == [5]
    one, other = (tmp_path / name / "releases" / "written-1.0" for name in "wv")
    assert {path.name: path.read_bytes() for path in one.rglob("*") if path.is_file()} == {
        path.name: path.read_bytes() for path in other.rglob("*") if path.is_file()
    }
    release = Release.open(one)
    items = [released.item for released in release.items()]
    assert items
    assert {author for item in items for author in item.written_by.values()} == {"simulated"}
    card = (one / "README.md").read_text()
    for campaign in ("collect", "describe"):
        assert f"`{campaign}`: **simulated** annotators, not people" in card
    assert "| collect (simulated) |" in card
