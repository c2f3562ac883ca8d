"""Charts of agreement: the scale has readable ticks, wherever its values begin."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from benchwright.annotation.app.charts.curator_charts import NamedValue, intervals_chart


@pytest.mark.parametrize(
    ("lowest", "ticks"), [(0.2, ["0", "0.5", "1"]), (-0.05, ["0", "0.5", "1"]), (-0.62, ["-0.5", "0", "0.5", "1"])]
)
def test_the_ticks_of_agreement_are_halves(lowest: float, ticks: list[str]) -> None:
    chart = intervals_chart("alpha", "Alpha", [NamedValue("alpha", 0.4, (lowest, 0.9))])
    texts = [element.text for element in ElementTree.fromstring(chart.markup).iter() if element.tag.endswith("text")]
    assert [text for text in texts if text in {"-1", "-0.5", "0", "0.5", "1"}] == ticks
    assert f"{lowest:.2g}" not in texts
