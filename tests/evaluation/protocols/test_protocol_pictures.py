"""Protocols that change the pictures shown: none, another item's, words instead, other marks, or all joined into
one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripted_model import Scripted, pictures_of, rows, words_of

from benchwright.drawing import draw_prompts
from benchwright.errors import CheckFailed
from benchwright.evaluation.prompting.question import Question, QuestionImage
from benchwright.evaluation.protocols.wordings import MARGIN_PX, join
from benchwright.evaluation.run import evaluate
from benchwright.images import decode_rgb


def flat(tall: int, wide: int, shade: int) -> np.ndarray:
    return np.full((tall, wide, 3), shade, dtype=np.uint8)


def puzzle(bench: Any, shade: int, **more: Any) -> Any:
    pictures = [flat(5, 7, shade), flat(3, 4, shade + 1), flat(3, 4, shade + 2)]
    return bench.add("Which fits <image 1>?", task="jigsaw", pictures=pictures, options=(1, 2), answer="A", **more)


def test_blind_shows_no_picture_and_names_those_that_are_missed(bench: Any, tmp_path: Path) -> None:
    puzzle(bench, 10)
    bench.add("What is it?")
    model = Scripted(lambda question: "(A)")
    evaluate(bench.release(tmp_path / "release"), model, protocol="blind")
    assert all(question.pictures == () and pictures_of(question) == [] for question in model.asked)
    words = {question.task: words_of(question) for question in model.asked}
    assert words["jigsaw"].startswith("Which fits Image 1?\n(A) Image 2\n(B) Image 3\n")
    assert words["naming"].startswith("What is it?\n(A) cat\n")


def test_a_wrong_image_is_of_another_item_of_the_task_that_shares_no_group(bench: Any, tmp_path: Path) -> None:
    for number in range(6):
        bench.add(f"q{number}", split="test" if number % 2 else "dev", group_keys=(f"image:{number // 2}",))
    puzzle(bench, 100)
    puzzle(bench, 120)
    release = bench.release(tmp_path / "release")
    model = Scripted(lambda question: "(A)")
    score = evaluate(release, model, protocol="wrong-image", out=tmp_path / "out")
    assert score.error == 0
    items = {item.item_id: item for item, _ in bench.items}
    for row, question in zip(rows(tmp_path / "out", "scripted@wrong-image"), model.asked, strict=True):
        own, donor = items[question.item_id], items[json.loads(row["attempts"][0]["note"])["pictures_of"]]
        assert own.task == donor.task
        assert own.item_id != donor.item_id
        assert not set(own.group_keys) & set(donor.group_keys)
        assert [p.image_id for p in question.pictures] == [image.image_id for image in donor.images]
        assert [p.data for p in question.pictures] == [bench.files[image.image_id] for image in donor.images]
        if own.task == "jigsaw":
            assert [c.image_id for c in question.choices] == [c.image_id for c in donor.choices]
    again = Scripted(lambda question: "(A)")
    evaluate(release, again, protocol="wrong-image", split="dev")
    whole = {q.item_id: q.pictures for q in model.asked}
    assert all(whole[q.item_id] == q.pictures for q in again.asked)


def test_items_without_a_stranger_are_no_score_which_says_so_and_nobody_is_asked(bench: Any, tmp_path: Path) -> None:
    bench.add("q1", group_keys=("scene:1",))
    bench.add("q2", group_keys=("scene:1",))
    model = Scripted(lambda question: "(B)")
    with pytest.raises(CheckFailed, match=r"2 items .*without a group in common"):
        evaluate(bench.release(tmp_path / "release"), model, protocol="wrong-image", out=tmp_path / "out")
    assert model.asked == []


def test_a_caption_stands_in_for_each_picture(bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchwright.evaluation import run

    puzzle(bench, 10)
    captioner = Scripted(lambda question: f"shade {decode_rgb(question.pictures[0].data)[0, 0, 0]}", name="eyes")
    real = run.parse_model
    monkeypatch.setattr(run, "parse_model", lambda name, o=None: captioner if name == "eyes" else real(name, o))
    model = Scripted(lambda question: "(A)")
    score = evaluate(bench.release(tmp_path / "release"), model, protocol="caption:by=eyes", out=tmp_path / "out")
    assert captioner.variants == ["caption1", "caption2", "caption3"]
    assert all(len(pictures_of(question)) == 1 for question in captioner.asked)
    (question,) = model.asked
    assert pictures_of(question) == []
    assert words_of(question).startswith(
        "Description of Image 1:\nshade 10\n\nDescription of Image 2:\nshade 11\n\nDescription of Image 3:\nshade 12\n\n"
        "Which fits Image 1?\n(A) Image 2\n(B) Image 3\n"
    )
    assert (score.model, score.metrics["accuracy"].value) == ("scripted", 1)
    assert score.settings["other_models"] == {"eyes": {}}
    (folder,) = (tmp_path / "out").iterdir()
    (row,) = rows(tmp_path / "out", folder.name)
    assert [(a["state"], a["reply"]) for a in row["attempts"]] == [
        ("caption", "shade 10"),
        ("caption", "shade 11"),
        ("caption", "shade 12"),
        ("answered", "(A)"),
    ]


def test_a_caption_that_failed_leaves_the_item_unasked(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchwright.evaluation import run

    bench.add("fine")
    bench.add("dark")
    captioner = Scripted(lambda question: None if "dark" in question.item_id else "a cat", name="eyes")
    dark = bench.items[1][0].item_id
    captioner.say = lambda question: None if question.item_id.startswith(dark) else "a cat"
    monkeypatch.setattr(run, "parse_model", lambda name, options=None: captioner)
    model = Scripted(lambda question: "(B)")
    score = evaluate(bench.release(tmp_path / "release"), model, protocol="caption:by=eyes")
    assert [question.text for question in model.asked] == ["fine"]
    assert (score.error, score.metrics["accuracy"].value) == (1, 0.5)


def test_marks_are_drawn_anew_in_size_and_colour_at_their_places(bench: Any, tmp_path: Path) -> None:
    bench.add("marked", pictures=[flat(64, 64, 30)], marks={0: [("A", (32.0, 32.0))]})
    bench.add("unmarked")
    release = bench.release(tmp_path / "release")
    model = Scripted(lambda question: "(B)")
    score = evaluate(release, model, protocol="marks:radius_px=200,color=gray")
    assert (score.asked, score.items) == (1, 2)
    ((picture,),) = [question.pictures for question in model.asked]
    (mark,) = picture.prompts
    assert (mark.style.radius_px, mark.style.color, mark.points) == (200, "#808080", ((32.0, 32.0),))
    plain = Scripted(lambda question: "(B)")
    evaluate(release, plain, protocol="marks")
    before = next(q.pictures[0] for q in plain.asked)
    drawn = [draw_prompts(decode_rgb(p.data), p.prompts) for p in (before, picture)]
    assert (drawn[0] != drawn[1]).any()


def test_joined_pictures_keep_their_size_and_stand_in_order_on_black(bench: Any, tmp_path: Path) -> None:
    puzzle(bench, 10)
    model = Scripted(lambda question: "(A)")
    evaluate(bench.release(tmp_path / "release"), model, protocol="vanilla:joined=true", out=tmp_path / "out")
    (question,) = model.asked
    (picture,) = pictures_of(question)
    pixels = decode_rgb(picture.data)
    assert pixels.shape == (5, 7 + 4 + 4 + 2 * MARGIN_PX, 3)
    assert (pixels[:, :7] == 10).all()
    assert (pixels[:, 7:17] == 0).all()
    assert (pixels[1:4, 17:21] == 11).all()
    assert (pixels[0, 17:21] == 0).all()
    assert (pixels[4, 17:21] == 0).all()
    (row,) = rows(tmp_path / "out", "scripted@vanilla.joined=true")
    note = json.loads(row["attempts"][0]["note"])
    assert note["size"] == [35, 5]
    assert [part["box"] for part in note["joined"]] == [[0, 0, 7, 5], [17, 1, 21, 4], [31, 1, 35, 4]]


def test_a_joined_message_names_pictures_without_showing_them_one_by_one(bench: Any, tmp_path: Path) -> None:
    puzzle(bench, 10)
    model = Scripted(lambda question: "(A)")
    evaluate(bench.release(tmp_path / "release"), model, protocol="vanilla:joined=true")
    lines = words_of(model.asked[0]).split("\n")
    assert lines[:5] == [
        "[picture]",
        "The picture shows Image 1 to Image 3 from left to right.",
        "Which fits Image 1?",
        "(A) Image 2",
        "(B) Image 3",
    ]


def test_marks_are_drawn_before_pictures_are_joined() -> None:
    from benchwright.canonical import bytes_digest
    from benchwright.images import encode_png
    from benchwright.records import VisualPrompt

    data = encode_png(flat(64, 64, 30))
    image_id = bytes_digest(data)
    ring = VisualPrompt(kind="ring", image_id=image_id, points=((32.0, 32.0),))
    both = (QuestionImage(image_id, (ring,), data), QuestionImage(image_id, (), data))
    pixels = decode_rgb(join(both).picture.data)
    assert (pixels[:, :64] == draw_prompts(flat(64, 64, 30), (ring,))).all()
    assert (pixels[:, 64 + MARGIN_PX :] == 30).all()


def test_one_picture_is_sent_as_it_is(bench: Any, tmp_path: Path) -> None:
    bench.add("single")
    model = Scripted(lambda question: "(A)")
    evaluate(bench.release(tmp_path / "release"), model, protocol="vanilla:joined=true")
    question: Question = model.asked[0]
    assert pictures_of(question) == list(question.pictures)
