"""All texts of the app are in its files of texts, ready for translation, and each is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

from conftest import ROOT

from benchwright.annotation.app.base.own_texts import english_texts
from benchwright.annotation.app.wording.texts import TEXTS
from benchwright.texts.normalization import counted

APP = ROOT / "annotation" / "app"
PAGES = sorted(path for path in APP.rglob("*.py") if not path.name.endswith("texts.py"))
SCRIPTS = sorted(APP.rglob("*.js"))
SHOWS = {
    "title", "header", "subheader", "text", "markdown", "caption", "info", "success", "warning", "error", "toast", "button",
    "form_submit_button", "download_button", "expander", "metric", "progress", "selectbox", "multiselect", "text_input",
    "text_area", "number_input", "radio", "checkbox", "toggle", "slider", "tabs", "write", "link_button", "popover",
}  # fmt: skip
"""What Streamlit shows the first argument of, or one called `label`, `help`, `placeholder` or `text`, to people."""
SPOKEN = {"label", "help", "placeholder", "text", "title"}
NAMES = {"Benchwright review"}
NEVER_ONE = {"assign_why", "estimate_beside"}
"""Texts with a number before a plural that is never 1."""
_WORD = re.compile(r"[A-Za-z]{2,}")


def said_by(path: Path) -> Iterator[str]:
    """Yield texts that a page passes to Streamlit unchanged."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in SHOWS:
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "logger":
            continue  # for those who run the server
        told = [*node.args[:1], *(one.value for one in node.keywords if one.arg in SPOKEN)]
        for part in told:
            for inner in [part, *(part.values if isinstance(part, ast.JoinedStr) else ())]:
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and _WORD.search(inner.value):
                    yield inner.value


def test_no_page_says_a_word_of_its_own() -> None:
    assert len(PAGES) > 50
    assert [(path.name, text) for path in PAGES for text in said_by(path) if text not in NAMES] == []


def test_the_sign_in_pages_have_no_word_between_their_tags() -> None:
    source = (APP / "auth" / "pages.py").read_text(encoding="utf-8").partition('"""\n\n\ndef')[2]
    between = re.findall(r">([^<>{}'\"]*[A-Za-z]{2,}[^<>{}'\"]*)<", source)
    assert [words for words in between if words.strip() and "·" not in words] == []


def test_no_script_says_a_word_of_its_own() -> None:
    assert SCRIPTS
    said = []
    for path in SCRIPTS:
        source = path.read_text(encoding="utf-8")
        spoken = re.findall(
            r"""(?:textContent|innerText|title|placeholder|ariaLabel)\s*=\s*["'`]([^"'`$]*)["'`]""", source
        )
        spoken += re.findall(
            r"""setAttribute\(\s*["'](?:aria-label|title|alt|placeholder)["']\s*,\s*["'`]([^"'`$]*)["'`]""", source
        )
        said += [(path.name, words) for words in spoken if _WORD.search(words)]
    assert said == []


def test_every_text_is_used_somewhere() -> None:
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for path in [*APP.rglob("*.py"), *SCRIPTS]
        if not path.name.endswith("texts.py")
    )
    begun = tuple(re.findall(r"""["']([a-z_]+_)\{""", sources))  # put together, such as f"state_{state}"
    unused = [name for name in TEXTS if not name.startswith(begun) and not re.search(rf"""["'.]{name}\b""", sources)]
    assert unused == []


def test_what_is_filled_in_is_named() -> None:
    fields = {
        name: [field for _, field, _, _ in Formatter().parse(text) if field is not None] for name, text in TEXTS.items()
    }
    assert [name for name, filled in fields.items() if not all(field.isidentifier() for field in filled)] == []
    assert [name for name, text in TEXTS.items() if not text.strip() == text != ""] == []


def test_what_counts_has_a_form_for_one() -> None:
    counts = "cases|count|days|items|left|minutes|n|tasks|times|total|units|waits"
    counted = re.compile(rf"\{{(?:{counts})(?::,)?\}} (?:[a-z-]+ )?(?!is|was|has)[a-z]+s\b")
    plain = {
        key: text
        for section, entries in english_texts().items()
        if section not in {"messages", "streamlit", "charts"}
        for key, text in entries.items()
        if isinstance(text, str) and counted.search(text)
    }
    assert sorted(plain) == sorted(NEVER_ONE)


def test_counts_of_one_are_singular() -> None:
    texts = english_texts()["curator"]
    forms = [text for text in texts.values() if not isinstance(text, str)]
    assert len(forms) > 10
    assert not [one["one"] for one in forms if re.search(r"\b1 (?!stays)[a-z]+s\b", one["one"])]
    assert (counted(1, "entry", "entries"), counted(0, "entry", "entries"), counted(2, "day")) == (
        "1 entry",
        "0 entries",
        "2 days",
    )
