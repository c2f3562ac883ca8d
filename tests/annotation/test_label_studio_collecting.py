"""Photographs from Label Studio: the files that are fetched, and the valid statements about them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kind_forms.collect import collect_form
from benchwright.annotation.label_studio.collect_config import (
    MOST_PROMPTS,
    collect_config,
    prompt_data,
    prompt_words,
    read_collected,
)
from benchwright.annotation.label_studio.collecting import upload_path
from benchwright.annotation.store.database.records import Task
from benchwright.errors import BenchwrightError, DataError

from .label_studio_rows import label

FORM = CampaignForm(fields=collect_form(("cc0-1.0", "cc-by-4.0"), max_bytes=1, max_pixels=1, min_side_px=1).fields)


def tasks(*prompts: str) -> list[Task]:
    return [Task(n, f"item-{n}", f"content-{n}", 1, "open", {"question": one}) for n, one in enumerate(prompts, 1)]


@pytest.mark.parametrize("name", ["35b1-cup.png", "35b1-t%C3%A4sse_1_20..png"])
def test_a_file_that_was_imported_into_the_project_is_fetched_from_there(name: str) -> None:
    assert upload_path(f"/data/upload/7/{name}", 7) == f"/data/upload/7/{name}"


@pytest.mark.parametrize(
    "address",
    [
        "/data/upload/8/cup.png", "/data/upload/7/", "/data/upload/7/../8/cup.png", "/data/upload/7/..",
        "/data/upload/7/%2e%2e", "/data/upload/7/..%2f8%2fcup.png", "/data/upload/7/a%5C..%5Ccup.png",
        "/data/upload/7/cup.png?token=1", "/data/upload/7/cup.png#a", "/data/upload/7/cup%00.png",
        "/data/upload/7/cup\n.png", "//example.org/data/upload/7/cup.png", "https://example.org/data/upload/7/cup.png",
        "http://169.254.169.254/", "file:///etc/passwd", "data:image/png;base64,AAAA", "/data/local-files/?d=cup.png",
        "/data/upload/7/" + "a" * 301, "", None, 7, ["/data/upload/7/cup.png"],
    ],
)  # fmt: skip
def test_nothing_else_is_fetched_whatever_a_task_says(address: Any) -> None:
    with pytest.raises(DataError, match="is not a picture file imported into project 7"):
        upload_path(address, 7)


def test_the_config_has_one_field_of_data_so_that_files_can_be_imported() -> None:
    config = ET.fromstring(
        collect_config(FORM.model_copy(update={"guidelines": "Take **one**\nfor $5"}), tasks("a cup", "a $5 note"))
    )
    named = [one.get("value") for one in config.iter() if one.get("name") and (one.get("value") or "").startswith("$")]
    assert named == ["$image"]
    [prompts] = [one for one in config.iter("Choices") if one.get("name") == "prompt"]
    assert [one.get("value") for one in prompts] == ["a cup", "a ＄5 note"]
    assert "$5" not in ET.tostring(config, encoding="unicode")
    [lone] = [one for one in ET.fromstring(collect_config(FORM, tasks("a cup"))).iter("Choices")
              if one.get("name") == "prompt"]  # fmt: skip
    assert len(lone) == 2
    assert prompt_data(tasks("a $5 note")[0])["prompt"].endswith("a $5 note")


def test_more_prompts_than_a_list_can_hold_are_refused() -> None:
    with pytest.raises(BenchwrightError, match=r"1,001 prompts .* Collect in the app"):
        collect_config(FORM, tasks(*map(str, range(MOST_PROMPTS + 1))))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ([label("prompt", "a dog")], "not one of the campaign's prompts"),
        ([label("prompt", "a cup", "a $5 note")], "not one of the campaign's prompts"),
        ([label("prompt", "a cup")], "'found'"),
        ([label("field_found", "My own"), label("field_licence", "mine")], "not one of cc0_1_0, cc_by_4_0"),
        ([label("field_found", "My own"), label("field_photograph", "0" * 64, kind="textarea")], "does not belong"),
    ],
)
def test_what_the_form_does_not_let_people_say_of_a_photograph_is_refused(said: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_collected(said, FORM, prompt_words(tasks("a cup", "a $5 note")))
