"""Invisible characters are named and spelled out; those that scripts and emoji need are neither."""

from __future__ import annotations

import pytest

from benchwright.texts.hidden_characters import escaped, hidden_characters
from benchwright.texts.normalization import printable


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("می\u200cخواهم", id="Persian, with a joiner that does not join"),
        pytest.param("ه\u200d", id="Arabic, a letter shown as if another followed"),
        pytest.param("क\u094d\u200dष", id="Devanagari, with a joiner"),
        pytest.param("שלום\u200f (abc)\u200e", id="Hebrew, with marks of direction"),
        pytest.param("\u2068שלום\u2069 abc", id="Hebrew, isolated"),
        pytest.param("👩🏽\u200d🚀", id="emoji of several parts"),
        pytest.param("🧑🏿\u200d❤\ufe0f\u200d🧑🏻", id="emoji of several parts and colours"),
        pytest.param("🏳\ufe0f\u200d🌈 ❤\ufe0f 1\ufe0f⃣ ©\ufe0f", id="emoji with selectors"),
        pytest.param("🙂\u200d↔\ufe0f", id="emoji with an arrow"),
        pytest.param("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", id="flag of a region"),
        pytest.param("ภาษา\u200bไทย", id="Thai, with a break between words"),
        pytest.param("葛\U000e0100", id="ideograph, with a variant"),
        pytest.param("e\u0301 \u00a0 tab\there\r\n", id="accents, spaces, tabs, line ends"),
    ],
)
def test_what_writing_needs_is_left_alone(text: str) -> None:
    assert list(hidden_characters(text)) == []
    assert escaped(text) == text


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        pytest.param("red\x1b[8m", "control", "red\\x1b[8m", id="escape"),
        pytest.param("\x9b2J", "control", "\\x9b2J", id="control of eight bits"),
        pytest.param("\u202eevil", "direction", "\\u202eevil", id="override"),
        pytest.param("שלום \u202eevil", "direction", "שלום \\u202eevil", id="override in Hebrew"),
        pytest.param("שלום \u2067evil", "direction", "שלום \\u2067evil", id="isolate without end"),
        pytest.param("a\u200fb", "direction", "a\\u200fb", id="mark of direction in Latin"),
        pytest.param("two\u200bbirds", "zero_width", "two\\u200bbirds", id="space of no width"),
        pytest.param("a\u200db", "zero_width", "a\\u200db", id="joiner in Latin"),
        pytest.param("🙂\u200da", "zero_width", "🙂\\u200da", id="joiner after an emoji"),
        pytest.param("\ufeffNo", "zero_width", "\\ufeffNo", id="byte order mark"),
        pytest.param("ca\u00adt", "zero_width", "ca\\xadt", id="soft hyphen"),
        pytest.param("a\ufe0f", "zero_width", "a\\ufe0f", id="selector after a letter"),
        pytest.param("a\U000e0041", "zero_width", "a\\U000e0041", id="tag"),
        pytest.param("a\u3164", "zero_width", "a\\u3164", id="filler"),
        pytest.param("\udcff", "undecodable", "\\udcff", id="byte that is no UTF-8"),
    ],
)
def test_what_nobody_sees_is_named_and_spelled_out(text: str, kind: str, shown: str) -> None:
    [hidden] = hidden_characters(text)
    assert hidden.kind == kind
    assert text[hidden.place] == hidden.character
    assert escaped(text) == shown
    assert printable(text) == shown


def test_a_name_on_one_line_keeps_what_writing_needs() -> None:
    assert printable("می\u200cخواهم\n👩\u200d🚀\u00a0\u3164") == "می\u200cخواهم\\n👩\u200d🚀\\xa0\\u3164"
