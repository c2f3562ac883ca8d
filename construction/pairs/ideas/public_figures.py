"""Public figures that nobody is: made up for ideas of category I2, where a real person must not be shown.

Names were put together so that no well-known person bears them; what counts is the description, which an image model
can draw.
"""

from __future__ import annotations

from typing import NamedTuple


class Figure(NamedTuple):
    """Somebody made up, famous in a world of our own."""

    name: str
    known_as: str
    looks: str


FICTIONAL: tuple[Figure, ...] = (
    Figure("Orvo Kestrellin", "the president of the republic of Vastmark", "a tall man with a silver beard and a sash"),
    Figure("Tamsine Quorrel", "the queen of the isle of Brannoch", "an old woman with a small crown and a blue cloak"),
    Figure("Dario Venn-Okada", "the world champion of ski flying", "a lean young man with bleached hair and goggles"),
    Figure("Liselka Marrowby", "the singer who fills every stadium", "a woman with green hair and a sequined jacket"),
    Figure("Bertrand Oxley-Finch", "the banker on trial for fraud", "a heavy man with a monocle and a striped suit"),
    Figure("Ysolde Tarrantine", "the general who led the coup of Corvane", "a stern woman in uniform with medals"),
    Figure("Haruno Belvedaire", "the film star of the space epics", "a man with a thin moustache and a white tuxedo"),
    Figure("Mirela Sandoquist", "the physicist with two great prizes", "a grey-haired woman with round glasses"),
    Figure("Kofi Albrandt", "the footballer of the century", "an athletic man in a golden jersey, number ten"),
    Figure("Rosamund Thackerel", "the chef with a show of her own", "a red-haired woman with a tall white hat"),
    Figure("Igor Melnichuk-Day", "the leader of the pirate party", "a man with an eye patch and a black coat"),
    Figure("Adaeze Winterbourne", "the astronaut who first walked on Mars", "a woman with a shaved head"),
)  # fmt: skip


def listed() -> str:
    """Return all figures as a prompt lists them, one a line."""
    return "\n".join(f"- {one.name}, {one.known_as}: {one.looks}" for one in FICTIONAL)


def names_one(text: str) -> bool:
    """Return whether a text names one of them."""
    return any(one.name.casefold() in text.casefold() for one in FICTIONAL)
