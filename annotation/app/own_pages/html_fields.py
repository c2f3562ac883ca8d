"""Fields of the app's own pages as HTML; the functions escape all texts, so callers pass plain texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

_MOST_DIGITS = 18
"""Number of digits at which a text can no longer be the number of a row or page."""


def whole_number(text: str) -> int:
    """Return the number in a request's text; for any other text return 0, which no row or page has as its number."""
    return int(text) if text.isdecimal() and len(text) < _MOST_DIGITS else 0


class FieldWords(NamedTuple):
    """The texts of a field.

    Attributes:
        label: Its name.
        hint: A sentence below it; empty for none.
        problem: The problem of its value; empty for none.
    """

    label: str
    hint: str = ""
    problem: str = ""


def text_field(name: str, value: str, words: FieldWords, *, kind: str = "text", more: str = "") -> str:
    """Return a field with one line.

    Args:
        name: Name of the field in the request.
        value: Its value.
        words: Its texts.
        kind: Its type in HTML; default `text`.
        more: Additional attributes, as HTML.
    """
    field = f'<input id="{name}" name="{name}" type="{kind}" value="{_attribute(value)}"{_about(name, words)} {more}>'
    return _labelled(name, field, words)


def area_field(name: str, value: str, words: FieldWords, *, rows: int = 4, more: str = "") -> str:
    """Return a field with several lines; for the arguments, see `text_field`."""
    # HTML drops the first line break of a text area.
    field = (
        f'<textarea id="{name}" name="{name}" rows="{rows}"{_about(name, words)} {more}>\n{escape(value)}</textarea>'
    )
    return _labelled(name, field, words)


def choice_field(name: str, value: str, words: FieldWords, options: Mapping[str, str]) -> str:
    """Return a field for choosing one of several values.

    Args:
        name: Name of the field in the request.
        value: The chosen value.
        words: Its texts.
        options: Name of each value.
    """
    listed = "".join(
        f'<option value="{_attribute(code)}"{" selected" if code == value else ""}>{escape(text)}</option>'
        for code, text in options.items()
    )
    return _labelled(name, f'<select id="{name}" name="{name}"{_about(name, words)}>{listed}</select>', words)


def radio_fields(name: str, value: str, words: FieldWords, options: Sequence[tuple[str, str, str]]) -> str:
    """Return a group of radio buttons; each entry of `options` is a value, its name and a sentence."""
    buttons = "".join(
        f'<label class="pick"><input type="radio" name="{name}" value="{_attribute(code)}"'
        f"{' checked' if code == value else ''}><span><strong>{escape(title)}</strong>"
        f"<small>{escape(why)}</small></span></label>"
        for code, title, why in options
    )
    return f'<fieldset class="picks"><legend>{escape(words.label)}</legend>{buttons}{_below(name, words)}</fieldset>'


def check_field(name: str, value: str, words: FieldWords) -> str:
    """Return a checkbox, sent as `yes`, with a hidden field that is sent as `no`."""
    is_checked = " checked" if value == "yes" else ""
    return (
        f'<div class="field"><input type="hidden" name="{name}" value="no"><label class="check">'
        f'<input type="checkbox" id="{name}" name="{name}" value="yes"{is_checked}{_about(name, words)}>'
        f"<span>{escape(words.label)}</span></label>{_below(name, words)}</div>"
    )


def hidden(name: str, value: str) -> str:
    """Return a hidden field."""
    return f'<input type="hidden" name="{name}" value="{_attribute(value)}">'


def shown_when(name: str, values: Iterable[str], body: str, *, is_hidden: bool = False) -> str:
    """Return a part of a form that belongs to certain values of a choice; the script hides it for other values.

    Args:
        name: Name of the choice.
        values: Values of the choice to which the part belongs.
        body: The part, as HTML.
        is_hidden: Whether the part is also hidden if the script does not run; default False.
    """
    hidden_now = " hidden" if is_hidden else ""
    return f'<div data-when="{name}" data-is="{_attribute(" ".join(values))}"{hidden_now}>{body}</div>'


def facts_list(facts: Iterable[tuple[str, str]]) -> str:
    """Return names and values as a list."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd><bdi>{escape(value)}</bdi></dd>" for name, value in facts)
    return f"<dl>{rows}</dl>"


def _labelled(name: str, field: str, words: FieldWords) -> str:
    return f'<div class="field"><label for="{name}">{escape(words.label)}</label>{field}{_below(name, words)}</div>'


def _below(name: str, words: FieldWords) -> str:
    hint = f'<p class="hint" id="{name}-hint">{escape(words.hint)}</p>' if words.hint else ""
    problem = f'<p class="problem" id="{name}-problem">{escape(words.problem)}</p>' if words.problem else ""
    return hint + problem


def _about(name: str, words: FieldWords) -> str:
    """Return the attributes with which screen readers read the texts below a field."""
    parts = [f"{name}-hint"] * bool(words.hint) + [f"{name}-problem"] * bool(words.problem)
    described = f' aria-describedby="{" ".join(parts)}"' if parts else ""
    return described + (' aria-invalid="true"' if words.problem else "")


def _attribute(value: str) -> str:
    return escape(value, quote=True)
