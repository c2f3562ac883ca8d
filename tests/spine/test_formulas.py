"""Formulas in texts: TeX between delimiters becomes MathML, and everything else stays text, unchanged."""

from __future__ import annotations

import re
import time
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.texts.formulas import Formula, formulas_html, formulas_of, has_formulas, text_parts


def sources(text: str) -> list[str]:
    return [part.source for part in text_parts(text) if isinstance(part, Formula)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What is $x^2$?", ["$x^2$"]),
        (r"Is \(a<b\) where \[b = \frac{1}{2}\] holds?", [r"\(a<b\)", r"\[b = \frac{1}{2}\]"]),
        ("$$\\sum_{i=1}^n i$$ is what?", ["$$\\sum_{i=1}^n i$$"]),
        ("$x$, $y$ and $z$", ["$x$", "$y$", "$z$"]),
        (r"the angle $ABC$ is $90^\circ$", ["$ABC$", r"$90^\circ$"]),
        (r"pay \$5 for $x$ apples", ["$x$"]),
        (r"$\begin{aligned}a&=b\\c&=d\end{aligned}$", [r"$\begin{aligned}a&=b\\c&=d\end{aligned}$"]),
        ("كم يساوي $x^2$ هنا؟", ["$x^2$"]),
    ],
)
def test_formulas_are_found(text: str, found: list[str]) -> None:
    assert sources(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10.", "$5-$10", "($5)-($6)", "US$5 or US$6", "from $5/kg to 10$/kg", "a $ b $ c",
        "$HOME and $PATH", "$5, not $6", "between $5 and$ nothing", "100$ or 200$", "one $ only", "$", "",
    ],
)  # fmt: skip
def test_amounts_and_single_signs_stay_text(text: str) -> None:
    assert text_parts(text) == [text]
    assert not has_formulas(text)


@pytest.mark.parametrize(
    "text", [r"$\foo{x}$", "$x^$", r"$\frac{1$", r"$\cancel{x}$", "${" + "{" * 90 + "x" + "}" * 91 + "$"]
)
def test_what_cannot_be_drawn_in_full_is_shown_as_it_was_written(text: str) -> None:
    assert text_parts(text) == [text]
    assert "<math" not in formulas_html(text)


@pytest.mark.parametrize(
    "text",
    [
        r"$\text{<script>alert(1)</script>}$", r"$\href{javascript:alert(1)}{x}$", r"$\style{color:red}{x}$",
        r"$\class{evil}{x}$", "<img src=x onerror=alert(1)> $x^2$", r"$\color{white}x$", r"$\text{&lt;b onclick=1&gt;}$",
    ],
)  # fmt: skip
def test_nothing_of_a_text_becomes_markup(text: str) -> None:
    tree = ET.fromstring(f"<p>{formulas_html(text)}</p>")
    allowed = {"class", "aria-hidden", "display", "mathvariant"}
    for element in tree.iter():
        assert element.tag in {"p", "span", "math", "mrow", "mi", "mo", "mn", "mtext", "msup", "mstyle"}
        assert set(element.attrib) <= allowed
        assert element.get("class") in {None, "formula", "tex"}


@given(st.text(alphabet="$\\()[]{}^_ax 1&<>\"'\n", max_size=60))
def test_a_text_can_be_put_together_again_and_its_html_is_well_formed(text: str) -> None:
    assert "".join(part if isinstance(part, str) else part.source for part in text_parts(text)) == text
    shown = ET.fromstring(f"<p>{formulas_html(text)}</p>")
    for formula in shown.iter("math"):
        formula.clear()
    assert "".join(shown.itertext()).replace("\r", "") == text


@pytest.mark.parametrize("text", ["$" * 20_000, "$a" * 20_000, "\\(" * 20_000, "$a$ " * 20_000, "\\[" + "x" * 50_000])
def test_long_texts_take_no_time(text: str) -> None:
    begun = time.process_time()
    formulas_html(text)
    assert time.process_time() - begun < 2


def test_only_texts_with_formulas_are_taken_apart_for_scripts() -> None:
    found = formulas_of(["no formula", None, "$5 and $6", "so $x^2$"])
    assert list(found) == ["so $x^2$"]
    [words, formula] = found["so $x^2$"]
    assert (words, formula["source"], formula["is_display"]) == ("so ", "$x^2$", False)
    assert re.search(r"'msup'", str(formula["tree"]))
