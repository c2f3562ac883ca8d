"""`release diff`: planted differences of every kind are found, named and explained."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from small_bench import OPERATION, Bench, small_bench
from walks import in_process

from benchwright.errors import BenchwrightError, DataError
from benchwright.exports.comparison.differences import ReleaseDifferences, compare_releases
from benchwright.exports.comparison.page import write_comparison
from benchwright.exports.comparison.rescored import rescored
from benchwright.exports.correct import correct_release
from benchwright.records import Choice, Item, ItemImage, Operation
from benchwright.release import Release
from benchwright.release.format.errata import Erratum

pytestmark = pytest.mark.slow


@pytest.fixture
def before(tmp_path: Path) -> Release:
    return small_bench().write(tmp_path / "a")


def of_task(bench: Bench, task: str) -> list[int]:
    return [number for number, (item, _) in enumerate(bench.items) if item.task == task]


def change(bench: Bench, number: int, **fields: Any) -> Item:
    item, split = bench.items[number]
    changed = Item.model_validate(item.model_copy(update=fields).model_dump())
    bench.items[number] = (changed, split)
    return changed


def compared(before: Release, bench: Bench, folder: Path, **settings: Any) -> ReleaseDifferences:
    return compare_releases(before, bench.write(folder, **({"version": "1.1"} | settings)))


def only(differences: Sequence[Any]) -> Any:
    (difference,) = differences
    return difference


def test_a_release_differs_in_nothing_from_itself(before: Release) -> None:
    differences = compare_releases(before, before)
    assert differences == ReleaseDifferences((), (), (), (), len(before), ())


def test_an_edit_is_named_with_whoever_wrote_it(before: Release, tmp_path: Path) -> None:
    bench = small_bench()
    number = of_task(bench, "jigsaw")[0]
    item = change(bench, number, question="Which one fits <image 1>: <image 2> or <image 3>?", revision=1,
                  written_by={"question": "person"})  # fmt: skip
    difference = only(compared(before, bench, tmp_path / "b").changed)
    assert (difference.item_id, difference.fields) == (item.item_id, ("question", "revision", "written_by"))
    assert difference.why == "question written by person, before by template"
    assert difference.is_content


def test_other_settings_of_the_step_are_named_and_leave_the_content_alone(before: Release, tmp_path: Path) -> None:
    bench = small_bench()
    other = Operation(step="by_hand", version=3, parameters={"tiles": 4}, seed=17)
    number = of_task(bench, "jigsaw")[0]
    change(bench, number, operation_id=other.operation_id)
    difference = only(compared(before, bench, tmp_path / "b", operations=[OPERATION, other]).changed)
    assert difference.fields == ("operation_id",)
    assert difference.why == "step by_hand: version 2 became 3; step by_hand: tiles 3 became 4"
    assert not difference.is_content


def test_another_picture_and_moved_marks_are_two_fields(before: Release, tmp_path: Path) -> None:
    bench = small_bench()
    number = of_task(bench, "ring_colour")[0]
    item = bench.items[number][0]
    ring = item.images[0].prompts[0].model_copy(update={"points": ((2.5, 1.0),)})
    other = bench.source(99, None)
    change(bench, number, images=(
        ItemImage(image_id=item.images[0].image_id, role="view", prompts=(ring,)),
        ItemImage(image_id=other.image_id, role="view"),
    ))  # fmt: skip
    difference = only(compared(before, bench, tmp_path / "b").changed)
    assert difference.fields == ("images", "marks")
    assert difference.why == "trip/10.png has other bytes"


def test_a_threshold_explains_what_was_dropped_and_added(before: Release, tmp_path: Path) -> None:
    bench = small_bench()
    dropped = bench.items.pop(of_task(bench, "jigsaw")[0])[0]
    source = bench.source(77, None)
    added = bench.add(source, "test", 77, task="ring_colour", question="Is it blue?",
                      images=(ItemImage(image_id=source.image_id, role="view"),),
                      choices=(Choice(key="A", text="yes"), Choice(key="B", text="no")), answer="A")  # fmt: skip
    old = {"name": "tiny", "steps": [{"step": "near_duplicates", "max_distance": 4}, {"step": "freeze", "name": "x"}]}
    new = {"name": "tiny", "steps": [{"step": "near_duplicates", "max_distance": 6}, {"step": "freeze", "name": "y"}]}
    first = small_bench().write(tmp_path / "first", recipe=old)
    differences = compared(first, bench, tmp_path / "b", recipe=new)
    gone, come = only(differences.dropped), only(differences.added)
    assert (gone.item_id, come.item_id) == (dropped.item_id, added.item_id)
    assert differences.settings == ("step near_duplicates: max_distance 4 became 6",)
    assert gone.why == (
        "no item of the newer release goes back to trip/0.png; what differs: step near_duplicates: max_distance 4 became 6"
    )
    assert come.why.startswith("no item of the older release goes back to trip/77.png; what differs: ")


def test_an_item_of_two_photographs_names_the_one_that_is_gone(tmp_path: Path) -> None:
    bench = small_bench()
    kept, gone = bench.source(77, None), bench.source(78, None)
    both = bench.picture(3, 2, (9, 9, 9), derived_from=(kept.image_id, gone.image_id), root_image_id=kept.image_id,
                         operation_id=OPERATION.operation_id)  # fmt: skip
    choices = (Choice(key="A", text="yes"), Choice(key="B", text="no"))
    for number, picture in enumerate((kept, both)):
        bench.add(kept, "test", 770 + number, task="ring_colour", question="Is it blue?", answer="A", choices=choices,
                  images=(ItemImage(image_id=picture.image_id, role="view"),))  # fmt: skip
    first = bench.write(tmp_path / "first")
    bench.items.pop()
    dropped = only(compared(first, bench, tmp_path / "b").dropped)
    assert dropped.why == "no item of the newer release goes back to trip/78.png"


def test_other_votes_and_another_split_are_told(before: Release, tmp_path: Path) -> None:
    bench = small_bench()
    item, split = bench.items[0]
    bench.items[0] = (item, "test")
    votes = {"verify": {"simulated": True, "percent": 0.5}}
    differences = compared(before, bench, tmp_path / "b", agreement=votes, licence=None)
    moved = only(differences.moved)
    assert split != "test"
    assert (moved.fields, moved.why) == (
        ("split",), f"from {split} to test; what differs: campaign verify has other votes"
    )  # fmt: skip
    assert differences.settings == ("campaign verify has other votes", 'licence "cc-by-4.0" became unset')
    assert differences.same == len(before)


def erratum(item: Item, **changes: Any) -> Erratum:
    fields = {
        "item_id": item.item_id, "content_hash": item.content_hash, "release": "tiny 1.0", "release_id": "0" * 64,
        "finding": "key_wrong", "key": item.answer, "instead": "B", "agreed": 2, "asked": 3,
    }  # fmt: skip
    return Erratum.model_validate(fields | changes)


@pytest.fixture
def corrected(before: Release, tmp_path: Path) -> Release:
    puzzles = [released.item for released in before.items() if released.item.task == "jigsaw"]
    errata = [erratum(puzzles[0]), erratum(puzzles[1], finding="ambiguous", instead=None)]
    return correct_release(before, errata, version="1.1", out=tmp_path / "corrected")


def test_errata_are_reasons(before: Release, corrected: Release) -> None:
    differences = compare_releases(before, corrected)
    changed, dropped = only(differences.changed), only(differences.dropped)
    assert changed.fields == ("answer", "revision")
    assert changed.why == "erratum, key A became B (2 of 3 annotators: key wrong)"
    assert dropped.why == "erratum, left out (2 of 3 annotators: ambiguous)"


def test_replies_to_the_older_release_are_judged_by_the_newer_keys(
    before: Release, corrected: Release, tmp_path: Path
) -> None:
    assert (
        in_process("evaluate", "run", before.path, "--model", "constant:A", "--out", tmp_path / "results").returncode
        == 0
    )
    scores = rescored(tmp_path / "results" / "constant-A", before, corrected)
    changed = only(compare_releases(before, corrected).changed)
    right = sum((released.item.right_key == "A") for released in before.items())
    assert (scores.asked, scores.before) == (len(before), right / len(before))
    assert (scores.kept, scores.to_ask) == (len(corrected), 0)
    assert scores.after == sum(r.item.right_key == "A" for r in corrected.items()) / len(corrected)
    assert (scores.turned_wrong, scores.turned_right) == ((changed.item_id,), ())
    with pytest.raises(DataError, match="give results on the older"):
        rescored(tmp_path / "results" / "constant-A", corrected, before)


def test_a_changed_question_has_to_be_asked_again(before: Release, tmp_path: Path) -> None:
    assert (
        in_process("evaluate", "run", before.path, "--model", "constant:A", "--out", tmp_path / "results").returncode
        == 0
    )
    bench = small_bench()
    change(bench, of_task(bench, "jigsaw")[0], question="Which one?")
    scores = rescored(tmp_path / "results" / "constant-A", before, bench.write(tmp_path / "b", version="1.1"))
    assert (scores.kept, scores.to_ask) == (len(before) - 1, 1)


def with_ring(point: tuple[float, float], question: str) -> Bench:
    """Return the small benchmark, with an item whose ring can be seen."""
    bench = small_bench()
    number = of_task(bench, "ring_colour")[0]
    large = bench.picture(320, 240, (40, 90, 160))
    ring = bench.items[number][0].images[0].prompts[0].model_copy(update={"image_id": large.image_id})
    ring = ring.model_copy(update={"points": (point,)})
    images = (ItemImage(image_id=large.image_id, role="view", prompts=(ring,)),)
    change(bench, number, images=images, question=question)
    return bench


def test_the_page_shows_both_pictures_with_marks_and_escapes_texts(tmp_path: Path) -> None:
    before = with_ring((100, 100), "Is it red?").write(tmp_path / "a")
    after = with_ring((200, 100), "Is it <script>alert(1)</script> red?").write(tmp_path / "b", version="1.1")
    page = tmp_path / "page.html"
    write_comparison(page, before, after, compare_releases(before, after))
    text = page.read_text()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert len(set(re.findall('data:image/jpeg;base64,[^"]+', text))) == 2
    with pytest.raises(BenchwrightError, match="exists"):
        write_comparison(page, before, after, compare_releases(before, after))


def test_pictures_that_cannot_be_drawn_are_told_on_the_page(tmp_path: Path) -> None:
    bench = small_bench(ring_scale=1)  # its rings are larger than its pictures
    before = bench.write(tmp_path / "a")
    change(bench, of_task(bench, "ring_colour")[0], question="Is the ring blue?")
    after = bench.write(tmp_path / "b", version="1.1")
    write_comparison(tmp_path / "page.html", before, after, compare_releases(before, after))
    assert "its marks cannot be drawn" in (tmp_path / "page.html").read_text()


def test_the_command_prints_the_contract(before: Release, corrected: Release, tmp_path: Path) -> None:
    done = in_process("release", "diff", before.path, corrected.path, "--out", tmp_path / "page.html", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [len(document[name]) for name in ("added", "dropped", "moved", "changed")] == [0, 1, 0, 1]
    assert set(document["changed"][0]) == {"item_id", "task", "fields", "why"}
    assert document["same"] == len(before) - 2
    text = in_process("release", "diff", before.path, corrected.path).stdout
    assert text.startswith("tiny 1.0 and tiny 1.1: 0 added, 1 dropped, 0 moved, 1 changed, 6 the same\n")


def test_items_are_named_as_their_source_names_them_too(tmp_path: Path) -> None:
    bench = small_bench()
    change(bench, 0, attributes={"source_id": "q-17"})
    before = bench.write(tmp_path / "a")
    item = change(bench, 0, question="Which other one?")
    after = bench.write(tmp_path / "b", version="1.1")
    done = in_process("release", "diff", before.path, after.path, "--json")
    [changed] = json.loads(done.stdout)["changed"]
    assert (changed["item_id"], changed["source_id"]) == (item.item_id, "q-17")
    assert f"q-17 ({item.item_id})" in in_process("release", "diff", before.path, after.path).stdout


def test_rows_of_some_items_are_read_alone(before: Release) -> None:
    wanted = [released.item.item_id for released in before.items()][2:4]
    assert [row["item_id"] for row in before.rows(("item_id", "images"), item_ids=wanted)] == wanted
    assert "images" not in next(before.rows())
