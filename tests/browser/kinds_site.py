"""A workspace over real photographs with campaigns that ask other things than to accept an item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from browser.review_site import add_accounts
from picture_copies import COPIES, photograph

from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.campaigns.mark.step import Mark
from benchwright.annotation.campaigns.pair import Pair
from benchwright.annotation.campaigns.screen import Screen
from benchwright.annotation.campaigns.state.step import State
from benchwright.annotation.campaigns.write.step import Write
from benchwright.annotation.forms.fields.field_types import Option
from benchwright.annotation.forms.kind_forms.marking import MarkField
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.steps import CampaignContext, CampaignStep
from benchwright.workspace.run_results import FinishedRun
from benchwright.workspace.store_place import settle_store

RECIPE = """
name: kinds
seed: 3
shards: 2
steps:
  - step: near_duplicates
    protected: ["mine/*"]
    keep: [resolution, id]
"""


def make_images(folder: Path, *, sizes: Mapping[str, tuple[int, int]] = MappingProxyType({})) -> FinishedRun:
    """Run a recipe over photographs, one of them in two copies, and over one of each of these sizes in pixels."""
    images = folder / "photographs"
    (images / "mine").mkdir(parents=True)
    for name in ("coffee", "chelsea", "rocket"):
        photograph(name).save(images / f"{name}.png")
    for name, size in sizes.items():
        photograph("astronaut").resize(size).save(images / f"{name}.png")
    COPIES["small"](photograph("coffee")).save(images / "mine" / "small.png")
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=folder)
    return run_recipe(recipe, workspace=folder / "workspace", images=images, workers=1)


def every_kind(done: FinishedRun) -> list[CampaignStep]:
    """Return a campaign of each kind that asks about images; what a recipe writes into them are words of items."""
    example = next(iter(done.images())).image_id
    options = (Option(code="right", words="Right"), Option(code="wrong", words="Wrong"))
    fields = (
        MarkField(name="one", label="One", shape="mask", example=example),
        MarkField(name="two", label="Two", shape="box", options=options, min_count=0),
    )
    collect = Collect(prompts=("a red cup",), min_side_px=64)
    write = Write(task="cups", refusal="allowed", explanation="required")
    return [Screen(), Pair(), Describe(), collect, Mark(fields=fields), State(), write]


def open_campaigns(done: FinishedRun, steps: Iterable[CampaignStep]) -> None:
    """Bring campaigns up to the images of a run, each under its step's name, and give people accounts."""
    images = list(done.images())
    like = {row["record_id"]: row["like"] for row in done.outcomes("near_duplicates.kept")}
    for step in steps:
        values = {"near_duplicates.kept.like": like}
        context = CampaignContext(3, step.name, done.workspace, settle_store(done.workspace), values)
        assert step.advance(images, context).waiting is not None
    add_accounts(done.workspace)
