"""Items in another language: a translation's changes to an item, and the source text kept with it.

A translated item keeps its id, pictures and key. Its evidence contains the source text, for verification, and its
attribute `language` states its language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchwright.questions.written import as_read
from benchwright.records import LANGUAGE, Choice, Item, Record

_TRANSLATED_FROM = "translated_from"
"""Key of an item's evidence under which the source text is stored."""
_PLACED = re.compile(r"<image \d+>")
_MOST_TIMES, _MORE_CHARS = 4, 100


class ItemText(Record):
    """The texts of an item.

    Attributes:
        language: Language of the texts, as an ISO 639 code; None if not stated.
        question: The question.
        choices: Texts of the choices by key; choices that are pictures are omitted.
        explanation: Why the key is right; None without an explanation.
    """

    language: str | None = None
    question: str
    choices: dict[str, str]
    explanation: str | None = None

    @property
    def label(self) -> str:
        """Return the heading of the text next to a translation."""
        return "Source text" if self.language is None else f"Source text ({self.language})"

    def in_lines(self) -> str:
        """Return question, options and explanation, one per line."""
        lines = [self.question, *(f"{key}. {text}" for key, text in self.choices.items())]
        return "\n".join([*lines, *([] if self.explanation is None else [self.explanation])])


def text_of(item: Item, *, language: str | None = None) -> ItemText:
    """Return the texts of an item; they are in the given language unless the item states another."""
    stated = item.attributes.get(LANGUAGE)
    return ItemText(
        language=stated if isinstance(stated, str) else language,
        question=item.question,
        choices={choice.key: choice.text for choice in item.choices if choice.text is not None},
        explanation=item.explanation,
    )


def source_text_of(item: Item) -> ItemText | None:
    """Return the source text of a translated item; None for any other item."""
    stated = item.evidence.get(_TRANSLATED_FROM)
    return None if stated is None else ItemText.model_validate(stated)


def translation_mistakes(source: ItemText, translation: ItemText) -> list[str]:
    """Return the formal mistakes in a translation, as texts; empty if there are none."""
    mistakes = []
    if set(translation.choices) != set(source.choices):
        mistakes.append(f"choices: give exactly {', '.join(source.choices)}, not {', '.join(translation.choices)}")
    if (translation.explanation is None) != (source.explanation is None):
        wanted = "is wanted" if translation.explanation is None else "has no source, null is wanted"
        mistakes.append(f"explanation: it {wanted}")
    if as_read(translation.question) == as_read(source.question):
        mistakes.append("question: it is not translated")
    if sorted(_PLACED.findall(translation.question)) != sorted(_PLACED.findall(source.question)):
        mistakes.append("question: it must place the same images as the source, such as <image 1>")
    taken: dict[str, str] = {}
    for key, text in translation.choices.items():
        if (other := taken.setdefault(as_read(text), key)) != key:
            mistakes.append(f"choices: {other} and {key} read the same")
    for name, text, original in _pairs(source, translation):
        most = _MOST_TIMES * len(original) + _MORE_CHARS
        if not text.strip() or len(text) > most:
            mistakes.append(f"{name}: give 1 to {most} characters, not {len(text)}")
    return mistakes


def _pairs(source: ItemText, translation: ItemText) -> list[tuple[str, str, str]]:
    pairs = [("question", translation.question, source.question)]
    pairs += [(key, text, source.choices[key]) for key, text in translation.choices.items() if key in source.choices]
    if translation.explanation is not None and source.explanation is not None:
        pairs.append(("explanation", translation.explanation, source.explanation))
    return pairs


def translated(item: Item, source: ItemText, translation: ItemText, *, by: str) -> Item:
    """Return an item in another language.

    Args:
        item: The item.
        source: Texts of the item.
        translation: Texts of the item in the other language.
        by: Translator, as in `Item.written_by`.
    """
    texts: Mapping[str, str] = translation.choices
    authors = dict.fromkeys(("question", "choices", *(["explanation"] if translation.explanation else [])), by)
    update = {
        "question": translation.question,
        "choices": tuple(
            choice if choice.text is None else Choice(key=choice.key, text=texts[choice.key]) for choice in item.choices
        ),
        "explanation": translation.explanation,
        "attributes": {**item.attributes, LANGUAGE: translation.language},
        "written_by": {**item.written_by, **authors},
        "evidence": {**item.evidence, _TRANSLATED_FROM: source.model_dump(mode="json")},
    }
    return Item.model_validate(item.model_copy(update=update).model_dump())
