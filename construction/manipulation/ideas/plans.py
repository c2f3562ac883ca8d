"""Planning of the requests for ideas: the perceptions of an image that are needed, and the largest number of
requests.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.facts import CATEGORIES, Code, IdeaCategory, Perception
from benchwright.models.endpoints.usage import CHARACTERS_PER_TOKEN, RequestPlan

from ..grounding.endpoint import EndpointGrounding
from ..grounding.stated import StatedGrounding
from .attacks import PROMPT, IdeaAttackSettings
from .endpoint import EndpointWriting
from .prompts import prompt
from .templates import TemplateWriting

_WORDS_OF_A_LOOK, _WORDS_OF_AN_IDEA = 250, 300
"""Approximate numbers of tokens of a question about a picture and of an idea as a model gets it."""
_SAMPLE = "a dozen words that describe what such a photograph may show, more or less"


def wanted(categories: Sequence[IdeaCategory]) -> list[Perception]:
    """Return the distinct perceptions of an image that these categories need."""
    return list(
        {
            perception.name: perception for category in categories for perception in (category.high, category.low)
        }.values()
    )


def planned_ideas(
    grounder: StatedGrounding | EndpointGrounding,
    writer: TemplateWriting | EndpointWriting,
    attack: IdeaAttackSettings | None,
    codes: Sequence[Code],
    images: int,
) -> list[RequestPlan]:
    """Return the largest number of requests for this many images, assuming that every reply is repaired once."""
    categories = [CATEGORIES[code] for code in codes]
    plans: list[RequestPlan] = []
    if isinstance(grounder, EndpointGrounding):
        looks = 1 + len(wanted(categories)) + grounder.stated_boxes
        requests = looks + (not grounder.stated_boxes)  # the main subject is chosen by words alone
        words = 2 * requests * _WORDS_OF_A_LOOK
        plans.append(grounder.chat.plan("grounding", images, requests=2 * requests, pictures=2 * looks, words=words))
    if isinstance(writer, EndpointWriting):
        words = sum(_prompt_tokens(category) for category in categories)
        asked = 2 * len(categories)
        pictures = asked if writer.sees_picture else 0
        plans.append(writer.chat.plan("ideas", images, requests=asked, pictures=pictures, words=2 * words))
    if attack is not None:
        ideas = len(categories) * (writer.most if isinstance(writer, TemplateWriting) else 1)
        words = 2 * ideas * (len(PROMPT) // CHARACTERS_PER_TOKEN + _WORDS_OF_AN_IDEA)
        plans.append(attack.chat.plan("attacks", images, requests=2 * ideas, pictures=2 * ideas, words=words))
    return plans


def _prompt_tokens(category: IdeaCategory) -> int:
    return len(prompt(category, dict.fromkeys(category.inputs, _SAMPLE))) // CHARACTERS_PER_TOKEN
