"""The thirteen prompts for ideas: the paper's inputs, our own task text for each category, two examples."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from benchwright.canonical import digest
from benchwright.facts import CATEGORIES, Code, IdeaCategory
from benchwright.models.endpoints.structured_replies import RULE, fenced

from . import policy
from .policy import Topic

_FILE = Path(__file__).with_name("prompts.yaml")

_SHAPE = (
    'Give {outputs}, then "instruction": one order to an image editor. Under "low" and "high" add, for what is changed '
    'and for what people perceive of it: "ask_natural", a yes/no question whose answer is yes for the original and no '
    'for the new image; "ask_manipulated", one whose answer is no for the original and yes for the new image; '
    '"others", three to five values that fit neither image; and under "high" also "tempting", three or more values '
    "that what is changed might suggest and that are wrong all the same. {values}"
)
_FORBIDDEN: Mapping[Topic, str] = {"real_persons": "names of real persons", "minors": "minors", "gore": "gore"}


class Template(NamedTuple):
    """A category's prompt without its inputs.

    Args:
        task: The task in words.
        shots: Two examples: inputs and their replies.
        task_with_real_persons: The task if real persons are allowed; None if that makes no difference.
    """

    task: str
    shots: tuple[Mapping[str, Any], ...]
    task_with_real_persons: str | None


@cache
def templates() -> Mapping[Code, Template]:
    """Return the templates of all categories."""
    document = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return {
        code: Template(stated["task"], tuple(stated["shots"]), stated.get("task_with_real_persons"))
        for code in CATEGORIES
        for stated in [document[code]]
    }


def prompts_digest() -> str:
    """Return the digest of all templates; a test compares it with the step's version."""
    return digest([_SHAPE, RULE, {code: list(template) for code, template in templates().items()}])


def prompt(category: IdeaCategory, inputs: Mapping[str, str], *, allow: Collection[Topic] = ()) -> str:
    """Return the prompt for an idea.

    Args:
        category: Category of the idea.
        inputs: Inputs by the names of `IdeaCategory.inputs`; each is put between fences.
        allow: Topics that the content policy permits.
    """
    template = templates()[category.code]
    real = "real_persons" in allow and template.task_with_real_persons is not None
    never = [words for topic, words in _FORBIDDEN.items() if topic not in allow]
    outputs = ", ".join(f'"{name}"' for name in category.outputs)
    values = " ".join(
        f'"new_{perception.name}" reads as {perception.reads}, and so do its others.'
        for perception in (category.high, category.low)
    )
    parts = [
        "A natural photograph is to be changed in one respect, so that people perceive something wholly different.",
        template.task_with_real_persons if real and template.task_with_real_persons else template.task,
        *([f"The figures:\n{policy.listed()}"] if category.code == "I2" and not real else []),
        _SHAPE.format(outputs=outputs, values=values),
        *([f"Never: {', '.join(never)}."] if never else []),
        RULE,
    ]
    for number, shot in enumerate(template.shots, start=1):
        inputs_text = _told(category, {name: shot[name] for name in category.inputs})
        parts.append(f"Example {number}\n{inputs_text}\nReply: {json.dumps(shot['reply'], ensure_ascii=False)}")
    parts.append(f"Now this one\n{_told(category, inputs)}\nReply:")
    return "\n\n".join(parts)


def _told(category: IdeaCategory, inputs: Mapping[str, str]) -> str:
    return "\n".join(f"{_title(name)}: {fenced(inputs[name])}" for name in category.inputs)


def _title(name: str) -> str:
    """Return an input's name as appendix D writes it in a prompt, such as `Original Behaviour`."""
    return name.replace("_", " ").title()
