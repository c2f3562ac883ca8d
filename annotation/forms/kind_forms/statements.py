"""The form for stating facts about a picture in words, section by section, and its values as statements.

The form has a field for every part of a facts file about a picture except the marks on it. Its vocabularies, and the
rules for its values together, are those of facts files (`benchwright.facts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, ValidationError

from benchwright.facts import (
    LOOKS,
    Color,
    High,
    OnBackground,
    Seen,
    StatementsOnPicture,
    Swapped,
    Why,
    place_in_words,
    statement_mistakes,
)
from benchwright.facts.idea_categories import CATEGORIES
from benchwright.questions.implication import WRONG_OPTIONS, Domain, Emotion, ImageType

from ..fields.field_types import (
    DraftsField,
    EntryField,
    FormField,
    Lines,
    OneOf,
    OnlyIf,
    Option,
    PicturesField,
    Repeated,
    TextField,
)
from ..fields.form import Form
from .description import NOTHING, code_of, words_of

STATED = "stated"
HEADLINE, DRAFTS = "statement", "drafts"
Section = Literal[
    "caption",
    "subjects",
    "background",
    "answerable",
    "unanswerable",
    "implication",
    "attributes",
    "pairs",
    "source",
]
SECTIONS: tuple[Section, ...] = get_args(Section)
_TITLES: Mapping[Section, str] = {
    "caption": "Caption",
    "subjects": "Subjects",
    "background": "Background",
    "answerable": "Questions that the picture answers",
    "unanswerable": "Questions that it does not answer",
    "implication": "What it conveys",
    "attributes": "What is seen and inferred",
    "pairs": "Changes of the picture",
    "source": "Where the picture comes from",
}
_MAX_LINE = 600
"""Maximum number of characters of a text in a facts file."""
_MOST_QUESTIONS, _MOST_ENTRIES = 20, 30
_STATED = OnlyIf(field=HEADLINE, codes=(STATED,))
_WHY: Mapping[Why, tuple[str, str]] = {
    "nonexistent_object": ("Of something that is not there", "It asks about an object that is not in the picture."),
    "background_information": (
        "Needs prior knowledge",
        "Who, where or what it is, which nothing in sight says.",
    ),
    "temporal_unpredictability": ("Before or after", "What came before the picture was taken, or will come."),
    "missing_visual_information": ("Hidden or left out", "It is there, but covered, cut off or too small."),
    "other_modality": ("Of another sense", "Sound, smell, taste, touch."),
    "intractable_quantity": ("An unclear quantity", "Too many to count, or a measure without a scale."),
}


def state_form(sections: Sequence[Section], *, optional: Iterable[Section] = (), drafts: bool = False) -> Form:
    """Return the form that has these sections, in the order of facts files.

    Args:
        sections: Sections of the form.
        optional: Sections among them that may be left empty.
        drafts: Whether a model's drafts may be accepted.
    """
    fields: list[FormField] = [
        OneOf(
            name=HEADLINE,
            label="The picture",
            options=(
                Option(code=STATED, words="State what it shows"),
                Option(code=NOTHING, words="Nothing to state", help="It shows nothing that could be asked about."),
            ),
        )
    ]
    for section in SECTIONS:
        if section in sections:
            wanted = section not in set(optional)
            fields += [_in_section(field, section, wanted) for field in _FIELDS[section]]
    if drafts:
        fields.append(DraftsField(name=DRAFTS, label="Drafts", only_if=_STATED))
    return Form(fields=tuple(fields))


def _in_section(field: FormField, section: Section, wanted: bool) -> FormField:
    required = {} if wanted or isinstance(field, DraftsField) else {"is_required": False}
    return field.model_copy(update={"section": _TITLES[section], "only_if": _STATED, **required})


def _line(name: str, label: str, hint: str = "", **settings: Any) -> TextField:
    return TextField(name=name, label=label, hint=hint, is_line=True, max_chars=_MAX_LINE, **settings)


def _name(name: str, label: str, hint: str, **settings: Any) -> TextField:
    return _line(name, label, hint, is_name=True, **settings)


def _wrong(least: int, most: int, **settings: Any) -> Lines:
    return Lines(
        name="wrong",
        label="Wrong options",
        count=most,
        at_least=None if least == most else least,
        max_chars=_MAX_LINE,
        hint="One a line, each plausible",
        **settings,
    )


def _options(words: Mapping[str, str]) -> tuple[Option, ...]:
    return tuple(Option(code=code_of(code).lower(), words=text) for code, text in words.items())


def _capitalized(words: Iterable[str]) -> tuple[Option, ...]:
    return _options({word: word.capitalize() for word in words})


def _shown_value(prefix: str, label: str, *, is_required: bool = True) -> list[EntryField]:
    """Return the fields for a value that is shown or suggested by a changed picture."""
    optional: dict[str, Any] = {"is_required": False}
    asks = "Yes/no question, with {subject} for the main subject; its own by default"
    lists = {"count": 8, "at_least": 1, "max_chars": _MAX_LINE, **optional}
    return [
        _line(f"{prefix}value", label, is_required=is_required),
        _line(f"{prefix}ask", f"{label}: question", asks, **optional),
        Lines(name=f"{prefix}tempting", label=f"{label}: tempting but wrong", hint="One a line", **lists),
        Lines(name=f"{prefix}others", label=f"{label}: fits neither picture", hint="One a line", **lists),
    ]


def _group(name: str, label: str, entry: str, *fields: EntryField, **settings: Any) -> Repeated:
    return Repeated(name=name, label=label, entry=entry, fields=fields, **settings)


WHY_FIELD = OneOf(
    name="why",
    label="Why it cannot tell",
    options=tuple(Option(code=code, words=words, help=why) for code, (words, why) in _WHY.items()),
)
_QUESTION: list[EntryField] = [
    _name("name", "Short name", "such as taste"),
    _line("ask", "Question"),
    _line("right", "Right option"),
]
_EXTRA: dict[str, Any] = {"is_required": False, "max_count": _MOST_ENTRIES}
_IMPLICATION = {"image_type": ImageType, "domain": Domain, "emotion": Emotion}
_FIELDS: Mapping[Section, Sequence[FormField]] = {
    "caption": [_line("caption", "Caption", "The whole picture in a sentence (N)")],
    "subjects": [
        _group(
            "subjects",
            "Subjects",
            "subject",
            _name("name", "Short name", "its mark's label, such as name_tag"),
            _line("phrase", "As a question calls it", "the name tag"),
            PicturesField(name="onto", label="Put it before the backgrounds of", max_count=20, is_required=False),
            max_count=_MOST_ENTRIES,
            distinct="name",
        )
    ],
    "background": [_line("background", "Background", "such as a wooden table")],
    "answerable": [
        _group(
            "answerable",
            "Questions",
            "question",
            *_QUESTION,
            _wrong(1, 8, differ_from="right"),
            max_count=_MOST_QUESTIONS,
            distinct="name",
        )
    ],
    "unanswerable": [
        _group(
            "unanswerable",
            "Questions",
            "question",
            *_QUESTION[:1],
            WHY_FIELD,
            *_QUESTION[1:2],
            _wrong(2, 8),
            max_count=_MOST_QUESTIONS,
            distinct="name",
        )
    ],
    "implication": [
        *(
            OneOf(
                name=name, label=label, options=_options({word: word.capitalize() for word in words_of(words).values()})
            )
            for (name, words), label in zip(_IMPLICATION.items(), ("Image type", "Domain", "Emotion"), strict=True)
        ),
        _group(
            "conveyed",
            "Question about what it conveys",
            "question",
            _line("ask", "Question"),
            _line("right", "Right option"),
            _wrong(WRONG_OPTIONS, WRONG_OPTIONS, differ_from="right"),
            _line("explanation", "Explanation", is_required=False),
            max_count=1,
            is_required=False,
        ),
    ],
    "attributes": [
        _name("main_subject", "Main subject, by its short name", "cup"),
        _line("people", "How many people are seen", "0", is_count=True),
        OneOf(
            name="stands",
            label="Does the main subject need ground under it?",
            options=(
                Option(code="yes", words="Yes, it stands"),
                Option(code="no", words="No, it flies, swims or hangs"),
            ),
            is_required=False,
        ),
        _line(
            "ground",
            "Where ground to stand on begins, in percent of the height",
            "70; empty if the picture shows none",
            is_count=True,
            is_required=False,
        ),
        _group(
            "seen",
            "Seen and inferred",
            "attribute",
            OneOf(name="of", label="Of", options=_capitalized(get_args(Seen))),
            _line("value", "What the picture shows", "holding a spoon"),
            max_count=len(get_args(Seen)),
            distinct="of",
        ),
    ],
    "pairs": [
        _group(
            "suggests",
            "What the background suggests about a person in front of it",
            "suggestion",
            OneOf(name="of", label="Of", options=_capitalized(get_args(High))),
            *_shown_value("", "What it suggests"),
            distinct="of",
            **_EXTRA | {"max_count": len(get_args(High))},
        ),
        _group(
            "backgrounds",
            "Other backgrounds for the subject",
            "change",
            OneOf(
                name="category",
                label="What changes",
                options=_options({code: f"{code}: {CATEGORIES[code].title}" for code in get_args(OnBackground)}),
            ),
            PicturesField(name="pictures", label="Backgrounds of", max_count=20),
            distinct="category",
            **_EXTRA | {"max_count": len(get_args(OnBackground))},
        ),
        _group(
            "swaps",
            "Replaced or recolored parts",
            "swap",
            OneOf(
                name="category",
                label="What changes",
                options=_options({code: f"{code}: {CATEGORIES[code].title}" for code in get_args(Swapped)}),
            ),
            _name("target", "What changes, by its short name", "helmet"),
            PicturesField(name="by", label="Replaced by something of", max_count=1, is_required=False),
            OneOf(name="color", label="Or its new color", options=_capitalized(get_args(Color)), is_required=False),
            _name("of", "A subject there, by its short name", "or all of that picture", is_required=False),
            _line("aspect", "What is asked about", "such as what the badge stands for", is_required=False),
            *_shown_value("low_", "Shown then"),
            *_shown_value("high_", "Suggested then", is_required=False),
            *_shown_value("low_natural_", "Shown now", is_required=False),
            *_shown_value("high_natural_", "Suggested now", is_required=False),
            _line("caption", "Caption of the changed picture"),
            **_EXTRA,
        ),
        _group(
            "looks",
            "Looks of the whole picture",
            "look",
            OneOf(
                name="effect",
                label="It looks like",
                options=_options({str(effect): words for effect, words in LOOKS.items()}),
            ),
            *_shown_value("", "Scenario that it suggests then", is_required=False),
            distinct="effect",
            **_EXTRA | {"max_count": len(LOOKS)},
        ),
    ],
    "source": [
        Lines(
            name="also",
            label="Further names of the same picture",
            hint="One a line, such as coffee-copy.bmp",
            count=10,
            at_least=1,
            max_chars=_MAX_LINE,
            is_required=False,
        ),
        _line("dataset", "Dataset", is_required=False),
        _line("canonical_id", "Id there", "coco:000000123", is_required=False),
        _line("uri", "Address", is_required=False),
    ],
}


_OF_PAIRS = ("seen", "suggests", "backgrounds", "swaps", "looks")
NEEDS: Mapping[Section, tuple[Section, ...]] = {"attributes": ("caption",), "pairs": ("caption", "attributes")}
"""Sections that each section requires in the form."""


class _Values(NamedTuple):
    """Values of the form by field; missing entries have empty values."""

    fields: Mapping[str, Any]

    def text(self, name: str) -> str | None:
        return self.fields.get(name) or None

    def entries(self, name: str) -> list[dict[str, Any]]:
        return list(self.fields.get(name) or ())


def statements_document(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are present, as JSON for `StatementsOnPicture` with the names used in facts files."""
    values = _Values(fields)
    source = {name: values.text(name) for name in ("dataset", "canonical_id", "uri")}
    document: dict[str, Any] = {
        "also": list(fields.get("also") or ()),
        "source": {name: text for name, text in source.items() if text} or None,
        "caption": values.text("caption"),
        "background": values.text("background"),
        "subjects": values.entries("subjects"),
        "unanswerable": values.entries("unanswerable"),
        "answerable": values.entries("answerable"),
        "implication": _implication(values),
        "pairs": _pairs(values),
    }
    return {name: value for name, value in document.items() if value}


