"""Ideas without a model: statements about photographs, combined by rules.

The content of a picture does not determine how people interpret it. The high level is therefore asked about a new place
(S1), which everyone can see, and otherwise only if the facts state the question itself: strangers seldom agree on what
an effect or a background suggests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from benchwright.facts import BACKGROUND, LOOKS, SCENARIO, STYLE, Effect, IdeaCategory, Perception, ShownValue

from ...item_parts.idea import Change, Donor, Idea, Level
from ...item_parts.options.choices import capital
from ...stated_facts.resolved_facts import IdeaFacts, ResolvedBackground, Swapping
from ..grounding.scene import Scene
from .planned import Planned

_PHOTOGRAPH = "an ordinary color photograph"
_BOTH: tuple[Level, ...] = ("low", "high")


class TemplateWriting(BaseModel):
    """Settings of ideas from templates; needs facts.

    Args:
        backend: `templates`.
        most: Largest number of ideas of one category per image; the first stated ones are used.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    backend: Literal["templates"] = "templates"
    most: int = Field(8, ge=1, le=99)

    def deciding(self) -> dict[str, Any]:
        """Return the settings that determine the result, as JSON values."""
        return self.model_dump(mode="json")


class TemplateWriter:
    """A writer of ideas based on stated backgrounds, swaps and looks."""

    def __init__(self, settings: TemplateWriting) -> None:
        self._most = settings.most

    def plan(self, category: IdeaCategory, scene: Scene, pixels: object = None) -> Planned:
        """Return the ideas that the facts supply for a category, or the problem `no_facts` if they supply none."""
        del pixels
        assert scene.facts is not None
        facts = scene.facts.model_copy(update={"subject": scene.subject})  # a detector may have found it elsewhere
        made = list(_ideas(category, facts))[: self._most]
        if not made:
            return Planned(problem="no_facts", detail=f"nothing is stated for {category.code}")
        numbered = enumerate(made, start=1)
        return Planned(tuple(idea.model_copy(update={"idea_id": f"{category.code}-{n}"}) for n, idea in numbered))


def _ideas(category: IdeaCategory, facts: IdeaFacts) -> Iterator[Idea]:
    if category.way == "background":
        yield from (
            _before(category, facts, background) for background in facts.behind if background.category == category.code
        )
    elif category.way == "partial":
        yield from (_swapped(category, facts, swap) for swap in facts.swaps if swap.category == category.code)
    elif category.low is STYLE:
        yield from (_altered(category, facts, effect, value) for effect, value in facts.looks.items())


def _before(category: IdeaCategory, facts: IdeaFacts, background: ResolvedBackground) -> Idea:
    """Return the idea of placing the subject in front of another picture."""
    assert facts.background is not None
    subject, high = facts.subject.phrase, category.high
    low = ShownValue(value=background.background)
    levels = _BOTH if high is SCENARIO else _levels(background.suggests)
    doing = f", {background.suggests.value}" if high.name == "behaviour" and levels == _BOTH else ""
    return Idea(
        idea_id=category.code,
        category=category.code,
        way=category.way,
        subject=facts.subject,
        low=_change(BACKGROUND, facts, ShownValue(value=facts.background), low),
        high=_change(high, facts, ShownValue(value=_seen(facts, high)), background.suggests),
        natural_caption=facts.caption,
        manipulated_caption=f"{capital(subject)}{doing}, in front of {background.background}",
        instruction=f"Replace the background with {background.background}.",
        donor=Donor(image_id=background.image_id, of=background.shown_by, ground=_ground(category, facts, background)),
        levels=levels,
    )


def _ground(category: IdeaCategory, facts: IdeaFacts, background: ResolvedBackground) -> float:
    """Return the row below which a subject can stand; anywhere if it may float, as where its behavior changes."""
    if not facts.stands or category.high.name == "behaviour":
        return 0.0
    return 1.0 if background.ground is None else background.ground


def _swapped(category: IdeaCategory, facts: IdeaFacts, swap: Swapping) -> Idea:
    """Return the idea of replacing a part of the picture with a part of another one, or of another color for it."""
    color, target = swap.color, swap.target.phrase
    low = _change(category.low, facts, swap.low_natural, swap.low)
    high = low
    if swap.high is not None and swap.high_natural is not None:
        high = _change(category.high, facts, swap.high_natural, swap.high, aspect=swap.aspect)
    return Idea(
        idea_id=category.code,
        category=category.code,
        way=category.way,
        subject=facts.subject,
        target=swap.target,
        low=low,
        high=high,
        natural_caption=facts.caption,
        manipulated_caption=swap.caption,
        instruction=f"Replace {target} with {swap.low.value}." if color is None else f"Turn {target} {color}.",
        donor=swap.donor,
        color=color,
        levels=_levels(swap.high),
    )


def _altered(category: IdeaCategory, facts: IdeaFacts, effect: Effect, suggests: ShownValue | None) -> Idea:
    """Return the idea of changing the look of the whole picture."""
    natural = ShownValue(value=facts.seen.get("style", _PHOTOGRAPH))
    looks = LOOKS[effect]
    other_looks = tuple(text for name, text in LOOKS.items() if name != effect)
    low = _change(STYLE, facts, natural, ShownValue(value=looks, others=other_looks))
    levels = _levels(suggests)
    high = low if suggests is None else _change(SCENARIO, facts, ShownValue(value=_seen(facts, SCENARIO)), suggests)
    return Idea(
        idea_id=category.code,
        category=category.code,
        way=category.way,
        subject=facts.subject,
        low=low,
        high=high,
        natural_caption=facts.caption,
        manipulated_caption=f"{capital(looks)}: {facts.caption}",
        instruction=f"Turn the photograph into {looks}.",
        effect=effect,
        levels=levels,
    )


def _levels(high: ShownValue | None) -> tuple[Level, ...]:
    """Return the levels at which to ask about a change: the high level only if its question is stated."""
    return _BOTH if high is not None and high.ask is not None else ("low",)


def _seen(facts: IdeaFacts, perception: Perception) -> str:
    return facts.seen[perception.name]  # type: ignore[index]


def _change(
    perception: Perception, facts: IdeaFacts, natural: ShownValue, new: ShownValue, *, aspect: str | None = None
) -> Change:
    subject = facts.subject.phrase
    apart = {natural.value, new.value, *new.tempting}
    return Change(
        aspect=aspect or perception.aspect_of(subject),
        natural=natural.value,
        manipulated=new.value,
        ask_natural=_asked(subject, natural),
        ask_manipulated=_asked(subject, new),
        others=_unlike(apart, (*new.others, *natural.others, *facts.elsewhere.get(perception.name, ()))),
        tempting=new.tempting,
    )


def _asked(subject: str, value: ShownValue) -> str | None:
    """Return the question specified for a value, or None if the asking step is to choose the question."""
    return None if value.ask is None else value.ask.replace("{subject}", subject)


def _unlike(apart: set[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Return distinct texts in order, without the excluded ones."""
    return tuple(dict.fromkeys(text for text in texts if text not in apart))
