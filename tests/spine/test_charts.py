"""Charts: drawings are in proportion, texts stay text, colors are readable in both themes, and files are
self-contained.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from report_page import ReportPage

from benchwright.pages import (
    SHARES,
    Chart,
    ChartRow,
    Column,
    Dot,
    LegendEntry,
    Look,
    MarkedValue,
    NumberTable,
    Panel,
    Part,
    PlanePoint,
    ReferenceLine,
    Scale,
    chart_style,
    columns_chart,
    count_scale,
    figure_html,
    grid_chart,
    page_pieces,
    panels_chart,
    plane_chart,
    rows_chart,
    share_scale,
    steps_chart,
)

PATTERNS = ("solid", "falling", "rising", "upright", "level", "dots", "checks", "outline")
EVIL = "<script>alert(1)</script>&\"'\x00\u202e\ud800"


def charts(name: str) -> list[Chart]:
    """One chart of each kind, in which every text is `name`."""
    parts = [Part(name, 2, Look("series-0", pattern)) for pattern in PATTERNS]
    rows = [
        ChartRow(name, parts, note=name, goes_on=9),
        ChartRow(name, dots=[Dot(0.5, (0.25, 0.75), series, True) for series in range(12)], lines=[ReferenceLine("people", 0.4, (0.3, 0.5))]),
    ]  # fmt: skip
    legend = [LegendEntry(name, 0), LegendEntry(name, Look("drop")), LegendEntry(name, "chance")]
    columns = [Column(0, 1, 3, Look("keep"), name), Column(1, 2, 1, Look("drop"), name)]
    marks = [MarkedValue(1, name)]
    numbers = NumberTable((name, name), [(name, name)])
    return [
        rows_chart("rows", name, rows, count_scale(40, words=name), caption=name, legend=legend),
        panels_chart("panels", name, [Panel(name, rows)] * 2, SHARES, per_row=2, legend=legend, numbers=numbers),
        columns_chart("columns", name, columns, Scale(0, 2, [(1, name)], name), counted=name, measured=name, marks=marks),
        steps_chart("steps", name, [(0, 1), (1, 0.5)], Scale(0, 1), upward=SHARES, marks=marks, numbers=numbers),
        plane_chart("plane", name, [PlanePoint(name, 0.2, 0.3, (0.1, 0.3), (0.2, 0.4))], SHARES, SHARES, sums=[(1, name)]),
        grid_chart("grid", name, [name, "b"], [(name, [0.5, None])], caption=name, corner=name),
    ]  # fmt: skip


@pytest.mark.slow
@example("\r")
@given(st.text(min_size=1, max_size=20))
def test_any_text_stays_a_text_in_drawing_table_and_file(text: str) -> None:
    for chart in charts(text):
        for svg in (chart.markup, chart.file):
            root = ElementTree.fromstring(svg)
            assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
                "svg", "defs", "g", "rect", "line", "circle", "polygon", "polyline", "path", "pattern", "text", "title",
            }  # fmt: skip
        assert "<script" not in figure_html(chart)


@pytest.mark.parametrize("chart", charts(EVIL), ids=lambda chart: chart.name)
def test_control_characters_are_shown_as_escapes(chart: Chart) -> None:
    html = figure_html(chart)
    assert not re.search("[\x00\u202e\ud800]", html)
    assert "\\x00\\u202e\\ud800" in html


@pytest.mark.parametrize("chart", charts("plain"), ids=lambda chart: chart.name)
def test_a_file_stands_alone_in_the_colours_of_the_light_theme(chart: Chart) -> None:
    assert "var(--" in chart.markup
    root = ElementTree.fromstring(chart.file)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert float(root.attrib["width"]) > 0
    assert "var(" not in chart.file
    ids = {element.attrib["id"] for element in root.iter() if "id" in element.attrib}
    assert set(re.findall(r"url\(#([^)]*)\)", chart.file)) == ids
    assert all(name.startswith(f"{chart.name}-") for name in ids)


def test_equal_charts_give_equal_bytes() -> None:
    assert [chart.markup for chart in charts("x")] == [chart.markup for chart in charts("x")]


def test_bars_are_in_proportion_and_one_of_a_million_is_seen() -> None:
    rows = [ChartRow("a", [Part("kept", 999_999, Look("keep")), Part("dropped", 1, Look("drop"))])]
    rects = rows_chart("c", "t", rows, Scale(0, 1_000_000)).svg.findall(".//rect[@height='22']")
    kept, dropped = (float(rect.attrib["width"]) for rect in rects)
    assert kept > 900
    assert dropped == 2.5
    rows = [ChartRow("a", [Part("kept", 3, Look("keep")), Part("dropped", 1, Look("drop"))])]
    rects = rows_chart("c", "t", rows, Scale(0, 4)).svg.findall(".//rect[@height='22']")
    kept, dropped = (float(rect.attrib["width"]) for rect in rects)
    assert kept == pytest.approx(3 * dropped, abs=0.02)


def test_the_numbers_of_rows_name_parts_series_and_references() -> None:
    rows = [
        ChartRow(
            "a", dots=[Dot(0.5, (0.25, 0.75)), Dot(None, None, 1)], lines=[ReferenceLine("chance", 0.2)], note="two"
        ),
        ChartRow("b", dots=[Dot(1.0, None, 1)]),
    ]
    legend = [LegendEntry("one", 0), LegendEntry("other", 1), LegendEntry("a draw", "chance")]
    numbers = rows_chart("c", "t", rows, SHARES, legend=legend).numbers
    assert list(numbers.head) == ["", "one", "other", "a draw", "note"]
    assert numbers.rows == [["a", "0.50 [0.25, 0.75]", "–", "0.20", "two"], ["b", "–", "1.00", "–", ""]]


@pytest.mark.parametrize(
    ("most", "ticks"),
    [(0, ["0", "1"]), (1, ["0", "1"]), (7, ["0", "2", "4", "6"]), (12_000, ["0", "5,000", "10,000"])],
)
def test_a_scale_of_counts_has_few_round_ticks(most: float, ticks: list[str]) -> None:
    assert [words for _, words in count_scale(most).ticks] == ticks


def test_a_scale_of_shares_ends_where_it_is_told() -> None:
    assert [words for _, words in share_scale(0.35).ticks] == ["0 %", "10 %", "20 %", "30 %"]
    assert [words for _, words in share_scale(1).ticks] == ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]


def luminance(color: str) -> float:
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


COLORS = {
    name: {"light": light, "dark": dark}
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", chart_style())
}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_and_shapes_can_be_told_from_their_ground(theme: str) -> None:
    """WCAG requires 4.5 to 1 for texts and 3 to 1 for shapes; `ask` and `aside` are next to a number, on a plate."""
    paper = COLORS["paper"][theme]
    for name in ("ink", "muted", "accent", "good", "bad"):
        assert contrast(COLORS[name][theme], paper) >= 4.5, name
        assert contrast(COLORS[name][theme], COLORS["page"][theme]) >= 4.5, name
    shapes = ["keep", "back", "drop", "fail", "right", "wrong", *(f"series-{k}" for k in range(8))]
    assert {
        name: contrast(COLORS[name][theme], paper) for name in shapes if contrast(COLORS[name][theme], paper) < 3
    } == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_can_be_read_on_the_strongest_shade_of_a_grid(theme: str) -> None:
    shade, paper = COLORS["series-0"][theme], COLORS["paper"][theme]
    mixed = "#" + "".join(
        f"{round(0.45 * int(shade[k : k + 2], 16) + 0.55 * int(paper[k : k + 2], 16)):02x}" for k in (1, 3, 5)
    )
    assert contrast(COLORS["ink"][theme], mixed) >= 4.5


def test_every_colour_that_a_chart_takes_is_one_of_the_themes() -> None:
    taken = {name for chart in charts("x") for name in re.findall(r"var\(--([\w-]+)\)", chart.markup)}
    assert taken <= COLORS.keys()


def test_a_page_escapes_its_values_and_runs_only_its_own_script(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("page")
    blocks = (
        "{% block title %}{{ words }}{% endblock %}{% block start %}main{% endblock %}{% block kicker %}k{% endblock %}"
    )
    body = "{% block heading %}{{ words }}{% endblock %}{% block main %}<p id='main'>{{ words }}</p>{% endblock %}"
    (folder / "own.html").write_text("{% extends 'shell.html' %}" + blocks + body, encoding="utf-8")
    (folder / "own.css").write_text("p { margin: 0; }", encoding="utf-8")
    (folder / "own.js").write_text("let a = 1;", encoding="utf-8")
    for script in (None, "own.js"):
        pieces = page_pieces(
            folder, "own.html", {"words": "<b>&"}, generator="benchwright test", style="own.css", script=script
        )
        (folder / "page.html").write_text("".join(pieces), encoding="utf-8")
        page = ReportPage(folder / "page.html")
        assert [element.text for element in page.all("h1")] == ["<b>&"]
        assert not list(page.all("b"))
        [policy] = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
        assert (
            ("script-src" in str(policy.attributes["content"]))
            == (script is not None)
            == bool(list(page.all("script")))
        )