def _implication(values: _Values) -> dict[str, Any] | None:
    labels = {name: values.text(name) for name in _IMPLICATION}
    if not all(labels.values()):
        return None
    words = {name: words_of(vocabulary)[str(labels[name])] for name, vocabulary in _IMPLICATION.items()}
    return words | {"question": next(iter(values.entries("conveyed")), None)}


def _pairs(values: _Values) -> dict[str, Any] | None:
    """Return the basis of ideas; None if the caption or main subject that ideas require is missing."""
    seen = {entry["of"]: entry["value"] for entry in values.entries("seen")}
    if not (values.text("caption") and values.text("main_subject")):
        return None
    swaps = [
        {
            "category": entry["category"].upper(),
            "target": entry["target"],
            "by": next(iter(entry.get("by") or ()), None),
            "color": entry.get("color"),
            "of": entry.get("of"),
            "aspect": entry.get("aspect"),
            "caption": entry["caption"],
            **{part: _value_in(entry, f"{part}_") for part in ("low", "high", "low_natural", "high_natural")},
        }
        for entry in values.entries("swaps")
    ]
    return {
        "caption": values.text("caption"),
        "subject": values.text("main_subject"),
        "people": int(values.text("people") or 0),
        "stands": values.text("stands") != "no",
        "ground": None if (percent := values.text("ground")) is None else int(percent) / 100,
        "seen": seen,
        "suggests": {entry["of"]: _value_in(entry, "") for entry in values.entries("suggests")},
        "backgrounds": {entry["category"].upper(): entry["pictures"] for entry in values.entries("backgrounds")},
        "swaps": swaps,
        "looks": {entry["effect"]: _value_in(entry, "") for entry in values.entries("looks")},
    }


