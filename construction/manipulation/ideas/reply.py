"""The shape of a written idea: the outputs of the paper's writer, and the additional fields that questions need."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, create_model, model_validator

from benchwright.facts import IdeaCategory

from ...item_parts.idea import Change

_LEAST_OTHERS, _MOST_OTHERS = 3, 8
_Value = Annotated[str, StringConstraints(min_length=2, max_length=160, strip_whitespace=True, pattern=r"\S")]
_Sentence = Annotated[str, StringConstraints(min_length=8, max_length=500, strip_whitespace=True)]


def _ends_as_question(text: str) -> str:
    if not text.endswith("?"):
        raise ValueError("a question ends with a question mark")
    return text


_Question = Annotated[_Sentence, AfterValidator(_ends_as_question)]


class _ChangeQuestions(BaseModel):
    """Questions about a change, and wrong values for options."""

    model_config = ConfigDict(frozen=True)

    ask_natural: _Question
    ask_manipulated: _Question
    others: tuple[_Value, ...] = Field(min_length=_LEAST_OTHERS, max_length=_MOST_OTHERS)
    tempting: tuple[_Value, ...] = Field((), max_length=_MOST_OTHERS)

    @model_validator(mode="after")
    def _differ(self) -> _ChangeQuestions:
        if _same(self.ask_natural, self.ask_manipulated):
            raise ValueError("ask_natural and ask_manipulated must be different questions")
        values = [text.casefold() for text in (*self.others, *self.tempting)]
        if len(set(values)) < len(values):
            raise ValueError("others and tempting must not repeat themselves")
        return self


class _AskedHigh(_ChangeQuestions):
    tempting: tuple[_Value, ...] = Field(min_length=_LEAST_OTHERS, max_length=_MOST_OTHERS)


class WrittenIdea(BaseModel):
    """A reply to an idea's prompt. The paper's outputs are fields of the category's own shape, see `shape_of`."""

    # Further keys are ignored: no addition by the model, such as another category, has a meaning.
    model_config = ConfigDict(frozen=True, extra="ignore")

    new_caption: _Sentence
    instruction: _Sentence
    low: _ChangeQuestions
    high: _AskedHigh

    def new(self, name: str) -> str:
        """Return the new value of a perception."""
        value: str = getattr(self, f"new_{name}")
        return value


@cache
def shape_of(category: IdeaCategory) -> type[WrittenIdea]:
    """Return the shape of a category's reply: the paper's outputs for it, and the common fields."""
    fields: dict[str, Any] = {output: (_Value, ...) for output in category.outputs if output != "new_caption"}
    return create_model(f"{category.code}Idea", __base__=WrittenIdea, **fields)


def change(category: IdeaCategory, level: str, *, subject: str, natural: str, idea: WrittenIdea) -> Change:
    """Return the change at one level from a written idea."""
    perception, questions = (category.high, idea.high) if level == "high" else (category.low, idea.low)
    new = idea.new(perception.name)
    return Change(
        aspect=perception.aspect_of(subject),
        natural=natural,
        manipulated=new,
        ask_natural=questions.ask_natural,
        ask_manipulated=questions.ask_manipulated,
        others=tuple(text for text in questions.others if not _same(text, natural) and not _same(text, new)),
        tempting=tuple(text for text in questions.tempting if not _same(text, natural) and not _same(text, new)),
    )


def unchanged(category: IdeaCategory, naturals: dict[str, str], idea: WrittenIdea) -> str | None:
    """Return the name of a perception that the idea leaves unchanged, or None if both change."""
    for perception in (category.high, category.low):
        if _same(naturals[perception.name], idea.new(perception.name)):
            return perception.name
    return None


def _same(first: str, second: str) -> bool:
    return first.strip(" .").casefold() == second.strip(" .").casefold()
