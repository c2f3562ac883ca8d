"""The page that helps to choose a threshold: its counts, its examples, and the escaping of texts from files."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from report_page import ReportPage

from benchwright.errors import BenchwrightError
from benchwright.filters.cli.text import text_ratio
from benchwright.filters.measured_folder import UnreadableFile
from benchwright.filters.text.calibration import CANDIDATES, EXAMPLES, candidates, write_calibration
from benchwright.filters.text.calibration_charts import dropped_chart, ratio_chart
from benchwright.filters.text.report import TextReport, TextShare
from benchwright.filters.text.text_ratio import TextRatio

EVIL = "<script>alert(1)</script>&\"'.png"


def share(path: str, ratio: float) -> TextShare:
    """A picture 60 pixels wide and 40 high of which one box covers `ratio`."""
    box = ((0.0, 0.0), (60.0 * ratio, 0.0), (60.0 * ratio, 40.0), (0.0, 40.0))
    return TextShare(path, ratio, int(ratio > 0), (box,) if ratio else (), ())


shares = st.lists(st.floats(0, 1), max_size=30).map(
    lambda ratios: [share(f"{number}.png", ratio) for number, ratio in enumerate(ratios)]
)


@given(shares, st.lists(st.floats(0, 1), max_size=5), st.randoms())
def test_counts_add_up_agree_with_the_step_and_do_not_depend_on_order(
    found: list[TextShare], thresholds: list[float], chance: random.Random
) -> None:
    told = candidates(found, thresholds)
    shuffled = list(found)
    chance.shuffle(shuffled)
    assert candidates(shuffled, reversed(thresholds)) == told
    assert [one.threshold for one in told] == sorted(set(thresholds))
    for one in told:
        step = TextRatio(max_ratio=one.threshold)
        verdicts = [step.judge({"ratio": image.ratio}).verdict for image in found]
        assert (one.kept, one.dropped) == (verdicts.count("keep"), verdicts.count("drop"))
        assert all(image.ratio <= one.threshold for image in one.below)
        assert all(image.ratio > one.threshold for image in one.above)
        nearest = [image.ratio for image in one.above]
        assert nearest == sorted(nearest)
        assert len(one.below) == min(
            EXAMPLES, len({image.ratio or image.path for image in found if image.ratio <= one.threshold})
        )


def test_copies_are_counted_and_shown_once() -> None:
    [one] = candidates([share(f"{name}.png", 0.5) for name in "abcdef"], [0.4])
    assert one.dropped == 6
    assert [image.path for image in one.above] == ["a.png"]


@pytest.mark.parametrize(("largest", "last"), [(0.0, 0.05), (0.04, 0.05), (0.31, 0.4), (1.0, 0.9)])
def test_the_thresholds_proposed_end_with_the_first_that_drops_nothing(largest: float, last: float) -> None:
    told = candidates([share("a.png", largest), share("b.png", 0.0)])
    assert told[-1].threshold == last
    assert [one.threshold for one in told] == list(CANDIDATES[: len(told)])
    assert all(one.dropped for one in told[:-1])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.lists(st.floats(0, 1), max_size=6))
def test_the_charts_stay_within_their_frames_and_have_a_column_for_every_file_with_text(
    ratios: list[float], thresholds: list[float]
) -> None:
    histogram = ratio_chart(ratios, sorted(thresholds))
    for svg in (histogram.markup, dropped_chart(ratios, sorted(thresholds)).markup):
        wide, high = (float(number) for number in re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups())  # type: ignore[union-attr]
        for name, end in (("x", wide), ("x1", wide), ("x2", wide), ("y", high), ("y1", high), ("y2", high)):
            assert all(0 <= float(number) <= end for number in re.findall(rf' {name}="([^"]*)"', svg))
    drawn = sum(int(number) for number in re.findall(r"<title>[0-9.]+ to [0-9.]+: (\d+)<", histogram.markup))
    assert drawn == sum(int(n) for _, n in histogram.numbers.rows) == sum(ratio > 0 for ratio in ratios)


def test_the_curve_has_the_share_that_each_threshold_drops() -> None:
    chart = dropped_chart([0.0, 0.1, 0.2, 0.3], [0.1, 0.25])
    assert list(chart.numbers.rows) == [("0.1", "50.0%"), ("0.25", "25.0%")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six pictures, one of them with a name that is markup, one that is gone since."""
    folder = tmp_path / EVIL.replace("/", "")
    folder.mkdir()
    for number in range(5):
        Image.fromarray(np.full((40, 60, 3), 30 * number, np.uint8)).save(folder / f"{number}.png")
    Image.fromarray(np.full((40, 60, 3), 200, np.uint8)).save(folder / EVIL.replace("/", ""))
    return folder