def _value_in(entry: Mapping[str, Any], prefix: str) -> dict[str, Any] | None:
    parts = {name: entry.get(prefix + name) for name in ("value", "ask", "tempting", "others")}
    return {name: part for name, part in parts.items() if part} or None


def mistakes_in_statements(form: Form, fields: Mapping[str, Any]) -> list[str]:
    """Return descriptions of the mistakes in the form's values, under the rules of facts files."""
    if fields[HEADLINE] != STATED:
        return []
    if any(fields.get(name) for name in _OF_PAIRS) and not (fields.get("caption") and fields.get("main_subject")):
        return [
            "changes of the picture, and what is seen in it, depend on its caption and its main subject: state both"
        ]
    try:
        statements = StatementsOnPicture.model_validate(statements_document(fields))
    except ValidationError as error:
        return _in_words(error)
    asks_subjects = any(field.name == "subjects" for field in form.fields)
    names = frozenset(subject.name for subject in statements.subjects)
    return statement_mistakes(statements, names=names if asks_subjects else None)


def _in_words(error: ValidationError) -> list[str]:
    """Return the mistakes that a model of statements found, each with its path; entries are counted from 1."""
    return [f"{place_in_words(each['loc'])}: {each['msg']}" for each in error.errors()]


def fields_of_draft(draft: BaseModel) -> dict[str, Any]:
    """Return the form's values that correspond to a model's draft, which uses the names of facts files."""
    document = {name: value for name, value in draft.model_dump(mode="json").items() if value or value == 0}
    implication = document.pop("implication", None)
    if implication is not None:
        question = implication.pop("question", None)
        document |= {name: code_of(words) for name, words in implication.items()}
        document |= {"conveyed": [question]} if question else {}
    document["seen"] = [{"of": of, "value": value} for of, value in document.get("seen", {}).items()]
    document["suggests"] = [{"of": of, **value} for of, value in document.get("suggests", {}).items()]
    if "people" in document:
        document["people"] = str(document["people"])
    return document
