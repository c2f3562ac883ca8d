"""A model behind a scripted server that answers the step `ideas` sensibly: one woman with a racket on a lawn."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from benchwright.construction.manipulation.ideas.prompts import templates
from benchwright.facts import CATEGORIES, IdeaCategory, Perception
from benchwright.models.endpoints.structured_replies import fenced

CAPTION = "A woman in a white shirt holds a racket on a lawn beside a sign."
SUBJECT, SUBJECT_BOX = "the woman", [0.2, 0.1, 0.6, 0.9]
SEEN: dict[str, tuple[str, list[float] | None]] = {
    "behaviour": ("playing tennis", None),
    "role": ("a tennis player", None),
    "identity": ("a young amateur", None),
    "emotion": ("cheerful", None),
    "scenario": ("a game on a free afternoon", None),
    "background": ("a lawn with trees", None),
    "object": ("a racket", [0.5, 0.4, 0.7, 0.6]),
    "movement": ("swinging an arm", [0.2, 0.1, 0.6, 0.9]),
    "content": ("an arrow", [0.7, 0.2, 0.9, 0.4]),
    "group": ("other players", None),
    "attire": ("a white shirt", [0.25, 0.3, 0.55, 0.6]),
    "character": ("a woman with a racket", [0.2, 0.1, 0.6, 0.9]),
    "features": ("brown hair", [0.3, 0.1, 0.5, 0.25]),
    "figure": ("nobody known", [0.3, 0.1, 0.5, 0.25]),
    "gesture": ("gripping a racket", [0.5, 0.4, 0.7, 0.6]),
    "expression": ("smiling", [0.35, 0.15, 0.45, 0.22]),
    "style": ("a realistic photograph", None),
}


CONTENT: dict[str, Any] = {
    "answers": {"low_1": "yes", "low_2": "no", "high_1": "yes", "high_2": "no"},
    "visible": True, "perceived": True, "ambiguous": [], "why": "",
}  # fmt: skip
"""Reply of a second model without objections to an idea."""


class SaneModel:
    """Recognizes a question by its words; keeps the prompts for ideas by category.

    Args:
        people: Number of people that it sees in every picture.
    """

    def __init__(self, *, people: int = 1) -> None:
        self.people = people
        self.prompts: dict[str, str] = {}

    def __call__(self, words: str, attempt: int, handler: Any) -> str:
        return json.dumps(self.reply(words))

    def reply(self, words: str) -> dict[str, Any]:
        if "Describe this picture" in words:
            items = [{"phrase": "the lawn", "box": [0, 0.5, 1, 1]}, {"phrase": SUBJECT, "box": SUBJECT_BOX}]
            return {"caption": CAPTION, "people": self.people, "items": items}
        if "Which one is the main subject" in words:
            return {"main_subject": SUBJECT, "item": 1}
        if "Try to refute the" in words:
            return CONTENT
        if "Now this one" in words:
            category = category_asked(words)
            self.prompts[category.code] = words
            return idea_of(category)
        perception = perception_asked(words)
        answer, box = SEEN[perception.name]
        return {"answer": answer, "box": box} if perception.has_place else {"answer": answer}


def model_of_many_pictures(words: str, attempt: int, handler: Any) -> str:
    """Answer sensibly, and describe each picture differently, so that all pictures lead to different requests."""
    reply = SaneModel().reply(words)
    if "caption" in reply:
        reply["caption"] += f" The sign says {zlib.crc32(json.dumps(handler.body).encode())}."
    return json.dumps(reply)


def ideas_recipe(folder: Path, url: str, *, categories: tuple[str, ...] = ("B1", "B2"), **chat: Any) -> Path:
    """Write a recipe whose one step gets ideas for pictures from the model at a URL; return its file."""
    endpoint = {"backend": "endpoint", "chat": {"model": "sane", "base_url": url, "retries": 0, **chat}}
    step = {"step": "ideas", "categories": categories, "grounder": endpoint, "writer": endpoint, "concurrency": 2}
    file = folder / "ideas.yaml"
    file.write_text(json.dumps({"name": "ideas", "seed": 3, "shards": 2, "steps": [step]}), encoding="utf-8")
    return file


def category_asked(words: str) -> IdeaCategory:
    """Return the category of an idea's prompt."""
    (found,) = (
        CATEGORIES[code]
        for code, template in templates().items()
        if template.task in words or (template.task_with_real_persons or template.task) in words
    )
    return found


def perception_asked(words: str) -> Perception:
    """Return the subject of a question about the picture."""
    known = {one.name: one for category in CATEGORIES.values() for one in (category.high, category.low)}
    (found,) = (one for one in known.values() if words.startswith(one.probe.format(subject=fenced(SUBJECT))))
    return found


def idea_of(category: IdeaCategory) -> dict[str, Any]:
    """Return a whole reply for a category, unlike that of any other."""
    code, low, high = category.code, category.low.name, category.high.name
    figure = "Kofi Albrandt" if code == "I2" else f"a new {low} of {code}"
    return {
        f"new_{high}": f"a new {high} of {code}",
        f"new_{low}": figure,
        "new_caption": f"The woman with {figure}, which suggests a new {high} of {code}.",
        "instruction": f"Change the {low} of the woman into {figure}.",
        "low": {
            "ask_natural": f"Is the {low} of {code} as it was?",
            "ask_manipulated": f"Is the {low} of {code} another one?",
            "others": [f"a {word} {low}" for word in ("strange", "second", "shiny")],
        },
        "high": {
            "ask_natural": f"Is the {high} of {code} as it was?",
            "ask_manipulated": f"Is the {high} of {code} another one?",
            "others": [f"a {word} {high}" for word in ("strange", "second", "shiny")],
            "tempting": [f"a {word} {high}" for word in ("likely", "similar", "near")],
        },
    }
