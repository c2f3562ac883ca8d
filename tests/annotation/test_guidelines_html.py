"""Guidelines become HTML in which Markdown, pictures and formulas are drawn, and nothing that a text holds can run."""

from __future__ import annotations

import pytest

pytest.importorskip("markdown_it")

from benchwright.annotation.app.base.guidelines_html import guidelines_html
from benchwright.annotation.store.campaigns.guidelines import GuidelinesVersion


def shown(text: str) -> str:
    return guidelines_html(GuidelinesVersion(7, 1, "curator", text), lambda source: f"<m>{source}</m>").strip()


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("one *two* **three**", "<p>one <em>two</em> <strong>three</strong></p>"),
        ("![a case](picture:2)", '<p><img src="/guidelines/7/2" alt="a case" /></p>'),
        ("at $a*b*c_1$ and $x^2$", "<p>at <m>$a*b*c_1$</m> and <m>$x^2$</m></p>"),
        (r"\(x_1\) and \[x^2\]", r"<p><m>\(x_1\)</m> and <m>\[x^2\]</m></p>"),
        ("$5 or *more* than $6", "<p>$5 or <em>more</em> than $6</p>"),
        ("`$x^2$`", "<p><code>$x^2$</code></p>"),
        ("~~no~~", "<p><s>no</s></p>"),
        ("<b onclick=x>", "<p>&lt;b onclick=x&gt;</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        (
            "[x](https://a.example)",
            '<p><a href="https://a.example" target="_blank" rel="noopener noreferrer">x</a></p>',
        ),
    ],
)
def test_markdown_is_drawn_and_nothing_in_it_runs(text: str, html: str) -> None:
    assert shown(text) == html
