"""MVP-Bench's categories: five high-level ones, and thirteen low-level ones that each support a high-level one.

The paper gives the codes (B1 ... S2, table 5) and the names (appendix A) separately. Their assignment follows from its
published questions: the cross-image questions of each range of pairs that table 5 counts as one category all have the
same low-level answer. Edit types are those of section 4.1, with one exception: its list of partial substitutions names
an I3, which does not exist, and never R3; this module assumes that R3 is meant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Code = Literal["B1", "B2", "B3", "B4", "R1", "R2", "R3", "I1", "I2", "E1", "E2", "S1", "S2"]
CODES: tuple[Code, ...] = get_args(Code)
Way = Literal["partial", "background", "direct"]
"""Partial component substitution, overall background substitution and direct alteration (section 4.1, step 2)."""


@dataclass(frozen=True)
class Perception:
    """A perception of a picture, at either level, with `{subject}` for the main subject.

    Args:
        name: Name in prompts and facts: `original_<name>`, `new_<name>`.
        aspect: Aspect, as named in options and questions.
        probe: Question for a model that sees the natural image.
        reads: How a value is worded in a sentence.
        has_place: Whether a box can locate it in the picture.
    """

    name: str
    aspect: str
    probe: str
    reads: str
    has_place: bool = False

    def aspect_of(self, subject: str) -> str:
        """Return the aspect as text."""
        return self.aspect.format(subject=subject)


_DOING = "a phrase that begins with a verb in -ing"
_WHO = "a noun phrase with its article"

_BEHAVIOUR = Perception("behaviour", "what {subject} is doing", "What is {subject} doing?", _DOING)
_ROLE = Perception("role", "the role of {subject}", "Which role does {subject} have here?", _WHO)
_IDENTITY = Perception("identity", "who {subject} is", "What sort of person is {subject}?", _WHO)
_EMOTION = Perception("emotion", "how {subject} feels", "How does {subject} seem to feel?", "an adjective")
SCENARIO = Perception(
    "scenario",
    "the scenario",
    "What kind of occasion or situation does the picture show?",
    _WHO,
)
HIGH: tuple[Perception, ...] = (_BEHAVIOUR, _ROLE, _IDENTITY, _EMOTION, SCENARIO)

BACKGROUND = Perception(
    "background",
    "the background",
    "What is the background, apart from {subject}?",
    _WHO,
)
_OBJECT = Perception(
    "object",
    "the object that {subject} holds or uses",
    "Which object does {subject} hold or use?",
    _WHO,
    True,
)
_MOVEMENT = Perception(
    "movement",
    "the movement of {subject}",
    "Which posture or movement does the body of {subject} make?",
    _DOING,
    True,
)
CONTENT = Perception(
    "content",
    "what is shown on the screen, sheet or sign",
    "What does the screen, sheet or sign near {subject} show?",
    _WHO,
    True,
)
GROUP = Perception(
    "group",
    "the group around {subject}",
    "Which other people or things surround {subject}?",
    _WHO,
)
_ATTIRE = Perception("attire", "what {subject} wears", "What does {subject} wear?", _WHO, True)
_CHARACTER = Perception(
    "character",
    "which character appears",
    "Which figure stands out where {subject} is?",
    _WHO,
    True,
)
_FEATURES = Perception(
    "features",
    "the physical features of {subject}",
    "Which physical features does {subject} have?",
    _WHO,
    True,
)
_FIGURE = Perception(
    "figure",
    "which public figure {subject} is",
    "Does {subject} look like a public figure, or like an ordinary person?",
    _WHO,
    True,
)
_GESTURE = Perception("gesture", "the gesture of {subject}", "Which gesture does {subject} make?", _DOING, True)
_EXPRESSION = Perception(
    "expression",
    "the facial expression of {subject}",
    "Which facial expression does {subject} have?",
    _DOING,
    True,
)
STYLE = Perception("style", "the style of the picture", "Which style and light does the picture have?", _WHO)


@dataclass(frozen=True)
class IdeaCategory:
    """One way in which a manipulated image differs from its natural one.

    Args:
        code: Code in table 5.
        title: Title in appendix A.
        high: High-level perception that changes.
        low: Low-level perception that changes.
        way: The paper's method of making the change.
        whole_subject: Whether partial substitution replaces the subject itself if nothing smaller is located.
        ours: Part of the entry that is Benchwright's interpretation; None if the paper states everything.
    """

    code: Code
    title: str
    high: Perception
    low: Perception
    way: Way
    whole_subject: bool = False
    ours: str | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the inputs of the category's prompt, as named in appendix D."""
        return "main_subject", "original_caption", f"original_{self.high.name}", f"original_{self.low.name}"

    @property
    def outputs(self) -> tuple[str, ...]:
        """Return the outputs that the category's prompt requests, as named in appendix D."""
        return f"new_{self.high.name}", f"new_{self.low.name}", "new_caption"


_UNASSIGNED = "section 4.1 gives R3 no edit type; partial substitution, because that section names a nonexistent I3"

# Titles as in the paper. phrase: allowed
_ALL = (
    IdeaCategory("B1", "Behaviour - Background", _BEHAVIOUR, BACKGROUND, "background"),
    IdeaCategory("B2", "Behaviour - Object Association", _BEHAVIOUR, _OBJECT, "partial"),
    IdeaCategory("B3", "Behaviour - Movement", _BEHAVIOUR, _MOVEMENT, "partial", whole_subject=True),
    IdeaCategory("B4", "Behaviour - Content", _BEHAVIOUR, CONTENT, "partial"),
    IdeaCategory("R1", "Role - Group Association", _ROLE, GROUP, "background"),
    IdeaCategory("R2", "Role - Attire", _ROLE, _ATTIRE, "partial"),
    IdeaCategory("R3", "Role - Virtual Character", _ROLE, _CHARACTER, "partial", whole_subject=True, ours=_UNASSIGNED),
    IdeaCategory("I1", "Identity - Physical Features", _IDENTITY, _FEATURES, "partial", whole_subject=True),
    IdeaCategory("I2", "Identity - Celebrity", _IDENTITY, _FIGURE, "partial", whole_subject=True),
    IdeaCategory("E1", "Emotion - Gesture", _EMOTION, _GESTURE, "partial"),
    IdeaCategory("E2", "Emotion - Facial Expression", _EMOTION, _EXPRESSION, "direct"),
    IdeaCategory("S1", "Scenario - Background", SCENARIO, BACKGROUND, "background"),
    IdeaCategory("S2", "Scenario - Aesthetic Features", SCENARIO, STYLE, "direct"),
)
CATEGORIES: dict[Code, IdeaCategory] = {category.code: category for category in _ALL}
"""All thirteen categories, in the paper's order."""
