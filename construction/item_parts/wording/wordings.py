"""Several wordings of one question: the seed draws one of them for each item.

A model may answer one wording better than another. A task therefore has several wordings with the same meaning, and
each item records the one it uses. The draw depends only on the seed and the record, never on the key, and twins share
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy as np

WORDING = "wording"
"""Attribute of items that identifies their wording: its number among those of the task, from 1."""
WordingsInUse = Literal[1, "all"]
"""Wordings that a task uses: the first one, or all of them."""


class DrawnWording(NamedTuple):
    """One wording of a question.

    Args:
        template: The question, with names in braces for the parts that differ between items.
        number: Its number among the wordings of the task, from 1.
    """

    template: str
    number: int

    @property
    def attributes(self) -> dict[str, str]:
        """Return the attribute by which analyses distinguish wordings."""  # phrase: allowed
        return {WORDING: str(self.number)}


class Wordings:
    """Wordings of a question with the same meaning, the simplest first.

    Args:
        templates: The questions, with names in braces for the parts that differ between items.

    Example:
        >>> import numpy as np
        >>> wordings = Wordings("Is this {thing}?", "Does the picture show {thing}?")
        >>> wordings.filled(thing="a {cup}").drawn(1, np.random.default_rng(0))
        DrawnWording(template='Is this a {cup}?', number=1)
    """

    def __init__(self, *templates: str) -> None:
        self.templates = templates

    def filled(self, **values: str) -> Wordings:
        """Return the wordings with their names replaced by values; all names must be given."""
        return Wordings(*(template.format(**values) for template in self.templates))

    def drawn(self, in_use: WordingsInUse, rng: np.random.Generator) -> DrawnWording:
        """Return one of the wordings in use, all equally likely."""
        number = 0 if in_use == 1 else int(rng.integers(len(self.templates)))
        return DrawnWording(self.templates[number], number + 1)

    def of_number(self, number: int) -> str:
        """Return the wording with the given number, from 1."""
        return self.templates[number - 1]
