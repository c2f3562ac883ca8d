"""Simulated annotators who create content: descriptions of images, questions, and pictures for prompts.

Their content cannot be mistaken for a person's: the descriptions use words that no person would use, and the program
draws the pictures, with the word SIMULATED across them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from benchwright.questions.settings import DECLINING

from ..forms.campaign_form import CampaignForm
from ..forms.fields.field_types import FormField, Lines, OneOf, PhotographField, Repeated, SeveralOf, TextField
from ..forms.fields.field_values import applies
from ..forms.fields.form import Form
from ..forms.kind_forms import writing
from ..forms.kind_forms.collect import NONE, OWN, WEB
from ..forms.kind_forms.description import CONVEYS, COUNTS, NOTHING
from ..forms.kind_forms.statements import HEADLINE, STATED
from ..forms.payloads import item_in, previous_in
from ..forms.submission import Submission
from .annotators import Share, SimulatedGroup

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NOTIONS = (
    "patience", "pride", "haste", "comfort", "loss", "hope", "distance", "habit", "courage", "doubt", "plenty",
    "silence", "envy", "duty", "chance", "order",
)  # fmt: skip
"""Meanings that simulated annotators find in images."""
_MIN_WIDTH, _MIN_HEIGHT = 320, 240
_WORD = "SIMULATED"


class SimulatedDescribers(SimulatedGroup):
    """Simulated annotators who discard an image at a given rate, or else label it at random and write 1 to 3 questions.

    Attributes:
        discard_rate: Chance that an annotator finds that an image conveys nothing, 0 to 1.
    """

    called: ClassVar[str] = "describer-"

    discard_rate: Share = 0.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return a submission that discards, or that fills in the whole form."""
        if rng.random() < self.discard_rate:
            return Submission(fields={"implication": NOTHING})
        typed, picture = form.typed, item_in(payload)["images"][0]["image_id"][:8]
        assert typed is not None, "images are described in a typed form"
        if previous := list(previous_in(payload).values()):
            fields = dict(previous[0])
            questions = {name: _revised(text) for name, text in fields.items() if name.startswith("ask_")}
            return Submission(fields={**fields, **questions})
        fields = {"implication": CONVEYS, **_labels(typed, rng)}
        fields["explanation"] = f"Simulated: no person looked at picture {picture} to say what it conveys."
        for number in range(1, COUNTS.index(fields["questions"]) + 2):
            right, *wrong = (_NOTIONS[place] for place in rng.permutation(len(_NOTIONS))[:6].tolist())
            fields[f"ask_{number}"] = (
                f"Simulated question {number} about picture {picture}: which notion does it convey?"
            )
            fields |= {f"right_{number}": right, f"wrong_{number}": wrong}
        return Submission(fields=fields)


class SimulatedStaters(SimulatedGroup):
    """Simulated annotators who find nothing to state at a given rate, or else fill in all required fields.

    Attributes:
        nothing_rate: Chance that an annotator finds nothing to state, 0 to 1.
    """

    called: ClassVar[str] = "stater-"

    nothing_rate: Share = 0.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return a submission that states nothing, or that fills in the required fields."""
        typed, picture = form.typed, item_in(payload)["images"][0]["image_id"][:8]
        assert typed is not None, "statements are written in a typed form"
        if rng.random() < self.nothing_rate:
            return Submission(fields={HEADLINE: NOTHING})
        fields = {field.name: _written(field, picture, rng) for field in typed.fields[1:] if field.is_required}
        return Submission(fields={HEADLINE: STATED, **fields})


_UNANSWERABLE_RATE = 0.2
"""Chance of a question that the picture does not answer, if an option that declines may be right."""


class SimulatedWriters(SimulatedGroup):
    """Simulated annotators who find nothing to ask at a given rate, or else write questions and label them at random.

    Attributes:
        nothing_rate: Chance that an annotator finds nothing to ask, 0 to 1.
    """

    called: ClassVar[str] = "writer-"

    nothing_rate: Share = 0.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return a submission with no questions, with as many questions as the form accepts, or with fewer."""
        typed, picture = form.typed, item_in(payload)["images"][0]["image_id"][:8]
        assert typed is not None, "questions are written in a typed form"
        if previous := list(previous_in(payload).values()):
            questions = [{**entry, "ask": _revised(entry["ask"])} for entry in previous[0][writing.GROUP]]
            return Submission(fields={writing.HEADLINE: writing.WRITTEN, writing.GROUP: questions})
        if rng.random() < self.nothing_rate:
            return Submission(fields={writing.HEADLINE: NOTHING})
        [group] = [field for field in typed.fields if isinstance(field, Repeated)]
        count = int(rng.integers(group.min_count, group.max_count + 1))
        questions = [self._question(group, number, picture, rng) for number in range(1, count + 1)]
        return Submission(fields={writing.HEADLINE: writing.WRITTEN, writing.GROUP: questions})

    def _question(self, group: Repeated, number: int, picture: str, rng: np.random.Generator) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for field in group.fields:
            if not applies(field, values):
                continue
            if field.name == DECLINING and isinstance(field, OneOf):
                codes = [option.code for option in field.options if option.code != writing.IS_RIGHT]
                is_unanswerable = rng.random() < _UNANSWERABLE_RATE
                values[field.name] = writing.IS_RIGHT if is_unanswerable else _drawn_code(codes, rng)
            elif isinstance(field, SeveralOf):
                values[field.name] = _some([option.code for option in field.options], rng)
            elif isinstance(field, TextField):
                text = f"Simulated {number}, {field.name} of picture {picture}"
                values[field.name] = text[: field.max_chars]
            else:
                values[field.name] = _written(field, picture, rng, of=f"question {number}")
        return values


