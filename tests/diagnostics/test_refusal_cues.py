"""How far a question alone reveals whether its picture answers it: planted templates are found, balanced ones are
not.
"""

from __future__ import annotations

import random

import pytest
from worded_items import item

from benchwright.diagnostics.shortcuts.refusal_cues import RefusalCues, refusable, refusal_cues
from benchwright.records import Item

THINGS = [
    "cat",
    "dog",
    "car",
    "house",
    "tree",
    "lamp",
    "chair",
    "man",
    "woman",
    "boy",
    "bus",
    "bike",
    "book",
    "cup",
    "plate",
    "door",
    "window",
    "clock",
    "shirt",
    "hat",
]
SEEN = ("What color is the {}?", "Where is the {}?", "How many legs has the {}?", "What is next to the {}?")
UNSEEN = ("What is the name of the {}?", "What will the {} do next?", "What is inside the {}?", "Who owned the {}?")
DECLINES = "Sorry, I can't help with it"


def _items(*, tells: bool, share: float, seed: int = 3, number: int = 160) -> list[Item]:
    """Return items, two a picture, of which a share is unanswerable, by separate templates or by all templates."""
    rng = random.Random(seed)
    made = []
    for n in range(number):
        is_unanswerable = n < share * number
        templates = (UNSEEN if is_unanswerable else SEEN) if tells else SEEN + UNSEEN
        question = rng.choice(templates).format(rng.choice(THINGS))
        options = (*rng.sample(THINGS, 3), DECLINES)
        answer = None if is_unanswerable else "A"
        made.append(item(f"q{n}", question, options, answer, refusal="D", picture=f"p{n % (number // 2)}"))
    return made


def _cues(items: list[Item]) -> RefusalCues | None:
    return refusal_cues([question for each in items if (question := refusable(each)) is not None])


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_questions_of_other_templates_tell_that_nothing_answers_them(share: float) -> None:
    items = _items(tells=True, share=share)
    cues = _cues(items)
    assert cues is not None
    assert cues.tells
    assert cues.interval[0] > cues.chance == max(share, 1 - share)
    assert len(cues.guessed) > 0.8 * cues.unanswerable
    told = [template for template in cues.templates if template.tells == "unanswerable"]
    assert {template.words for template in told} >= {"what will the …", "who owned the …"}
    assert {item_id for template in told for item_id in template.item_ids} <= {each.item_id for each in items[:80]}


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_questions_of_the_same_templates_tell_nothing(share: float) -> None:
    cues = _cues(_items(tells=False, share=share))
    assert cues is not None
    assert not cues.tells
    assert cues.templates == ()


def test_questions_about_one_picture_are_not_learned_from_one_another() -> None:
    """Each picture has a separate word, which is revealing among its questions alone."""
    items = [
        item(f"q{n}", f"What of thing{n // 4}?", (*THINGS[:3], DECLINES), "A" if n // 4 % 2 else None, refusal="D",
             picture=f"p{n // 4}")
        for n in range(160)
    ]  # fmt: skip
    cues = _cues(items)
    assert cues is not None
    assert not cues.tells


def test_too_few_of_either_kind_say_nothing() -> None:
    assert _cues(_items(tells=True, share=0.05)) is None
    assert (
        _cues([each.model_copy(update={"refusal": None, "answer": "A"}) for each in _items(tells=True, share=0.5)])
        is None
    )
