"""Texts from users or models appear on the page only as text; the page reports what it cannot show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from report_page import ReportPage

from benchwright.evaluation.backends.base import PerQuestion
from benchwright.evaluation.report.gathering import script_json
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.run import evaluate
from benchwright.pages import shortened

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "--><svg onload=alert(1)>",
    "$x^2$ {{ 7 * 7 }} {% raw %} &amp; \"quoted\" 'single' \\",
    "\u202eright to left\u202c \u05d0\u05d1",
    "nul \x00 bell \x07 separators \u2028\u2029",
)


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_texts_wherever_they_stand(text: str, bench: Any, tmp_path: Path) -> None:
    bench.add(text, options=(text, "other"))
    bench.add("Plain?", task="second")
    bench.add("Plain too?", task="third")
    release = bench.release(tmp_path / "r", licence=text, agreement={text: {"simulated": False, "rule": text}})
    model = PerQuestion(text, lambda question, content_id: text)
    plain = PerQuestion("plain", lambda question, content_id: "A")
    for backend in (model, plain):
        evaluate(release, backend, out=tmp_path / "out")
    page = ReportPage(write_report(tmp_path / "out", release).path)
    assert {"onerror", "onload"}.isdisjoint(name for e in page.elements for name in e.attributes)
    assert len(list(page.all("script"))) == 4
    assert not list(page.all("img"))
    assert "49" not in next(e.text for e in page.all("h1"))
    shown = text.replace("\x00", "\u2400").replace("\x07", "\u2407")
    assert shown in page.json("settings")["models"]
    card = next(card for card in page.json("cards") if card["task"] == "naming")
    assert card["options"][0]["text"] == shown
    assert card["replies"][page.json("settings")["models"].index(shown)]["said"] == shown
    assert "\x00" not in page.source
    assert "\u2028" not in "".join(e.text for e in page.all("script"))


def test_json_in_a_script_has_no_bracket_and_no_ampersand() -> None:
    written = script_json({"<!--<script>": "&]]>\u2028\ud800"})
    assert not set("<>&\u2028") & set(written)
    assert written.isascii()


def test_a_long_reply_is_cut_and_says_so(bench: Any, tmp_path: Path) -> None:
    bench.add()
    release = bench.release(tmp_path / "r")
    evaluate(release, PerQuestion("talker", lambda question, content_id: "ab " * 40_000), out=tmp_path / "out")
    written = write_report(tmp_path / "out", release)
    [card] = ReportPage(written.path).json("cards")
    assert len(card["replies"][0]["said"]) == 4000
    assert card["replies"][0]["left_out"] == 116_000
    assert written.size_bytes < 200_000


def test_long_names_are_cut_and_still_differ() -> None:
    names = ["m" * 200 + end for end in "ab"] + ["p" + "x" * 300 + "q", "p" + "y" * 10 + "x" * 300 + "q"]
    short = shortened(names, at_most=20)
    assert len(set(short)) == 4
    assert max(map(len, short)) <= 24


def test_names_in_any_letters_are_drawn(bench: Any, tmp_path: Path) -> None:
    bench.add()
    release = bench.release(tmp_path / "r")
    evaluate(release, PerQuestion("模型 ☃ 𝕏", lambda question, content_id: "A"), out=tmp_path / "out")
    assert "模型 ☃ 𝕏" in write_report(tmp_path / "out", release).path.read_text(encoding="utf-8")


def test_half_a_surrogate_pair_can_be_written() -> None:
    from benchwright.evaluation.report.content.legible import legible

    assert legible("a\ud800") == "a?"


def test_a_picture_that_cannot_be_decoded_is_said_and_the_rest_is_shown(
    bench: Any, tmp_path: Path, predictions_file: Callable[..., Path]
) -> None:
    import numpy as np

    from benchwright.canonical import bytes_digest

    good = bench.add("Good?")
    broken = bench.picture(np.zeros((4, 6, 3), dtype=np.uint8))
    data = bench.files[broken][:-20]
    cut = bytes_digest(data)
    bench.files[cut] = data
    bench.records[cut] = bench.records[broken].model_copy(
        update={"image_id": cut, "root_image_id": cut, "size_bytes": len(data)}
    )
    image = good.images[0].model_copy(update={"image_id": cut})
    changes = {"item_id": "0" * 32, "images": (image,), "root_image_id": cut, "made_from": cut}
    bench.items.append((good.model_copy(update=changes), "test"))
    release = bench.release(tmp_path / "r")
    rows = [{"item_id": item.item_id, "answer": "A"} for item, _ in bench.items]
    evaluate(release, f"predictions:{predictions_file(rows)}", out=tmp_path / "out")
    cards = ReportPage(write_report(tmp_path / "out", release).path).json("cards")
    (wrong,), (right,) = (
        card["pictures"] for card in sorted(cards, key=lambda card: card["pictures"][0]["picture"] == 0)
    )
    assert wrong["picture"] is None
    assert wrong["problem"].startswith("This picture cannot be shown: ")
    assert right["picture"] == 0
