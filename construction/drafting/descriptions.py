"""The prompt and the reply shape for drafting a picture's labels and meaning. The wording is our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator

from benchwright.models.endpoints.structured_replies import read_as
from benchwright.questions.drafts import TEMPLATE
from benchwright.questions.implication import Difficulty, Domain, Emotion, ImageType, Implication, Rhetoric
from benchwright.questions.settings import QuestionSettings

from .picture_statements import PictureStatements
from .prompts import MATERIAL, PLAIN_WORDS, SEEN, Sees, amount_in_words, question_keys, question_shape

NOTHING_CONVEYED = "nothing_conveyed"
_LABELS = ("image_type", "difficulty", "domain", "emotion", "rhetoric")


def description_prompt(
    questions: QuestionSettings | None, *, sees: Sees, several_types: bool, max_explanation: int, extra: str = ""
) -> str:
    """Return the prompt about a picture's labels and meaning.

    Args:
        questions: Shape of the questions to draft as well; None drafts no questions.
        sees: The model's input in addition to this prompt.
        several_types: Whether a picture may be of several types.
        max_explanation: Largest number of characters of the explanation.
        extra: The recipe's own text, which follows the rules.
    """
    lines = [
        "You draft what a picture conveys beyond what it shows, for a benchmark of questions about the meaning of "
        "pictures. A person checks each word of the draft, and changes or discards it.",
        f"Judge by {SEEN[sees]}. Say only what most people would read in the picture, and by what in it.",
        PLAIN_WORDS,
    ]
    if questions is not None:
        lines.append(
            f"Draft {amount_in_words(questions.questions, 'question')} about what the picture conveys, not about what "
            "is merely seen in it, that nobody could answer without seeing it. Each has one right option and "
            f"{questions.options.at_most - 1} wrong ones, which tempt somebody who looks at the surface, and have the "
            "form and about the length of the right one. None says the same as another."
        )  # phrase: allowed
    lines.append(
        f"{MATERIAL}, with the keys below; where the picture conveys no more than it shows, reply "
        '{"conveys": false} alone:'
    )
    types = "a list of one or more of" if several_types else "one of"
    lines += [
        '- "conveys": true',
        f'- "image_type": {types} {_listed(ImageType)}',
        f'- "difficulty": how hard it is for people to understand, one of {_listed(Difficulty)}',
        f'- "domain": what it is about, one of {_listed(Domain)}',
        f'- "emotion": the tone that it conveys, one of {_listed(Emotion)}',
        f'- "rhetoric": the devices by which it conveys it, a list of one or more of {_listed(Rhetoric)}',
        f'- "explanation": what it conveys, and what in it does so, at most {max_explanation} characters',
    ]
    if questions is not None:
        keys = "; ".join(question_keys(questions))
        lines.append(f'- "questions": a list of questions, each with these keys: {keys}')
    return "\n".join([*lines, extra] if extra else lines)


def _listed(vocabulary: Any) -> str:
    return ", ".join(get_args(vocabulary))


class DescriptionReply(BaseModel):
    """A model's labels and explanation of a picture; `description_shape` adds the recipe's requirements."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)
    asks_questions: ClassVar[bool] = False

    conveys: bool
    image_type: Any = None
    difficulty: Difficulty | None = None
    domain: Domain | None = None
    emotion: Emotion | None = None
    rhetoric: list[Rhetoric] | None = None
    explanation: str | None = None
    questions: Any = None

    @model_validator(mode="after")
    def _is_whole(self) -> DescriptionReply:
        wanted = (*_LABELS, "explanation", *(["questions"] if self.asks_questions else []))
        lacking = [name for name in wanted if not getattr(self, name)]
        if self.conveys and lacking:
            raise ValueError(f"{', '.join(lacking)}: wanted of a picture that conveys something")
        return self

    def implication(self, author: str) -> Implication | None:
        """Return the labels and the explanation, attributed to the given author; None if the picture conveys
        nothing.
        """
        if not self.conveys:
            return None
        types = tuple(dict.fromkeys([self.image_type] if isinstance(self.image_type, str) else self.image_type))
        labels = {name: getattr(self, name) for name in _LABELS}
        labels["image_type"] = types if len(types) > 1 else types[0]
        labels["rhetoric"] = tuple(dict.fromkeys(self.rhetoric or ()))
        return Implication.model_validate(labels | {"explanation": self.explanation, "author": author})


def description_shape(
    questions: QuestionSettings | None, *, several_types: bool, max_explanation: int
) -> type[DescriptionReply]:
    """Return the data model that a reply must fit.

    Args:
        questions: Shape of its questions; None if no questions are requested, in which case any questions in the reply
            are ignored.
        several_types: Whether a picture may be of several types.
        max_explanation: Largest number of characters of the explanation.
    """
    image_type: Any = list[ImageType] if several_types else ImageType
    text = Annotated[str, Field(max_length=max_explanation)]
    fields: dict[str, Any] = {"image_type": (image_type | None, None), "explanation": (text | None, None)}
    if questions is not None:
        question: Any = question_shape(questions)
        listed = Annotated[list[question], Field(max_length=questions.questions.at_most)]
        fields["questions"] = (listed | None, None)
    shape = create_model("DescriptionReply", __base__=DescriptionReply, **fields)
    shape.asks_questions = questions is not None
    return shape


def usable_labels(replies: Sequence[str], shape: type[DescriptionReply]) -> DescriptionReply | None:
    """Return the labels and the explanation from the last reply in which both are valid, or None if there is no such
    reply.

    Args:
        replies: Replies that are invalid as a whole.
        shape: Shape of a reply without questions.
    """
    for reply in reversed(replies):
        try:
            return read_as(reply, shape)
        except ValueError:
            continue
    return None


def stated_description(stated: PictureStatements) -> Implication | None:
    """Return the implication stated in a picture's facts, without its questions, attributed to a template; None if no
    implication is stated.
    """
    fact = stated.facts.get("implication")
    if fact is None:
        return None
    try:
        implication = Implication.model_validate(fact)
    except ValidationError:
        return None
    return implication.model_copy(update={"questions": (), "written_in": None, "author": TEMPLATE})