def _revised(question: str) -> str:
    """Return a simulated writer's revision of a question that came back: a word is added before the question."""
    return f"Revised: {question}"


def _written(field: FormField, picture: str, rng: np.random.Generator, *, of: str = "") -> Any:
    """Return a value for a field, which states that no person wrote it; names differ by group."""
    if isinstance(field, Repeated):
        parts = [part for part in field.fields if part.is_required and part.only_if is None]
        entries = range(1, max(2, field.min_count) + 1) if field.max_count > 1 and field.distinct == "name" else (1,)
        return [{part.name: _written(part, picture, rng, of=f"{field.name}_{n}") for part in parts} for n in entries]
    if isinstance(field, OneOf):
        return _drawn_code([option.code for option in field.options], rng)
    if isinstance(field, Lines):
        lines = range(1, (field.at_least or field.count) + 1)
        return [f"Simulated {line} of {of}"[: field.max_chars] for line in lines]
    assert isinstance(field, TextField), "other fields may be left out"
    if field.is_name:
        return f"simulated_{of or 'subjects_1'}"
    return "0" if field.is_count else f"Simulated {field.name} {of} of picture {picture}".replace("  ", " ")


class SimulatedCollectors(SimulatedGroup):
    """Simulated annotators who submit a picture that they draw, or find no picture at a given rate.

    Attributes:
        none_rate: Chance that an annotator finds no photograph for a prompt, 0 to 1.
    """

    called: ClassVar[str] = "collector-"

    none_rate: Share = 0.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return a submission with the source, author and license of a picture, or a statement that there is none."""
        del payload
        if rng.random() < self.none_rate:
            return Submission(fields={"found": NONE})
        typed = form.typed
        assert typed is not None, "photographs are collected by a typed form"
        [licences] = [field for field in typed.fields if field.name == "licence" and isinstance(field, OneOf)]
        fields = {
            "found": (WEB, OWN)[int(rng.integers(2))],
            "licence": _drawn_code([option.code for option in licences.options], rng),
            "author": "A simulated annotator; no person's photograph",
        }
        if fields["found"] == WEB:  # names under `invalid` never resolve (RFC 2606)
            fields["source"] = f"https://simulated.invalid/{int(rng.integers(2**32)):08x}"
        return Submission(fields=fields)

    def picture(self, submission: Submission, form: CampaignForm, rng: np.random.Generator) -> NDArray[np.uint8] | None:
        """Return a drawn picture; None if the submission states that there is no picture."""
        if submission.fields is not None and submission.fields["found"] == NONE:
            return None
        typed = form.typed
        assert typed is not None, "photographs are collected by a typed form"
        [field] = [field for field in typed.fields if isinstance(field, PhotographField)]
        return drawn_picture(rng, *_size(field))


def drawn_picture(rng: np.random.Generator, width: int, height: int) -> NDArray[np.uint8]:
    """Return (height, width, 3) pixels: colored panes and disks, with the word SIMULATED across them."""
    import numpy as np

    from benchwright.drawing.lettering import ink_width, render, stamp

    pixels = np.empty((height, width, 3), np.uint8)
    pixels[:] = rng.integers(40, 216, 3)
    y, x = np.mgrid[:height, :width]
    for number in range(12):
        at_y, at_x = rng.random(2) * (height, width)
        reach = (0.05 + 0.2 * rng.random()) * min(width, height)
        far = (np.abs(y - at_y), np.abs(x - at_x))
        is_inside = np.hypot(*far) < reach if number % 2 else np.maximum(*far) < reach
        pixels[is_inside] = rng.integers(0, 256, 3)
    size = 0.8 * width / ink_width(_WORD, 1000.0) * 1000.0
    text = render(_WORD, size, halo_px=size / 12)
    stamp(
        pixels, text, left=(width - text.width) / 2, top=(height - text.height) / 2, ink=(255, 255, 255), halo=(0, 0, 0)
    )
    return pixels


def _labels(form: Form, rng: np.random.Generator) -> dict[str, Any]:
    """Return a random code for each label of a description; one or two codes for rhetoric."""
    labels: dict[str, Any] = {}
    for field in form.fields[1:]:
        if isinstance(field, OneOf):
            labels[field.name] = _drawn_code([option.code for option in field.options], rng)
        elif isinstance(field, SeveralOf):
            labels[field.name] = _some([option.code for option in field.options], rng)
    return labels


def _some(codes: Sequence[str], rng: np.random.Generator) -> list[str]:
    """Return one or two of these codes at random."""
    return [codes[place] for place in rng.permutation(len(codes))[: rng.integers(1, 3)].tolist()]


def _drawn_code(codes: Sequence[str], rng: np.random.Generator) -> str:
    return codes[int(rng.integers(len(codes)))]


def _size(field: PhotographField) -> tuple[int, int]:
    """Return width and height in pixels of a picture that a form accepts, as square as its limits allow."""
    height = max(_MIN_HEIGHT, field.min_side_px)
    width = max(_MIN_WIDTH, field.min_side_px)
    if width * height > field.max_pixels:
        return field.min_side_px, field.min_side_px
    return width, height
