"""The funnel: counts that add up, reproducible examples, and a page on which no user text becomes markup."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from report_page import ReportPage
from walks import make_photographs

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError
from benchwright.funnel import thresholds_of, write_funnel, write_run_funnel
from benchwright.funnel.cards import outlines_of
from benchwright.funnel.counting import count_funnel
from benchwright.funnel.thumbnails import partners_in
from benchwright.pipeline import run_recipe
from benchwright.pipeline.run import stages_of_workspace
from benchwright.recipe import parse_recipe
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

EVIL = "<img src=x onerror=alert(1)>&quot;'\u202e\n.png"
RECIPE = """\
name: small
seed: 3
shards: 2
steps:
  - exact_duplicates
  - near_duplicates
  - step: text_ratio
    max_ratio: 0.3
  - step: jigsaw
    min_tile_px: 64
    likeness: keep
  - step: verify
    rule: unanimous(1)
    simulate:
      annotators: 2
      error_rate: 0.5
"""


def run(folder: Path) -> Any:
    recipe = parse_recipe(RECIPE, "small.yaml", folder)
    return run_recipe(recipe, images=folder / "p", workspace=folder / "w", workers=1)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Photographs, of which one is stored five times without loss, under names that would be markup; one broken file."""
    folder = tmp_path_factory.mktemp("funnel")
    make_photographs(folder / "p", count=5)
    pixels = np.random.default_rng(4).integers(0, 255, (9, 13, 3), dtype=np.uint8)
    large = Image.fromarray(pixels).resize((520, 360), Image.Resampling.BICUBIC)
    large.save(folder / "p" / EVIL)
    for number in range(4):
        large.save(folder / "p" / f"zz <b>{number}<b>.png", compress_level=number + 1)
    (folder / "p" / "<script>alert(2)<").write_bytes(b"\x89PNG\r\n\x1a\n")
    run(folder)
    return folder


@pytest.fixture
def place(first: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(first, tmp_path / "place"))


def page_of(place: Path, **settings: Any) -> ReportPage:
    out = place / "page.html"
    write_funnel(place / "w", out, **settings)
    return ReportPage(out)


def texts(page: ReportPage, name: str) -> list[str]:
    return [one.text for one in page.elements if name in (one.attributes.get("class") or "").split()]


def test_counts_add_up_from_step_to_step(place: Path) -> None:
    steps = {one.name: one for one in count_funnel(Workspace(place / "w"), stages_of_workspace(place / "w"))}
    assert list(steps) == ["ingest", "exact_duplicates", "near_duplicates", "text_ratio", "jigsaw", "verify"]
    ingest, exact, jigsaw, verify = (steps[name] for name in ("ingest", "exact_duplicates", "jigsaw", "verify"))
    assert (ingest.flow, ingest.records, ingest.out) == ("files", 12, 10)
    assert (ingest.dropped, sum(ingest.failed.values())) == ({"same_bytes": 1}, 1)
    assert (exact.flow, exact.records, exact.out, exact.dropped) == ("images", 10, 6, {"exact_duplicate": 4})
    assert jigsaw.left_aside
    assert jigsaw.out == jigsaw.records == steps["text_ratio"].out
    assert verify.flow == "items"
    assert verify.records == jigsaw.made["items"]
    for one in steps.values():
        told = sum(one.failed.values()) + (0 if one.left_aside else sum(one.dropped.values()))
        assert one.records - told == one.out


def test_the_page_shows_what_was_dropped_beside_what_it_was_dropped_for(place: Path) -> None:
    page = page_of(place)
    [kept] = {one.text for one in page.elements if one.tag == "figcaption" and one.text.startswith("kept ")}
    assert "onerror=alert(1)" in kept
    dropped = [one.text for one in page.elements if one.tag == "figcaption" and one.text.startswith("dropped zz")]
    assert sorted(dropped) == [f"dropped zz <b>{number}<b>.png" for number in range(4)]
    assert all(
        re.fullmatch(r"data:image/jpeg;base64,[A-Za-z0-9+/=]+", one.attributes["src"] or "")
        for one in page.elements
        if one.tag == "img"
    )


