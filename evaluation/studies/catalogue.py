"""The studies by name: their conditions, each a protocol, and the condition with which others are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from benchwright.errors import BenchwrightError

from ..prompting.prompts import VANILLA

_HEIGHT_PX = 1024
"""Height to which all pictures are scaled before marks are drawn, as in BLINK."""


class Condition(NamedTuple):
    """One way of asking every item.

    Args:
        name: Name of the condition, as text.
        protocol: Protocol with its settings, in the form of `--protocol`.
        is_of_paper: Whether the condition is in the paper; otherwise it is our own.
    """

    name: str
    protocol: str
    is_of_paper: bool = True


class Study(NamedTuple):
    """A paper's study.

    Args:
        name: Name on the command line.
        title: Title of its page.
        source: Paper and section.
        question: The research question, in one sentence.
        conditions: The conditions, in display order.
        lacking: What is missing from a release in which no item can be asked under all conditions.
        baseline_number: Index of the condition with which others are compared; the first by default.
    """

    name: str
    title: str
    source: str
    question: str
    conditions: tuple[Condition, ...]
    lacking: str = "the release has no items"
    baseline_number: int = 0

    @property
    def baseline(self) -> Condition:
        """Return the condition with which others are compared."""
        return self.conditions[self.baseline_number]


def study_of(name: str, *, captioner: str | None = None) -> Study:
    """Return the study with a given name.

    Args:
        name: Name of the study.
        captioner: Model that describes pictures in the study `captions`, where it is required; refused in other
            studies.

    Raises:
        BenchwrightError: The study does not exist, or the captioner is missing or superfluous.
    """
    if name not in STUDIES:
        raise BenchwrightError(f"unknown study {name!r}; choose from {', '.join(STUDIES)}")
    if name == "captions":
        if captioner is None:
            raise BenchwrightError(
                "the study 'captions' needs a model that describes pictures: --captioner openai:NAME"
            )
        if "," in captioner:
            raise BenchwrightError(f"a captioner's name cannot contain a comma: {captioner!r}")
        return _captions(captioner)
    if captioner is not None:
        raise BenchwrightError(f"the study {name!r} writes no captions; leave --captioner out")
    return STUDIES[name]()


def _markers() -> Study:
    def ring(radius_px: int, color: str) -> Condition:
        return Condition(f"circle, {radius_px} px, {color}", _marks("ring", radius_px, color))

    own = (("dot", 5), ("box", 10), ("arrow", 10))
    return Study(
        "markers",
        "Accuracy by marker",
        "BLINK section 4.3, figure 7",
        "How much does it matter how a point is marked?",
        (
            *(ring(radius_px, color) for color in ("red", "gray") for radius_px in (5, 10, 15)),
            *(Condition(f"{shape}, {px} px, red", _marks(shape, px, "red"), is_of_paper=False) for shape, px in own),
        ),
        "no item of the release marks a point",
        baseline_number=1,  # 10 px and red, which the paper uses for everything else
    )


def _marks(shape: str, radius_px: int, color: str) -> str:
    return f"marks:color={color},height_px={_HEIGHT_PX},radius_px={radius_px},shape={shape}"


def _captions(captioner: str) -> Study:
    return Study(
        "captions",
        "Descriptions in place of pictures",
        "BLINK section 4.3, figure 6",
        "Are descriptions of the pictures enough?",
        (
            Condition("with pictures", VANILLA),
            Condition(f"with descriptions by {captioner}", f"caption:by={captioner}"),
            Condition("words alone", "blind", is_of_paper=False),
        ),
    )


def _no_picture() -> Study:
    return Study(
        "no_picture",
        "With pictures and without",
        "II-Bench appendix B.2, table 6",
        "Can the questions be answered without their pictures?",
        (
            Condition("with pictures", VANILLA),
            Condition("without pictures", "blind"),
            Condition("with another item's pictures", "wrong-image", is_of_paper=False),
        ),
    )


def _contradicting_captions() -> Study:
    return Study(
        "contradicting_captions",
        "Captions that contradict the picture",
        "MVP-Bench section 4.2, whose captions of pairs contradict each other; asking with them is our addition",
        "Does a model trust the picture or the words next to it?",
        (
            Condition("no caption", "stated-caption:of=none", is_of_paper=False),
            Condition("the picture's own caption", "stated-caption:of=own", is_of_paper=False),
            Condition("the other picture's caption", "stated-caption:of=other", is_of_paper=False),
        ),
        "no item of the release shows one picture of a pair with known captions, as `pair_items` makes them",
    )


STUDIES: Mapping[str, Callable[[], Study]] = {
    "markers": _markers,
    "captions": lambda: _captions("MODEL"),
    "no_picture": _no_picture,
    "contradicting_captions": _contradicting_captions,
}
"""Functions that create the studies, by name."""