def report_of(*extra: TextShare) -> TextReport:
    from benchwright.images.identify import uri_for

    named = share(uri_for(EVIL.replace("/", "")), 0.31)
    images = (*(share(f"{number}.png", number / 10) for number in range(5)), named, *extra)
    return TextReport(tuple(sorted(images)), (UnreadableFile("no.png", "not_an_image"),), "nobody & son")


def test_the_page_shows_pictures_with_their_boxes_and_runs_and_fetches_nothing(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    write_calibration(out, folder, report_of(), thresholds=[0.3, 0.2])
    page = ReportPage(out)
    rows = page.source.partition('<section id="thresholds"')[2].partition("</table>")[0]
    assert re.findall(r'href="#at-([^"]*)"', rows) == ["0.2", "0.3"]
    assert "<td>3</td><td>3</td><td>50.0 %</td>" in rows
    [policy] = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert "default-src 'none'" in str(policy.attributes["content"])
    assert list(page.all("script")) == list(page.all("link")) == []
    addresses = [value for one in page.elements for name, value in one.attributes.items() if name in {"href", "src"}]
    assert all(str(address).startswith(("#", "data:image/")) for address in addresses)
    assert len(list(page.all("image"))) == 6
    boxes = {one.attributes["points"] for one in page.all("polygon", class_="found")}
    assert "0,0 24,0 24,40 0,40" in boxes
    labels = [one.attributes["aria-label"] for one in page.all("svg", class_="picture")]
    assert "dropped picture, 0.400 of it text in 1 box" in labels
    ids = [one.attributes["id"] for one in page.elements if "id" in one.attributes]
    assert len(ids) == len(set(ids))


def test_names_of_files_and_folders_are_texts(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    write_calibration(out, folder, report_of(), thresholds=None)
    page = ReportPage(out)
    assert "<script" not in page.source
    assert any("<script>alert(1)" in one.text for one in page.all("h1"))
    assert any("nobody & son" in one.text for one in page.all("dd"))


def test_a_picture_that_is_gone_or_broken_since_is_said_instead_of_shown(folder: Path, tmp_path: Path) -> None:
    (folder / "3.png").unlink()
    (folder / "4.png").write_bytes(b"no picture any more")
    out = tmp_path / "page.html"
    write_calibration(out, folder, report_of(), thresholds=[0.2])
    told = [one.text for one in ReportPage(out).all("p", class_="problem")]
    assert len(told) == 2
    assert all("no longer be shown" in one for one in told)


def test_the_same_findings_make_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    for name in ("one.html", "two.html"):
        write_calibration(tmp_path / name, folder, report_of(), thresholds=None)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_a_folder_without_images_makes_a_page_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    result = CliRunner().invoke(
        text_ratio,
        [str(tmp_path / "none"), "--workers", "1", "--calibrate", str(tmp_path / "page.html")],
        catch_exceptions=False,
    )
    assert result.exit_code == 0
    assert "nothing to choose from" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "words"),
    [("there.html", "already exists"), ("page.txt", "ends in .html"), ("no/page.html", "does not exist")],
)
def test_a_page_goes_only_where_nothing_is_lost_and_that_is_said_before_the_work(
    tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / "there.html").write_text("mine")
    with pytest.raises(BenchwrightError, match=words):
        CliRunner().invoke(text_ratio, [str(tmp_path), "--calibrate", str(tmp_path / name)], catch_exceptions=False)
    assert (tmp_path / "there.html").read_text() == "mine"


def test_a_threshold_without_the_page_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(text_ratio, [str(tmp_path), "--threshold", "0.2"])
    assert result.exit_code == 2
    assert "--calibrate" in result.output
