"""The project in which people collect photographs: they import files as tasks, and say of each what the form asks.

Label Studio takes picture files into a project of one field of data only. So the prompts are choices of the config, and
what is pushed are tasks without a photograph, one for each that is wanted, on which people say that none can be found.
"""

from __future__ import annotations

import base64
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, DataError

from ..forms.campaign_form import CampaignForm
from ..forms.collect import NONE
from ..forms.form import Form, FormError, OneOf, PhotographField
from ..store import Task
from .label_config import add_fields, codes_by_words, control_of, plain, selected
from .replies import by_control, fields_said
from .task_data import KEY, key_of

IMAGE, PROMPT = "image", "prompt"
"""Fields of a task's data; the second is also the control that says what a photograph is for."""
PICTURE = "picture"
"""What the photograph is called in the config."""
NO_PROMPT = "none of the prompts"
"""Beside a lone prompt: Label Studio refuses a single choice."""
MOST_PROMPTS = 1000


class CollectedPhotograph(NamedTuple):
    """What somebody said of a photograph: its prompt, None where it is not named, and the fields of the form."""

    prompt: str | None
    fields: Mapping[str, Any]


def prompt_of(task: Task) -> str:
    """Return what a task looks for."""
    return str(task.payload["question"])


def collect_config(form: CampaignForm, tasks: Iterable[Task]) -> str:
    """Return the config of a campaign that collects, as XML, with the prompts of its tasks.

    Raises:
        BenchwrightError: There are too many prompts to choose from.
    """
    words = sorted(prompt_words(tasks))
    if len(words) > MOST_PROMPTS:
        raise BenchwrightError(
            f"{len(words):,} prompts are more than anybody finds in a list; Label Studio gets up to {MOST_PROMPTS:,}. "
            "Collect in the app (`review serve`)"
        )
    view = ET.Element("View")
    if form.guidelines:
        panel = ET.SubElement(ET.SubElement(view, "Collapse"), "Panel", value="Guidelines")
        for line in filter(None, map(str.strip, form.guidelines.splitlines())):
            ET.SubElement(panel, "Header", value=plain(line), size="5")
    ET.SubElement(view, "Header", value=f"${PROMPT}", size="4")
    ET.SubElement(view, "Image", name=PICTURE, value=f"${IMAGE}", zoom="true", zoomControl="true")
    fields = said_of_photograph(form)
    place = len(view)
    add_fields(view, fields, of=PICTURE)
    view.insert(place + 1, _prompts(words, fields))
    return ET.tostring(view, encoding="unicode")


def _prompts(words: Sequence[str], fields: Form) -> ET.Element:
    """Return the part that asks for the prompt of a photograph that was found."""
    found = fields.headline
    assert isinstance(found, OneOf)  # the form of `collect` begins with whether a photograph was found
    part = ET.Element(
        "View", selected(control_of(found), *(said for said, code in codes_by_words(found).items() if code != NONE))
    )
    ET.SubElement(part, "Header", value="Prompt", size="5")
    prompts = ET.SubElement(part, "Choices", name=PROMPT, toName=PICTURE, choice="single-radio", layout="select")
    for one in words if len(words) > 1 else [*words, NO_PROMPT]:
        ET.SubElement(prompts, "Choice", value=one)
    return part


def said_of_photograph(form: CampaignForm) -> Form:
    """Return the form without the photograph itself, which is what the rest is said of."""
    typed = form.typed
    assert typed is not None  # a campaign that collects has fields
    return Form(fields=tuple(field for field in typed.fields if not isinstance(field, PhotographField)))


def photograph_field(form: CampaignForm) -> PhotographField:
    """Return what a photograph may be."""
    typed = form.typed
    assert typed is not None  # a campaign that collects has fields
    return next(field for field in typed.fields if isinstance(field, PhotographField))


def prompt_words(tasks: Iterable[Task]) -> dict[str, str]:
    """Return the prompts of tasks by the words that people choose."""
    return {plain(prompt_of(task)): prompt_of(task) for task in tasks}


def prompt_data(task: Task) -> dict[str, Any]:
    """Return the data of a task that asks whether no photograph can be found."""
    told = f"Can no photograph be found? {prompt_of(task)}"
    return {KEY: key_of(task), PROMPT: told, IMAGE: _empty_picture()}


def read_collected(result: Any, form: CampaignForm, words: Mapping[str, str]) -> CollectedPhotograph:
    """Read what somebody said of a photograph, or of a task that has none.

    Args:
        result: Label Studio's list of regions.
        form: Of the campaign.
        words: Its prompts, by the words that people choose.

    Raises:
        DataError: It is not what the form lets people say.
    """
    said = by_control(result)
    named = said.pop(PROMPT, [])
    if len(named) > 1 or any(one not in words for one in named):
        raise DataError(f"{ascii(named)[:80]} is none of the campaign's prompts")
    fields = said_of_photograph(form)
    try:
        given = fields.checked(fields_said(said, fields, {}), letters=(), key=None)
    except FormError as error:
        raise DataError(str(error)) from None
    return CollectedPhotograph(words[named[0]] if named else None, given)


@cache
def _empty_picture() -> str:
    import numpy as np

    from benchwright.images.decode import encode_png

    png = encode_png(np.full((8, 240, 3), 224, dtype=np.uint8))
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