def test_names_and_texts_of_files_are_never_markup(place: Path) -> None:
    invoke(["filter", "restore", str(place / "w"), "zz <b>1<b>.png", "--why", "</q><script>alert(3)", "--by", "<u>ada"])
    run(place)
    page = page_of(place)
    assert [one.tag for one in page.elements].count("script") == 1
    assert not any("onerror" in one.attributes or one.tag == "u" for one in page.elements)
    assert "\u202e" not in page.source
    assert "&lt;img src=x onerror=alert(1)&gt;" in page.source
    assert "</q><script>alert(3)" not in page.source
    assert any("</q><script>alert(3)" in text for text in texts(page, "decision"))
    policy = next(one.attributes["content"] for one in page.elements if one.attributes.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; img-src data:;")


def test_every_command_line_on_the_page_is_one_that_the_program_takes(place: Path) -> None:
    moved = place / "w o'rk"
    shutil.move(place / "w", moved)
    write_funnel(moved, place / "page.html")
    page = ReportPage(place / "page.html")
    lines = [
        one.text for one in page.elements if one.tag == "code" and one.text.startswith("benchwright filter restore")
    ]
    assert len(lines) == 4
    for line in lines:
        assert invoke([*shlex.split(line)[1:], "--by", "ada"]) == 0
    recipe = parse_recipe(RECIPE, "small.yaml", place)
    assert run_recipe(recipe, images=place / "p", workspace=moved, workers=1).steps[1].reversed == 4


def test_a_reversed_drop_shows_both_verdicts_who_and_why_and_how_to_take_it_back(place: Path) -> None:
    invoke(["filter", "restore", str(place / "w"), "zz <b>1<b>.png", "--why", "they differ", "--by", "ada"])
    run(place)
    page = page_of(place)
    assert "the step said drop exact_duplicate; ada: they differ" in texts(page, "decision")
    assert any("benchwright filter undo" in one.text for one in page.elements if one.tag == "code")
    assert "3 of 3" not in page.source
    assert [text for text in texts(page, "tag") if text == "kept"] == ["kept"]


def test_examples_are_bounded_the_rest_is_counted_and_pages_follow_each_other(place: Path) -> None:
    seen: list[str] = []
    for number in (1, 2, 3):
        page = page_of(place, per_reason=2, page=number, step="exact_duplicates")
        names = [one.text for one in page.elements if one.tag == "figcaption" and one.text.startswith("dropped")]
        if number < 3:
            assert "2 of 4 here" in page.source
        seen += names
    assert sorted(seen) == [f"dropped zz <b>{number}<b>.png" for number in range(4)]


def test_equal_tables_give_equal_pages(place: Path) -> None:
    write_funnel(place / "w", place / "one.html")
    shutil.rmtree(place / "w" / "cache")
    (place / "w" / "cache").mkdir()
    write_funnel(place / "w", place / "two.html")
    assert (place / "one.html").read_bytes() == (place / "two.html").read_bytes()


def test_a_picture_that_is_gone_or_another_now_is_said_and_ends_nothing(place: Path) -> None:
    run(place)
    (place / "p" / "zz <b>1<b>.png").unlink()
    shutil.copyfile(place / "p" / "piece-01.jpg", place / "p" / "zz <b>2<b>.png")
    page = page_of(place)
    assert sorted(text for text in texts(page, "none")) == ["no picture: changed", "no picture: not_a_file"]


def test_a_run_writes_its_page_and_one_that_changes_nothing_writes_none(place: Path) -> None:
    one = run(place)
    page = write_run_funnel(place / "w", one.run_folder)
    assert page == one.run_folder / "funnel.html"
    other = run(place)
    assert write_run_funnel(place / "w", other.run_folder) == page
    assert not (other.run_folder / "funnel.html").exists()
    (place / "p" / "piece-01.jpg").unlink()
    third = run(place)
    assert write_run_funnel(place / "w", third.run_folder) == third.run_folder / "funnel.html"
    assert page.exists()


def test_a_page_that_was_changed_is_no_longer_shown(place: Path) -> None:
    page = write_run_funnel(place / "w", run(place).run_folder)
    page.write_bytes(page.read_bytes().replace(b"piece", b"peace"))
    other = run(place)
    assert write_run_funnel(place / "w", other.run_folder) == other.run_folder / "funnel.html"


def test_what_a_filter_measured_is_drawn_with_its_threshold(place: Path) -> None:
    page = page_of(place)
    assert [one.text for one in page.elements if one.tag == "text" and "max_ratio" in one.text] == ["max_ratio 0.3"]
    measure = next(stage for stage in stages_of_workspace(place / "w") if stage.id == "text_ratio.measure")
    [limit] = thresholds_of(measure)
    assert (limit.value, limit.at, limit.side) == ("ratio", 0.3, "above")


def test_steps_that_a_waiting_run_did_not_reach_are_left_out(place: Path) -> None:
    people = parse_recipe(RECIPE.partition("    simulate:")[0], "small.yaml", place)
    (place / "p" / "piece-01.jpg").unlink()
    assert run_recipe(people, images=place / "p", workspace=place / "w", workers=1).state == "waiting"
    steps = count_funnel(Workspace(place / "w"), stages_of_workspace(place / "w"))
    assert [one.name for one in steps][-1] == "jigsaw"
    assert "the run waits for people" in page_of(place).source


def test_stale_decisions_stand_at_the_top(place: Path) -> None:
    invoke(["filter", "restore", str(place / "w"), "zz <b>1<b>.png", "--why", "x", "--by", "ada"])
    (place / "p" / "zz <b>1<b>.png").unlink()
    run(place)
    [banner] = texts(page_of(place), "banner")
    assert banner.startswith("1 decision of curators changes nothing")
    assert "no longer reaches this step" in banner


def test_the_command_counts_and_refuses_in_words(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["filter", "funnel", str(place / "w"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["page"] is None
    assert document["steps"][1]["dropped"] == {"exact_duplicate": 4}
    with pytest.raises(BenchwrightError, match="no step 'nonsense' ran in"):
        write_funnel(place / "w", None, step="nonsense")
    with pytest.raises(BenchwrightError, match="cannot write"):
        write_funnel(place / "w", place / "absent" / "page.html")
    with pytest.raises(BenchwrightError, match="is not a workspace"):
        write_funnel(place / "p", None)


def test_outlines_that_are_none_are_left_out() -> None:
    assert outlines_of({"regions": [{"polygon": [[1, 2], [3.25, 4], [5, 6]]}]}, "regions") == [
        "1.0,2.0 3.2,4.0 5.0,6.0"
    ]
    for odd in (
        {"regions": 7},
        {"regions": [{"polygon": [["<b>", 2], [3, 4]]}]},
        {"regions": [[1]]},
        {"regions": [{}]},
    ):
        assert outlines_of(odd, "regions") == []


def test_an_empty_folder_has_a_page_too(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    done = run(tmp_path)
    page = ReportPage(write_run_funnel(tmp_path / "w", done.run_folder))
    assert "small" in [one.text for one in page.elements if one.tag == "h1"]
    assert texts(page, "card") == []


def test_partners_are_read_from_whatever_way_evidence_names_them() -> None:
    assert partners_in({"of": "a", "like": ["b", "a"], "partners": [{"image_id": "c", "distance": 4}, "d", 7]}) == [
        "a", "b", "c", "d",
    ]  # fmt: skip
    assert partners_in({"of": 7, "partners": {"x": 1}}) == []
