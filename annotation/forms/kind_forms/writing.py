"""The form of the campaign `write`: questions about a picture, each with options, an explanation and labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchwright.questions.drafts import DraftedQuestion
from benchwright.questions.settings import DECLINING, LabelSet, QuestionSettings

from ..fields.field_types import (
    DraftsField,
    EntryField,
    Lines,
    OneOf,
    OnlyIf,
    Option,
    QuestionRule,
    Repeated,
    SeveralOf,
    TextField,
)
from ..fields.form import Form
from .description import NOTHING

HEADLINE, WRITTEN = "writing", "written"
GROUP, DRAFTS = "questions", "drafts"
DRAWN_LABEL = "Right option in the picture"
_WRITTEN = OnlyIf(field=HEADLINE, codes=(WRITTEN,))
_NOT_OFFERED, _OFFERED, IS_RIGHT = "not_offered", "offered", "is_right"
_HAS_ANSWER = OnlyIf(field=DECLINING, codes=(_NOT_OFFERED, _OFFERED))
_HAS_NONE = OnlyIf(field=DECLINING, codes=(IS_RIGHT,))


def writing_form(settings: QuestionSettings, *, drafts: bool = False) -> Form:
    """Return the form with these settings.

    Args:
        settings: Structure of the questions.
        drafts: Whether drafts may be accepted.
    """
    headline = OneOf(
        name=HEADLINE,
        label="The picture",
        options=(
            Option(code=WRITTEN, words="Write questions"),
            Option(code=NOTHING, words="Nothing to ask", help="It shows nothing that would make a good question."),
        ),
    )
    group = Repeated(
        name=GROUP,
        label="Questions",
        entry="question",
        fields=tuple(_question_fields(settings)),
        min_count=settings.questions.at_least,
        max_count=settings.questions.at_most,
        distinct="ask",
        question=QuestionRule(refusal=None if settings.refusal == "none" else settings.refusal_text),
        in_columns=True,
        only_if=_WRITTEN,
    )
    if not drafts:
        return Form(fields=(headline, group))
    return Form(fields=(headline, group, DraftsField(name=DRAFTS, label="Drafts", only_if=_WRITTEN)))


def _question_fields(settings: QuestionSettings) -> Iterator[EntryField]:
    most, options = settings.max_chars, settings.options
    yield TextField(
        name="ask", label="Question", hint="It names what it asks about", is_line=True, max_chars=most.question
    )
    if settings.drawn_options:
        drawn = tuple(Option(code=code, words=label) for code, label in settings.drawn_by_code.items())
        yield OneOf(name="right", label=DRAWN_LABEL, options=drawn)
    else:
        answered = None if settings.refusal == "none" else _HAS_ANSWER
        if answered is not None:
            yield OneOf(name=DECLINING, label="Option that declines", options=tuple(_declining(settings)))
        yield TextField(name="right", label="Right option", is_line=True, max_chars=most.option, only_if=answered)
        yield _lines("wrong", "Wrong options", options.at_least - 1, options.at_most - 1, most.option, answered)
        if answered is not None:
            tempting = "Tempting options, none of them right"
            yield _lines("tempting", tempting, options.at_least, options.at_most, most.option, _HAS_NONE)
    if settings.explanation != "none":
        is_required = settings.explanation == "required"
        yield TextField(
            name="explanation",
            label="Explanation" if is_required else "Explanation (optional)",
            hint="What in the picture makes it right",
            max_chars=most.explanation,
            is_required=is_required,
        )
    for name, labels in settings.labels.items():
        yield _label_field(name, labels)


def _declining(settings: QuestionSettings) -> Iterator[Option]:
    if settings.refusal == "allowed":
        yield Option(code=_NOT_OFFERED, words="Is not offered")
    yield Option(code=_OFFERED, words="Is offered and wrong", help="The picture answers the question.")
    yield Option(code=IS_RIGHT, words="Is offered and right", help="Nothing in the picture answers the question.")


def _lines(name: str, label: str, at_least: int, at_most: int, max_chars: int, only_if: OnlyIf | None) -> Lines:
    return Lines(
        name=name,
        label=label,
        count=at_most,
        at_least=None if at_least == at_most else at_least,
        max_chars=max_chars,
        hint="One a line, each plausible",
        only_if=only_if,
    )


def _label_field(name: str, labels: LabelSet) -> OneOf | SeveralOf:
    options = tuple(Option(code=code, words=words) for code, words in labels.words_by_code.items())
    kind = SeveralOf if labels.several else OneOf
    label = name.replace("_", " ").capitalize() + ("" if labels.required else " (optional)")
    return kind(name=name, label=label, options=options, is_required=labels.required)


def written_entry(entry: Mapping[str, Any], settings: QuestionSettings) -> dict[str, Any]:
    """Return an entry of the form as JSON values for `WrittenQuestion`, without where it was written."""
    declining = entry.get(DECLINING, _NOT_OFFERED)
    if settings.drawn_options:
        right: str | None = settings.drawn_by_code[entry["right"]]
        wrong: Sequence[str] = [label for label in settings.drawn_options if label != right]
    else:
        right = None if declining == IS_RIGHT else entry["right"]
        wrong = entry["tempting" if declining == IS_RIGHT else "wrong"]
    stated = {name: entry[name] for name in settings.labels if entry.get(name)}
    return {
        "ask": entry["ask"],
        "right": right,
        "wrong": list(wrong),
        "refusal": None if declining == _NOT_OFFERED else settings.refusal_text,
        "explanation": entry.get("explanation"),
        "labels": {name: _in_words(settings.labels[name], value) for name, value in stated.items()},
    }


def _in_words(labels: LabelSet, value: str | Sequence[str]) -> str:
    words = labels.words_by_code
    return "+".join(words[code] for code in ([value] if isinstance(value, str) else value))


def entry_of_draft(drafted: DraftedQuestion, settings: QuestionSettings) -> dict[str, Any]:
    """Return a drafted question as an entry of the form, without parts for which the form does not ask."""
    entry: dict[str, Any] = {"ask": drafted.ask}
    if settings.refusal != "none":
        entry[DECLINING] = IS_RIGHT if drafted.right is None else _OFFERED
    if drafted.right is not None:
        entry["right"] = drafted.right
    entry["wrong" if drafted.right is not None else "tempting"] = list(drafted.wrong)
    if drafted.explanation is not None and settings.explanation != "none":
        entry["explanation"] = drafted.explanation
    for name, labels in settings.labels.items():
        codes = {words: code for code, words in labels.words_by_code.items()}
        chosen = [codes[word] for word in labels.values if word in drafted.labels.get(name, ())]
        if chosen:
            entry[name] = chosen if labels.several else chosen[0]
    return entry
